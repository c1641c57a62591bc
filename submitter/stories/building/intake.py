"""A list on its way into a pile of entries; lines that the last build has read are passed over."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from submitter.core.building.accounts import Account
from submitter.core.building.blocks import Mark, RawBlock
from submitter.core.building.families import DELTA, FRESH_NEWS
from submitter.core.building.links import LinkProof
from submitter.core.building.memory import BlockRecord, Memory
from submitter.core.building.orders import BuildOrder
from submitter.core.building.sieve import BuildSieve, Sifted
from submitter.core.comparison import DUPLICATE
from submitter.core.findings import MAX_EXAMPLES
from submitter.ports import EntryPile


@dataclass(slots=True)
class Passage:
    """What became of one block: read (its entries in the pile begin at `first`), or the same as
    the block `old` of the last build."""

    record: BlockRecord
    first: int = 0
    old: int = -1


class Intake:
    """Takes the blocks of one list. With a memory, equal blocks are not read."""

    def __init__(
        self, order: BuildOrder, pile: EntryPile, now: datetime, memory: Memory | None
    ) -> None:
        self.pile, self.memory = pile, memory
        self.account = Account()
        self.passages: list[Passage] = []
        self.plain = True
        self.unwanted = bytearray()
        self.sieve = BuildSieve(order, now)
        self.links = LinkProof(order.site)
        self._order, self._now = order, now
        self._numbers = array("I")
        self._old: defaultdict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(memory.blocks if memory else ()):
            self._old[one.mark.digest].append(at)

    def take(self, block: RawBlock) -> None:
        mark = block.mark
        if self.memory is not None and (same := self._old.get(mark.digest)):
            self._pass_over(block, self.memory, same.pop(0))
        else:
            self._read(block, mark)

    def _read(self, block: RawBlock, mark: Mark) -> None:
        sifted = self.sieve.sift(block.parse())
        if not sifted.timeless:
            mark = Mark("")
        first = self.pile.add(sifted.identities, sifted.lines, sifted.prefixes)
        self._numbers.extend(sifted.numbers)
        self._copy(sifted, first)
        for at, alternates in sifted.alternates:
            self.links.add(first + at, sifted.identities[at], alternates)
        self.plain = self.plain and sifted.plain
        self.account.add(sifted.account)
        entries, account, dates = len(sifted.lines), sifted.account, sifted.dates
        record = BlockRecord.of(mark, block.first, entries, account, dates)
        self.passages.append(Passage(record, first))

    def _copy(self, sifted: Sifted, first: int) -> None:
        """What changed lately, and fresh news, stand in files of their own as well."""
        if sifted.recent:
            self.pile.copy(
                DELTA,
                [sifted.identities[at] for at in sifted.recent],
                [sifted.lines[at] for at in sifted.recent],
                [first + at for at in sifted.recent],
            )
        if sifted.news:
            places = [at for at, _ in sifted.news]
            self.pile.copy(
                FRESH_NEWS,
                [sifted.identities[at] for at in places],
                [line for _, line in sifted.news],
                [first + at for at in places],
            )

    def _pass_over(self, block: RawBlock, memory: Memory, old: int) -> None:
        record = memory.blocks[old]
        self.passages.append(Passage(record, old=old))
        account = record.counts()
        wanted = {
            id: lines
            for id, lines in record.examples.items()
            if len(self.account.examples.get(id, ())) < MAX_EXAMPLES
        }
        if wanted:
            account.examples = self._examples(block, wanted)
        self.account.add(account)
        self.sieve.census.add_known(*record.dates)

    def _examples(
        self, block: RawBlock, wanted: dict[str, list[int]]
    ) -> dict[str, list[tuple[int, str]]]:
        """A report names lines of blocks that were not read, too: those blocks are read for it."""
        sifted = BuildSieve(self._order, self._now).sift(block.parse())
        return {id: sifted.account.examples.get(id, []) for id in wanted}

    def end(self) -> None:
        """After the last block: what repeats, and which alternates are one-sided."""
        self.unwanted = bytearray(self.pile.entries)
        for ordinal in self.pile.repeats():
            self.unwanted[ordinal] = 1
            self.account.drop(DUPLICATE, self._numbers[ordinal], "the page is listed before")
        if self.links:
            self.links.prove()
            self._note_links(self.links.entries())

    def _note_links(self, entries: Iterable[tuple[int, list[int]]]) -> None:
        for ordinal, links in entries:
            if not self.unwanted[ordinal]:
                counts = {"alternate-one-sided": len(links)}
                self.account.leave_out(counts, self._numbers[ordinal], "not named in return")
        if self.links.unproven:
            self.account.left_out["alternate-unproven"] += self.links.unproven
