"""From first sent to first read, counted inside the database: pages by access logs, sitemaps by
the engines' own word.

Only what logs could have shown counts: pages of sites whose access logs were read, sent between
the first and the last hour of them. Hits of every crawler that answers an engine count, claimed
ones included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    type_coerce,
)

from submitter.core.loop import COARSEST, DAY_S, FINE, HOUR_S, MINUTE_S, Reached, Sent, Way
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.ledger.columns import LARGEST, STATE_CODES, micros_of
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place
from submitter.ledger.schema import (
    attempt,
    look,
    page,
    page_key,
    section,
    site,
    sitemap,
    sitemap_check,
    target,
    telling,
)
from submitter.ledger.schema_crawls import crawl_hour, crawl_page, crawler

MICROS = 1_000_000
HOUR_US = HOUR_S * MICROS
TOLD_CODES = sorted(STATE_CODES[state] for state in TOLD)

FIRST_CALL = select(func.min(attempt.c.id + 0).label("id")).where(
    attempt.c.sent_at >= bindparam("since")
)
"""`+ 0`: see `logs.FIRST_SINCE`."""
FIRST_PAGE = func.min(page.c.id).label("first_page")
"""Numbers of pages grow, so what was told lately is mostly among the last of them."""
READERS = select(crawler.c.id).where(crawler.c.name.in_(bindparam("names", expanding=True)))
SOME_SITES = select(site.c.id).where(site.c.origin.in_(bindparam("ids", expanding=True)))
SECTIONS = select(section.c.id, section.c.name)
ANY_LOG = select(crawl_hour.c.hour).limit(1)


@dataclass(frozen=True, slots=True)
class Window:
    """Sendings at or after `since` and before `until`, for these sites (None: all)."""

    since: datetime
    until: datetime
    sites: Sequence[str] | None = None

    @property
    def values(self) -> dict[str, int]:
        return {"since_us": micros_of(self.since), "until_us": micros_of(self.until)}


def pages_of(tx: Transaction, way: Way, window: Window) -> tuple[list[Sent], list[Reached]]:
    """Pages first sent this way, and those of them that were read, by section."""
    readers = [row.id for row in tx.rows(READERS, names=list(way.readers))]
    if tx.first(ANY_LOG) is None:
        return [], []
    _prefer_hashes(tx)
    by_sitemap = way.kind is Kind.SITEMAP
    some, several = window.sites is not None, len(readers) > 1
    make = _by_sitemap if by_sitemap else _by_page
    sent, reached = make(some=some, several=several)
    values: dict[str, Any] = {"engine": way.engine, **window.values, **_site_ids(tx, window)}
    if not by_sitemap:
        values["first_call"] = tx.one(FIRST_CALL, since=window.since).id or LARGEST
    names = {row.id: row.name for row in tx.rows(SECTIONS)}
    told = tx.rows(sent, **values)
    sizes = [Sent(names[row.section_id], row.pages) for row in told]
    if not readers or not sizes:
        return sizes, []
    first_page = min(row.first_page for row in told)
    rows = tx.rows(reached, **values, readers=readers, first_page=first_page)
    return sizes, [Reached(names[row.section_id], row.bucket, row.pages) for row in rows]


def sitemaps_of(tx: Transaction, engine: str, window: Window) -> tuple[list[Sent], list[Reached]]:
    """Sitemaps told to an engine that is asked later, and its readings of them. All that is told
    between two readings waits for the second, from its first telling on."""
    values = {"engine": engine, **window.values, **_site_ids(tx, window)}
    some = window.sites is not None
    rows = tx.rows(_downloads(some=some), **values)
    reached = [Reached(None, row.bucket, row.sitemaps) for row in rows]
    open_now = int(tx.one(_undownloaded(some=some), **values).sitemaps)
    total = open_now + sum(one.things for one in reached)
    return ([Sent(None, total)] if total else []), reached


def _prefer_hashes(tx: Transaction) -> None:
    """PostgreSQL takes what is worked out once for a row or two, and would pass it again for every
    page. Holds to the end of the transaction."""
    if tx.connection.dialect.name == "postgresql":
        tx.connection.exec_driver_sql("SET LOCAL enable_nestloop = off")


def _site_ids(tx: Transaction, window: Window) -> dict[str, list[int]]:
    if window.sites is None:
        return {}
    return {"site_ids": [row.id for row in tx.rows_in(SOME_SITES, window.sites)]}


# ---------------------------------------------------------------- pieces


def _where(statement: Select[Any], site_id: ColumnElement[int], *, some: bool) -> Select[Any]:
    """Of some sites only, where the caller names some."""
    if not some:
        return statement
    return statement.where(site_id.in_(bindparam("site_ids", expanding=True)))


def _us(column: ColumnElement[Any]) -> ColumnElement[int]:
    return type_coerce(column, BigInteger)


def _in_window(sent_at: ColumnElement[int]) -> ColumnElement[bool]:
    return and_(sent_at >= bindparam("since_us"), sent_at < bindparam("until_us"))


def _bucket(sent_at: ColumnElement[int], read_at: ColumnElement[int]) -> ColumnElement[int | None]:
    """See `core.loop.bucket_of`; null: read before it was sent. In whole seconds, as logs are."""
    wait = read_at // MICROS - sent_at // MICROS
    return case(
        (wait < 0, None),
        (wait < DAY_S, wait // MINUTE_S),
        (wait >= DAY_S + (COARSEST - FINE) * HOUR_S, COARSEST),
        else_=FINE + (wait - DAY_S) // HOUR_S,
    )


def _spans() -> CTE:
    """The hours between which a site's access logs were read, in microseconds. Two seeks a site."""
    of_site = crawl_hour.c.site_id == site.c.id
    first = select(func.min(crawl_hour.c.hour)).where(of_site).scalar_subquery()
    last = select(func.max(crawl_hour.c.hour)).where(of_site).scalar_subquery()
    return _once(
        select(
            site.c.id.label("site_id"),
            (type_coerce(first, BigInteger) * HOUR_US).label("from_us"),
            ((type_coerce(last, BigInteger) + 1) * HOUR_US).label("to_us"),
        ),
        "span",
    )


def _once(statement: Select[Any], name: str) -> CTE:
    """Worked out once and kept, and not again for every row that uses it: of an offset, also of
    none, no planner makes a part of what is around it."""
    return statement.offset(0).cte(name)


def _seen(span: CTE, sent_at: ColumnElement[int]) -> ColumnElement[bool]:
    return and_(sent_at >= span.c.from_us, sent_at < span.c.to_us)


def _crawled(*, some: bool, several: bool) -> Any:
    """When the first of the readers read each page. Only several have to be put together."""
    read_at = _us(crawl_page.c.first_at)
    of_pages = (crawl_page.c.site_id, crawl_page.c.key)
    reads = select(*of_pages, (func.min(read_at) if several else read_at).label("read_us"))
    reads = reads.where(crawl_page.c.crawler_id.in_(bindparam("readers", expanding=True)))
    reads = _where(reads, crawl_page.c.site_id, some=some)
    return (reads.group_by(*of_pages) if several else reads).subquery("crawled")


# ---------------------------------------------------------------- told page by page

_TOOK = and_(telling.c.removal == 0, telling.c.state.in_(TOLD_CODES))


@cache
def _by_page(*, some: bool, several: bool) -> tuple[Select[Any], Select[Any]]:
    return _sent_by_page(some=some), _reached_by_page(some=some, several=several)


def _sent_by_page(*, some: bool) -> Select[Any]:
    span = _spans()
    first = (
        select(
            telling.c.page_id, telling.c.target_id, func.min(telling.c.attempt_id).label("first")
        )
        .where(_TOOK)
        .group_by(telling.c.page_id, telling.c.target_id)
        .having(func.min(telling.c.attempt_id) >= bindparam("first_call"))
        .subquery("first_telling")
    )
    sent_at = _us(attempt.c.sent_at)
    counted = (
        select(page.c.section_id, func.count().label("pages"), FIRST_PAGE)
        .select_from(first)
        .join(attempt, attempt.c.id == first.c.first)
        .join(target, target.c.id == first.c.target_id)
        .join(span, span.c.site_id == target.c.site_id)
        .join(page, page.c.id == first.c.page_id)
        .where(target.c.engine == bindparam("engine"), _in_window(sent_at), _seen(span, sent_at))
        .group_by(page.c.section_id)
    )
    return _where(counted, target.c.site_id, some=some)


def _reached_by_page(*, some: bool, several: bool) -> Select[Any]:
    span, crawled, sent_at = _spans(), _crawled(some=some, several=several), _us(attempt.c.sent_at)
    first = (
        select(func.min(telling.c.attempt_id))
        .where(telling.c.page_id == page_key.c.page_id, telling.c.target_id == target.c.id, _TOOK)
        .scalar_subquery()
    )
    bucket = _bucket(sent_at, crawled.c.read_us).label("bucket")
    return (
        select(page.c.section_id, bucket, func.count().label("pages"))
        .select_from(crawled)
        .join(span, span.c.site_id == crawled.c.site_id)
        .join(
            target,
            and_(target.c.site_id == crawled.c.site_id, target.c.engine == bindparam("engine")),
        )
        .join(
            page_key,
            and_(
                page_key.c.site_id == crawled.c.site_id,
                page_key.c.key == crawled.c.key,
                page_key.c.page_id >= bindparam("first_page"),
            ),
        )
        .join(attempt, attempt.c.id == first)
        .join(page, page.c.id == page_key.c.page_id)
        .where(attempt.c.id >= bindparam("first_call"), _in_window(sent_at), _seen(span, sent_at))
        .group_by(page.c.section_id, bucket)
    )


# ---------------------------------------------------------------- told by sitemaps


@cache
def _by_sitemap(*, some: bool, several: bool) -> tuple[Select[Any], Select[Any]]:
    return _sent_by_sitemap(some=some), _reached_by_sitemap(some=some, several=several)


def _told(*, some: bool) -> CTE:
    """When the pages that a look found first were told: at the first submission of one of the
    site's sitemaps from then on."""
    span, at, sent_at = _spans(), _us(look.c.at), _us(attempt.c.sent_at)
    times = [_told_at(state, attempt.c.sent_at >= look.c.at, func.min) for state in sorted(TOLD)]
    before = [_told_at(state, sent_at < bindparam("since_us"), func.max) for state in sorted(TOLD)]
    known = [func.coalesce(time, LARGEST) for time in times]
    looks = (
        select(
            look.c.site_id,
            look.c.number,
            *(time.label(f"t{at}") for at, time in enumerate(known)),
        )
        .select_from(look)
        .join(target, target.c.site_id == look.c.site_id)
        .where(
            look.c.new > 0,
            look.c.by_hand.is_(False),
            target.c.engine == bindparam("engine"),
            *(at > func.coalesce(time, 0) for time in before),  # else it was told before `since`
        )
    )
    each = _once(_where(looks, look.c.site_id, some=some), "each_look")
    least = _least([each.c[f"t{at}"] for at in range(len(known))])
    return _once(
        select(each.c.site_id, each.c.number, least.label("sent_us"))
        .select_from(each)
        .join(span, span.c.site_id == each.c.site_id)
        .where(_in_window(least), _seen(span, least)),
        "told",
    )


def _told_at(state: State, when: ColumnElement[bool], which: Any) -> ColumnElement[int | None]:
    """When the target was told a sitemap first (func.min) or last (func.max), by one state: one
    seek in `ix_attempt_counted`."""
    return (
        select(which(_us(attempt.c.sent_at)))
        .where(
            attempt.c.target_id == target.c.id,
            attempt.c.kind == Kind.SITEMAP.value,
            attempt.c.state == state.value,
            when,
        )
        .scalar_subquery()
    )


def _least(columns: Sequence[ColumnElement[int]]) -> ColumnElement[int]:
    """The least of these; the dialects have no common function for it."""
    least = columns[0]
    for column in columns[1:]:
        least = case((column < least, column), else_=least)
    return least


def _sent_by_sitemap(*, some: bool) -> Select[Any]:
    told = _told(some=some)
    return (
        select(page.c.section_id, func.count().label("pages"), FIRST_PAGE)
        .select_from(page)
        .join(told, and_(told.c.site_id == page.c.site_id, told.c.number == page.c.first_look))
        .where(page.c.place != int(Place.BY_HAND))
        .group_by(page.c.section_id)
    )


def _reached_by_sitemap(*, some: bool, several: bool) -> Select[Any]:
    told, crawled = _told(some=some), _crawled(some=some, several=several)
    bucket = _bucket(told.c.sent_us, crawled.c.read_us).label("bucket")
    return (
        select(page.c.section_id, bucket, func.count().label("pages"))
        .select_from(crawled)
        .join(
            page_key,
            and_(
                page_key.c.site_id == crawled.c.site_id,
                page_key.c.key == crawled.c.key,
                page_key.c.page_id >= bindparam("first_page"),
            ),
        )
        .join(page, page.c.id == page_key.c.page_id)
        .join(told, and_(told.c.site_id == page.c.site_id, told.c.number == page.c.first_look))
        .where(page.c.place != int(Place.BY_HAND))
        .group_by(page.c.section_id, bucket)
    )


# ---------------------------------------------------------------- sitemaps, by the engine's word


@cache
def _downloads(*, some: bool) -> Select[Any]:
    """Each reading, with the first telling since the reading before."""
    read_at = _us(sitemap_check.c.last_downloaded)
    told_here = (
        select(sitemap_check.c.target_id, sitemap_check.c.sitemap, read_at.label("read_us"))
        .join(target, target.c.id == sitemap_check.c.target_id)
        .where(read_at.is_not(None), target.c.engine == bindparam("engine"))
        .distinct()
    )
    readings = _where(told_here, target.c.site_id, some=some).subquery("reading")
    before = func.lag(readings.c.read_us).over(
        partition_by=(readings.c.target_id, readings.c.sitemap), order_by=readings.c.read_us
    )
    pairs = select(readings, before.label("before_us")).subquery("pair")
    sent_at = _us(attempt.c.sent_at)
    first = (
        select(func.min(sent_at))
        .where(
            attempt.c.target_id == pairs.c.target_id,
            attempt.c.kind == Kind.SITEMAP.value,
            attempt.c.state.in_(sorted(state.value for state in TOLD)),
            attempt.c.target == pairs.c.sitemap,
            sent_at > func.coalesce(pairs.c.before_us, 0) + MICROS - 1,
            sent_at < pairs.c.read_us + MICROS,
        )
        .scalar_subquery()
    )
    waits = _once(
        select(pairs.c.read_us, first.label("sent_us")).where(
            pairs.c.read_us >= bindparam("since_us")
        ),
        "wait",
    )
    bucket = _bucket(waits.c.sent_us, waits.c.read_us).label("bucket")
    statement: Any = select(bucket, func.count().label("sitemaps")).select_from(waits)
    found: Select[Any] = statement.where(
        waits.c.sent_us.is_not(None), _in_window(waits.c.sent_us)
    ).group_by(bucket)
    return found


@cache
def _undownloaded(*, some: bool) -> Select[Any]:
    """Sitemaps told in this time that were not read since."""
    read_at, told_at = _us(sitemap_check.c.last_downloaded), _us(sitemap.c.told_at)
    waiting = (
        select(func.count().label("sitemaps"))
        .select_from(sitemap)
        .join(target, target.c.id == sitemap.c.target_id)
        .outerjoin(sitemap_check, sitemap_check.c.id == sitemap.c.check_id)
        .where(
            target.c.engine == bindparam("engine"),
            _in_window(told_at),
            or_(read_at.is_(None), read_at + MICROS <= told_at),
        )
    )
    return _where(waiting, target.c.site_id, some=some)
