"""Reads regular entries with one compiled expression instead of the XML parser.

An entry is regular when its tags, their order and its characters are such that the parser could
only say what the expression says; such an entry is whole and balanced, so the parser need not see
it to judge the rest. Everything else goes through the parser. Measured 2026-11-30 on one core,
225 bytes an entry: the expression 1.3 µs an entry, expat with the leanest handlers 3.5 µs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BLANK: Final = r"[ \t\n]*+"
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.-]*+"


def _attribute(name: str) -> str:
    return rf'(?:[ \t\n]++{name}="[^"<>]*+")'


_REL, _HREFLANG, _HREF, _MEDIA, _TYPE = map(
    _attribute, ("rel", "hreflang", "href", "media", "type")
)
_END: Final = rf"{_BLANK}(?=/?>)"
_ATTRIBUTES: Final = (
    rf"(?>{_REL}?+(?:{_HREFLANG}{_HREF}?+|{_HREF}{_HREFLANG}?+)?+{_MEDIA}?+{_TYPE}?+{_END}"
    rf"|{_attribute('allow_embed')}?+{_attribute('autoplay')}?+{_END}"
    rf"|{_attribute('(?!xmlns)[a-z_]++')}{_END})"
)
"""In the orders that generators use. None may come twice, and no expression for any names in any
order could say so as fast."""
_LEVELS: Final = 3
"""Of elements in an extension: `news:news`, `news:publication`, `news:name`."""
_PLAIN: Final = "<(?:changefreq>[^<]*+</changefreq|priority>[^<]*+</priority)>"

_MOST_PREFIXES, _LONGEST_PREFIX = 10, 20
"""No document decides how large the expression grows; entries with other prefixes are irregular."""

_CONTROLS: Final = bytes(code for code in range(32) if chr(code) not in "\t\n")
_ODD_REFERENCE: Final = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#0{0,2}(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])"
    r"|#x0{0,2}[2-7][0-9A-Fa-f]);)"
).search
"""References are read here when they are one of the five names or a printable ASCII character."""

_REFERENCE: Final = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([a-z]+));")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Skimmer:
    """Reads runs of regular entries of one document.

    `entry` is the tag of entries, `prefixes` are bound to extensions in the root element, and the
    sitemap's own tags have no prefix.
    """

    def __init__(self, entry: str, prefixes: Iterable[str]) -> None:
        self.closer = f"</{entry}>"
        usual = sorted(prefix for prefix in prefixes if len(prefix) <= _LONGEST_PREFIX)
        self._find = re.compile(_expression(entry, usual[:_MOST_PREFIXES])).findall

    def skim(self, text: str, at: int) -> tuple[list[str], list[str], int]:
        """Addresses, and as many dates, of the regular entries from there on; where they end.

        The text must be regular (see `is_regular`), and `at` must lie between two entries.
        """
        found = self._find(text, at)
        end = len(text)
        if found and found[-1][-1]:
            end -= len(found.pop()[-1])
        if not found:
            return [], [], end
        locs, dates, *_ = zip(*found, strict=True)
        return _plain(locs), _plain(dates), end


def is_regular(text: str) -> bool:
    """Whether every character and reference may stand in XML wherever the expression lets it.

    A carriage return may not: newlines are normalised before, as XML does.
    """
    if ("]" in text and "]]>" in text) or ("&" in text and _ODD_REFERENCE(text)):
        return False
    if not text.isascii() and ("\ufffe" in text or "\uffff" in text):
        return False
    data = text.encode()
    return len(data.translate(None, _CONTROLS)) == len(data)


def _plain(texts: Sequence[str]) -> list[str]:
    return [_REFERENCE.sub(_character, text) if "&" in text else text for text in texts]


def _character(found: re.Match[str]) -> str:
    hexadecimal, decimal, name = found.groups()
    return _NAMED[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


def _expression(entry: str, prefixes: list[str]) -> str:
    """Groups: address, date, inner ones, and last whatever follows the last regular entry.

    No capturing group stands in a possessive one: Python 3.11 had faults there (cpython issue
    101955).
    """
    extension = _extension(prefixes, 3, _LEVELS)
    further = rf"(?:(?:{_PLAIN}|{extension}){_BLANK})*" if prefixes else rf"(?:{_PLAIN}{_BLANK})*"
    return (
        rf"{_BLANK}<{entry}>{_BLANK}<loc>([^<]*+)</loc>{_BLANK}(?:{_PLAIN}{_BLANK})*+"
        rf"(?:<lastmod>([^<]*+)</lastmod>{_BLANK})?{further}</{entry}>{_BLANK}|([\s\S]+)"
    )


def _extension(prefixes: list[str], group: int, levels: int) -> str:
    """An element of an extension with so many levels of elements. One group for each level."""
    name = rf"(?:{'|'.join(map(re.escape, prefixes))}):{_NAME}"
    text = rf">[^<]*+</\{group}>"
    if levels > 1:
        child = _extension(prefixes, group + 1, levels - 1)
        text += rf"|>{_BLANK}(?:{child}{_BLANK})+</\{group}>"
    return rf"<({name}){_ATTRIBUTES}(?:/>|{text})"
