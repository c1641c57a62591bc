"""A list on its way into a pile of entries; lines that the last build has read are passed over."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from submitter.core.building.accounts import Account
from submitter.core.building.blocks import Mark, RawBlock
from submitter.core.building.families import DELTA, FRESH_NEWS
from submitter.core.building.links import DIGESTS, LinkProof, links_digest, number_elsewhere
from submitter.core.building.memory import BlockRecord, Memory
from submitter.core.building.orders import BuildOrder
from submitter.core.building.sieve import BuildSieve, Sifted
from submitter.core.comparison import DUPLICATE
from submitter.core.findings import MAX_EXAMPLES
from submitter.ports import EntryPile

ONE_SIDED: Final = "alternate-one-sided"
_WORDS: Final = {DUPLICATE: "the page is listed before", ONE_SIDED: "not named in return"}
"""What is said of lines by what other lines say."""


@dataclass(slots=True)
class Passage:
    """What became of one block: read (its entries in the pile begin at `first`), or the same as
    the block `old` of the last build."""

    record: BlockRecord
    first: int = 0
    old: int = -1
    line: int = 0
    """Of the list, the block's first."""


class ReadLinks(NamedTuple):
    """The alternates of an entry: their digest, and the identities they name."""

    digest: int
    named: Sequence[str]


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
        self.site = order.site
        self._order, self._now = order, now
        self.read_links: dict[str, ReadLinks] = {}
        """Of the entries that were read, with a memory, by identity."""
        self._numbers = array("I")
        self._firsts: Sequence[int] = ()
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
        links = self._take_links(sifted, first) if sifted.alternates else 0
        self.plain = self.plain and sifted.plain
        self.account.add(sifted.account)
        entries, account, dates = len(sifted.lines), sifted.account, sifted.dates
        record = BlockRecord.of(mark, block.first, entries, account, dates, links)
        self.passages.append(Passage(record, first, line=block.first))

    def _take_links(self, sifted: Sifted, first: int) -> int:
        """Gives the digest of all. With a memory they are not proven by what is read: what was
        proven stands as long as the links are the same ones."""
        total = 0
        for at, alternates in sifted.alternates:
            identity = sifted.identities[at]
            digest = links_digest(identity, alternates)
            total = (total + digest) % DIGESTS
            if elsewhere := number_elsewhere(self._order.site, alternates):
                sifted.account.left_out["alternate-unproven"] += elsewhere
            if self.memory is None:
                self.links.add(first + at, identity, alternates)
            else:
                self.read_links[identity] = ReadLinks(digest, [one.identity for one in alternates])
        return total

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
        for id in wanted.keys() & _WORDS.keys():
            account.examples[id] = [(block.first + at, _WORDS[id]) for at in wanted.pop(id)]
        if wanted:
            account.examples |= self._examples(block, wanted)
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
        read = [passage for passage in self.passages if passage.old < 0]
        self._firsts = [passage.first for passage in read]
        for before, ordinal in self.pile.repeats():
            self.unwanted[ordinal] = 1
            line = self._numbers[ordinal]
            self.account.drop(DUPLICATE, line, _WORDS[DUPLICATE])
            there = self._passage(read, ordinal)
            there.record.dropped[DUPLICATE] = there.record.dropped.get(DUPLICATE, 0) + 1
            there.record.note(DUPLICATE, line - there.line)
            there.record.shared = self._passage(read, before).record.shared = True
        if self.links:
            self.links.prove()
            self._note_links(read)

    def _passage(self, read: Sequence[Passage], ordinal: int) -> Passage:
        return read[bisect_right(self._firsts, ordinal) - 1]

    def _note_links(self, read: Sequence[Passage]) -> None:
        for ordinal, links in self.links.entries():
            if not self.unwanted[ordinal]:
                line, there = self._numbers[ordinal], self._passage(read, ordinal)
                self.account.leave_out({ONE_SIDED: len(links)}, line, _WORDS[ONE_SIDED])
                left_out = there.record.left_out
                left_out[ONE_SIDED] = left_out.get(ONE_SIDED, 0) + len(links)
                there.record.note(ONE_SIDED, line - there.line)
