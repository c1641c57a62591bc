"""Reads access logs into the ledger, and says what crawlers did.

Every line counts once, however often it is read (see `core.crawl.seen`), so the report is always
that of the ledger, or of what stands in for one where nothing is kept: of the days that the lines
were about, or of those asked for.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final

from submitter.core.accounting import ExitCode
from submitter.core.crawl.lines import EXAMPLES, LineReader, Reading
from submitter.core.crawl.met import HOUR_S, Hours
from submitter.core.crawl.places import NAMELESS, Hosts, SitePages, parted
from submitter.core.crawl.records import Coverage, CrawlDay
from submitter.core.crawl.tally import Found, Tally
from submitter.core.crawl.verdicts import Judge
from submitter.core.fleet import Site
from submitter.core.sections import Sorter
from submitter.errors import LedgerError
from submitter.ports import Clock, CrawlBook, CrawlIntake, CrawlSums, Lease, Ledger, Progress
from submitter.ports.accesslogs import AccessLogs, LogStream
from submitter.stories.leases import acquire

LEASE: Final = "crawlers"
"""Who reads logs into a ledger; beside it a run may hold the ledger."""
LEASE_TTL_S: Final = 300.0

AHEAD: Final = timedelta(days=1)
EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
MOST_REJECTED: Final = 0.05
"""A larger share of lines that cannot be read says that the format is not understood."""
FOREIGN: Final = ("unknown-host", "no-host", "too-many-hosts")
"""Why a line belongs to no site."""
NEVER_SHOWN: Final = 10
"""Pages never crawled that are named for each site."""


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """`sites` empty with `takes_any`: every host in the lines is a site."""

    sites: Sequence[Site]
    owner: str
    takes_any: bool = False
    since: datetime | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CrawlTools:
    """What a reading goes through."""

    ledger: CrawlIntake
    logs: AccessLogs
    reader: LineReader
    judge: Judge
    clock: Clock
    progress: Progress
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True)
class CrawlReading:
    """What became of the lines. `reading.bots` = `new` + `known` + left out."""

    reading: Reading
    new: int = 0
    known: int = 0
    files: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    unlisted: dict[str, list[str]] = field(default_factory=dict)
    """By site, some addresses that bots read and that it does not list; of new lines."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Logs that ended before their end, and why."""
    days: set[int] = field(default_factory=set)
    """Of the lines that are counted now or were before; from 1970-01-01 UTC."""
    sites: set[str] = field(default_factory=set)
    stopped: bool = False

    @property
    def is_all_left_out(self) -> bool:
        """Whether there were bots' lines, and none of them of a site that is asked for."""
        foreign = sum(self.left_out[reason] for reason in FOREIGN)
        return 0 < self.reading.bots == foreign

    def leave_out(self, reason: str, host: bytes) -> None:
        self.left_out[reason] += 1
        some = self.examples.setdefault(reason, [])
        text = host.decode("utf-8", "backslashreplace")[:100]
        if text and text not in some and len(some) < EXAMPLES:
            some.append(text)


def book_of(ledger: Ledger) -> CrawlBook:
    if not isinstance(ledger, CrawlBook):
        raise LedgerError("this ledger has no book of crawlers")
    return ledger


def read_crawls(request: CrawlRequest, tools: CrawlTools) -> CrawlReading:
    """Read every log to its end and store what is new in it. Raises LedgerBusy and LedgerError;
    what was stored before stays, and is not counted again."""
    work = _Work(request, tools)
    work.lease = acquire(
        LEASE, request.owner, ttl_s=LEASE_TTL_S, tools=tools, wait_s=request.wait_s
    )
    tools.progress.start("reading logs", tools.logs.total_bytes)
    try:
        for opening in tools.logs.streams():
            if tools.stop.is_set():
                break
            with opening as log:
                work.read(log)
        return work.finish()
    finally:
        tools.progress.stop()
        tools.ledger.release(work.lease)


class _Work:
    """One reading on its way."""

    lease: Lease

    def __init__(self, request: CrawlRequest, tools: CrawlTools) -> None:
        self.tools, self.book = tools, tools.ledger
        self.found = CrawlReading(tools.reader.reading)
        self._sites = {site.origin: site for site in request.sites}
        self._hosts = Hosts(
            self._sites,
            self._open_site,
            nameless=_nameless(request),
            takes_any=request.takes_any,
        )
        self._tally = Tally(tools.judge, self.book.marker(), self.book.lines_of)
        self._since = int((request.since or EARLIEST).timestamp())
        self._until = int((tools.clock.now() + AHEAD).timestamp())
        self._renew_at = tools.clock.monotonic() + LEASE_TTL_S / 3

    def _open_site(self, origin: str) -> SitePages:
        site = self._sites.get(origin)
        return SitePages(
            origin,
            Sorter(site.sections if site else ()),
            self.book.listing(origin),
            self.book.page_key,
            [document.url for document in self.book.documents_of(origin)],
        )

    def read(self, log: LogStream) -> None:
        self.found.files += 1
        self.tools.reader.begin_file()
        self._tally.begin_file()
        before = 0
        for block in log.blocks():
            self._read_lines(block)
            self.tools.progress.advance(log.read_bytes - before)
            before = log.read_bytes
            if self._tally.is_full or self.tools.clock.monotonic() > self._renew_at:
                self.store()
            if self.tools.stop.is_set():
                return
        if log.problem:
            self.found.problems.append((log.name, log.problem))

    def _read_lines(self, lines: Sequence[bytes]) -> None:
        self._tally.add(self._placed(lines))

    def _placed(self, lines: Sequence[bytes]) -> list[Found]:
        """The bots' lines that belong to a site and to the time that is asked for."""
        placed: list[Found] = []
        site_of, since, until = self._hosts.site, self._since, self._until
        for line, bot, hit in self.tools.reader.read(lines):
            host, _, at, target, _, _, _ = hit
            if target[:1] != b"/":
                host, target = parted(host, target)
            site = site_of(host)
            if isinstance(site, str):
                self.found.leave_out(site, host)
            elif since <= at <= until:
                placed.append((line, bot, hit, site, target))
            else:
                self.found.leave_out(self._why_not(at), host)
        return placed

    def _why_not(self, at: int) -> str:
        if EARLIEST.timestamp() <= at < self._since:
            return "before-since"
        return "time-ahead"

    def finish(self) -> CrawlReading:
        """All that is left is stored; what became of the lines."""
        self.store()
        self.book.close_old_hours(self.lease, now=self.tools.clock.now())
        found, tally = self.found, self._tally
        found.new, found.known = tally.new, tally.known
        found.days, found.sites = tally.days, tally.sites
        found.unlisted = {site.origin: site.unlisted for site in self._hosts.opened()}
        if tally.closed:
            found.left_out["closed-hour"] = tally.closed
        found.stopped = self.tools.stop.is_set()
        return found

    def store(self) -> None:
        """What is new goes into the ledger, all at once."""
        clock = self.tools.clock
        now = clock.now()
        self.lease = self.tools.ledger.renew(self.lease, ttl_s=LEASE_TTL_S, now=now)
        self._renew_at = clock.monotonic() + LEASE_TTL_S / 3
        batches = self._tally.take()
        if batches:
            self.book.record_crawls(self.lease, batches, at=now)
        if met := self._hours_met():
            self.book.record_logs(self.lease, met)
        self._tally.stored()

    def _hours_met(self) -> dict[str, Hours]:
        """By site, hours of which lines were read since the last time, as far as they are meant."""
        found: dict[str, Hours] = {}
        first, last = self._since // HOUR_S, self._until // HOUR_S
        for host, hours in self.tools.reader.met.take().items():
            origin = self._hosts.origin_of(host)
            meant = {hour for hour in hours if first <= hour <= last}
            if origin is not None and meant:
                found.setdefault(origin, set()).update(meant)
        return found


def _nameless(request: CrawlRequest) -> str | None:
    """Where lines belong that name no host."""
    if len(request.sites) == 1:
        return request.sites[0].origin
    return NAMELESS if request.takes_any and not request.sites else None


def judge_reading(found: CrawlReading) -> ExitCode:
    """4 when more than one line in twenty could not be read, or a log broke off; 7 when there was
    no line at all, or bots' lines of which each was left out; 0 else."""
    lines, rejected = found.reading.lines, found.reading.rejected.total()
    if found.problems or rejected > MOST_REJECTED * lines:
        return ExitCode.PARTIAL
    return ExitCode.OK if lines and not found.is_all_left_out else ExitCode.NO_MATCH


# ---------------------------------------------------------------- the report


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What the ledger knows of some days, and of all that is listed now."""

    since: date
    until: date
    days: Sequence[CrawlDay]
    coverage: Sequence[Coverage]
    never: dict[str, list[str]]
    """By site, some pages that no crawler ever read."""


def report_crawls(
    book: CrawlSums,
    *,
    sites: Iterable[str] | None,
    since: date,
    until: date,
    crawlers: frozenset[str] = frozenset(),
) -> CrawlReport:
    """`sites` None: all that crawlers were seen at; `crawlers` empty: all of them."""
    wanted = None if sites is None else sorted(sites)
    days = [
        day
        for day in book.crawl_days(wanted, since=since, until=until)
        if not crawlers or day.crawler in crawlers
    ]
    covered = sorted({day.site for day in days}) if wanted is None else wanted
    coverage = [
        one
        for site in covered
        for one in book.coverage(site)
        if not crawlers or one.crawler in crawlers or not one.crawler
    ]
    open_sites = {one.site for one in coverage if not one.crawler and one.never}
    never = {site: book.never_crawled(site, limit=NEVER_SHOWN) for site in sorted(open_sites)}
    return CrawlReport(since, until, days, coverage, never)
