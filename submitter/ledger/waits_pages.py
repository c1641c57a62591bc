"""From first sent to first crawl of pages, counted inside the database.

Only what logs could have shown counts: pages of sites whose access logs were read, sent between
the first and the last hour of them. Hits of every crawler that answers an engine count, claimed
ones included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    null,
    select,
)

from submitter.core.loop import Reached, Sent, Way
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.ledger.columns import LARGEST, STATE_CODES
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place
from submitter.ledger.schema import look, page, page_key, section, target, telling
from submitter.ledger.schema_calls import attempt, sitemap
from submitter.ledger.schema_crawls import crawl_page, crawl_site, crawler
from submitter.ledger.waits import (
    Window,
    bucket_of,
    in_window,
    micros,
    of_sites,
    once,
    seen,
    site_ids,
    spans,
)

TOLD_CODES = sorted(STATE_CODES[state] for state in TOLD)

FIRST_CALL = select(func.min(attempt.c.id + 0).label("id")).where(
    attempt.c.sent_at >= bindparam("since")
)
"""`+ 0`: see `logs.FIRST_SINCE`."""
FIRST_PAGE = func.min(page.c.id).label("first_page")
READERS = select(crawler.c.id).where(crawler.c.name.in_(bindparam("names", expanding=True)))
SECTIONS = select(section.c.id, section.c.name)
ANY_LOG = select(crawl_site.c.site_id).where(crawl_site.c.read_until.is_not(None)).limit(1)


def pages_of(tx: Transaction, way: Way, window: Window) -> tuple[list[Sent], list[Reached]]:
    """Pages first sent this way, and those of them that were read, by section."""
    readers = [row.id for row in tx.rows(READERS, names=list(way.readers))]
    if tx.first(ANY_LOG) is None:
        return [], []
    by_sitemap = way.kind is Kind.SITEMAP
    some, several = window.sites is not None, len(readers) > 1
    asked = (_by_sitemap if by_sitemap else _by_page)(some=some, several=several)
    values: dict[str, Any] = {"engine": way.engine, **window.values, **site_ids(tx, window)}
    if not by_sitemap:
        values["first_call"] = tx.one(FIRST_CALL, since=window.since).id or LARGEST
    names = {row.id: row.name for row in tx.rows(SECTIONS)}
    rows = tx.rows(asked, **values, readers=readers)
    sent = [row for row in rows if row.is_sent]
    reached = [row for row in rows if not row.is_sent]
    return (
        [Sent(names[row.section_id], row.pages, int(row.unsure)) for row in sent],
        [Reached(names[row.section_id], row.bucket, row.pages) for row in reached],
    )


def _together(
    sent: Select[Any], reached: Callable[[ColumnElement[int]], Select[Any]]
) -> Select[Any]:
    """Both in one statement, so that when pages were told is worked out once for both. Numbers of
    pages grow, so what was told lately is mostly among the last of them: `reached` gets the first
    page that was sent, before which nothing has to be looked up."""
    sums = once(sent, "sent")
    first_page = select(func.min(sums.c.first_page)).scalar_subquery()
    sizes = select(
        sums.c.section_id,
        cast(null(), BigInteger).label("bucket"),
        sums.c.pages,
        sums.c.unsure,
        literal(1).label("is_sent"),
    )
    reads = reached(first_page).add_columns(literal(0), literal(0))
    return select(sizes.union_all(reads).subquery())


def _crawled(*, some: bool, several: bool) -> Any:
    """When the first of the readers read each page, and the last. Only several have to be put
    together."""
    read_at, last_at = micros(crawl_page.c.first_at), micros(crawl_page.c.last_at)
    of_pages = (crawl_page.c.site_id, crawl_page.c.key)
    reads = select(
        *of_pages,
        (func.min(read_at) if several else read_at).label("read_us"),
        (func.max(last_at) if several else last_at).label("last_us"),
    )
    reads = reads.where(crawl_page.c.crawler_id.in_(bindparam("readers", expanding=True)))
    reads = of_sites(reads, crawl_page.c.site_id, some=some)
    return (reads.group_by(*of_pages) if several else reads).subquery("crawled")


# ---------------------------------------------------------------- told page by page

_SENT_AT = micros(attempt.c.sent_at) + 0
"""`+ 0`: calls are found by their numbers here, and by the index of times never."""
_TOOK = and_(telling.c.removal == 0, telling.c.state.in_(TOLD_CODES))


@cache
def _by_page(*, some: bool, several: bool) -> Select[Any]:
    span, crawled = spans(), _crawled(some=some, several=several)
    return _together(_sent_by_page(span, some=some), partial(_reached_by_page, span, crawled))


def _sent_by_page(span: CTE, *, some: bool) -> Select[Any]:
    first = (
        select(
            telling.c.page_id, telling.c.target_id, func.min(telling.c.attempt_id).label("first")
        )
        .where(_TOOK)
        .group_by(telling.c.page_id, telling.c.target_id)
        .having(func.min(telling.c.attempt_id) >= bindparam("first_call"))
        .subquery("first_telling")
    )
    counted = (
        select(
            page.c.section_id,
            func.count().label("pages"),
            literal(0).label("unsure"),
            FIRST_PAGE,
        )
        .select_from(first)
        .join(attempt, attempt.c.id == first.c.first)
        .join(target, target.c.id == first.c.target_id)
        .join(span, span.c.site_id == target.c.site_id)
        .join(page, page.c.id == first.c.page_id)
        .where(target.c.engine == bindparam("engine"), in_window(_SENT_AT), seen(span, _SENT_AT))
        .group_by(page.c.section_id)
    )
    return of_sites(counted, target.c.site_id, some=some)


def _reached_by_page(span: CTE, crawled: Any, first_page: ColumnElement[int]) -> Select[Any]:
    first = (
        select(func.min(telling.c.attempt_id))
        .where(telling.c.page_id == page_key.c.page_id, telling.c.target_id == target.c.id, _TOOK)
        .scalar_subquery()
    )
    bucket = bucket_of(_SENT_AT, crawled.c.read_us, crawled.c.last_us).label("bucket")
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
                page_key.c.page_id >= first_page,
            ),
        )
        .join(attempt, attempt.c.id == first)
        .join(page, page.c.id == page_key.c.page_id)
        .where(
            attempt.c.id + 0 >= bindparam("first_call"), in_window(_SENT_AT), seen(span, _SENT_AT)
        )
        .group_by(page.c.section_id, bucket)
    )


# ---------------------------------------------------------------- told by sitemaps


@cache
def _by_sitemap(*, some: bool, several: bool) -> Select[Any]:
    told, crawled = _told(some=some), _crawled(some=some, several=several)
    return _together(_sent_by_sitemap(told), partial(_reached_by_sitemap, told, crawled))


def _told(*, some: bool) -> CTE:
    """When the pages that a look found first were told: at the first submission of one of the
    site's sitemaps from then on. Which of several sitemaps a page was listed in first is not
    remembered: where several were told, `unsure` is 1.

    What is not meant is made null and left out by that. Conditions on times of which a planner
    knows nothing let PostgreSQL expect a row or two here, and pass all pages again for each of
    the thousands that there are; that a number is there, it takes for nearly always so.
    """
    looks, span = _looks(some=some), spans()
    least = _least([looks.c[f"t{place}"] for place in range(len(TOLD))]).label("sent_us")
    sent = once(select(looks.c.site_id, looks.c.number, looks.c.unsure, least), "first_told")
    meant = and_(in_window(sent.c.sent_us), seen(span, sent.c.sent_us))
    timed = once(
        select(
            sent.c.site_id,
            sent.c.number,
            sent.c.unsure,
            case((meant, sent.c.sent_us)).label("sent_us"),
        )
        .select_from(sent)
        .join(span, span.c.site_id == sent.c.site_id),
        "timed",
    )
    return once(select(timed).where(timed.c.sent_us.is_not(None)), "told")


def _looks(*, some: bool) -> CTE:
    """Looks that found pages and were told to an engine in this time or later."""
    at, states = micros(look.c.at), sorted(TOLD)
    before = [
        _told_at(target.c.id, state, micros(attempt.c.sent_at) < bindparam("since_us"), func.max)
        for state in states
    ]
    untold = and_(*(at > func.coalesce(time, 0) for time in before))  # else told before `since`
    found = (
        select(
            look.c.site_id,
            look.c.number,
            look.c.at,
            target.c.id.label("target_id"),
            case((untold, 1)).label("open"),
        )
        .select_from(look)
        .join(target, target.c.site_id == look.c.site_id)
        .where(look.c.new > 0, look.c.by_hand.is_(False), target.c.engine == bindparam("engine"))
    )
    new = once(of_sites(found, look.c.site_id, some=some), "new_look")
    times = [
        _told_at(new.c.target_id, state, attempt.c.sent_at >= new.c.at, func.min)
        for state in states
    ]
    several = new.c.target_id.in_(_TOLD_SEVERAL)
    return once(
        select(
            new.c.site_id,
            new.c.number,
            case((several, 1), else_=0).label("unsure"),
            *(func.coalesce(time, LARGEST).label(f"t{place}") for place, time in enumerate(times)),
        ).where(new.c.open.is_not(None)),
        "each_look",
    )


_TOLD_SEVERAL = (
    select(sitemap.c.target_id)
    .where(sitemap.c.told_at.is_not(None))
    .group_by(sitemap.c.target_id)
    .having(func.count() > 1)
)


def _told_at(
    target_id: ColumnElement[int], state: State, when: ColumnElement[bool], which: Any
) -> ColumnElement[int | None]:
    """When the target was told a sitemap first (func.min) or last (func.max), by one state: one
    seek in `ix_attempt_counted`."""
    return (
        select(which(micros(attempt.c.sent_at)))
        .where(
            attempt.c.target_id == target_id,
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


def _sent_by_sitemap(told: CTE) -> Select[Any]:
    return (
        select(
            page.c.section_id,
            func.count().label("pages"),
            func.sum(told.c.unsure).label("unsure"),
            FIRST_PAGE,
        )
        .select_from(page)
        .join(told, and_(told.c.site_id == page.c.site_id, told.c.number == page.c.first_look))
        .where(page.c.place != int(Place.BY_HAND))
        .group_by(page.c.section_id)
    )


def _reached_by_sitemap(told: CTE, crawled: Any, first_page: ColumnElement[int]) -> Select[Any]:
    bucket = bucket_of(told.c.sent_us, crawled.c.read_us, crawled.c.last_us).label("bucket")
    return (
        select(page.c.section_id, bucket, func.count().label("pages"))
        .select_from(crawled)
        .join(
            page_key,
            and_(
                page_key.c.site_id == crawled.c.site_id,
                page_key.c.key == crawled.c.key,
                page_key.c.page_id >= first_page,
            ),
        )
        .join(page, page.c.id == page_key.c.page_id)
        .join(told, and_(told.c.site_id == page.c.site_id, told.c.number == page.c.first_look))
        .where(page.c.place != int(Place.BY_HAND))
        .group_by(page.c.section_id, bucket)
    )
