"""Sites and targets: their rows, made when first named.

A site's row is also what those who change its pages, or what is counted of them, wait for: whoever
holds it is alone with them until the transaction ends. It is taken after the lease, and of several
sites in the order of their numbers, so that nobody waits for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, Select, bindparam, select, update

from submitter.ledger.database import Transaction
from submitter.ledger.schema import site, target

SITE = select(site).where(site.c.origin == bindparam("of_origin"))
TARGET = (
    select(target)
    .join(site, site.c.id == target.c.site_id)
    .where(site.c.origin == bindparam("of_origin"), target.c.account == bindparam("of_account"))
)
HELD_TARGET = TARGET.with_for_update(key_share=True, of=[site, target])
HELD_SITE = SITE.with_for_update(key_share=True)
HELD = (
    select(site.c.id)
    .where(site.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(site.c.id)
    .with_for_update(key_share=True)
)
TARGETS = select(target).where(target.c.site_id == bindparam("of_site"))
DESCRIBE = (
    update(target)
    .where(target.c.id == bindparam("of_target"))
    .values(engine=bindparam("to_engine"), property=bindparam("to_property"))
)


def site_row(tx: Transaction, origin: str) -> Row[Any]:
    """The site's row; a new one knows nothing yet."""
    return _made(tx, SITE, origin)


def held_site(tx: Transaction, origin: str) -> Row[Any]:
    """As `site_row`, and its pages are ours alone."""
    return _made(tx, HELD_SITE, origin)


def _made(tx: Transaction, statement: Select[Any], origin: str) -> Row[Any]:
    found = tx.first(statement, of_origin=origin)
    if found is None:
        tx.add_once(site, origin=origin)
        found = tx.one(statement, of_origin=origin)
    return found


def hold(tx: Transaction, site_ids: Iterable[int]) -> None:
    """Be alone with the pages of these sites."""
    list(tx.rows_in(HELD, sorted(set(site_ids))))


def target_row(tx: Transaction, origin: str, account: str) -> Row[Any]:
    """The target's row; its site is held from here on."""
    found = tx.first(HELD_TARGET, of_origin=origin, of_account=account)
    if found is None:
        tx.add_once(target, site_id=site_row(tx, origin).id, account=account)
        found = tx.one(HELD_TARGET, of_origin=origin, of_account=account)
    return found


def described_target(
    tx: Transaction, origin: str, account: str, *, engine: str, property: str
) -> int:
    """The target's number, with its engine and property as last planned."""
    row = target_row(tx, origin, account)
    if (row.engine, row.property) != (engine, property):
        tx.execute(DESCRIBE, of_target=row.id, to_engine=engine, to_property=property)
    return int(row.id)


def target_ids(tx: Transaction, site_id: int) -> list[int]:
    return [row.id for row in tx.rows(TARGETS, of_site=site_id)]


def known_targets(
    tx: Transaction, origins: Sequence[str] | None = None
) -> dict[int, tuple[str, str]]:
    """(origin, account) by target number, of these sites or of all."""
    names = select(target.c.id, site.c.origin, target.c.account).join(site)
    if origins is None:
        rows: Iterable[Row[Any]] = tx.rows(names)
    else:
        rows = tx.rows_in(names.where(site.c.origin.in_(bindparam("ids", expanding=True))), origins)
    return {row.id: (row.origin, row.account) for row in rows}
