"""Adds up hits until they are stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import Hit, Verdict
from submitter.core.crawl.met import HOUR_S
from submitter.core.crawl.places import Group, Page, SitePages
from submitter.core.crawl.seen import Hour, Marks, SeenLines, first_state
from submitter.core.crawl.verdicts import Judge

DAY_S: Final = 86_400

MOST_LINES: Final = 40_000
MOST_VISITS: Final = 25_000
"""New ones held in memory before they are stored."""
MOST_PAGES: Final = 25_000
"""Pages remembered by their targets; then the tables start afresh."""
MOST_REMEMBERED: Final = 40_000
"""Lines by which equal ones are told apart, kept while others are read."""
MOST_LANES: Final = 5_000


class DayKey(NamedTuple):
    """A row of a day. `day` counts from 1970-01-01 UTC."""

    day: int
    section: str
    bot: str


class Visit(NamedTuple):
    """What a bot did with one page. Times in seconds since 1970 UTC, days since 1970-01-01, each
    once."""

    hits: int
    first: int
    last: int
    days: tuple[int, ...]
    group: Group

    def once_more(self, at: int, day: int) -> Visit:
        """With one hit more."""
        hits, first, last, days, group = self
        if day not in days:
            days = (*days, day)
        if at < first:
            first = at
        elif at > last:
            last = at
        return _made(Visit, (hits + 1, first, last, days, group))


_made: Final = tuple.__new__
"""Makes a `Visit` in half the time of its own constructor."""
Visits: TypeAlias = dict[int, Visit]
"""By the keys of pages."""


@dataclass(slots=True)
class Batch:
    """New hits of one site: what is added to days, what to pages (by key and bot), and the marks
    of the lines they were. `listed`: pages that each section lists; None when nothing is."""

    site: str
    listed: Mapping[str, int] | None
    days: dict[DayKey, Counter[str]] = field(default_factory=dict)
    spans: dict[DayKey, tuple[int, int]] = field(default_factory=dict)
    """First and last hit of each row, without contradicted ones."""
    visits: dict[str, Visits] = field(default_factory=dict)
    """By bot."""
    lines: Mapping[int, Marks] = field(default_factory=dict)

    def add_cell(
        self, row: DayKey, group: Group, verdict: Verdict, status: int, cell: Sequence[int]
    ) -> None:
        """Hits, bytes, first and last of what is counted alike."""
        hits, size, first, last = cell
        _count(self.days.setdefault(row, Counter()), group, verdict, status, hits, size)
        if verdict is not Verdict.CONTRADICTED:
            earliest, latest = self.spans.get(row, (first, last))
            self.spans[row] = (min(first, earliest), max(last, latest))


Found = tuple[bytes, Bot, Hit, SitePages, bytes]
"""A line, its bot, what stands in it, its site, and the path there."""


_Cells: TypeAlias = dict[tuple[Group, int], list[int]]
"""By what is counted alike and status: hits, bytes, first and last."""


class _Lane(NamedTuple):
    """Where the hits of one bot from one address on one day of a site are counted, so that it is
    not looked for again for each of them."""

    cells: _Cells
    visits: Visits | None
    """None: somebody else uses the name; it says nothing of which pages the bot reads."""
    days: tuple[int]


class Tally:
    """Takes hits of bots, each line once, and gives batches."""

    def __init__(
        self,
        judge: Judge,
        marks_of: Callable[[Iterable[bytes]], Marks],
        load: Callable[[str, int], Sequence[Marks] | None],
    ) -> None:
        """`marks_of` lines, and `load` what is known of an hour: see `seen`."""
        self._judge, self._marks_of, self._seen = judge, marks_of, SeenLines(load)
        self._hours: dict[tuple[SitePages, int], Hour | None] = {}
        self._sites: set[SitePages] = set()
        self._found_pages = 0
        self._file = 0
        self.new = self.known = self.closed = 0
        self.days: set[int] = set()
        self.sites: set[str] = set()
        """What the lines were about, also those that were known."""
        self._begin()

    def _begin(self) -> None:
        """With nothing that would have to be stored."""
        self._lanes: dict[tuple[Bot, bytes, SitePages, int], _Lane] = {}
        self._cells: dict[tuple[SitePages, int, Bot, Verdict], _Cells] = defaultdict(dict)
        self._visits: dict[tuple[SitePages, Bot], Visits] = defaultdict(dict)
        self._visit_count = 0
        self._lines_before = self.new + self.known

    def begin_file(self) -> None:
        self._file += 1

    @property
    def is_full(self) -> bool:
        lines = self.new + self.known - self._lines_before
        return self._visit_count > MOST_VISITS or lines > MOST_LINES

    def add(self, found: Sequence[Found]) -> None:
        """Count the hits, but for lines that were counted before and hours that are closed."""
        lanes = self._lanes
        for _, bot, (_, address, at, _, status, size, _), site, target in self._fresh(found):
            day = at // DAY_S
            cells, visits, days = lanes.get((bot, address, site, day)) or self._lane(
                bot, address, site, day
            )
            key, group = site.pages.get(target) or self._find(site, target)
            cell = cells.get((group, status))
            if cell is None:
                cells[group, status] = [1, size, at, at]
            else:
                cell[0] += 1
                cell[1] += size
                if at > cell[3]:
                    cell[3] = at
                elif at < cell[2]:
                    cell[2] = at
            if visits is not None:
                visit = visits.get(key)
                if visit is not None:
                    visits[key] = visit.once_more(at, day)
                else:
                    self._visit_count += 1
                    visits[key] = _made(Visit, (1, at, at, days, group))
                    if site.seeks_unlisted and not group.is_listed:
                        site.note_unlisted(group, target)

    def _fresh(self, found: Sequence[Found]) -> list[Found]:
        """Those that were never counted."""
        file, state = self._file, first_state(self._file)
        marks = self._marks_of([one[0] for one in found])
        fresh: list[Found] = []
        hour, last_site, lines = -1, None, None
        for one, mark in zip(found, marks, strict=True):
            _, _, hit, site, _ = one
            if hit[2] // HOUR_S != hour or site is not last_site:
                hour, last_site = hit[2] // HOUR_S, site
                lines = self._open(site, hour)
            if lines is None:
                self.closed += 1
                continue
            if mark not in lines.states and not lines.known:
                lines.states[mark] = state
                lines.fresh.append(mark)
            elif not lines.is_fresh(mark, file):
                self.known += 1
                continue
            fresh.append(one)
        self.new += len(fresh)
        return fresh

    def _open(self, site: SitePages, hour: int) -> Hour | None:
        """None: it is closed."""
        if (site, hour) not in self._hours:
            lines = self._hours[site, hour] = self._seen.hour(site.origin, hour)
            if lines is not None:
                self.days.add(hour * HOUR_S // DAY_S)
                self.sites.add(site.origin)
        return self._hours[site, hour]

    def _lane(self, bot: Bot, address: bytes, site: SitePages, day: int) -> _Lane:
        if len(self._lanes) >= MOST_LANES:
            self._lanes.clear()
        verdict = self._judge.verdict(bot, address, day)
        is_theirs = verdict is not Verdict.CONTRADICTED
        found = self._lanes[bot, address, site, day] = _Lane(
            self._cells[site, day, bot, verdict],
            self._visits[site, bot] if is_theirs else None,
            (day,),
        )
        return found

    def _find(self, site: SitePages, target: bytes) -> Page:
        """Pages are remembered, of all sites together no more than memory has room for."""
        self._found_pages += 1
        if self._found_pages > MOST_PAGES:
            for one in self._sites:
                one.pages.clear()
            self._found_pages = 1
            self._sites.clear()
        self._sites.add(site)
        found = site.pages[target] = site.find(target)
        return found

    def take(self) -> list[Batch]:
        """Everything since the last time, to be stored in one go; then it is forgotten here."""
        batches: dict[str, Batch] = {}
        for (site, day, bot, verdict), cells in self._cells.items():
            batch = batches.get(site.origin) or _batch(site, batches)
            for (group, status), cell in cells.items():
                batch.add_cell(DayKey(day, group.section, bot.name), group, verdict, status, cell)
        for (site, bot), visits in self._visits.items():
            batches[site.origin].visits[bot.name] = visits
        for origin, lines in self._seen.take().items():
            batches[origin].lines = lines
        self._begin()
        return list(batches.values())

    def stored(self) -> None:
        """What `take` gave is in the ledger."""
        self._hours.clear()
        self._seen.make_room(MOST_REMEMBERED)


def _batch(site: SitePages, batches: dict[str, Batch]) -> Batch:
    listed = site.listing.counts if len(site.listing) else None
    made = batches[site.origin] = Batch(site.origin, listed)
    return made


def _count(
    row: Counter[str], group: Group, verdict: Verdict, status: int, hits: int, size: int
) -> None:
    row["hits"] += hits
    row[verdict] += hits
    row["bytes"] += size
    row[status_column(status)] += hits
    if verdict is Verdict.CONTRADICTED:
        return  # somebody else's: it says nothing of which pages the bot reads
    if group.is_listed:
        row["listed_hits"] += hits
    elif group.has_parameters:
        row["parameter_hits"] += hits


def status_column(status: int) -> str:
    """Where a status is counted."""
    if status == 200:
        return "ok"
    if status == 304:
        return "not_modified"
    return {3: "redirected", 4: "client_errors", 5: "server_errors"}.get(status // 100, "other")
