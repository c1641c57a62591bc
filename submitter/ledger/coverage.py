"""How much of what sites list crawlers have read, and what they did with single pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, case, exists, func, select

from submitter.core.crawl.records import Coverage, PageCrawl
from submitter.ledger import crawldays
from submitter.ledger.columns import EPOCH
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place, full
from submitter.ledger.schema import page, page_key, section
from submitter.ledger.schema_crawls import crawl_page, crawl_site, crawler
from submitter.ledger.sites import SITE

_LISTED = (page_key.c.site_id == bindparam("of_site")) & (page.c.place == int(Place.LISTED))
_PAGES = page_key.join(page, page.c.id == page_key.c.page_id)
_CRAWLED = _PAGES.join(
    crawl_page,
    (crawl_page.c.site_id == page_key.c.site_id) & (crawl_page.c.key == page_key.c.key),
)
_WAS_READ = exists().where(
    crawl_page.c.site_id == page_key.c.site_id,
    crawl_page.c.key == page_key.c.key,
    crawl_page.c.last_at >= bindparam("since"),
)
_LISTED_SUMS = (
    select(
        page.c.section_id,
        func.count().label("listed"),
        func.sum(case((_WAS_READ, 1), else_=0)).label("crawled"),
    )
    .select_from(_PAGES)
    .where(_LISTED)
    .group_by(page.c.section_id)
    .subquery("listed_sums")
)
BY_SECTION = select(section.c.name, _LISTED_SUMS.c.listed, _LISTED_SUMS.c.crawled).join_from(
    _LISTED_SUMS, section, section.c.id == _LISTED_SUMS.c.section_id
)
"""How many pages are listed, and how many of them any crawler read: one seek for each."""
_CRAWLER_SUMS = (
    select(
        page.c.section_id,
        crawl_page.c.crawler_id,
        func.count().label("crawled"),
        func.sum(crawl_page.c.hits).label("hits"),
        func.max(crawl_page.c.last_at).label("last_at"),
    )
    .select_from(_CRAWLED)
    .where(_LISTED, crawl_page.c.last_at >= bindparam("since"))
    .group_by(page.c.section_id, crawl_page.c.crawler_id)
    .subquery("crawler_sums")
)
BY_CRAWLER = (
    select(
        section.c.name,
        crawler.c.name.label("crawler"),
        crawler.c.kind,
        *(_CRAWLER_SUMS.c[name] for name in ("crawled", "hits", "last_at")),
    )
    .join_from(_CRAWLER_SUMS, section, section.c.id == _CRAWLER_SUMS.c.section_id)
    .join(crawler, crawler.c.id == _CRAWLER_SUMS.c.crawler_id)
)
NEVER = (
    select(page.c.loc)
    .select_from(_PAGES)
    .where(
        _LISTED,
        ~exists().where(
            crawl_page.c.site_id == page_key.c.site_id, crawl_page.c.key == page_key.c.key
        ),
    )
    .order_by(page_key.c.key)
    .limit(bindparam("most"))
)
LOGS_READ = select(crawl_site.c.read_from).where(
    crawl_site.c.site_id == bindparam("of_site"), crawl_site.c.read_from.is_not(None)
)
CRAWLS_OF = (
    select(crawler.c.name, crawl_page)
    .select_from(crawl_page.join(crawler, crawler.c.id == crawl_page.c.crawler_id))
    .where(
        crawl_page.c.site_id == bindparam("of_site"),
        crawl_page.c.key.in_(bindparam("ids", expanding=True)),
    )
)


def logs_were_read(tx: Transaction, site_id: int) -> bool:
    """Whether any line of the site's access logs ever was, of whomever."""
    return tx.first(LOGS_READ, of_site=site_id) is not None


def coverage(tx: Transaction, origin: str, since: datetime | None) -> list[Coverage]:
    """By section, each first for any crawler and then by crawler; those that read no page of a
    section have no row there. Counts reads at or after `since`, or ever."""
    known = tx.first(SITE, of_origin=origin)
    if known is None:
        return []
    if not logs_were_read(tx, known.id):
        return _unknown(tx, origin, known.id)
    after = since or EPOCH
    sections = {row.name: row for row in tx.rows(BY_SECTION, of_site=known.id, since=after)}
    found = [
        Coverage(
            origin,
            row.name,
            row.crawler,
            row.kind,
            sections[row.name].listed,
            row.crawled,
            int(row.hits),
            row.last_at,
        )
        for row in tx.rows(BY_CRAWLER, of_site=known.id, since=after)
    ]
    by_any = [_by_any(origin, row, found) for row in sections.values()]
    return sorted(by_any + found, key=lambda one: (one.section, one.crawler))


def _unknown(tx: Transaction, origin: str, site_id: int) -> list[Coverage]:
    """What is listed, where nobody knows what was read of it."""
    rows = tx.rows(BY_SECTION, of_site=site_id, since=EPOCH)
    found = [Coverage(origin, row.name, "", "", row.listed, None, None, None) for row in rows]
    return sorted(found, key=lambda one: one.section)


def _by_any(origin: str, sums: Row[Any], by_crawler: Sequence[Coverage]) -> Coverage:
    """What all crawlers together did in a section."""
    parts = [one for one in by_crawler if one.section == sums.name]
    return Coverage(
        origin,
        sums.name,
        "",
        "",
        sums.listed,
        int(sums.crawled),
        sum(one.hits or 0 for one in parts),
        max((one.last_at for one in parts if one.last_at is not None), default=None),
    )


def never_crawled(tx: Transaction, origin: str, limit: int) -> list[str]:
    """Some listed pages that no crawler ever read; none where nobody knows."""
    known = tx.first(SITE, of_origin=origin)
    if known is None or not logs_were_read(tx, known.id):
        return []
    return [full(row.loc, origin) for row in tx.rows(NEVER, of_site=known.id, most=limit)]


def crawls_of(tx: Transaction, origin: str, keys: Sequence[int]) -> dict[int, list[PageCrawl]]:
    """By the keys of pages: what each crawler did, by crawler."""
    known = tx.first(SITE, of_origin=origin)
    found: dict[int, list[PageCrawl]] = {}
    if known is None:
        return found
    for row in tx.rows_in(CRAWLS_OF, keys, of_site=known.id):
        days = tuple(_date(day) for day in sorted(crawldays.unpack(row.days)))
        crawl = PageCrawl(row.name, row.hits, row.first_at, row.last_at, days)
        found.setdefault(row.key, []).append(crawl)
    return {key: sorted(crawls, key=lambda one: one.crawler) for key, crawls in found.items()}


def _date(number: int) -> date:
    return EPOCH.date() + timedelta(days=number)
