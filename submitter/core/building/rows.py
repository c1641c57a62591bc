"""Rows of a publish list, from the bytes of a list: JSON lines or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Row = Mapping[str, Any]
"""One line of the list by field, as JSON, CSV or a database gives it."""

FIELDS: Final = {
    "url": "the page's address",
    "lastmod": "when its content last changed: a day, a time with zone, or Unix seconds",
    "type": "the family of files it belongs to",
    "public": "no: never listed",
    "draft": "yes: never listed",
    "status": "its HTTP status, or a word: published, draft, private, deleted",
    "noindex": "yes: never listed",
    "redirect_to": "where it leads, if anywhere: never listed",
    "canonical": "its canonical address; another one than its own: never listed",
    "published": "when it was first published; chooses its archive",
    "id": "its number; chooses its archive",
    "alternates": "addresses by language",
    "images": "addresses of its images",
    "videos": "its videos",
    "news": "name, language, title and publication_date of a news article",
}
"""What each field of a list means."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is no row, or several that none can be told from."""

    line: int
    problem: str
    count: int = 1


@dataclass(slots=True)
class Block:
    """Some lines of a list, in order; `numbers` are their lines in the file, from 1."""

    rows: list[Row] = field(default_factory=list)
    numbers: Sequence[int] = ()
    unread: list[Unread] = field(default_factory=list)


Parse = Callable[[bytes, int], Block]
"""Takes whole lines and the number of the first."""


def parse_json_lines(data: bytes, first: int) -> Block:
    """Each line one object; blank lines are none. All are read at once where all are sound: one
    call for many takes a third of the time. No text of JSON holds the end of a line, so the noughts
    put there stand between objects, or show that an object goes on in the next line."""
    data = data.rstrip()
    size = data.count(b"\n") + 1
    if data.count(b"}\n{") == size - 1 and data[:1] == b"{":
        try:
            found = json.loads(b"[%b]" % data.replace(b"}\n{", b"},0,{"), parse_constant=_refuse)
        except (ValueError, RecursionError):
            found = []
        if len(found) == 2 * size - 1 and found[1::2].count(0) == size - 1:
            return Block(found[::2], range(first, first + size))
    return _each_json_line(data.splitlines(keepends=True), first)


def _each_json_line(lines: Sequence[bytes], first: int) -> Block:
    block, numbers = Block(), []
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        try:
            row = json.loads(line.removeprefix(b"\xef\xbb\xbf"), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            block.unread.append(Unread(number, f"not JSON: {error}"))
            continue
        if isinstance(row, dict):
            block.rows.append(row)
            numbers.append(number)
        else:
            block.unread.append(Unread(number, "not a JSON object"))
    block.numbers = numbers
    return block


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


class CsvParser:
    """Reads rows under the names of the header. Raises ValueError when a name stands twice."""

    def __init__(self, header: bytes) -> None:
        (self.names,) = csv.reader([header.decode("utf-8-sig")], strict=True)
        self.names = [name.strip() for name in self.names]
        if len(set(self.names)) < len(self.names):
            raise ValueError("a column stands twice in the header")

    def parse(self, data: bytes, first: int) -> Block:
        """Whole lines: no cell begins in them and ends after them."""
        block, numbers, names = Block(), [], self.names
        lines = data.splitlines(keepends=True)
        reader = csv.reader(map(_text, lines), strict=True)
        number = first
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                after = first + reader.line_num
                block.unread.append(Unread(number, str(error), after - number))
                number = after
                continue
            if cells is None:
                break
            if len(cells) == len(names):
                block.rows.append(dict(zip(names, cells, strict=True)))
                numbers.append(number)
            elif cells:
                problem = f"{len(cells)} cells under {len(names)} columns"
                block.unread.append(Unread(number, problem))
            number = first + reader.line_num
        block.numbers = numbers
        return block


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")
