"""The subdomains file: CSV with a column host and, if wanted, sitemaps, accounts and tags."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from submitter.inventory.addresses import check_sitemap
from submitter.inventory.faults import Faults, Row
from submitter.inventory.fields import ROBOTS, check_account, check_tag
from submitter.inventory.marks import Loc
from submitter.inventory.problems import nearest, shown

MAX_BYTES = 8 * 1_048_576
COLUMNS = ("host", "sitemaps", "accounts", "tags")


@dataclass(frozen=True, slots=True)
class Listed:
    """One host of a domain as it was listed; `own` keys are None when they have faults."""

    host: str
    place: Loc | Row
    own: Mapping[str, object] | None


class SubdomainsFile:
    """A file's text; `name` is what faults call it. Rows with faults are gathered and left out."""

    def __init__(self, text: str, name: str, accounts: Collection[str], faults: Faults) -> None:
        self._text, self._name, self._faults = text, name, faults
        self._checks: Mapping[str, Callable[[str], str]] = {
            "sitemaps": check_sitemap,
            "accounts": lambda word: check_account(word, accounts),
            "tags": check_tag,
        }
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def read(self) -> Iterator[Listed]:
        rows = self._rows()
        header, top = next(rows, ([], Row(self._name, 1)))
        columns = [cell.lower() for cell in header]
        if not self._check_header(columns, top):
            return
        if not any(line.strip(" ,\t") for line in self._lines[top.line :]):
            self._fault(top, 0, "names no hosts")
        host = columns.index("host")
        for cells, place in rows:
            if len(cells) > len(columns):
                self._fault(place, len(columns), "more cells than columns")
            elif host >= len(cells) or not cells[host]:
                self._fault(place, host, "host: is empty")
            else:
                own = self._own(columns, cells, place)
                yield Listed(cells[host], self._cell(place, host), own)

    def _rows(self) -> Iterator[tuple[list[str], Row]]:
        """Rows with anything in them, each with the line it starts at."""
        reader = csv.reader(io.StringIO(self._text, newline=""), strict=True)
        while True:
            place = Row(self._name, reader.line_num + 1)
            try:
                cells = [cell.strip() for cell in next(reader)]
            except StopIteration:
                return
            except csv.Error as error:
                self._faults.at_value(place, f"not CSV: {error}")
                return
            if any(cells):
                yield cells, place

    def _check_header(self, columns: list[str], place: Row) -> bool:
        sound = True
        for at, column in enumerate(columns):
            if column not in COLUMNS:
                problem = f"unknown column {shown(column)}{nearest(column, COLUMNS)}"
            elif column in columns[:at]:
                problem = f"column {column!r} stands here twice"
            else:
                continue
            self._fault(place, at, problem)
            sound = False
        if sound and "host" not in columns:
            self._fault(place, 0, "no column 'host'; the first line names the columns")
        return sound and "host" in columns

    def _own(self, columns: list[str], cells: list[str], place: Row) -> dict[str, object] | None:
        """What the row says besides its host; an empty cell says nothing. None after a fault."""
        own: dict[str, object] = {}
        sound = True
        for at, (column, cell) in enumerate(zip(columns, cells, strict=False)):
            if column == "host" or not cell.strip("; "):
                continue
            try:
                own[column] = self._words(column, cell)
            except ValueError as error:
                self._fault(place, at, f"{column}: {error}")
                sound = False
        return own if sound else None

    def _words(self, column: str, cell: str) -> tuple[str, ...]:
        """The checked words of a cell; equal cells share one value."""
        if column == "sitemaps" and cell == ROBOTS:
            return ()
        words = self._known.get((column, cell))
        if words is None:
            parts = [part for part in re.split(r"[\s;]+", cell) if part]
            words = tuple(dict.fromkeys(map(self._checks[column], parts)))
            self._known[column, cell] = words
        return words

    @cached_property
    def _lines(self) -> list[str]:
        """As csv counts them."""
        return re.split(r"\r\n|\r|\n", self._text)

    def _cell(self, row: Row, cell: int) -> Row:
        return Row(row.where, row.line, _column(self._lines[row.line - 1], cell))

    def _fault(self, row: Row, cell: int, problem: str) -> None:
        self._faults.at_value(self._cell(row, cell), problem)


def _column(line: str, cell: int) -> int:
    """Where a cell starts in a line, counted from 1."""
    seen, quoted = 0, False
    for at, character in enumerate(line, start=1):
        if seen == cell:
            return at
        quoted ^= character == '"'
        seen += character == "," and not quoted
    return len(line) + 1 if seen == cell else 1
