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


Decode = Callable[[bytes], list[Row]]
"""Takes lines of which each begins and ends an object; gives all objects in them. ValueError when
a line is no whole one."""


def decode_plainly(data: bytes) -> list[Row]:
    """One call for many lines takes a third of the time. No text of JSON holds the end of a line,
    so the noughts put there stand between objects, or show that an object goes on in the next."""
    size = data.count(b"\n") + 1
    found = json.loads(b"[%b]" % data.replace(b"}\n{", b"},0,{"), parse_constant=_refuse)
    if len(found) != 2 * size - 1 or found[1::2].count(0) != size - 1:
        raise ValueError("an object goes over the end of its line")
    rows: list[Row] = found[::2]
    return rows


@dataclass(frozen=True, slots=True)
class JsonLines:
    """Each line one object; blank lines are none. All are read at once where all are sound.

    Whatever `decode` refuses is read line by line, so every one that is right where it gives rows
    gives the same block.
    """

    decode: Decode = decode_plainly

    def parse(self, data: bytes, first: int) -> Block:
        data = data.rstrip()
        ends = data.count(b"\n")
        if data[:1] == b"{" and data.count(b"}\n{") == ends:
            rows = self._decoded(data)
            if len(rows) == ends + 1:  # more where a line holds several
                return Block(rows, range(first, first + ends + 1))
        return _each_json_line(data.split(b"\n"), first)

    def _decoded(self, data: bytes) -> list[Row]:
        try:
            return self.decode(data)
        except (ValueError, RecursionError):
            return []


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
