"""What is done by hand: every checklist at once, and pages to be called dead."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from submitter.core.checklist import Form, Item
from submitter.core.standing import Candidate
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place, full
from submitter.ledger.schema import page, page_key, site
from submitter.ledger.schema_books import checklist

EVERY_ITEM = select(checklist).order_by(checklist.c.engine, checklist.c.site, checklist.c.address)
GONE = (
    select(page.c.id, page.c.loc)
    .select_from(site)
    .join(page_key, page_key.c.site_id == site.c.id)
    .join(page, page.c.id == page_key.c.page_id)
    .where(site.c.origin == bindparam("of_origin"), page.c.place == int(Place.GONE))
    .order_by(page.c.gone_look.desc(), page.c.id)
    .limit(bindparam("most"))
)


def every_item(tx: Transaction) -> list[Item]:
    return [Item(**(dict(row._mapping) | {"form": Form(row.form)})) for row in tx.rows(EVERY_ITEM)]


def gone_pages(tx: Transaction, origin: str, limit: int) -> list[Candidate]:
    rows = tx.rows(GONE, of_origin=origin, most=limit)
    return [Candidate(row.id, full(row.loc, origin), "gone") for row in rows]
