"""A list in blocks of some hundred lines, so that a block that did not change is not read again.

A new list is cut wherever blocks are long enough. One that was read before is cut where it was cut
then, as far as it is the same; after a change, the first line of a block that is known leads back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol
from zlib import crc32

from submitter.core.building.rows import Block, Parse, Row

BLOCK_BYTES: Final = 131_072
BLOCK_ROWS: Final = 1_024
LONGEST_RECORD: Final = 1024 * 1024
"""A quote that nobody closes would make one cell of the rest of the list."""


class Mark(NamedTuple):
    """By what a block is known again: its digest, its bytes, and a check of its first line."""

    digest: str
    size: int = 0
    head: int = 0


class RawBlock(Protocol):
    """Some whole lines of a list, not read yet."""

    @property
    def first(self) -> int:
        """The number of the first line, from 1."""

    @property
    def mark(self) -> Mark: ...

    def parse(self) -> Block:
        """The rows, and what is none."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Whole lines of a file."""

    data: bytes
    first: int
    parser: Parse
    mark: Mark

    def parse(self) -> Block:
        return self.parser(self.data, self.first)


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Rows of a query, under the names of its columns."""

    names: Sequence[str]
    values: Sequence[Sequence[Any]]
    first: int

    @property
    def mark(self) -> Mark:
        return Mark(_digest(repr(self.values).encode()))

    def parse(self) -> Block:
        rows: list[Row] = [dict(zip(self.names, one, strict=True)) for one in self.values]
        return Block(rows, range(self.first, self.first + len(rows)))


class Cutter:
    """Cuts the bytes of a list. `known` are the blocks of the last build, in its order; `quoted`:
    a cell in quotes may hold the ends of lines."""

    def __init__(self, known: Sequence[Mark] = (), *, quoted: bool = False) -> None:
        self._known, self._quoted = known, quoted
        self._by_head: Mapping[int, int] = {one.head: at for at, one in enumerate(known)}
        self._longest = max((one.size for one in known), default=0)
        self._next = 0
        self._waiting = b""

    def cut(self, data: bytes, *, final: bool = False) -> Iterator[tuple[bytes, Mark]]:
        """Blocks that have ended with these bytes; at the end, the rest as well."""
        data = self._waiting + data
        start = 0
        record = LONGEST_RECORD if self._quoted else BLOCK_BYTES
        enough = max(self._longest, BLOCK_BYTES) + BLOCK_BYTES + record
        while start < len(data) and (final or len(data) - start > enough):
            end = self._end(data, start)
            block = data[start:end]
            yield block, Mark(_digest(block), len(block), _head(block, 0))
            start = end
        self._waiting = data[start:]

    def _end(self, data: bytes, start: int) -> int:
        """Where the block ends that begins at `start`."""
        if self._stands(data, start, self._next):
            self._next += 1
            return start + self._known[self._next - 1].size
        end = self._cut_at(data, start)
        if not self._known:
            return end
        # half a block more, or each line put in would leave a small block behind
        return self._known_start(data, start, end + BLOCK_BYTES // 2) or end

    def _stands(self, data: bytes, start: int, at: int) -> bool:
        if at >= len(self._known) or self._known[at].head != _head(data, start):
            return False
        digest, size, _ = self._known[at]
        block = data[start : start + size]
        return len(block) == size and _digest(block) == digest and self._is_closed(block)

    def _cut_at(self, data: bytes, start: int) -> int:
        """After the line in which a block is long enough, and no cell is open."""
        end = data.find(b"\n", start + BLOCK_BYTES) + 1 or len(data)
        if not self._quoted:
            return end
        open_cell = data.count(b'"', start, end) % 2
        while open_cell and end < len(data) and end - start < LONGEST_RECORD:
            line = end
            end = data.find(b"\n", line) + 1 or len(data)
            open_cell ^= data.count(b'"', line, end) % 2
        return end

    def _known_start(self, data: bytes, start: int, end: int) -> int:
        """Where in this stretch a known block begins; 0: nowhere."""
        line = data.find(b"\n", start, end) + 1
        while line:
            at = self._by_head.get(_head(data, line), -1)
            if at >= 0 and self._stands(data, line, at) and self._is_closed(data[start:line]):
                self._next = at
                return line
            line = data.find(b"\n", line, end) + 1
        return 0

    def _is_closed(self, data: bytes) -> bool:
        return not self._quoted or data.count(b'"') % 2 == 0


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _head(data: bytes, start: int) -> int:
    end = data.find(b"\n", start)
    return crc32(data[start : end if end >= 0 else len(data)])
