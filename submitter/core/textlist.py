"""Lists of addresses in plain text, one a line."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from submitter.core.encodings import REPLACED
from submitter.core.entries import Entry, Intake, ReadLimits
from submitter.core.findings import MAX_EXAMPLES
from submitter.core.looks import DocumentKind
from submitter.core.notes import Notes

_NEWLINE: Final = re.compile(r"\r\n?|\n")
_ADDRESS: Final = re.compile(r"(?i)https?:/\S+").fullmatch


class TextReader:
    """Reads one list from its text, which begins on `line`."""

    kind: Final = DocumentKind.TEXT

    def __init__(self, notes: Notes, intake: Intake, *, limits: ReadLimits, line: int) -> None:
        self._notes, self._intake, self._limits, self._line = notes, intake, limits, line
        self._pending = ""
        self._overlong = False
        self.closed = False
        """Whether the list ends where a line ends. Known when it is finished."""
        self.fault = ""

    def feed(self, text: str) -> list[Entry]:
        """Entries of the lines that have ended in the text so far."""
        text = self._pending + text
        cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
        self._pending = text[cut:]
        lines = _NEWLINE.split(text[:cut])[:-1]
        given = self._take(lines)
        self._drop_overlong()
        return given

    def stop(self, id: str) -> None:
        """Read no further: what was given stays."""
        self.fault = id
        self._notes.add(id, line=lambda: self._line)

    def finish(self, *, whole: bool) -> list[Entry]:
        """The last entries. `whole` False: a line without newline may be cut and is not used."""
        last = _NEWLINE.split(self._pending)
        self.closed = whole or not last[-1].strip()
        if not self.closed:
            self._notes.add("maybe-cut", line=lambda: self._line)
            last.pop()
        return self._take(last)

    def _take(self, lines: list[str]) -> list[Entry]:
        if self._overlong and lines:
            lines[0], self._overlong = "", False
        self._count_replaced(lines)
        locs: list[str] = []
        numbers: list[int] = []
        others: list[tuple[str, int]] = []
        for number, line in enumerate(lines, self._line):
            address = line.strip(" \t\ufeff\0")
            if _ADDRESS(address) and len(line) <= self._limits.text:
                locs.append(address)
                numbers.append(number)
            elif address:
                others.append((address, number))
        self._line += len(lines)
        self._skip(others)
        return self._intake.take(locs, [""] * len(locs), numbers.__getitem__)

    def _count_replaced(self, lines: list[str]) -> None:
        for number, line in enumerate(lines, self._line):
            if REPLACED in line:
                at, count = partial(int, number), line.count(REPLACED)
                self._notes.add("undecodable-bytes", line=at, count=count)

    def _skip(self, others: list[tuple[str, int]]) -> None:
        for address, number in others[:MAX_EXAMPLES]:
            self._intake.skip("not-an-address", address, partial(int, number))
        rest = others[MAX_EXAMPLES:]
        if rest:
            self._intake.skip("not-an-address", "", partial(int, rest[0][1]), len(rest))
        skipped = self._intake.skipped["not-an-address"]
        if skipped > self._limits.entries and not self._intake.used:
            raise self._notes.refusal("no-address")

    def _drop_overlong(self) -> None:
        """Hold no more of a line than an address may be long."""
        if len(self._pending) > self._limits.text:
            if not self._overlong:
                self._intake.skip("not-an-address", self._pending, lambda: self._line)
            self._pending, self._overlong = "", True
