"""One moment of a ledger, gathered for the dashboard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from submitter.core import quota
from submitter.core.fleet import Target
from submitter.core.health import (
    TROUBLED,
)
from submitter.core.loop import Latency, periods_of
from submitter.core.records import LogRow
from submitter.core.report import (
    CallFilter,
    ChangeLine,
    CrawlSum,
    LaneLine,
    Report,
)
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ports import Ledger, ReportBook
from submitter.stories import overview
from submitter.stories.alerting import evidence_of, find_alerts
from submitter.stories.memory import Memory, Scope, beats_of, midnight
from submitter.stories.overview import Lane

__all__ = ["Scope", "gather", "gather_site"]

CRAWL_DAYS = 28
CALLS = 20_000
"""Single calls in a report at most, shared out evenly among its targets."""
CALLS_EACH = 50
RUNS = 60
TROUBLES = 1_000
SITE_CRAWLS = DOCUMENTS = LOOKS = 10_000
"""Rows of these in a report at most."""


def gather(ledger: Ledger, book: ReportBook, scope: Scope, *, now: datetime) -> Report:
    """A whole report. Reads only; every question is a snapshot of its own."""
    known = Memory.read(ledger, book, scope, now)
    since = midnight(now.date() - timedelta(days=scope.days - 1))
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
        targets=tuple(known.target_lines(calls, beats_of(book, now, wanted), now)),
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
        documents=tuple(one for one in book.documents(DOCUMENTS) if one.site in sites),
        looks=tuple(book.looks(since, LOOKS)),
        runs=tuple(book.run_sums(RUNS)),
        crawls=tuple(add_crawls(crawls, by=lambda one: ("", one.section))),
        site_crawls=tuple(sorted(crawls, key=busiest)[:SITE_CRAWLS]),
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
        documents=tuple(book.documents(DOCUMENTS, site)),
        site_crawls=tuple(book.site_crawl_sums(since, site)),
        calls=tuple(reversed(found)),
        calls_each=calls,
    )


def _lanes(
    known: Memory, named: Sequence[Target], scope: Scope, now: datetime
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
    return sorted(added, key=busiest)


def busiest(one: CrawlSum) -> tuple[int, str, str, str]:
    """Sorts the busiest first."""
    return -one.hits, one.site, one.section, one.crawler


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
