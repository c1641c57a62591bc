"""From telling a sitemap to the engine's own word of a download, counted inside the database."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    func,
    or_,
    select,
)

from submitter.core.loop import Reached, Sent
from submitter.core.states import TOLD
from submitter.core.traits import Kind
from submitter.ledger.database import Transaction
from submitter.ledger.schema import target
from submitter.ledger.schema_calls import attempt, sitemap, sitemap_check
from submitter.ledger.waits import (
    MICROS,
    Window,
    bucket_of,
    in_window,
    micros,
    of_sites,
    once,
    site_ids,
)


def sitemaps_of(tx: Transaction, engine: str, window: Window) -> tuple[list[Sent], list[Reached]]:
    """Sitemaps told to an engine that is asked later, and its readings of them. All that is told
    between two readings waits for the second, from its first telling on."""
    values = {"engine": engine, **window.values, **site_ids(tx, window)}
    some = window.sites is not None
    rows = tx.rows(_downloads(some=some), **values)
    reached = [Reached(None, row.bucket, row.sitemaps) for row in rows]
    open_now = int(tx.one(_undownloaded(some=some), **values).sitemaps)
    total = open_now + sum(one.things for one in reached)
    return ([Sent(None, total)] if total else []), reached


@cache
def _downloads(*, some: bool) -> Select[Any]:
    """Each reading, with the first telling since the reading before."""
    read_at = micros(sitemap_check.c.last_downloaded)
    told_here = (
        select(sitemap_check.c.target_id, sitemap_check.c.sitemap, read_at.label("read_us"))
        .join(target, target.c.id == sitemap_check.c.target_id)
        .where(read_at.is_not(None), target.c.engine == bindparam("engine"))
        .distinct()
    )
    readings = of_sites(told_here, target.c.site_id, some=some).subquery("reading")
    before = func.lag(readings.c.read_us).over(
        partition_by=(readings.c.target_id, readings.c.sitemap), order_by=readings.c.read_us
    )
    pairs = select(readings, before.label("before_us")).subquery("pair")
    first = _first_told(
        pairs.c.target_id,
        pairs.c.sitemap,
        pairs.c.before_us,
        micros(attempt.c.sent_at) < pairs.c.read_us + MICROS,
    )
    waits = once(
        select(pairs.c.read_us, first.label("sent_us")).where(
            pairs.c.read_us >= bindparam("since_us")
        ),
        "wait",
    )
    bucket = bucket_of(waits.c.sent_us, waits.c.read_us).label("bucket")
    statement: Any = select(bucket, func.count().label("sitemaps")).select_from(waits)
    found: Select[Any] = statement.where(
        waits.c.sent_us.is_not(None), in_window(waits.c.sent_us)
    ).group_by(bucket)
    return found


@cache
def _undownloaded(*, some: bool) -> Select[Any]:
    """Sitemaps not read since they were told, first told since their last reading in this time."""
    read_at, told_at = micros(sitemap_check.c.last_downloaded), micros(sitemap.c.told_at)
    waiting = (
        select(_first_told(sitemap.c.target_id, sitemap.c.url, read_at).label("sent_us"))
        .select_from(sitemap)
        .join(target, target.c.id == sitemap.c.target_id)
        .outerjoin(sitemap_check, sitemap_check.c.id == sitemap.c.check_id)
        .where(
            target.c.engine == bindparam("engine"),
            told_at >= bindparam("since_us"),
            or_(read_at.is_(None), read_at + MICROS <= told_at),
        )
    )
    told = of_sites(waiting, target.c.site_id, some=some).subquery("waiting")
    return select(func.count().label("sitemaps")).where(in_window(told.c.sent_us))


def _first_told(
    target_id: ColumnElement[int],
    url: ColumnElement[str],
    after_us: ColumnElement[int],
    *before: ColumnElement[bool],
) -> ColumnElement[int]:
    """When a sitemap was told first after its reading at `after_us`, or ever."""
    sent_at = micros(attempt.c.sent_at)
    return (
        select(func.min(sent_at))
        .where(
            attempt.c.target_id == target_id,
            attempt.c.kind == Kind.SITEMAP.value,
            attempt.c.state.in_(sorted(state.value for state in TOLD)),
            attempt.c.target == url,
            sent_at > func.coalesce(after_us, 0) + MICROS - 1,
            *before,
        )
        .scalar_subquery()
    )
