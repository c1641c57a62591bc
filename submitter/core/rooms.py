"""Which file takes a new page.

A page stays in the file it was first put into. New pages go to the newest file, so older ones
stand still; a page that goes away leaves a hole, which is used only when no further file may be
opened. What does not fit is left out with a reason, never cut off in silence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from submitter.core.findings import MAX_EXAMPLES
from submitter.core.shards import Family, Profile

FILE_LIMIT: Final = "file-limit"
"""Why a page is left out: every file is full and no further one may be opened."""
ENTRY_TOO_BIG: Final = "entry-too-big"
"""Why a page is left out: it would not fit into an empty file."""


@dataclass(slots=True)
class Fill:
    """How full one file is; `bytes` with its frame."""

    number: int
    pages: int
    bytes: int

    def put(self, size: int, profile: Profile) -> bool:
        """Take one entry if it fits."""
        if self.pages >= profile.max_pages or self.bytes + size > profile.max_bytes:
            return False
        self.pages += 1
        self.bytes += size
        return True

    def put_run(self, run: range, places: Sequence[int], profile: Profile) -> int:
        """Take as many rows of a run as fit, from its beginning; gives their number."""
        most = min(len(run), max(0, profile.max_pages - self.pages))
        full = places[run.start] + profile.max_bytes - self.bytes
        stop = bisect_right(places, full, run.start, run.start + most + 1) - 1
        if stop <= run.start:
            return 0
        self.pages += stop - run.start
        self.bytes += places[stop] - places[run.start]
        return stop - run.start


class Rooms:
    """Gives new rows a file: waiting ones first, then the newest, then new ones, then holes.

    `files` are all that hold pages; those in `waiting` (registered, but without a page of the
    list) come first, since an engine looks there anyhow. `places` say where each row begins in
    bytes; rows go in order, and each file is filled before the next.
    """

    def __init__(
        self,
        family: Family,
        places: Sequence[int],
        files: Iterable[Fill],
        waiting: Iterable[int] = (),
    ) -> None:
        self._profile, self._frame = family.profile, family.frame_bytes
        self._places = places
        self._fills = {fill.number: fill for fill in files}
        self._to_come = self._in_turn(sorted(waiting))
        self._current = next(self._to_come, None)
        self._holes: list[Fill] = []
        self._too_wide = family.profile.max_bytes

    def place(self, run: range) -> Iterator[tuple[int | str, range]]:
        """Parts of the run, with the file that takes them or the reason why none does."""
        while run:
            if self._is_too_big(run.start):
                target: int | str = ENTRY_TOO_BIG
                taken = 1
            elif self._current is not None:
                target, taken = self._current.number, self._put(self._current, run)
            else:
                target, taken = self._put_in_hole(run)
            if taken:
                yield target, run[:taken]
                run = run[taken:]
            else:
                self._move_on()

    def _in_turn(self, waiting: list[int]) -> Iterator[Fill]:
        newest = max(self._fills, default=None)
        for number in waiting:
            yield self._open(number)
        if newest is not None:
            yield self._fills[newest]
        number = max(self._fills, default=0)
        while self._profile.max_files is None or len(self._fills) < self._profile.max_files:
            number += 1
            yield self._open(number)

    def _open(self, number: int) -> Fill:
        return self._fills.setdefault(number, Fill(number, 0, self._frame))

    def _move_on(self) -> None:
        """To the next file; after the last one, every file that is not full is a hole."""
        self._current = next(self._to_come, None)
        if self._current is None:
            self._holes = sorted(self._fills.values(), key=lambda fill: fill.number)

    def _put_in_hole(self, run: range) -> tuple[int | str, int]:
        most = self._profile.max_pages
        self._holes = [hole for hole in self._holes if hole.pages < most]
        if not self._holes:
            return FILE_LIMIT, len(run)
        size = self._places[run.start + 1] - self._places[run.start]
        if size < self._too_wide:
            for hole in self._holes:
                if taken := self._put(hole, run):
                    return hole.number, taken
            self._too_wide = size  # holes only shrink
        return FILE_LIMIT, 1

    def _put(self, fill: Fill, run: range) -> int:
        return fill.put_run(run, self._places, self._profile)

    def _is_too_big(self, row: int) -> bool:
        size = self._places[row + 1] - self._places[row]
        return self._frame + size > self._profile.max_bytes


@dataclass(slots=True)
class Placement:
    """Which rows go where."""

    runs: dict[int, list[range]] = field(default_factory=dict)
    """Rows by file number, in their order."""
    left_out: Counter[str] = field(default_factory=Counter)
    examples: list[int] = field(default_factory=list)
    """Some of the rows left out."""


def place_all(runs: Iterable[range], rooms: Rooms) -> Placement:
    placement = Placement()
    for run in runs:
        for target, part in rooms.place(run):
            if isinstance(target, int):
                placement.runs.setdefault(target, []).append(part)
            else:
                placement.left_out[target] += len(part)
                placement.examples += part[: MAX_EXAMPLES - len(placement.examples)]
    return placement
