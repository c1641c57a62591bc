"""Pieces of the questions how long engines took: windows, spans of access logs, buckets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    false,
    select,
    type_coerce,
)

from submitter.core.loop import AGAIN, COARSEST, DAY_S, FINE, HOUR_S, MINUTE_S
from submitter.ledger.columns import micros_of
from submitter.ledger.database import Transaction
from submitter.ledger.schema import site
from submitter.ledger.schema_crawls import crawl_site

MICROS = 1_000_000
HOUR_US = HOUR_S * MICROS
SOME_SITES = select(site.c.id).where(site.c.origin.in_(bindparam("ids", expanding=True)))


@dataclass(frozen=True, slots=True)
class Window:
    """Sendings at or after `since` and before `until`, for these sites (None: all)."""

    since: datetime
    until: datetime
    sites: Sequence[str] | None = None

    @property
    def values(self) -> dict[str, int]:
        return {"since_us": micros_of(self.since), "until_us": micros_of(self.until)}


def site_ids(tx: Transaction, window: Window) -> dict[str, list[int]]:
    if window.sites is None:
        return {}
    return {"site_ids": [row.id for row in tx.rows_in(SOME_SITES, window.sites)]}


def of_sites(statement: Select[Any], site_id: ColumnElement[int], *, some: bool) -> Select[Any]:
    """Of some sites only, where the caller names some."""
    if not some:
        return statement
    return statement.where(site_id.in_(bindparam("site_ids", expanding=True)))


def micros(column: ColumnElement[Any]) -> ColumnElement[int]:
    return type_coerce(column, BigInteger)


def in_window(sent_at: ColumnElement[int]) -> ColumnElement[bool]:
    return and_(sent_at >= bindparam("since_us"), sent_at < bindparam("until_us"))


def bucket_of(
    sent_at: ColumnElement[int],
    read_at: ColumnElement[int],
    last_at: ColumnElement[int] | None = None,
) -> ColumnElement[int | None]:
    """See `core.loop.bucket_of` and `Reached`; in whole seconds, as logs are. `last_at`: of the
    readings from `read_at` on the last, where there may be several."""
    wait = read_at // MICROS - sent_at // MICROS
    is_again = false() if last_at is None else last_at // MICROS >= sent_at // MICROS
    return case(
        (wait < 0, case((is_again, AGAIN))),
        (wait < DAY_S, wait // MINUTE_S),
        (wait >= DAY_S + (COARSEST - FINE) * HOUR_S, COARSEST),
        else_=FINE + (wait - DAY_S) // HOUR_S,
    )


def spans() -> CTE:
    """The hours between which a site's access logs were read, in microseconds. Lines of
    persons count: a log without bots says that they stayed away."""
    return once(
        select(
            crawl_site.c.site_id,
            (type_coerce(crawl_site.c.read_from, BigInteger) * HOUR_US).label("from_us"),
            ((type_coerce(crawl_site.c.read_until, BigInteger) + 1) * HOUR_US).label("to_us"),
        ).where(crawl_site.c.read_until.is_not(None)),
        "span",
    )


def once(statement: Select[Any], name: str) -> CTE:
    """Worked out once and kept, and not again for every row that uses it: of an offset, also of
    none, no planner makes a part of what is around it, and PostgreSQL is told to keep it."""
    return statement.offset(0).cte(name).prefix_with("MATERIALIZED", dialect="postgresql")


def seen(span: CTE, sent_at: ColumnElement[int]) -> ColumnElement[bool]:
    return and_(sent_at >= span.c.from_us, sent_at < span.c.to_us)
