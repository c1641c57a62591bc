"""What the dashboard reads of sites: their documents, looks and pages. Nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, bindparam, exists, func, select

from submitter.core.report import (
    DocumentLine,
    DocumentTrouble,
    LookLine,
    PageDaySum,
    PageLine,
    SiteSum,
)
from submitter.core.states import TOLD, State
from submitter.ledger.columns import STATE_CODES, STATES
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place, full
from submitter.ledger.reporting import date_of, day_of, whole
from submitter.ledger.schema import document, look, page, page_key, root, site, telling, waiting
from submitter.ledger.sites import TARGET
from submitter.ledger.waiting import Queue


def site_sums(tx: Transaction) -> list[SiteSum]:
    at_last = and_(look.c.site_id == site.c.id, look.c.number == site.c.look)
    statement = (
        select(site.c.origin, site.c.listed, look.c.at, look.c.complete)
        .select_from(site.outerjoin(look, at_last))
        .order_by(site.c.origin)
    )
    return [SiteSum(*tuple(row)) for row in tx.rows(statement)]


def document_troubles(tx: Transaction, limit: int) -> list[DocumentTrouble]:
    """Documents that could not be read at the last look, by site and address."""
    statement = (
        select(site.c.origin, document.c.url, document.c.trouble, document.c.read_at)
        .select_from(document.join(site, site.c.id == document.c.site_id))
        .where(document.c.trouble.is_not(None), document.c.trouble != "")
        .order_by(site.c.origin, document.c.url)
        .limit(limit)
    )
    return [DocumentTrouble(*tuple(row)) for row in tx.rows(statement)]


def page_day_sums(tx: Transaction, since: datetime) -> list[PageDaySum]:
    """Days on which any site was looked at, oldest first."""
    day = day_of(look.c.at).label("day")
    sums = [func.sum(column) for column in (look.c.new, look.c.changed, look.c.gone)]
    statement = select(day, *sums).where(look.c.at >= since).group_by(day).order_by(day)
    return [PageDaySum(date_of(row[0]), *map(whole, row[1:])) for row in tx.rows(statement)]


def looks(tx: Transaction, since: datetime, limit: int) -> list[LookLine]:
    """Those that found something, the newest first."""
    c = look.c
    statement = (
        select(site.c.origin, c.at, c.listed, c.new, c.changed, c.gone)
        .select_from(look.join(site, site.c.id == c.site_id))
        .where(c.at >= since, c.new + c.changed + c.gone > 0)
        .order_by(c.at.desc(), site.c.origin)
        .limit(limit)
    )
    return [LookLine(*tuple(row)) for row in tx.rows(statement)]


# ---------------------------------------------------------------- documents


def documents(tx: Transaction, limit: int, origin: str | None) -> list[DocumentLine]:
    """Documents under declared sitemaps, by site, of the first `limit` documents."""
    c = document.c
    statement = (
        select(c.site_id, site.c.origin, c.url, c.kind, c.pages, c.children, c.read_at, c.trouble)
        .select_from(document.join(site, site.c.id == c.site_id))
        .order_by(c.site_id, c.url)
        .limit(limit)
    )
    if origin is not None:
        statement = statement.where(site.c.origin == origin)
    by_site: dict[int, dict[str, Any]] = {}
    for row in tx.rows(statement):
        by_site.setdefault(row.site_id, {})[row.url] = row
    roots = tx.rows(
        select(root.c.site_id, root.c.sitemap).order_by(root.c.site_id, root.c.position)
    )
    return [
        line
        for one in roots
        if one.site_id in by_site
        for line in _under(one.sitemap, by_site[one.site_id])
    ]


def _under(sitemap: str, known: Mapping[str, Any]) -> Iterable[DocumentLine]:
    """Each document once, however many of the others lead to it."""
    seen, open_now = {sitemap}, [sitemap]
    while open_now:
        row = known.get(open_now.pop())
        if row is None:
            continue
        yield DocumentLine(
            row.origin, sitemap, row.url, row.kind or "", row.pages, row.read_at, row.trouble or ""
        )
        children = json.loads(row.children or "[]")
        fresh = [url for url in dict.fromkeys(children) if url not in seen]
        seen.update(fresh)
        open_now.extend(reversed(fresh))


# ---------------------------------------------------------------- pages

WAITING, TOLD_PAGES = "waiting", "told"
_COUNTED = (int(Queue.URLS), int(Queue.REMOVAL))
_QUEUED: Select[Any] = (
    select(page.c.id, page.c.loc, waiting.c.why, waiting.c.reason)
    .select_from(waiting.join(page, page.c.id == waiting.c.page_id))
    .where(
        waiting.c.target_id == bindparam("of_target"),
        waiting.c.kind.in_(_COUNTED),
        page.c.id > bindparam("after"),
    )
    .order_by(page.c.id)
    .limit(bindparam("most"))
)
_LATER = telling.alias("later")
_LAST: Select[Any] = (
    select(page.c.id, page.c.loc, telling.c.state, telling.c.reason, telling.c.attempt_id)
    .select_from(
        page_key.join(page, page.c.id == page_key.c.page_id).join(
            telling, telling.c.page_id == page.c.id
        )
    )
    .where(
        page_key.c.site_id == bindparam("of_site"),
        page.c.id > bindparam("after"),
        page.c.place != int(Place.GONE),
        telling.c.target_id == bindparam("of_target"),
        telling.c.removal == 0,
        telling.c.state.in_(bindparam("states", expanding=True)),
        ~exists().where(
            _LATER.c.page_id == telling.c.page_id,
            _LATER.c.target_id == telling.c.target_id,
            _LATER.c.attempt_id > telling.c.attempt_id,
        ),
    )
    .order_by(page.c.id)
    .limit(bindparam("most"))
)


def pages_of(
    tx: Transaction, name: tuple[str, str], state: str, after: int, limit: int
) -> list[PageLine]:
    """The pages that the kept counts of a target count: waiting ones, told ones, or those of which
    the last call ended in this state."""
    origin, account = name
    known = tx.first(TARGET, of_origin=origin, of_account=account)
    if known is None:
        return []
    values = {"of_target": known.id, "after": after, "most": limit}
    if state == WAITING:
        rows = tx.rows(_QUEUED, **values)
        return [
            PageLine(row.id, full(row.loc, origin), row.why, row.reason or "", None) for row in rows
        ]
    states = TOLD if state == TOLD_PAGES else {State(state)}
    codes = sorted(STATE_CODES[one] for one in states)
    found = tx.rows(_LAST, **values, of_site=known.site_id, states=codes)
    return [
        PageLine(
            row.id, full(row.loc, origin), STATES[row.state].value, row.reason or "", row.attempt_id
        )
        for row in found
    ]
