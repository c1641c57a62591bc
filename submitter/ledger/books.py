"""Further books of the ledger: checklists, inspections of single pages, sights of sitemaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Row, bindparam, select

from submitter.core.checklist import Form, Item
from submitter.core.inspection import IndexState, Inspected, Inspection, ListedPage
from submitter.core.looks import DocumentKind
from submitter.core.sights import Sight
from submitter.ledger.columns import clean, clean_or_none
from submitter.ledger.database import Database, Transaction
from submitter.ledger.pages import Place, full
from submitter.ledger.schema import look, page, page_key, section, site
from submitter.ledger.schema_books import checklist, inspection, sight

BATCH = 5_000
"""Listed pages read at a time; between two batches others may use the ledger."""

ITEMS = select(checklist).where(
    checklist.c.engine == bindparam("of_engine"), checklist.c.site == bindparam("of_site")
)
INSPECTED = (
    select(inspection)
    .where(inspection.c.account == bindparam("of_account"), inspection.c.at >= bindparam("since"))
    .order_by(inspection.c.at, inspection.c.id)
)
SIGHTS = select(sight).order_by(sight.c.site, sight.c.url, sight.c.agent)
LISTED = (
    select(
        page_key.c.key,
        page.c.loc,
        page.c.lastmod,
        section.c.name.label("section"),
        look.c.at.label("first_seen"),
    )
    .select_from(page_key)
    .join(page, page.c.id == page_key.c.page_id)
    .join(section, section.c.id == page.c.section_id)
    .join(look, (look.c.site_id == page.c.site_id) & (look.c.number == page.c.first_look))
    .where(
        page_key.c.site_id == bindparam("of_site"),
        page_key.c.key >= bindparam("start"),
        page.c.place == int(Place.LISTED),
    )
    .order_by(page_key.c.key)
    .limit(BATCH)
)
SITE_ID = select(site.c.id).where(site.c.origin == bindparam("of_origin"))


# ---------------------------------------------------------------- checklists


def items(tx: Transaction, engine: str, site_name: str) -> list[Item]:
    return [_item(row) for row in tx.rows(ITEMS, of_engine=engine, of_site=site_name)]


def _item(row: Row[Any]) -> Item:
    return Item(**(dict(row._mapping) | {"form": Form(row.form)}))


def save_items(tx: Transaction, saved: Sequence[Item]) -> None:
    for item in saved:
        tx.put(checklist, **(asdict(item) | {"form": str(item.form)}))


# ---------------------------------------------------------------- inspections


def record_inspections(tx: Transaction, inspected: Sequence[Inspected]) -> None:
    for one in inspected:
        said = asdict(one.inspection)
        texts = {name: clean_or_none(v) if isinstance(v, str) else v for name, v in said.items()}
        tx.add(
            inspection,
            site=one.site,
            account=one.account,
            section=one.section,
            at=one.at,
            **(texts | {"state": str(one.inspection.state), "reason": clean(said["reason"])}),
        )


def inspections(tx: Transaction, account: str, since: datetime) -> list[Inspected]:
    return [_inspected(row) for row in tx.rows(INSPECTED, of_account=account, since=since)]


def _inspected(row: Row[Any]) -> Inspected:
    kept = dict(row._mapping)
    head = {name: kept.pop(name) for name in ("site", "account", "section", "at")}
    del kept["id"]
    return Inspected(**head, inspection=Inspection(**(kept | {"state": IndexState(row.state)})))


def listed_pages(database: Database, origins: Sequence[str]) -> Iterator[ListedPage]:
    """Streamed by batches in the order of keys, each its own reading: the ledger is not held in
    between, and other sites' pages are not passed."""
    for origin in origins:
        known = database.read(partial(_site, origin=origin))
        if known is not None:
            yield from _listed_of(database, origin, int(known.id))


def _site(tx: Transaction, origin: str) -> Row[Any] | None:
    return tx.first(SITE_ID, of_origin=origin)


def _batch(tx: Transaction, site_id: int, start: int) -> Sequence[Row[Any]]:
    return tx.rows(LISTED, of_site=site_id, start=start)


def _listed_of(database: Database, origin: str, site_id: int) -> Iterator[ListedPage]:
    start = -(2**63)
    while start < 2**63:
        rows = database.read(partial(_batch, site_id=site_id, start=start))
        for row in rows:
            seen = int(row.first_seen.timestamp())
            yield ListedPage(origin, full(row.loc, origin), row.section, seen, row.lastmod)
        if len(rows) < BATCH:
            return
        start = rows[-1].key + 1


# ---------------------------------------------------------------- sights


def record_sights(tx: Transaction, seen: Sequence[Sight]) -> None:
    for one in seen:
        values = asdict(replace(one, links=()))
        del values["links"], values["led_to"]
        values["kind"] = None if one.kind is None else str(one.kind)
        tx.put(sight, **(values | {"problem": clean(one.problem)}))


def sights(tx: Transaction, origins: Sequence[str] | None) -> list[Sight]:
    wanted = None if origins is None else frozenset(origins)
    return [_sight(row) for row in tx.rows(SIGHTS) if wanted is None or row.site in wanted]


def _sight(row: Row[Any]) -> Sight:
    kind = None if row.kind is None else DocumentKind(row.kind)
    return Sight(**(dict(row._mapping) | {"kind": kind}))
