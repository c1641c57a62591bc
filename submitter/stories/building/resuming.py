"""Goes on from the last build: of a list in which little changed, only that is looked at.

The lines that are gone open the places where their entries stand; the lines that came are matched
with those alone. Everything else is known to stand. Where a change can have a bearing on what did
not change, `Unfit` sends the build the long way.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from submitter.core.building.families import DELTA, FRESH_NEWS
from submitter.core.building.links import DIGESTS
from submitter.core.building.memory import NO_FILE, Memory
from submitter.core.building.orders import MOVING, BuildOrder
from submitter.core.lastmod import DateFault, parse_lastmod
from submitter.core.shards import Known
from submitter.core.sitemap_xml import loc_of, unescape
from submitter.core.urls import normalize
from submitter.ports import Edition, FamilyDraft, PublishList
from submitter.stories.building.assembly import NOWHERE, Assembly, FileTable, Homes, homes_of_all
from submitter.stories.building.families import Rows
from submitter.stories.building.intake import ONE_SIDED, Intake, Passage

_LOCS: Final = re.compile(rb"<url><loc>([^<]*)</loc>").findall
_PUBLISHED: Final = re.compile(rb"<news:publication_date>([^<]*)<")
_CHANGED: Final = re.compile(rb"</loc><lastmod>([^<]*)<")


class Unfit(Exception):
    """What changed has a bearing on what did not: the whole list has to be read."""


def may_resume(
    memory: Memory, edition: Edition, order: BuildOrder, wanted: PublishList, now: datetime
) -> bool:
    """The memory is of the same order and of the files that stand, and time went on."""
    stamps = edition.stamps(one.name for one in memory.files)
    stands = all(
        one.name in stamps
        and (stamps[one.name].size, stamps[one.name].changed_ns) == (one.size, one.changed_ns)
        for one in memory.files
    )
    same_order = memory.order == order.fingerprint() and memory.made_at <= now.timestamp()
    left_over = edition.stamps(memory.retired)
    has_index = not memory.index_name or edition.read(memory.index_name) is not None
    return (
        wanted.repeatable
        and memory.usable
        and stands
        and same_order
        and has_index
        and not left_over
    )


class Resumption:
    """Brings the families of an edition up to the blocks that changed."""

    def __init__(
        self, edition: Edition, assembly: Assembly, intake: Intake, memory: Memory, now: datetime
    ) -> None:
        self._edition, self._assembly, self._intake = edition, assembly, intake
        self._memory, self._now = memory, now
        self._taken = {passage.old for passage in intake.passages if passage.old >= 0}
        self._starts = memory.starts()
        self._new: set[bytes] = set()

    def bring(self) -> None:
        """Raises Unfit."""
        intake, memory = self._intake, self._memory
        lost = [one for at, one in enumerate(memory.blocks) if at not in self._taken]
        if any(intake.unwanted) or any(one.shared or ONE_SIDED in one.left_out for one in lost):
            raise Unfit
        opened = self._opened()
        families = self._assembly.families
        prefixes = {one.prefix for one in memory.files} | set(intake.pile.prefixes())
        for prefix in sorted(prefixes - MOVING):
            records = [one for one in memory.files if one.prefix == prefix]
            if prefix in intake.pile.prefixes() or prefix in opened:
                known = {
                    one.number: Known(one.pages, opened[prefix].get(one.number, ()))
                    for one in records
                }
                families.bring(prefix, known, self._look)
            else:
                families.outcome.keep(prefix, records)
        self._refuse_repeats()
        self._refuse_other_links(sum(one.links for one in lost))
        families.bring_delta(self._moving(DELTA, _CHANGED, intake.sieve.since))
        families.bring_news(self._moving(FRESH_NEWS, _PUBLISHED, intake.sieve.fresh_since))

    def _opened(self) -> defaultdict[str, defaultdict[int, list[int]]]:
        """The lines of files whose blocks are not in the list any more."""
        memory = self._memory
        opened: defaultdict[str, defaultdict[int, list[int]]]
        opened = defaultdict(lambda: defaultdict(list))
        for at in range(len(memory.blocks)):
            if at in self._taken:
                continue
            for entry in range(self._starts[at], self._starts[at + 1]):
                file = memory.files[memory.homes[entry]]
                opened[file.prefix][file.number].append(memory.lines[entry])
        return opened

    def _look(self, draft: FamilyDraft) -> None:
        for line in draft.new():
            self._new.add(line[len(b"<url><loc>") : line.index(b"</loc>")])

    def _refuse_repeats(self) -> None:
        """A page that is new in its family may stand in a block that was not read."""
        if not self._new:
            return
        if not (self._memory.plain and self._intake.plain):
            raise Unfit
        outcome = self._assembly.families.outcome
        leaving = {value for value, _ in outcome.left}
        for one in self._memory.files:
            if one.prefix in MOVING:
                continue
            found = self._new.intersection(_LOCS(self._edition.read(one.name) or b""))
            if any(hash(normalize(unescape(loc).decode())) not in leaving for loc in found):
                raise Unfit

    def _refuse_other_links(self, before: int) -> None:
        """Entries that were not read keep their alternates when all links between known pages are
        the same ones, and new pages name each other only, each in return."""
        read = self._intake.read_links
        new = {normalize(unescape(loc).decode()) for loc in self._new} if read else set()
        grown = {page: links for page, links in read.items() if page in new}
        kept = sum(links.digest for page, links in read.items() if page not in new)
        if (kept - before) % DIGESTS:
            raise Unfit
        own = f"{self._intake.site}/"
        for page, links in grown.items():
            for named in links.named:
                back = grown.get(named)
                if named.startswith(own) and (back is None or page not in back.named):
                    raise Unfit

    def _moving(self, prefix: str, date_in: re.Pattern[bytes], since: int) -> Iterator[Rows]:
        """What stands there, is young enough, and was not looked at anew; then what was."""
        anew = set(self._assembly.families.outcome.touched)
        for family in self._intake.pile.prefixes():
            for piled in self._intake.pile.entries_of(family, self._intake.unwanted):
                anew.update(piled.hashes)
        for one in self._memory.files:
            if one.prefix == prefix:
                data = self._edition.read(one.name) or b""
                lines = data.splitlines(keepends=True)[2:-1]
                hashes = [hash(normalize(loc_of(line))) for line in lines]
                kept = [
                    at
                    for at, line in enumerate(lines)
                    if hashes[at] not in anew and self._second(date_in, line) >= since
                ]
                yield [hashes[at] for at in kept], [lines[at] for at in kept]
        yield from self._assembly.families.copies(prefix)

    def _second(self, date_in: re.Pattern[bytes], line: bytes) -> int:
        found = date_in.search(line)
        date = parse_lastmod(found[1].decode(), now=self._now) if found else DateFault.INVALID
        return 0 if isinstance(date, DateFault) else date.at

    # ------------------------------------------------------------ what the next build will know

    def homes(self, places: FileTable) -> Homes:
        """File and line of every entry: as remembered, but where a file lost lines before it."""
        if not places.countable:
            return NOWHERE
        read = homes_of_all(self._intake, places)
        known = self._homes_of_known(places)
        homes, lines = array("H"), array("H")
        for passage in self._intake.passages:
            start, source = self._source(passage, read, known)
            end = start + passage.record.entries
            homes.extend(source[0][start:end])
            lines.extend(source[1][start:end])
        return homes, lines

    def _source(
        self,
        passage: Passage,
        read: tuple[array[int], array[int]],
        known: tuple[array[int], array[int]],
    ) -> tuple[int, tuple[array[int], array[int]]]:
        if passage.old < 0:
            return passage.first, read
        return self._starts[passage.old], known

    def _homes_of_known(self, places: FileTable) -> tuple[array[int], array[int]]:
        """All old entries by the new places of files; those of lost files are never asked for."""
        memory, outcome = self._memory, places.outcome
        renamed = {
            at: places.of.get((one.prefix, one.number), 0) for at, one in enumerate(memory.files)
        }
        renamed[NO_FILE] = NO_FILE
        shifted = {
            at: outcome.places[one.prefix].after[one.number]
            for at, one in enumerate(memory.files)
            if one.prefix in outcome.places and one.number in outcome.places[one.prefix].after
        }
        shifted = {at: after for at, after in shifted.items() if not isinstance(after, range)}
        homes = array("H", [renamed[home] for home in memory.homes])
        if not shifted:
            return homes, memory.lines
        lines = array("H", memory.lines)
        for entry, home in enumerate(memory.homes):
            if home in shifted:
                lines[entry] = min(shifted[home][lines[entry]], 65_535)
        return homes, lines
