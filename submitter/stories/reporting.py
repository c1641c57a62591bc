"""One moment of a ledger, gathered for the dashboard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import cast

from submitter.core import quota
from submitter.core.fleet import Account, Fleet, Site, Target
from submitter.core.health import (
    HOLDS,
    NO_BEAT,
    TROUBLED,
    SitemapFacts,
    TargetFacts,
    beat_of,
    health_of,
    told_pages,
    waiting_pages,
    worse_beat,
)
from submitter.core.loop import Latency, periods_of
from submitter.core.records import LogRow, SitemapStatus
from submitter.core.report import (
    BEAT_DAYS,
    BeatSum,
    CallFilter,
    ChangeLine,
    CrawlSum,
    LaneLine,
    Report,
    SitemapLine,
    TargetLine,
)
from submitter.core.selection import Selection
from submitter.core.standing import Allowance, PageStanding
from submitter.core.states import State
from submitter.core.status import SitemapState, is_fetched, sitemap_state, submitted_at
from submitter.core.traits import Kind, Traits
from submitter.ports import Ledger, ReportBook
from submitter.stories import overview
from submitter.stories.alerting import evidence_of, find_alerts
from submitter.stories.overview import Lane

DAYS = 90
"""So many UTC days of log are added up, today included."""
CRAWL_DAYS = 28
CALLS = 20_000
"""Single calls in a report at most, shared out evenly among its targets."""
CALLS_EACH = 50
RUNS = 60
RUNS_BACK = 3
"""A run that was killed, or is under way, has no summary yet."""
TROUBLES = 1_000
SITE_CRAWLS = 10_000
UNREAD = (SitemapState.QUEUED, SitemapState.STUCK)

Key = tuple[str, str]
"""Site and account: a target."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a report is about, and the rules it needs."""

    fleet: Fleet
    traits: Mapping[str, Traits]
    property_of: Callable[[Target], str]
    selection: Selection = Selection()
    days: int = DAYS


def gather(ledger: Ledger, book: ReportBook, scope: Scope, *, now: datetime) -> Report:
    """A whole report. Reads only; every question is a snapshot of its own."""
    known = _Known.read(ledger, book, scope, now)
    since = _midnight(now.date() - timedelta(days=scope.days - 1))
    wanted = None if scope.selection.is_everything else frozenset(known.targets)
    crawled_since = now.date() - timedelta(days=CRAWL_DAYS - 1)
    each = max(1, min(CALLS_EACH, CALLS // max(1, len(known.targets))))
    sites = {target.site.origin for target in known.targets.values()}
    calls = book.newest_calls(each, targets=wanted)
    named = scope.selection.select(scope.fleet.targets())
    alerts = find_alerts(
        scope.fleet, evidence_of(ledger), scope.traits, now=now, selection=scope.selection
    )
    crawls = [one for one in book.crawl_sums(crawled_since) if one.site in sites]
    return Report(
        fleet=scope.fleet.name,
        made_at=now,
        since=since,
        targets=tuple(known.target_lines(calls, _beats(book, now, wanted), now)),
        sites=tuple(one for one in book.site_sums() if one.site in sites),
        lanes=tuple(_lanes(known, named, scope, now)),
        sitemaps=tuple(known.sitemap_lines()),
        latencies=tuple(_loop(ledger, named, scope, since, now)),
        days=tuple(book.call_sums(since, targets=wanted)),
        page_days=tuple(book.page_day_sums(since)),
        causes=tuple(book.cause_sums(since, targets=wanted)),
        changes=tuple(changes(calls)),
        alerts=tuple(alerts),
        troubles=tuple(one for one in book.document_troubles(TROUBLES) if one.site in sites),
        runs=tuple(book.run_sums(RUNS)),
        crawls=tuple(add_crawls(crawls, by=lambda one: ("", one.section))),
        site_crawls=tuple(add_crawls(crawls, by=lambda one: (one.site, ""))[:SITE_CRAWLS]),
        crawl_days=tuple(book.crawl_day_sums(crawled_since)),
        calls=tuple(calls),
        calls_each=each,
        inventory_sha256=scope.fleet.sha256,
    )


def gather_site(book: ReportBook, report: Report, site: str, *, calls: int) -> Report:
    """Of a report, what is about one site; with its newest calls, and its crawlers by section."""
    since = report.made_at.date() - timedelta(days=CRAWL_DAYS - 1)
    found = book.calls(CallFilter(site=site), limit=calls)
    return replace(
        report,
        targets=tuple(one for one in report.targets if one.site == site),
        alerts=tuple(one for one in report.alerts if one.site == site),
        sites=tuple(one for one in report.sites if one.site == site),
        sitemaps=tuple(one for one in report.sitemaps if one.site == site),
        troubles=tuple(one for one in report.troubles if one.site == site),
        site_crawls=tuple(book.site_crawl_sums(since, site)),
        calls=tuple(reversed(found)),
        calls_each=calls,
    )


def _lanes(
    known: _Known, named: Sequence[Target], scope: Scope, now: datetime
) -> Iterable[LaneLine]:
    engines = {target.account.name: target.account.engine for target in named}
    found = overview.lanes(
        known.pages, known.lanes, named, scope.traits, scope.property_of, now=now
    )
    return [_lane(one, engines[one.allowance.account], now) for one in found]


def _loop(
    ledger: Ledger, named: Sequence[Target], scope: Scope, since: datetime, now: datetime
) -> Iterable[Latency]:
    wish = overview.Wish(
        scope.fleet, scope.traits, scope.property_of, since, selection=scope.selection
    )
    periods = periods_of(since, now, before=None, after=None)
    return overview.loop(evidence_of(ledger), named, wish, periods)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


# ---------------------------------------------------------------- what is known


@dataclass(frozen=True, slots=True)
class _Known:
    """The ledger's memory of each target, read once."""

    targets: Mapping[Key, Target]
    retired: frozenset[Key]
    properties: Mapping[Key, str]
    sitemaps: Mapping[Key, Sequence[SitemapFacts]]
    pages: Mapping[Key, PageStanding]
    lanes: Mapping[tuple[str, str], Allowance]
    traits: Mapping[str, Traits]
    held: Mapping[tuple[str, str | None], str]

    @classmethod
    def read(cls, ledger: Ledger, book: ReportBook, scope: Scope, now: datetime) -> _Known:
        remembered = book.target_engines()
        targets = _targets(scope, remembered)
        facts: dict[Key, list[SitemapFacts]] = defaultdict(list)
        first = book.first_tellings()
        for status in ledger.statuses():
            key = (status.site, status.account)
            if key in targets:
                facts[key].append(_sitemap(status, targets[key], scope.traits, first))
        return cls(
            targets=targets,
            retired=frozenset(targets) - {target.key for target in scope.fleet.targets()},
            properties={
                key: remembered.get(key, ("", ""))[1] or scope.property_of(target)
                for key, target in targets.items()
            },
            sitemaps=facts,
            pages=ledger.page_standings(now),
            lanes=ledger.allowances(),
            traits=scope.traits,
            held=_held(ledger),
        )

    def target_lines(
        self, calls: Iterable[LogRow], beats: Mapping[Key, _Beats], now: datetime
    ) -> Iterable[TargetLine]:
        last = {(row.site, row.account): row for row in calls}
        for key, target in self.targets.items():
            pages = self.pages.get(key, PageStanding())
            facts = TargetFacts(
                engine=target.account.engine,
                last=last.get(key),
                sitemaps=self.sitemaps.get(key, ()),
                pages=pages,
                lanes=self._lanes_of(key),
                retired=key in self.retired,
                held=self.held.get(key) or self.held.get((key[0], None)) or "",
            )
            verdict, beat = health_of(facts, now), beats.get(key, _NO_BEATS)
            yield TargetLine(
                site=key[0],
                account=key[1],
                engine=target.account.engine,
                property=self.properties[key],
                health=verdict.health,
                at=verdict.at,
                why=verdict.why,
                beat=beat_of(beat.days, now.date(), BEAT_DAYS),
                calls=beat.calls,
                troubles=beat.troubles,
                told=told_pages(pages),
                waiting=waiting_pages(pages),
                unknown=pages.counts.get(State.UNKNOWN, 0),
                rejected=pages.counts.get(State.REJECTED, 0),
            )

    def _lanes_of(self, key: Key) -> list[Allowance]:
        """The lane of a target, and its fast one where it has one."""
        fast = self.traits[self.targets[key].account.engine].fast_lane
        plain = self.properties[key]
        names = [plain] if fast is None else [plain, fast.of(plain)]
        return [self.lanes[key[1], name] for name in names if (key[1], name) in self.lanes]

    def sitemap_lines(self) -> list[SitemapLine]:
        return [
            _sitemap_line(facts, self.targets[key].account.engine)
            for key, many in self.sitemaps.items()
            for facts in many
        ]


def _held(ledger: Ledger) -> Mapping[tuple[str, str | None], str]:
    """By site and account (None: all of them), what the newest run that ended held back, and by
    which rule."""
    summaries = (run.summary for run in ledger.runs(limit=RUNS_BACK))
    newest = next((one for one in summaries if one is not None), {})
    skips = cast("Sequence[Mapping[str, str | None]]", newest.get("skips", ()))
    return {
        (str(one["site"]), one["account"]): str(one["reason"])
        for one in skips
        if one["reason"] in HOLDS
    }


def _targets(scope: Scope, remembered: Mapping[Key, tuple[str, str]]) -> dict[Key, Target]:
    """Those of the inventory in its order, then those that only the ledger knows."""
    found = {target.key: target for target in scope.fleet.targets()}
    for (origin, name), (engine, _) in sorted(remembered.items()):
        account = scope.fleet.accounts.get(name) or Account(name, engine, None)
        if (origin, name) not in found and account.engine in scope.traits:
            scheme, _, host = origin.partition("://")
            found[origin, name] = Target(Site(host, scheme), account)
    return {key: one for key, one in found.items() if scope.selection.matches(one)}


# ---------------------------------------------------------------- sitemaps


def _sitemap(
    status: SitemapStatus,
    target: Target,
    traits: Mapping[str, Traits],
    first: Mapping[tuple[str, str, str], datetime],
) -> SitemapFacts:
    since = first.get((status.site, status.account, status.sitemap))
    state = sitemap_state(
        status,
        traits=traits[target.account.engine],
        waiting_since=since,
        stuck_after=timedelta(days=target.site.stuck_after_days),
    )
    return SitemapFacts(status, state, since)


def _sitemap_line(facts: SitemapFacts, engine: str) -> SitemapLine:
    known, check = facts.known, facts.known.check
    told_at = submitted_at(known)
    read_after = None
    if told_at is not None and check and check.last_downloaded and is_fetched(known):
        read_after = max(0, int((check.last_downloaded - told_at).total_seconds()))
    return SitemapLine(
        site=known.site,
        account=known.account,
        engine=engine,
        sitemap=known.sitemap,
        state=facts.state,
        told_at=told_at,
        downloaded_at=check.last_downloaded if check else None,
        checked_at=known.checked_at,
        errors=check.errors if check else None,
        warnings=check.warnings if check else None,
        theirs=check.urls_submitted if check else None,
        ours=known.urls_ours,
        read_after_s=read_after,
        unread_since=(facts.unread_since or told_at) if facts.state in UNREAD else None,
    )


def _lane(one: Lane, engine: str, now: datetime) -> LaneLine:
    book = one.allowance
    return LaneLine(
        account=book.account,
        engine=engine,
        property=book.property,
        day=book.day,
        limit=book.limit,
        spent=book.spent,
        left=one.left,
        resets_at=one.resets_at,
        closed_until=book.closed_until if quota.is_closed(book, now) else None,
        closed_reason=book.closed_reason,
        backlog=one.waiting,
        days_left=one.days,
    )


# ---------------------------------------------------------------- crawlers


def add_crawls(
    sums: Iterable[CrawlSum], by: Callable[[CrawlSum], tuple[str, str]]
) -> list[CrawlSum]:
    """Added up by crawler and by what `by` says (a site and a section), the busiest first."""
    groups: dict[tuple[tuple[str, str], str], list[CrawlSum]] = defaultdict(list)
    for one in sums:
        groups[by(one), one.crawler].append(one)
    added = [_added(*place, many) for (place, _), many in groups.items()]
    return sorted(added, key=lambda one: (-one.hits, one.site, one.section, one.crawler))


def _added(site: str, section: str, many: Sequence[CrawlSum]) -> CrawlSum:
    return CrawlSum(
        site=site,
        section=section,
        crawler=many[0].crawler,
        kind=many[0].kind,
        hits=sum(one.hits for one in many),
        verified=sum(one.verified for one in many),
        contradicted=sum(one.contradicted for one in many),
        listed_hits=sum(one.listed_hits for one in many),
        not_modified=sum(one.not_modified for one in many),
        errors=sum(one.errors for one in many),
        last_at=max((one.last_at for one in many if one.last_at is not None), default=None),
    )


# ---------------------------------------------------------------- calls


@dataclass(slots=True)
class _Beats:
    """What a target's calls were like, day by day."""

    days: dict[date, str]
    calls: int = 0
    troubles: int = 0


_NO_BEATS = _Beats({})


def _beats(book: ReportBook, now: datetime, wanted: frozenset[Key] | None) -> Mapping[Key, _Beats]:
    since = _midnight(now.date() - timedelta(days=BEAT_DAYS - 1))
    found: dict[Key, _Beats] = {}
    for one in book.beat_sums(since, targets=wanted):
        _add(found.setdefault((one.site, one.account), _Beats({})), one)
    return found


def _add(beats: _Beats, one: BeatSum) -> None:
    beats.days[one.day] = worse_beat(beats.days.get(one.day, NO_BEAT), one.state)
    beats.calls += one.calls
    if one.state in TROUBLED:
        beats.troubles += one.calls


def changes(calls: Sequence[LogRow]) -> list[ChangeLine]:
    """Targets of which the newest call went well and the one before did not, or the other way
    round; the newest first. Of calls under way nothing is known yet."""
    last: dict[tuple[str, str, Kind | str], list[LogRow]] = defaultdict(list)
    for row in calls:
        if row.state not in (State.SENDING, State.DEFERRED):
            last[row.site, row.account, row.kind].append(row)
    pairs = [rows[-2:] for rows in last.values() if len(rows) > 1]
    found = [
        ChangeLine(
            after.site, after.account, after.engine, before.state, after.state,
            after.settled_at or after.sent_at,
        )
        for before, after in pairs
        if (before.state in TROUBLED) != (after.state in TROUBLED)
    ]  # fmt: skip
    return sorted(found, key=lambda one: one.at, reverse=True)
