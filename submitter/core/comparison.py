"""What a new list of pages says about the files that stand: same, changed, new or gone.

A line that stands in a file byte for byte needs no second look; only the others are told apart by
the identity of their page. Costs about fifty bytes a page, however long the addresses are.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Final

from submitter.core.buckets import Buckets
from submitter.core.shards import Difference

DUPLICATE: Final = "duplicate"


PageLine = tuple[str, bytes, str]
"""One page of a list: its normal form; its line, rendered, with the line's end; and what to count
it as when the list named the page before (`DUPLICATE`). A plain tuple: a named one takes half a
microsecond longer to make, and there are millions."""


class Mark(IntEnum):
    """What is known of a line."""

    OPEN = 0
    """A line of a file that the list does not name; a row of the list that no file holds."""
    SAME = 1
    CHANGED = 2
    """The page stands in a file, with another line."""
    DUPLICATE = 3


_SAME: Final = int(Mark.SAME)
_NOWHERE: Final = -1
_OPEN_ROWS: Final = re.compile(rb"\0+").finditer


class Comparison:
    """The lines of files, by slot, against the rows of a list: remember, add, match, look.

    Slots count through all files in the order remembered, rows through the list as added.
    """

    def __init__(self) -> None:
        self._spans: dict[int, range] = {}
        self._standing, self._listed, self._identities = Buckets(), Buckets(), Buckets()
        self._slots, self._rows = bytearray(), bytearray()
        self._row_of = array("I")
        self._places = array("Q", [0])
        self._duplicate_as: dict[str, array[int]] = {}
        self._slot_of: array[int] | None = None

    def track(self) -> None:
        """Before the first row: remember which slot each row was found in."""
        self._slot_of = array("q")

    # ------------------------------------------------------------ what there is

    def remember(self, number: int, hashes: Sequence[int]) -> None:
        """A file as it stands: the hashes of its lines."""
        first = len(self._slots)
        self._standing.extend(hashes, first)
        self._slots += bytes(len(hashes))
        self._spans[number] = range(first, len(self._slots))

    def remember_known(self, number: int, pages: int, opened: Sequence[tuple[int, int]]) -> None:
        """A file of which only some lines are open: their places in it, with their hashes."""
        first = len(self._slots)
        self._slots += bytes([Mark.SAME]) * pages
        for place, value in opened:
            self._slots[first + place] = Mark.OPEN
            self._standing.add(value, first + place)
        self._spans[number] = range(first, len(self._slots))

    def add_rows(self, hashes: Sequence[int], lines: Sequence[bytes]) -> None:
        """More of a list whose pages, given by the hashes of their identities, are distinct."""
        first = len(self._rows)
        if self._slots:  # else there is nothing to compare with
            self._identities.extend(hashes, first)
            self._listed.extend(map(hash, lines), first)
        self._append(list(map(len, lines)))

    def add(self, pages: Sequence[PageLine]) -> None:
        """More of the list."""
        first = len(self._rows)
        self._identities.extend([hash(identity) for identity, _, _ in pages], first)
        self._listed.extend([hash(line) for _, line, _ in pages], first)
        self._append([len(line) for _, line, _ in pages])
        for row in [row for row, page in enumerate(pages, first) if page[2] != DUPLICATE]:
            self._duplicate_as.setdefault(pages[row - first][2], array("I")).append(row)

    def move(self, slot: int, size: int) -> None:
        """Take a line out of its file, to be placed anew as the last row."""
        self._slots[slot] = Mark.OPEN
        self._append([size])

    def _append(self, sizes: Sequence[int]) -> None:
        ends = accumulate(sizes, initial=self._places.pop())
        self._places.extend(ends)
        self._rows += bytes(len(sizes))
        if self._slot_of is not None:
            self._slot_of.extend([_NOWHERE] * len(sizes))

    # ------------------------------------------------------------ matching

    def match_lines(self) -> None:
        """Once, after the whole list: what is named twice, and what stands as listed."""
        for _, row in self._identities.repeats():
            self._rows[row] = Mark.DUPLICATE
        slots, rows, tracked = self._slots, self._rows, self._slot_of
        for slot, row in self._standing.meet(self._listed):
            if not rows[row]:
                rows[row] = slots[slot] = _SAME
                if tracked is not None:
                    tracked[row] = slot

    def match_identities(self, identities: Iterable[tuple[int, str]]) -> None:
        """Once, after `match_lines`: the pages of the slots still open, with their slots."""
        self._row_of = array("I", bytes(4 * len(self._slots)))
        open_pages = Buckets()
        for slot, identity in identities:
            open_pages.add(hash(identity), slot)
        for slot, row in open_pages.meet(self._identities):
            if self._rows[row] == Mark.OPEN:
                self._rows[row] = self._slots[slot] = Mark.CHANGED
                self._row_of[slot] = row
                if self._slot_of is not None:
                    self._slot_of[row] = slot

    def keep_unlisted(self) -> None:
        """The list was not whole: what it does not name stays as it is."""
        self._slots = self._slots.replace(bytes([Mark.OPEN]), bytes([Mark.SAME]))

    # ------------------------------------------------------------ what came out

    def numbers(self) -> list[int]:
        """The files remembered."""
        return sorted(self._spans)

    def remembers(self, number: int) -> bool:
        return number in self._spans

    def slots(self, number: int) -> range:
        """The slots of one file's lines, in their order."""
        return self._spans[number]

    def count(self, number: int, mark: Mark) -> int:
        span = self._spans[number]
        return self._slots.count(mark, span.start, span.stop)

    def marks(self, number: int) -> bytes:
        """The mark of each of the file's lines."""
        span = self._spans[number]
        return bytes(self._slots[span.start : span.stop])

    def keep(self, slot: int) -> None:
        self._slots[slot] = Mark.SAME

    def found(self) -> Iterator[tuple[int, int, int]]:
        """Of a tracked list, the rows that stand in a file: its number, the line there, the row."""
        homes = sorted((slots.start, number) for number, slots in self._spans.items() if slots)
        starts = [start for start, _ in homes]
        for row, slot in enumerate(self._slot_of or ()):
            if slot >= 0:
                start, number = homes[bisect_right(starts, slot) - 1]
                yield number, slot - start, row

    @property
    def rows(self) -> int:
        return len(self._rows)

    def row_of(self, slot: int) -> int:
        """The row that takes the place of a changed line."""
        return self._row_of[slot]

    def new_rows(self) -> Iterator[range]:
        """Rows that no file holds, in runs."""
        for run in _OPEN_ROWS(self._rows):
            yield range(run.start(), run.end())

    @property
    def places(self) -> Sequence[int]:
        """Where each row's line begins when all are put one after the other; and the end."""
        return self._places

    def difference(self) -> Difference:
        same, changed = self._slots.count(Mark.SAME), self._slots.count(Mark.CHANGED)
        gone, new = self._slots.count(Mark.OPEN), self._rows.count(Mark.OPEN)
        return Difference(
            known=same + changed + gone,
            same=same,
            changed=changed,
            new=new,
            gone=gone,
            duplicates=self._duplicates(),
        )

    def _duplicates(self) -> Counter[str]:
        found = Counter({DUPLICATE: self._rows.count(Mark.DUPLICATE)})
        for reason, rows in self._duplicate_as.items():
            found[reason] = sum(self._rows[row] == Mark.DUPLICATE for row in rows)
            found[DUPLICATE] -= found[reason]
        return +found
