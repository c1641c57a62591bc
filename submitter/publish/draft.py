"""Brings the files of one family up to a list, touching only those in which something changed."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from submitter.core.comparison import Comparison, Mark, PageLine
from submitter.core.rooms import Fill, Placement, Rooms, place_all
from submitter.core.shards import Difference, Family, FamilyChange, Fate, Known, Places, ShardFile
from submitter.core.sitemap_xml import END, loc_of, not_ours, read_head
from submitter.core.urls import BadUrl, normalize
from submitter.publish.disk import troubles
from submitter.publish.scratch import Scratch
from submitter.publish.staging import Staging
from submitter.publish.writing import ShardWriting

LINES_AT_ONCE = 1024

_OPEN, _CHANGED = int(Mark.OPEN), int(Mark.CHANGED)


class Draft:
    """Implements `ports.FamilyDraft`.

    Memory holds some fifty bytes a page; the lines of the list wait on the disk.
    """

    def __init__(
        self,
        staging: Staging,
        family: Family,
        names: Iterable[str],
        known: Mapping[int, Known] | None = None,
    ) -> None:
        self._staging, self._disk, self._family = staging, staging.disk, family
        self._comparison = Comparison()
        self._other_root: set[int] = set()
        self._matched = False
        self._moved = 0
        self._open_slots, self._open_hashes = array("I"), array("q")
        self._placement = Placement()
        for number in sorted(filter(None, map(family.number, names))):
            self._remember(number, known)
        self._scratch = Scratch(self._disk)

    def close(self) -> None:
        self._scratch.close()

    def add(self, pages: Iterable[PageLine]) -> None:
        waiting = iter(pages)
        while batch := list(islice(waiting, LINES_AT_ONCE)):
            self._comparison.add(batch)
            self._scratch.append(b"".join([line for _, line, _ in batch]))

    def track(self) -> None:
        self._comparison.track()

    def add_rows(self, hashes: Sequence[int], lines: Sequence[bytes]) -> None:
        self._comparison.add_rows(hashes, lines)
        self._scratch.append(b"".join(lines))

    def difference(self) -> Difference:
        if not self._matched:
            self._comparison.match_lines()
            self._comparison.match_identities(self._open_pages())
            self._matched = True
        return self._comparison.difference()

    def finish(
        self, *, registered: frozenset[int] = frozenset(), keep_unlisted: bool = False
    ) -> FamilyChange:
        difference = self.difference()
        if keep_unlisted:
            self._comparison.keep_unlisted()
            difference = replace(difference, gone=0, kept=difference.gone)
        on_disk = self._comparison.numbers()
        fills = [fill for fill in map(self._measure, on_disk) if fill.pages]
        waiting = registered - {fill.number for fill in fills}
        rooms = Rooms(self._family, self._comparison.places, fills, waiting)
        placement = self._placement = place_all(self._comparison.new_rows(), rooms)
        numbers = sorted({*on_disk, *placement.runs})
        return FamilyChange(
            files=tuple(
                self._settle(number, placement.runs.get(number, ()), number in registered)
                for number in numbers
            ),
            difference=difference,
            left_out=placement.left_out,
            examples=tuple(loc_of(self._row(row)) for row in placement.examples),
            moved=self._moved,
            missing=tuple(sorted(registered.difference(numbers))),
        )

    # ------------------------------------------------------------ what became of the pages

    def left(self) -> Iterator[tuple[int, str]]:
        """Pages that are in no file of the family any more: hash of identity, and address."""
        for number in self._comparison.numbers():
            if self._comparison.count(number, Mark.OPEN):
                for slot, mark, line in self._lines(number):
                    if mark == _OPEN:
                        at = bisect_left(self._open_slots, slot)
                        yield self._open_hashes[at], loc_of(line)

    def touched(self) -> Iterable[int]:
        """Hashes of the identities of pages that changed or left."""
        return self._open_hashes

    def new(self) -> Iterator[bytes]:
        """The lines of pages that no file held."""
        for run in self._comparison.new_rows():
            yield from map(self._row, run)

    def places(self) -> Places:
        """After `finish`, of a tracked list: where each row stands now."""
        after = {number: self._lines_after(number) for number in self._comparison.numbers()}
        numbers, lines = (array("I", [0]) * self._comparison.rows for _ in range(2))
        for number, runs in self._placement.runs.items():
            line = self._own_count(number)
            for run in runs:
                span = slice(run.start, run.stop)
                numbers[span] = array("I", [number]) * len(run)
                lines[span] = array("I", range(line, line + len(run)))
                line += len(run)
        for number, slot, row in self._comparison.found():
            numbers[row], lines[row] = number, after[number][slot]
        return Places(numbers, lines, after)

    def _lines_after(self, number: int) -> Sequence[int]:
        """The new place of each old line; what left has that of its successor."""
        if not self._comparison.count(number, Mark.OPEN):
            return range(len(self._comparison.slots(number)))
        kept = (mark != _OPEN for mark in self._comparison.marks(number))
        return array("I", accumulate(kept, initial=0))

    def _own_count(self, number: int) -> int:
        if not self._comparison.remembers(number):
            return 0
        slots = self._comparison.slots(number)
        return len(slots) - self._comparison.count(number, Mark.OPEN)

    # ------------------------------------------------------------ what the files hold

    def _remember(self, number: int, known: Mapping[int, Known] | None) -> None:
        if known is not None:
            self._remember_known(number, known[number])
            return
        name = self._family.name(number)
        with troubles(self._disk.folder / name), self._disk.read(name) as file:
            if read_head(file, name) != self._family.root:
                self._other_root.add(number)
            hashes = array("q", map(hash, file))
        if not hashes or hashes.pop() != hash(END):
            raise not_ours(name, len(hashes) + 3)
        self._comparison.remember(number, hashes)

    def _remember_known(self, number: int, known: Known) -> None:
        opened: list[tuple[int, int]] = []
        if wanted := set(known.open_lines):
            name = self._family.name(number)
            with troubles(self._disk.folder / name), self._disk.read(name) as file:
                read_head(file, name)
                opened = [(at, hash(line)) for at, line in enumerate(file) if at in wanted]
        self._comparison.remember_known(number, known.pages, opened)

    def _open_pages(self) -> Iterator[tuple[int, str]]:
        """The pages of all lines that the list does not repeat. Each is checked to be ours: a
        line that equals one of the list needs no check."""
        for number in self._comparison.numbers():
            if not self._comparison.count(number, Mark.OPEN):
                continue
            for slot, mark, line in self._lines(number):
                if mark == _OPEN:
                    identity = self._identity(number, slot, line)
                    self._open_slots.append(slot)
                    self._open_hashes.append(hash(identity))
                    yield slot, identity

    def _identity(self, number: int, slot: int, line: bytes) -> str:
        try:
            return normalize(loc_of(line))
        except (BadUrl, ValueError) as error:
            place = slot - self._comparison.slots(number).start + 3
            raise not_ours(self._family.name(number), place) from error

    def _lines(self, number: int) -> Iterator[tuple[int, int, bytes]]:
        """Slot, mark and text of each line of the file as it stands."""
        name = self._family.name(number)
        slots, marks = self._comparison.slots(number), self._comparison.marks(number)
        with troubles(self._disk.folder / name), self._disk.read(name) as file:
            read_head(file, name)
            yield from zip(slots, marks, file, strict=False)

    # ------------------------------------------------------------ what they will hold

    def _measure(self, number: int) -> Fill:
        """How full the file will be. Pages that no longer fit are taken out, to be placed anew."""
        profile = self._family.profile
        if self._stands(number):
            fill = Fill(number, len(self._comparison.slots(number)), self._size(number))
            if fill.pages <= profile.max_pages and fill.bytes <= profile.max_bytes:
                return fill
        fill = Fill(number, 0, self._family.frame_bytes)
        for slot, line in self._own_lines(number):
            if not fill.put(len(line), profile):
                self._comparison.move(slot, len(line))
                self._scratch.append(line)
                self._moved += 1
        return fill

    def _own_lines(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The lines that stay in the file, as they will be, with their slots."""
        for slot, mark, line in self._lines(number):
            if mark == _CHANGED:
                yield slot, self._row(self._comparison.row_of(slot))
            elif mark != _OPEN:
                yield slot, line

    def _row(self, row: int) -> bytes:
        places = self._comparison.places
        return self._scratch.read(places[row], places[row + 1])

    def _stands(self, number: int) -> bool:
        """Every line of the file stays as it is."""
        same = self._comparison.count(number, Mark.SAME)
        return same == len(self._comparison.slots(number)) and number not in self._other_root

    def _size(self, number: int) -> int:
        name = self._family.name(number)
        with troubles(self._disk.folder / name):
            return self._disk.size(name)

    # ------------------------------------------------------------ writing

    def _settle(self, number: int, runs: Sequence[range], registered: bool) -> ShardFile:
        """Decide the file's fate and make it ready."""
        name = self._family.name(number)
        if not self._comparison.remembers(number):
            return self._write(number, runs, Fate.NEW)
        slots = self._comparison.slots(number)
        if not runs and self._stands(number):
            return ShardFile(name, number, len(slots), self._size(number), Fate.KEPT)
        if runs or self._comparison.count(number, Mark.OPEN) < len(slots):
            return self._write(number, runs, Fate.CHANGED)
        if registered and slots:
            self._comparison.keep(slots[-1])
            return self._write(number, runs, Fate.EMPTIED)
        self._staging.retire(name)
        return ShardFile(name, number, 0, 0, Fate.REMOVED)

    def _write(self, number: int, runs: Sequence[range], fate: Fate) -> ShardFile:
        writing = ShardWriting(self._family, number, self._blocks(number, runs))
        self._staging.stage(writing.name, writing.pieces(), writing.check)
        fill, newest = writing.fill, writing.newest.text
        return ShardFile(writing.name, number, fill.pages, fill.bytes, fate, newest)

    def _blocks(self, number: int, runs: Sequence[range]) -> Iterator[bytes]:
        """The entries of the file: its own lines, then its new rows."""
        if self._comparison.remembers(number):
            own = (line for _, line in self._own_lines(number))
            while block := b"".join(islice(own, LINES_AT_ONCE)):
                yield block
        places = self._comparison.places
        for run in runs:
            for start in range(run.start, run.stop, LINES_AT_ONCE):
                stop = min(start + LINES_AT_ONCE, run.stop)
                yield self._scratch.read(places[start], places[stop])
