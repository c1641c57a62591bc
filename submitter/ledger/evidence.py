"""Counts over what the ledger remembers, for reports, alarms and metrics. No statement here reads
a page's row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    type_coerce,
)

from submitter.core.alerts import Alert
from submitter.core.evidence import (
    CALL_STEPS_S,
    LONGEST_CALL_S,
    CallCount,
    CallTimes,
    LogSpan,
    LyingDates,
    RunEnd,
    SectionCrawl,
    SiteCallCount,
    Trouble,
    Unread,
)
from submitter.core.findings import Severity
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.ledger import crawldays
from submitter.ledger.columns import EPOCH
from submitter.ledger.database import Transaction
from submitter.ledger.schema import document, run, site, target
from submitter.ledger.schema_alarms import alarm
from submitter.ledger.schema_calls import attempt, sitemap, sitemap_check
from submitter.ledger.schema_crawls import crawl_day, crawl_site, crawler

LYING = ("lastmod-all-equal", "lastmod-is-now")
"""Findings by which a document's dates say nothing."""

COUNTED_CALLS = (
    select(
        attempt.c.target_id,
        attempt.c.kind,
        attempt.c.state,
        func.count().label("calls"),
        func.sum(case((attempt.c.urls > 0, attempt.c.urls), else_=1)).label("pages"),
        func.sum(attempt.c.accepted).label("accepted"),
        func.sum(attempt.c.rejected).label("rejected"),
    )
    .where(attempt.c.sent_at >= bindparam("since"), attempt.c.sent_at < bindparam("until"))
    .group_by(attempt.c.target_id, attempt.c.kind, attempt.c.state)
    .subquery("counted_calls")
)
CALLS = (
    select(site.c.origin.label("site"), target.c.account, target.c.engine, COUNTED_CALLS)
    .select_from(COUNTED_CALLS)
    .join(target, target.c.id == COUNTED_CALLS.c.target_id)
    .join(site, site.c.id == target.c.site_id)
    .order_by(target.c.account, COUNTED_CALLS.c.kind, COUNTED_CALLS.c.state, site.c.origin)
)
COUNTED = (
    select(
        attempt.c.target_id,
        attempt.c.kind,
        attempt.c.state,
        func.count().label("calls"),
        func.max(attempt.c.sent_at).label("last_at"),
    )
    .group_by(attempt.c.target_id, attempt.c.kind, attempt.c.state)
    .subquery("counted")
)
EVER = (
    select(
        site.c.origin.label("site"),
        target.c.engine,
        COUNTED.c.kind,
        COUNTED.c.state,
        func.sum(COUNTED.c.calls).label("calls"),
        func.max(COUNTED.c.last_at).label("last_at"),
    )
    .select_from(COUNTED)
    .join(target, target.c.id == COUNTED.c.target_id)
    .join(site, site.c.id == target.c.site_id)
    .group_by(site.c.origin, target.c.engine, COUNTED.c.kind, COUNTED.c.state)
    .order_by(site.c.origin, target.c.engine, COUNTED.c.kind, COUNTED.c.state)
)
_TOOK_US = type_coerce(attempt.c.settled_at, BigInteger) - type_coerce(
    attempt.c.sent_at, BigInteger
)
_UNSEEN = and_(
    attempt.c.state == State.UNKNOWN.value,
    attempt.c.http_status.is_(None),
    _TOOK_US > LONGEST_CALL_S * 1_000_000,
)
"""A later run closed it, because the one that sent it died."""
TIMES = (
    select(
        attempt.c.engine,
        attempt.c.kind,
        func.count().label("calls"),
        func.sum(case((_TOOK_US > 0, _TOOK_US), else_=0)).label("took_us"),
        *(
            func.sum(case((int(step * 1_000_000) >= _TOOK_US, 1), else_=0)).label(f"within{place}")
            for place, step in enumerate(CALL_STEPS_S)
        ),
    )
    .where(attempt.c.settled_at.is_not(None), ~_UNSEEN)
    .group_by(attempt.c.engine, attempt.c.kind)
    .order_by(attempt.c.engine, attempt.c.kind)
)
"""`ix_attempt_timed` holds all of it. A clock that was set back meanwhile is no time at all."""
RUNS = (
    select(run.c.id, run.c.started_at, run.c.finished_at, run.c.outcome, run.c.exit_code)
    .order_by(run.c.number.desc())
    .limit(bindparam("most"))
)
TROUBLES = (
    select(
        site.c.origin.label("site"),
        document.c.url.label("document"),
        document.c.trouble.label("reason"),
        document.c.read_at,
        document.c.pages,
    )
    .select_from(document)
    .join(site, site.c.id == document.c.site_id)
    .where(document.c.trouble.is_not(None))
    .order_by(site.c.origin, document.c.url)
)
LIARS = (
    select(
        site.c.origin.label("site"),
        document.c.url.label("document"),
        document.c.findings,
        document.c.pages,
        document.c.changed_at,
    )
    .select_from(document)
    .join(site, site.c.id == document.c.site_id)
    .where(
        document.c.changed_at >= bindparam("since"),
        or_(*(document.c.findings.contains(id, autoescape=True) for id in LYING)),
    )
    .order_by(site.c.origin, document.c.url)
)
_FIRST_TOLD = (
    select(func.min(attempt.c.sent_at))
    .where(
        attempt.c.target_id == sitemap.c.target_id,
        attempt.c.kind == Kind.SITEMAP.value,
        attempt.c.state.in_(sorted(state.value for state in TOLD)),
        attempt.c.target == sitemap.c.url,
    )
    .scalar_subquery()
)
UNREAD = (
    select(
        site.c.origin.label("site"),
        target.c.account,
        target.c.engine,
        sitemap.c.url.label("sitemap"),
        sitemap_check.c.last_downloaded,
        case((sitemap_check.c.last_downloaded.is_(None), _FIRST_TOLD)).label("first_told"),
        sitemap.c.told_at,
        sitemap_check.c.checked_at,
    )
    .select_from(sitemap)
    .join(target, target.c.id == sitemap.c.target_id)
    .join(site, site.c.id == target.c.site_id)
    .join(sitemap_check, sitemap_check.c.id == sitemap.c.check_id)
    .where(
        sitemap.c.told_at.is_not(None),
        or_(
            sitemap_check.c.last_downloaded.is_(None),
            type_coerce(sitemap_check.c.checked_at, BigInteger)
            - type_coerce(sitemap_check.c.last_downloaded, BigInteger)
            >= bindparam("late_us"),
        ),
    )
    .order_by(site.c.origin, target.c.account, sitemap.c.url)
)
LAST_HOURS = (
    select(site.c.origin.label("site"), crawl_site.c.read_until)
    .join(crawl_site, crawl_site.c.site_id == site.c.id)
    .where(crawl_site.c.read_until.is_not(None))
)
DAYS_READ = select(crawl_site.c.site_id, crawl_site.c.read_days).where(
    crawl_site.c.read_days.is_not(None)
)


def _of_days(*columns: Any) -> Select[Any]:
    """A site's days one after the other: each site is one range of the table."""
    return (
        select(*columns)
        .select_from(site)
        .join(
            crawl_day,
            and_(
                crawl_day.c.site_id == site.c.id,
                crawl_day.c.day >= bindparam("first"),
                crawl_day.c.day < bindparam("today"),
            ),
        )
    )


_IS_LATE = crawl_day.c.day >= bindparam("lately")
_UNREAD = (0, 0)
_GENUINE = crawl_day.c.hits - crawl_day.c.contradicted
SECTION_HITS = (
    _of_days(
        site.c.id,
        site.c.origin,
        crawl_day.c.section,
        crawl_day.c.crawler_id,
        func.sum(case((_IS_LATE, _GENUINE), else_=0)).label("lately"),
        func.sum(case((_IS_LATE, 0), else_=_GENUINE)).label("before"),
        func.min(crawl_day.c.day).label("first_day"),
    )
    .where(crawl_day.c.crawler_id.in_(bindparam("readers", expanding=True)))
    .group_by(site.c.id, site.c.origin, crawl_day.c.section, crawl_day.c.crawler_id)
    .having(func.sum(_GENUINE) >= bindparam("least"))
    .order_by(site.c.origin, crawl_day.c.section, crawl_day.c.crawler_id)
)


# ---------------------------------------------------------------- counts


def calls(tx: Transaction, since: datetime, until: datetime) -> list[CallCount]:
    return [
        CallCount(
            row.site,
            row.account,
            row.engine or "",
            row.kind,
            row.state,
            row.calls,
            int(row.pages),
            int(row.accepted),
            int(row.rejected),
        )
        for row in tx.rows(CALLS, since=since, until=until)
    ]


def calls_ever(tx: Transaction) -> list[SiteCallCount]:
    return [
        SiteCallCount(row.site, row.engine or "", row.kind, row.state, int(row.calls), row.last_at)
        for row in tx.rows(EVER)
    ]


def call_times(tx: Transaction) -> list[CallTimes]:
    return [
        CallTimes(
            row.engine,
            row.kind,
            row.calls,
            int(row.took_us) / 1_000_000,
            tuple(int(getattr(row, f"within{place}")) for place in range(len(CALL_STEPS_S))),
        )
        for row in tx.rows(TIMES)
    ]


def run_ends(tx: Transaction, limit: int) -> list[RunEnd]:
    return [RunEnd(**row._mapping) for row in tx.rows(RUNS, most=limit)]


# ---------------------------------------------------------------- what alarms are raised from


def troubles(tx: Transaction) -> list[Trouble]:
    return [Trouble(**row._mapping) for row in tx.rows(TROUBLES)]


def lying_dates(tx: Transaction, since: datetime) -> list[LyingDates]:
    found = []
    for row in tx.rows(LIARS, since=since):
        ids = {one["id"] for one in json.loads(row.findings)}
        if said := tuple(id for id in LYING if id in ids):
            found.append(LyingDates(row.site, row.document, said, row.pages, row.changed_at))
    return found


def unread(tx: Transaction, late_us: int) -> list[Unread]:
    return [
        Unread(
            row.site,
            row.account,
            row.engine or "",
            row.sitemap,
            row.last_downloaded or row.first_told or row.told_at,
            row.last_downloaded is not None,
            row.checked_at,
        )
        for row in tx.rows(UNREAD, late_us=late_us)
    ]


def log_spans(tx: Transaction) -> list[LogSpan]:
    return [
        LogSpan(row.site, (EPOCH + timedelta(hours=row.read_until)).date())
        for row in tx.rows(LAST_HOURS)
    ]


def section_crawls(
    tx: Transaction, names: Sequence[str], *, first: date, lately: date, today: date, least: int
) -> list[SectionCrawl]:
    crawlers = {row.id: row.name for row in tx.rows(select(crawler)) if row.name in names}
    if not crawlers:
        return []
    days = {"first": first, "lately": lately, "today": today}
    edges = [(day - EPOCH.date()).days for day in (first, lately, today)]
    read = {
        row.site_id: [crawldays.count(row.read_days, *span) for span in pairwise(edges)]
        for row in tx.rows(DAYS_READ)
    }
    rows = tx.rows(SECTION_HITS, **days, readers=sorted(crawlers), least=least)
    return [
        SectionCrawl(
            row.origin,
            row.section,
            crawlers[row.crawler_id],
            int(row.lately),
            int(row.before),
            days_lately=read.get(row.id, _UNREAD)[1],
            days_before=read.get(row.id, _UNREAD)[0],
            first_day=row.first_day,
        )
        for row in rows
    ]


# ---------------------------------------------------------------- what was told


def alarms(tx: Transaction) -> list[Alert]:
    return [_alert(json.loads(row.alert)) for row in tx.rows(select(alarm).order_by(alarm.c.key))]


def _alert(stored: dict[str, Any]) -> Alert:
    since = stored.pop("since")
    return Alert(
        **(stored | {"severity": Severity(stored["severity"])}),
        since=None if since is None else datetime.fromisoformat(since),
    )


def save_alarms(tx: Transaction, told: Sequence[Alert], at: datetime) -> None:
    """These and no others."""
    tx.execute(delete(alarm))
    for one in told:
        values = asdict(one) | {"since": one.since.isoformat() if one.since else None}
        tx.put(alarm, key=one.key, told_at=at, alert=json.dumps(values))
