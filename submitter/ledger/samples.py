"""A few pages of a site that stand for all of them: by salted key, so that no site can choose
them, and the same ones every time."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place, full
from submitter.ledger.schema import page, page_key, site

DRAWN_PER_PAGE = 10
"""So many are drawn for each one that is wanted, to have new ones among them."""

DRAW = (
    select(page.c.loc, page.c.first_look, site.c.origin)
    .select_from(page_key)
    .join(page, page.c.id == page_key.c.page_id)
    .join(site, site.c.id == page_key.c.site_id)
    .where(site.c.origin == bindparam("of_origin"), page.c.place == int(Place.LISTED))
    .order_by(page_key.c.key)
    .limit(bindparam("most"))
)


def sample(tx: Transaction, origin: str, limit: int) -> list[str]:
    drawn = list(tx.rows(DRAW, of_origin=origin, most=limit * DRAWN_PER_PAGE))
    newest_first = sorted(drawn, key=lambda row: -row.first_look)
    return [full(row.loc, row.origin) for row in newest_first[:limit]]
