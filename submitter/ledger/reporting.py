"""What the dashboard reads: sums over the log, and single calls page by page. Nothing is written.

Each question is one short snapshot, so that no reader holds up a run, and one statement for
SQLite and PostgreSQL. Days are UTC days: whole microseconds of a day are divided off the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    case,
    func,
    or_,
    select,
    type_coerce,
)

from submitter.core.health import TROUBLED
from submitter.core.records import LogRow
from submitter.core.report import (
    BeatSum,
    CallFilter,
    CallSum,
    CallTotals,
    CauseSum,
    RunSum,
)
from submitter.core.states import TOLD
from submitter.core.traits import Kind
from submitter.ledger import logs, sites
from submitter.ledger.columns import EPOCH, time_of
from submitter.ledger.database import Transaction
from submitter.ledger.schema import run, site, target
from submitter.ledger.schema_calls import attempt, sitemap, sitemap_check

DAY_MICROS = 86_400_000_000
TOLD_STATES = sorted(state.value for state in TOLD)
TROUBLED_STATES = [str(state) for state in TROUBLED]
NO_PAGES = [column for column in logs.COLUMNS if column.name not in ("pages", "content")]
"""A call's packed pages may be many kilobytes, and nobody here looks at them."""

WITH_SITES = attempt.join(target, target.c.id == attempt.c.target_id).join(
    site, site.c.id == target.c.site_id
)
CALLS = select(*NO_PAGES, site.c.origin.label("site"), target.c.account).select_from(WITH_SITES)
WITH_TARGETS = attempt.join(target, target.c.id == attempt.c.target_id)

Targets = frozenset[tuple[str, str]] | None


def day_of(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Whole days since 1970 UTC."""
    return type_coerce(column, BigInteger) // DAY_MICROS


def date_of(number: int) -> date:
    return EPOCH.date() + timedelta(days=int(number))


def whole(number: Any) -> int:
    """Sums come as decimals from one database and as nothing where there was no row."""
    return int(number or 0)


# ---------------------------------------------------------------- single calls


def calls(tx: Transaction, which: CallFilter, *, before: int | None, limit: int) -> list[LogRow]:
    """Newest first; `before`: those with a smaller number."""
    statement = CALLS.where(*_conditions(tx, which))
    if before is not None:
        statement = statement.where(attempt.c.id < before)
    rows = tx.rows(statement.order_by(attempt.c.id.desc()).limit(limit))
    return [logs.log_row(row) for row in rows]


def call_totals(tx: Transaction, which: CallFilter) -> CallTotals:
    c = attempt.c
    sums = [
        func.sum(one) for one in (c.urls, c.accepted, c.rejected, func.coalesce(c.spent, c.cost))
    ]
    targets = func.count(c.target_id.distinct())
    counted: Any = select(func.count(), *sums, targets).select_from(WITH_SITES)
    row = tx.one(counted.where(*_conditions(tx, which)))
    return CallTotals(*map(whole, row))


def newest_calls(tx: Transaction, each: int, targets: Targets) -> list[LogRow]:
    """The newest `each` of every target, oldest first. The place of the oldest of these is looked
    up in the index, a target at a time: no year of log is read or sorted. `+ 0` keeps SQLite from
    going the other way round, through all calls."""
    one = attempt.alias("one")
    ids = _target_ids(tx, targets)
    place = (
        select(one.c.id)
        .where(one.c.target_id == target.c.id)
        .order_by(one.c.id.desc())
        .limit(1)
        .offset(each - 1)
        .scalar_subquery()
    )
    first = select(
        target.c.id, target.c.site_id, target.c.account, func.coalesce(place, 0).label("first")
    )
    first = first if ids is None else first.where(target.c.id.in_(ids))
    floor = first.subquery("floor")
    of_target = and_(attempt.c.target_id == floor.c.id + 0, attempt.c.id >= floor.c.first)
    joined = floor.join(attempt, of_target).join(site, site.c.id == floor.c.site_id)
    statement = select(*NO_PAGES, site.c.origin.label("site"), floor.c.account)
    rows = [logs.log_row(row) for row in tx.rows(statement.select_from(joined))]
    return sorted(rows, key=lambda row: row.id)


def _conditions(tx: Transaction, which: CallFilter) -> list[ColumnElement[bool]]:
    found = _since(tx, which.since)
    if which.until is not None:
        found.append(attempt.c.sent_at < which.until)
    if which.states:
        found.append(attempt.c.state.in_(which.states))
    for column, value in _named(which):
        if value is not None:
            found.append(column == value)
    for column, value in ((attempt.c.cause, which.cause), (attempt.c.code, which.code)):
        if value is not None:
            found.append(column == value if value else or_(column.is_(None), column == ""))
    if which.targets is not None:
        found.append(attempt.c.target_id.in_(_target_ids(tx, which.targets) or [0]))
    return found


def _named(which: CallFilter) -> list[tuple[ColumnElement[Any], str | int | None]]:
    return [
        (site.c.origin, which.site),
        (target.c.account, which.account),
        (attempt.c.engine, which.engine),
        (attempt.c.property, which.property),
        (attempt.c.kind, which.kind),
        (attempt.c.run, which.run),
        (attempt.c.id, which.id),
    ]


def _since(tx: Transaction, since: datetime | None) -> list[ColumnElement[bool]]:
    """By number first: calls are numbered in the order of their times but for clocks."""
    if since is None:
        return []
    first = tx.one(logs.FIRST_SINCE, since=since).first
    return [attempt.c.id >= (first or 0), attempt.c.sent_at >= since]


def _target_ids(tx: Transaction, targets: Targets) -> list[int] | None:
    if targets is None:
        return None
    return [id for id, name in sites.known_targets(tx).items() if name in targets]


def _of(tx: Transaction, targets: Targets) -> list[ColumnElement[bool]]:
    ids = _target_ids(tx, targets)
    return [] if ids is None else [attempt.c.target_id.in_(ids or [0])]


# ---------------------------------------------------------------- sums over the log


def call_sums(tx: Transaction, since: datetime, targets: Targets) -> list[CallSum]:
    """By day, account, kind and state, oldest day first. The log is added up by target numbers
    before any name is joined to it."""
    day = day_of(attempt.c.sent_at).label("day")
    keys = (attempt.c.target_id, attempt.c.engine, attempt.c.kind, attempt.c.state)
    inner = (
        select(day, *keys, func.count().label("calls"), func.sum(attempt.c.urls).label("pages"))
        .where(*_since(tx, since), *_of(tx, targets))
        .group_by(day, *keys)
        .subquery()
    )
    names = (inner.c.day, target.c.account, inner.c.engine, inner.c.kind, inner.c.state)
    statement = (
        select(
            *names, func.sum(inner.c.calls).label("calls"), func.sum(inner.c.pages).label("pages")
        )
        .select_from(inner.join(target, target.c.id == inner.c.target_id))
        .group_by(*names)
        .order_by(*names)
    )
    return [
        CallSum(
            date_of(row.day), row.account, row.engine, row.kind, row.state,
            whole(row.calls), whole(row.pages),
        )
        for row in tx.rows(statement)
    ]  # fmt: skip


def beat_sums(tx: Transaction, since: datetime, targets: Targets) -> list[BeatSum]:
    """By target, day and state, in any order."""
    names = sites.known_targets(tx)
    day = day_of(attempt.c.sent_at).label("day")
    keys = (attempt.c.target_id, day, attempt.c.state)
    statement = (
        select(*keys, func.count().label("calls"))
        .where(*_since(tx, since), *_of(tx, targets))
        .group_by(*keys)
    )
    dates: dict[int, date] = {}
    found = []
    for row in tx.rows(statement):
        target_id, number, state, count = tuple(row)
        when = dates.get(number) or dates.setdefault(number, date_of(number))
        found.append(BeatSum(*names[target_id], when, state, count))
    return found


def cause_sums(tx: Transaction, since: datetime, targets: Targets) -> list[CauseSum]:
    """Calls in trouble, the most frequent first."""
    c = attempt.c
    keys = (target.c.account, c.engine, c.state, c.cause, c.code)
    statement = (
        select(
            *keys,
            func.count().label("calls"),
            func.count(c.target_id.distinct()).label("targets"),
            func.max(type_coerce(c.sent_at, BigInteger)).label("last_at"),
            func.max(c.message).label("message"),
            func.max(c.next_step).label("next_step"),
        )
        .select_from(WITH_TARGETS)
        .where(c.state.in_(TROUBLED_STATES), *_since(tx, since), *_of(tx, targets))
        .group_by(*keys)
        .order_by(func.count().desc(), *keys)
    )
    return [
        CauseSum(
            row.account, row.engine, row.state, row.cause, row.code, row.calls, row.targets,
            time_of(row.last_at), row.message or "", row.next_step,
        )
        for row in tx.rows(statement)
    ]  # fmt: skip


def run_sums(tx: Transaction, limit: int) -> list[RunSum]:
    """Newest first."""
    newest = select(run).order_by(run.c.number.desc()).limit(limit).subquery("newest")
    good = func.sum(case((attempt.c.state.in_(TOLD_STATES), 1), else_=0))
    names = (
        "number", "id", "started_at", "finished_at", "outcome", "exit_code", "forced",
        "inventory_sha256",
    )  # fmt: skip
    columns = [newest.c[name] for name in names]
    statement = (
        select(*columns, func.count(attempt.c.id).label("calls"), good.label("good"))
        .select_from(newest.outerjoin(attempt, attempt.c.run == newest.c.id))
        .group_by(*columns)
        .order_by(newest.c.number.desc())
    )
    return [
        RunSum(
            row.id, row.started_at, row.finished_at, row.outcome, row.exit_code, row.forced,
            row.inventory_sha256, row.calls, whole(row.good),
        )
        for row in tx.rows(statement)
    ]  # fmt: skip


# ---------------------------------------------------------------- sitemaps and targets


def first_tellings(tx: Transaction) -> Mapping[tuple[str, str, str], datetime]:
    """Of each sitemap that an engine was asked about (site, account, sitemap): when it was first
    told since the engine last fetched it. Those that it fetched since are left out."""
    check = sitemap_check.c
    since_fetched = or_(check.last_downloaded.is_(None), attempt.c.sent_at > check.last_downloaded)
    of_sitemap = and_(
        attempt.c.target_id == sitemap.c.target_id,
        attempt.c.target == sitemap.c.url,
        attempt.c.kind == Kind.SITEMAP.value,
        attempt.c.state.in_(TOLD_STATES),
    )
    joined = sitemap.join(sitemap_check, check.id == sitemap.c.check_id).join(attempt, of_sitemap)
    unread = or_(check.last_downloaded.is_(None), check.last_downloaded < sitemap.c.told_at)
    first_at = func.min(type_coerce(attempt.c.sent_at, BigInteger)).label("first_at")
    statement = (
        select(sitemap.c.target_id, sitemap.c.url, first_at)
        .select_from(joined)
        .where(unread, since_fetched)
        .group_by(sitemap.c.target_id, sitemap.c.url)
    )
    names = sites.known_targets(tx)
    return {(*names[row.target_id], row.url): time_of(row.first_at) for row in tx.rows(statement)}


def target_engines(tx: Transaction) -> dict[tuple[str, str], tuple[str, str]]:
    """Engine and property as last planned, by site and account."""
    statement = select(site.c.origin, target.c.account, target.c.engine, target.c.property)
    rows: Sequence[Any] = tx.rows(statement.select_from(target.join(site)))
    return {(row[0], row[1]): (row[2] or "", row[3] or "") for row in rows}


def newest_call(tx: Transaction) -> int:
    """The number of the newest call; 0: there is none."""
    statement: Select[Any] = select(func.max(attempt.c.id).label("id"))
    return whole(tx.one(statement).id)
