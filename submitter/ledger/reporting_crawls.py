"""Sums over what crawlers did, for the dashboard. Nothing is written."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import BigInteger, Select, and_, func, select, type_coerce

from submitter.core.report import CrawlDaySum, CrawlSum
from submitter.ledger.columns import time_of
from submitter.ledger.database import Transaction
from submitter.ledger.schema import site
from submitter.ledger.schema_crawls import crawl_day, crawler

C = crawl_day.c
_GENUINE = func.sum(C.hits - C.contradicted).label("hits")
_SUMS = (
    _GENUINE,
    *(
        func.sum(column).label(column.name)
        for column in (C.verified, C.contradicted, C.listed_hits, C.not_modified)
    ),
    func.sum(C.client_errors + C.server_errors).label("errors"),
    func.max(type_coerce(C.last_at, BigInteger)).label("last_at"),
)


def crawl_sums(tx: Transaction, since: date) -> list[CrawlSum]:
    """By site, section and crawler, in any order. Sites come first: within each, its newest days
    are found by the key, whatever the length of the past."""
    return [_sum(row.origin, row) for row in tx.rows(_by_site(since))]


def site_crawl_sums(tx: Transaction, since: date, origin: str) -> list[CrawlSum]:
    """Of one site, by section and crawler, the busiest first."""
    rows = tx.rows(_by_site(since).where(site.c.origin == origin))
    return sorted((_sum(origin, row) for row in rows), key=lambda one: -one.hits)


def _by_site(since: date) -> Select[Any]:
    keys = (C.site_id, C.section, C.crawler_id)
    of_site = and_(C.site_id == site.c.id + 0, C.day >= since)
    added = select(*keys, *_SUMS).select_from(site.join(crawl_day, of_site)).group_by(*keys)
    sums = added.subquery()
    joined = sums.join(site, site.c.id == sums.c.site_id).join(
        crawler, crawler.c.id == sums.c.crawler_id
    )
    return select(sums, site.c.origin, crawler.c.name, crawler.c.kind).select_from(joined)


def crawl_day_sums(tx: Transaction, since: date) -> list[CrawlDaySum]:
    """By day and crawler, oldest first."""
    of_site = and_(C.site_id == site.c.id + 0, C.day >= since)
    sums = (
        select(C.day, C.crawler_id, _GENUINE, func.sum(C.contradicted).label("contradicted"))
        .select_from(site.join(crawl_day, of_site))
        .group_by(C.day, C.crawler_id)
        .subquery()
    )
    statement = (
        select(sums.c.day, crawler.c.name, crawler.c.kind, sums.c.hits, sums.c.contradicted)
        .select_from(sums.join(crawler, crawler.c.id == sums.c.crawler_id))
        .order_by(sums.c.day, crawler.c.kind, crawler.c.name)
    )
    return [
        CrawlDaySum(row.day, row.name, row.kind, int(row.hits), int(row.contradicted))
        for row in tx.rows(statement)
    ]


def _sum(origin: str, row: Any) -> CrawlSum:
    return CrawlSum(
        site=origin,
        section=row.section,
        crawler=row.name,
        kind=row.kind,
        hits=int(row.hits or 0),
        verified=int(row.verified or 0),
        contradicted=int(row.contradicted or 0),
        listed_hits=int(row.listed_hits or 0),
        not_modified=int(row.not_modified or 0),
        errors=int(row.errors or 0),
        last_at=None if row.last_at is None else time_of(row.last_at),
    )
