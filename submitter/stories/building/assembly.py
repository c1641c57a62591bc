"""From the pile of a whole list to an edition: families, delta, news, index, and the memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from submitter.core.building.extensions import without_links
from submitter.core.building.families import DELTA, FRESH_NEWS
from submitter.core.building.index import Child, check_index, parse_index, render_index
from submitter.core.building.memory import (
    NAME,
    NO_FILE,
    FileRecord,
    Memory,
    read_memory,
    write_memory,
)
from submitter.core.building.orders import MOVING, BuildOrder
from submitter.core.shards import Fate, ShardFile, split_name
from submitter.errors import PublishError
from submitter.ports import Edition
from submitter.stories.building.families import Families, Mend, Outcome
from submitter.stories.building.intake import Intake


@dataclass(frozen=True, slots=True)
class Assembled:
    """An edition that is ready, but not published."""

    outcome: Outcome
    children: Sequence[Child]
    index_changed: bool


class Assembly:
    """Brings an edition up to a list that was taken in. Nothing is published here."""

    def __init__(self, edition: Edition, order: BuildOrder, intake: Intake, now: datetime) -> None:
        self._edition, self._order, self._intake, self._now = edition, order, intake, now
        self._mend = _mender(intake)
        self.families = Families(edition, order, intake.pile, intake.unwanted, self._mend)
        self._standing = read_memory(edition.read(NAME))
        self._index = parse_index(edition.read(order.index_name) or b"")

    def bring_all(self) -> None:
        """Every family of the list, and every one that stands and is ours."""
        prefixes = {*self._intake.pile.prefixes(), *self._own_prefixes()} - MOVING
        for prefix in sorted(prefixes):
            self.families.bring(prefix)
        self.families.bring_delta(self.families.copies(DELTA))
        self.families.bring_news(self.families.copies(FRESH_NEWS))

    def finish(self) -> Assembled:
        """Index and retired files; after the families."""
        outcome = self.families.outcome
        children = [
            Child(self._order.address(file.name), self._newest(file))
            for file in files_in_order(outcome)
        ]
        changed = self._put_index(children)
        self._retire_strangers(outcome)
        return Assembled(outcome, children, changed)

    def _own_prefixes(self) -> set[str]:
        return {split_name(name)[0] for name in self._own_names()} - {""}

    def _own_names(self) -> set[str]:
        """Files of earlier editions: by the memory, and by the index."""
        folder = self._order.folder_url
        named = {url.removeprefix(folder) for url in self._index if url.startswith(folder)}
        if self._standing is None:
            return named
        return named | {one.name for one in self._standing.files} | {*self._standing.retired}

    def _newest(self, file: ShardFile) -> str:
        """A file that was not touched has the date that stands in the index, if that has one."""
        if file.newest is not None and file.fate is not Fate.KEPT:
            return file.newest
        known = self._index.get(self._order.address(file.name))
        return self._edition.newest(file.name) if known is None else known

    def _put_index(self, children: Sequence[Child]) -> bool:
        old = self._standing.index_name if self._standing else ""
        name = self._order.index_name
        if not self._order.profile.index or not children:
            if old or self._index:
                self._edition.retire(old or name)
            return False
        if old and old != name:
            self._edition.retire(old)
        check = partial(check_index, name=name, meant=children, now=self._now)
        return self._edition.put(name, render_index(children), check)

    def _retire_strangers(self, outcome: Outcome) -> None:
        """Files of families with another ending, after packing was switched on or off."""
        accounted = {file.name for files in outcome.files.values() for file in files}
        for name in self._own_names() - accounted:
            if split_name(name)[0] in outcome.files:
                self._edition.retire(name)


def files_in_order(outcome: Outcome) -> list[ShardFile]:
    """Those that will stand: what moves first, then by family and number."""
    first = [prefix for prefix in (DELTA, FRESH_NEWS) if prefix in outcome.files]
    prefixes = [*first, *sorted(outcome.files.keys() - MOVING)]
    return [
        file
        for prefix in prefixes
        for file in outcome.files[prefix]
        if file.fate is not Fate.REMOVED
    ]


def _mender(intake: Intake) -> Mend | None:
    """Takes one-sided alternates out of lines, where there are any."""
    if not intake.links or not intake.account.left_out["alternate-one-sided"]:
        return None

    def mend(ordinal: int, line: bytes) -> bytes:
        unwanted = intake.links.unreturned(ordinal)
        return without_links(line, unwanted) if unwanted else line

    return mend


# ---------------------------------------------------------------- what the next build will know


class Remembering:
    """Puts a memory beside the files, or takes an old one away when there is nothing to know."""

    def __init__(self, edition: Edition, order: BuildOrder, intake: Intake, now: datetime) -> None:
        self._edition, self._order, self._intake, self._now = edition, order, intake, now

    def keep(self, outcome: Outcome, homes_of: Callable[[FileTable], Homes]) -> None:
        """`homes_of` gives file and line of every entry, by the places of files."""
        places = FileTable(outcome)
        homes, lines = homes_of(places)
        intake, order = self._intake, self._order
        memory = Memory(
            order=order.fingerprint(),
            made_at=int(self._now.timestamp()),
            files=self._stamped(places.records),
            blocks=[passage.record for passage in intake.passages],
            homes=homes,
            lines=lines,
            index_name=order.index_name if order.profile.index else "",
            plain=intake.plain and (intake.memory is None or intake.memory.plain),
            retired=self._edition.leaving(),
            unused=sorted({*intake.sieve.unused, *(intake.memory.unused if intake.memory else ())}),
        )
        self._put(memory)

    def _stamped(self, records: list[FileRecord]) -> list[FileRecord]:
        stamps = self._edition.stamps(one.name for one in records)
        for one in records:
            if one.name in stamps:
                one.size, one.changed_ns = stamps[one.name].size, stamps[one.name].changed_ns
        return records

    def _put(self, memory: Memory) -> None:
        """A memory that differs in nothing but its time stays as it is."""
        old = read_memory(self._edition.read(NAME))
        if old is not None:
            made_at, memory.made_at = memory.made_at, old.made_at
            if memory == old:
                return
            memory.made_at = made_at
        data = write_memory(memory)

        def check(chunks: Iterable[bytes]) -> None:
            if b"".join(chunks) != data:
                raise PublishError(NAME, "reads back differently from what was written")

        self._edition.put(NAME, [data], check)


Homes = tuple["array[int]", "array[int]"]
"""Of each entry in the order of the list, the place of its file, and the line in it."""


class FileTable:
    """The files that will stand, with the places that a memory calls them by."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.records = [
            FileRecord(file.name, prefix, file.number, file.pages, file.bytes)
            for prefix in sorted(outcome.files)
            for file in outcome.files[prefix]
            if file.fate is not Fate.REMOVED
        ]
        self.of = {(one.prefix, one.number): at for at, one in enumerate(self.records)}

    @property
    def countable(self) -> bool:
        """Every entry has one place, and it can be counted."""
        outcome = self.outcome
        return not outcome.moved and not outcome.left_out and len(self.records) <= NO_FILE


NOWHERE: Final[Homes] = (array("H"), array("H"))
"""Entries that cannot be remembered; the next build reads the whole list."""


def homes_of_all(intake: Intake, places: FileTable) -> Homes:
    """Of a list that was read whole."""
    if not places.countable:
        return NOWHERE
    unwanted = intake.unwanted if any(intake.unwanted) else b""
    homes = array("H", [NO_FILE]) * intake.pile.entries
    lines = array("H", [0]) * intake.pile.entries
    for prefix, found in places.outcome.places.items():
        rows = zip(found.numbers, found.lines, strict=True)
        at = {number: places.of[prefix, number] for number in set(found.numbers)}
        ordinals = intake.pile.ordinals_of(prefix)
        if unwanted:
            ordinals = [one for one in ordinals if not unwanted[one]]
        for ordinal, (number, line) in zip(ordinals, rows, strict=True):
            homes[ordinal], lines[ordinal] = at[number], line
    return homes, lines
