"""Adds up hits until they are stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import Hit, Verdict
from submitter.core.crawl.places import Group, Page, SitePages
from submitter.core.crawl.seen import Hour, Marks, SeenLines, first_state
from submitter.core.crawl.verdicts import Judge

HOUR_S: Final = 3_600
DAY_S: Final = 86_400

MOST_LINES: Final = 60_000
MOST_VISITS: Final = 25_000
"""New ones held in memory before they are stored."""
MOST_PAGES: Final = 25_000
"""Pages remembered by their targets; then the tables start afresh."""
MOST_REMEMBERED: Final = 60_000
"""Lines by which equal ones are told apart, kept while others are read."""


class DayKey(NamedTuple):
    """A row of a day. `day` counts from 1970-01-01 UTC."""

    day: int
    section: str
    bot: str


@dataclass(slots=True)
class Visit:
    """What a bot did with one page. Times in seconds since 1970 UTC, days since 1970-01-01, each
    once."""

    hits: int
    first: int
    last: int
    days: list[int]
    section: str
    is_listed: bool

    def add(self, other: Visit) -> None:
        self.hits += other.hits
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.days += [day for day in other.days if day not in self.days]


@dataclass(slots=True)
class Batch:
    """New hits of one site: what is added to days, what to pages (by key and bot), and the marks
    of the lines they were. `listed`: pages that each section lists; None when nothing is."""

    site: str
    listed: Mapping[str, int] | None
    days: dict[DayKey, Counter[str]] = field(default_factory=dict)
    spans: dict[DayKey, tuple[int, int]] = field(default_factory=dict)
    """First and last hit of each row, without contradicted ones."""
    visits: dict[tuple[int, str], Visit] = field(default_factory=dict)
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

    def add_visit(self, key: int, bot: str, visit: Visit) -> None:
        """What a bot did with one page."""
        if (key, bot) in self.visits:
            self.visits[key, bot].add(visit)
        else:
            self.visits[key, bot] = visit


Found = tuple[bytes, Bot, Hit, SitePages, bytes]
"""A line, its bot, what stands in it, its site, and the path there."""


_Cell = tuple[Group, Bot, Verdict, int]
"""What is counted alike; the last is the status."""


class Tally:
    """Takes hits of bots, each line once, and gives batches."""

    def __init__(
        self,
        judge: Judge,
        mark_of: Callable[[bytes], int],
        load: Callable[[str, int], Sequence[Marks] | None],
    ) -> None:
        """`mark_of` a line, and `load` what is known of an hour: see `seen`."""
        self._judge, self._mark_of, self._seen = judge, mark_of, SeenLines(load)
        self._cells: dict[int, dict[_Cell, list[int]]] = {}
        """By day: hits, bytes, first and last."""
        self._visits: dict[Bot, dict[Page, list[int]]] = defaultdict(dict)
        """Hits, first, last, and the days from there on."""
        self._sites: set[SitePages] = set()
        self._found_pages = 0
        self._file = 0
        self.new = self.known = self.closed = 0
        self.days: set[int] = set()
        self.sites: set[str] = set()
        """What the lines were about, also those that were known."""

    def begin_file(self) -> None:
        self._file += 1

    @property
    def is_full(self) -> bool:
        visits = sum(map(len, self._visits.values()))
        return visits > MOST_VISITS or self._seen.fresh_lines > MOST_LINES

    def add(self, found: Iterable[Found]) -> None:
        """Count the hits, but for lines that were counted before and hours that are closed."""
        file, state, mark_of = self._file, first_state(self._file), self._mark_of
        verdicts, verdict_of, visits = self._judge.known, self._judge.verdict, self._visits
        hour, last_site, lines = -1, None, None
        for line, bot, (_, address, at, _, status, size, _), site, target in found:
            if at // HOUR_S != hour or site is not last_site:
                hour, last_site, day = at // HOUR_S, site, at // DAY_S
                lines, cells = self._open(site, hour, day), self._cells.setdefault(day, {})
            if lines is None:
                self.closed += 1
                continue
            mark = mark_of(line)
            if mark in lines.states or lines.known:
                if not lines.is_fresh(mark, file):
                    self.known += 1
                    continue
            else:
                lines.states[mark] = state
                lines.fresh.append(mark)
            self.new += 1
            page = site.pages.get(target) or self._find(site, target)
            verdict = verdicts.get((bot, address, day)) or verdict_of(bot, address, day)
            name = (page.group, bot, verdict, status)
            cell = cells.get(name)
            if cell is None:
                cells[name] = [1, size, at, at]
            else:
                _add_to_cell(cell, size, at)
            if verdict is not Verdict.CONTRADICTED:
                visit = visits[bot].get(page)
                if visit is None:
                    visits[bot][page] = _first_visit(site, page, target, at, day)
                else:
                    _add_to_visit(visit, at, day)

    def _open(self, site: SitePages, hour: int, day: int) -> Hour | None:
        lines = self._seen.hour(site.origin, hour)
        if lines is not None:
            self.days.add(day)
            self.sites.add(site.origin)
        return lines

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
        for day, cells in self._cells.items():
            for (group, bot, verdict, status), cell in cells.items():
                row = DayKey(day, group.section, bot.name)
                batch = batches.get(group.site.origin) or _batch(group.site, batches)
                batch.add_cell(row, group, verdict, status, cell)
        for bot, visits in self._visits.items():
            for page, (hits, first, last, *days) in visits.items():
                group = page.group
                visit = Visit(hits, first, last, days, group.section, group.is_listed)
                batches[group.site.origin].add_visit(page.key, bot.name, visit)
        for origin, lines in self._seen.take().items():
            batches[origin].lines = lines
        self._cells, self._visits = {}, defaultdict(dict)
        return list(batches.values())

    def stored(self) -> None:
        """What `take` gave is in the ledger."""
        self._seen.make_room(MOST_REMEMBERED)


def _add_to_cell(cell: list[int], size: int, at: int) -> None:
    cell[0] += 1
    cell[1] += size
    _stretch(cell, 2, at)


def _first_visit(site: SitePages, page: Page, target: bytes, at: int, day: int) -> list[int]:
    if not page.group.is_listed:
        site.note_unlisted(page, target)
    return [1, at, at, day]


def _add_to_visit(visit: list[int], at: int, day: int) -> None:
    visit[0] += 1
    _stretch(visit, 1, at)
    if visit[-1] != day and day not in visit[3:]:
        visit.append(day)


def _stretch(row: list[int], first: int, at: int) -> None:
    """The earliest and the latest time of a row, which stand beside each other."""
    if at > row[first + 1]:
        row[first + 1] = at
    elif at < row[first]:
        row[first] = at


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
