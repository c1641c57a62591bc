"""What a build remembers for the next one: which lines of the list stand where.

Only numbers, names of files and digests: it lies beside the files, and holds no line of the list.
Without it, or where it does not fit what is there, everything is read anew; nothing else is lost.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from submitter.core.building.accounts import Account
from submitter.core.building.blocks import Mark
from submitter.core.findings import MAX_EXAMPLES

NAME: Final = ".sitemap-build"
_MAGIC: Final = b"submitter build 2\n"

NO_FILE: Final = 65_535
"""A memory counts files and lines in two bytes; more of either are not remembered."""


@dataclass(slots=True)
class FileRecord:
    """A file as it was left: entries, bytes before packing, size and time on the disk."""

    name: str
    prefix: str
    number: int
    pages: int
    bytes: int
    size: int = 0
    changed_ns: int = 0


@dataclass(slots=True)
class BlockRecord:
    """Some lines of the list. `entries` of them are listed; an empty mark equals none."""

    mark: Mark
    lines: int
    entries: int
    dropped: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[int]] = field(default_factory=dict)
    """By id, lines that show it, counted from the block's first."""
    dates: Sequence[int] = (0, 0, 0)
    """Number of dates, the earliest, the latest."""
    links: int = 0
    """See `links.links_digest`."""
    shared: bool = False
    """A page of it stands in another line as well, so that one may take the other's place."""

    @classmethod
    def of(
        cls,
        mark: Mark,
        first: int,
        entries: int,
        account: Account,
        dates: tuple[int, int, int],
        links: int,
    ) -> BlockRecord:
        return cls(
            mark,
            account.lines,
            entries,
            dict(account.dropped),
            dict(account.left_out),
            {id: [line - first for line, _ in some] for id, some in account.examples.items()},
            list(dates),
            links,
        )

    def note(self, id: str, offset: int) -> None:
        """A line that shows it, counted from the block's first."""
        examples = self.examples.setdefault(id, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(offset)

    def counts(self) -> Account:
        """Without examples."""
        return Account(self.lines, Counter(self.dropped), Counter(self.left_out))


@dataclass(slots=True)
class Memory:
    order: str
    """The fingerprint of the order."""
    made_at: int
    files: list[FileRecord]
    blocks: list[BlockRecord]
    homes: array[int]
    """Of each entry in the order of the list, the place of its file in `files`; `NO_FILE` when an
    earlier line lists the page."""
    lines: array[int]
    """And the line in that file, from 0."""
    index_name: str = ""
    plain: bool = True
    """Every address is written in its normal form."""
    unused: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    """Files that went with this edition; a crash may have left some."""

    @property
    def usable(self) -> bool:
        """Whether an unchanged line means an unchanged entry."""
        return len(self.homes) == sum(one.entries for one in self.blocks)

    def starts(self) -> list[int]:
        """Where the entries of each block begin."""
        return list(accumulate((one.entries for one in self.blocks), initial=0))


def write_memory(memory: Memory) -> bytes:
    head: dict[str, Any] = {
        "order": memory.order,
        "made_at": memory.made_at,
        "index_name": memory.index_name,
        "plain": memory.plain,
        "unused": memory.unused,
        "retired": memory.retired,
        "files": [
            [one.name, one.prefix, one.number, one.pages, one.bytes, one.size, one.changed_ns]
            for one in memory.files
        ],
        "blocks": [
            [
                *(one.mark, one.lines, one.entries, one.dropped, one.left_out, one.examples),
                *(one.dates, one.links, one.shared),
            ]
            for one in memory.blocks
        ],
        "entries": len(memory.homes),
    }
    text = json.dumps(head, separators=(",", ":"), sort_keys=True).encode()
    return b"".join((_MAGIC, text, b"\n", _packed(memory.homes), _packed(memory.lines)))


def read_memory(data: bytes | None) -> Memory | None:
    """None for what is none, or another program's, or cut."""
    if not data or not data.startswith(_MAGIC):
        return None
    try:
        text, _, body = data[len(_MAGIC) :].partition(b"\n")
        head = json.loads(text)
        size = 2 * head.pop("entries")
        files = [FileRecord(*one) for one in head.pop("files")]
        blocks = [BlockRecord(Mark(*one[0]), *one[1:]) for one in head.pop("blocks")]
        if len(body) != 2 * size:
            return None
        homes, lines = _unpacked(body[:size]), _unpacked(body[size:])
        return Memory(files=files, blocks=blocks, homes=homes, lines=lines, **head)
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _packed(numbers: Sequence[int]) -> bytes:
    """Two bytes each, the lower first."""
    packed = array("H", numbers)
    if _BIG_ENDIAN:
        packed.byteswap()
    return packed.tobytes()


def _unpacked(data: bytes) -> array[int]:
    numbers = array("H", data)
    if _BIG_ENDIAN:
        numbers.byteswap()
    return numbers


_BIG_ENDIAN: Final = array("H", [1]).tobytes() != b"\x01\x00"
