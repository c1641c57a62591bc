"""Two faults of XML that are mended before the parser sees them, since it would stop there.

A bare `&` is written as `&amp;`. A named entity that XML does not know becomes `UNDECLARED`, so
that an address with one can be told from a whole one. Comments, CDATA and instructions stay as
they are, wherever the text was cut into pieces.
"""

from __future__ import annotations

import re
from typing import Final

from submitter.core.entries import UNDECLARED
from submitter.core.notes import Notes

_CLOSERS: Final = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}

_REFERENCE: Final = r"(?:amp|lt|gt|quot|apos|#[0-9]{1,9}|#x[0-9A-Fa-f]{1,8});"
_ODD: Final = rf"&(?!{_REFERENCE})"
_EVENT: Final = re.compile(rf"<!--|<!\[CDATA\[|<\?|{_ODD}(?:[A-Za-z_][A-Za-z0-9._-]{{0,63}};)?")
_has_odd_reference: Final = re.compile(_ODD).search


class Mender:
    """Mends a text that comes in pieces. Pieces must end after a `>`, the last one anywhere."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.inside = ""
        """What ends the comment, CDATA section or instruction we are in; empty = none."""

    def mend(self, text: str, line: int) -> str:
        """`line` is the number of the text's first line."""
        if not self.inside and _is_plain(text):
            return text
        mended: list[str] = []
        at = 0
        while at < len(text):
            upto, instead = self._step(text, at, line)
            mended.append(text[at:upto] if instead is None else instead)
            at = upto
        return "".join(mended)

    def _step(self, text: str, at: int, line: int) -> tuple[int, str | None]:
        """How far the next stretch of text goes, and what stands for it if not itself."""
        if self.inside:
            end = text.find(self.inside, at)
            if end < 0:
                return len(text), None
            end += len(self.inside)
            self.inside = ""
            return end, None
        event = _EVENT.search(text, at)
        if event is None:
            return len(text), None
        if event.start() > at:
            return event.start(), None
        if event[0] in _CLOSERS:
            self.inside = _CLOSERS[event[0]]
            return event.end(), None
        return event.end(), self._mended(text, event, line)

    def _mended(self, text: str, event: re.Match[str], line: int) -> str:
        id = "undeclared-entity" if event[0].endswith(";") else "bare-ampersand"
        self._notes.add(
            id,
            line=lambda: line + text.count("\n", 0, event.start()),
            example=_around(text, event.start()),
        )
        return UNDECLARED if event[0].endswith(";") else "&amp;"


def _is_plain(text: str) -> bool:
    return "<!" not in text and "<?" not in text and not _has_odd_reference(text)


def _around(text: str, at: int) -> str:
    """The address or other text in which something stands."""
    start = max(text.rfind(mark, 0, at) for mark in '>"') + 1
    return text[start : at + 100].partition("<")[0].strip()
