"""Everything the ledger knows about one page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Row, bindparam, select

from submitter.core.records import Explanation, LogRow, PageTarget
from submitter.core.states import TOLD
from submitter.ledger import documents, fingerprints, logs, pages
from submitter.ledger.columns import STATES
from submitter.ledger.database import Database, Transaction
from submitter.ledger.fingerprints import Marker
from submitter.ledger.pages import Place
from submitter.ledger.schema import look, page, page_key, section, site, target, telling, waiting
from submitter.ledger.waiting import Queue, rank_of

FOUND = (
    select(
        page,
        site.c.origin,
        site.c.look.label("site_look"),
        section.c.name.label("section"),
        section.c.priority,
    )
    .select_from(page_key)
    .join(site, site.c.id == page_key.c.site_id)
    .join(page, page.c.id == page_key.c.page_id)
    .join(section, section.c.id == page.c.section_id)
    .where(
        page_key.c.site_id.in_(bindparam("ids", expanding=True)),
        page_key.c.key == bindparam("of_key"),
    )
)
SITE_IDS = select(site.c.id)
AT = (
    select(look.c.at)
    .where(look.c.site_id == bindparam("of_site"), look.c.number <= bindparam("of_number"))
    .order_by(look.c.number.desc())
    .limit(1)
)
TARGETS = select(target).where(target.c.site_id == bindparam("of_site")).order_by(target.c.account)
TELLINGS = (
    select(telling).where(telling.c.page_id == bindparam("of_page")).order_by(telling.c.attempt_id)
)
WAITS = select(waiting).where(
    waiting.c.target_id == bindparam("of_target"),
    waiting.c.kind.in_([int(Queue.URLS), int(Queue.REMOVAL)]),
    waiting.c.rank == bindparam("of_rank"),
    waiting.c.page_id == bindparam("of_page"),
)


def explain(database: Database, marker: Marker, identity: str) -> list[Explanation]:
    """One entry for each site that knows the page."""
    key = marker.keys([identity])[0]
    found = database.read(lambda tx: _found(tx, key))
    return [
        _explanation(database, row, key)
        for row in sorted(found, key=lambda row: str(row.origin))
        if pages.full(row.identity or row.loc, row.origin) == identity
    ]


def _found(tx: Transaction, key: int) -> list[Row[Any]]:
    sites = [row.id for row in tx.rows(SITE_IDS)]
    return list(tx.rows_in(FOUND, sites, of_key=key))


def _explanation(database: Database, row: Row[Any], key: int) -> Explanation:
    listed_in = tuple(_listing(database, row.site_id, key))
    return database.read(lambda tx: _explained(tx, row, listed_in))


def _explained(tx: Transaction, row: Row[Any], listed_in: tuple[str, ...]) -> Explanation:
    return Explanation(
        loc=pages.full(row.loc, row.origin),
        site=row.origin,
        documents=listed_in,
        section=row.section,
        first_seen=_at(tx, row.site_id, row.first_look),
        last_seen=_last_seen(tx, row),
        gone_at=_at(tx, row.site_id, row.gone_look) if row.place == Place.GONE else None,
        lastmod=row.lastmod and datetime.fromtimestamp(row.lastmod, UTC),
        targets=tuple(_targets(tx, row)),
    )


def _listing(database: Database, site_id: int, key: int) -> list[str]:
    """The documents that list the page: one is read after the other, so any site fits."""
    by_url = documents.IDS.order_by(documents.IDS.selected_columns.url)
    found = []
    for row in database.read(lambda tx: tx.rows(by_url, of_site=site_id)):
        packed = database.read(partial(documents.listed_keys, document_id=row.id))
        if fingerprints.lists(packed, key):
            found.append(row.url)
    return found


def _at(tx: Transaction, site_id: int, number: int) -> datetime:
    at: datetime = tx.one(AT, of_site=site_id, of_number=number).at
    return at


def _last_seen(tx: Transaction, row: Row[Any]) -> datetime | None:
    match row.place:
        case Place.BY_HAND:
            return None
        case Place.LISTED:
            return _at(tx, row.site_id, row.site_look)
        case _:
            return _at(tx, row.site_id, row.last_look)


def _targets(tx: Transaction, row: Row[Any]) -> list[PageTarget]:
    told = tx.rows(TELLINGS, of_page=row.id)
    attempts = logs.of_ids(tx, [one.attempt_id for one in told])
    found = []
    for one in tx.rows(TARGETS, of_site=row.site_id):
        own = [telling for telling in told if telling.target_id == one.id]
        waits = tx.first(
            WAITS,
            of_target=one.id,
            of_rank=rank_of(row.priority, row.lastmod),
            of_page=row.id,
        )
        if own or waits or one.told_by_look is not None:
            calls = [attempts[telling.attempt_id] for telling in own]
            found.append(_target(one.account, own, waits, calls))
    return found


def _target(
    account: str, told: Sequence[Row[Any]], waits: Row[Any] | None, calls: Sequence[LogRow]
) -> PageTarget:
    state, reason = "never", ""
    at = None
    if told:
        state, reason = STATES[told[-1].state].value, told[-1].reason or ""
        at = calls[-1].settled_at or calls[-1].sent_at
    if waits:
        reason = waits.reason or waits.why
        if not told or state in TOLD:
            state = "deferred" if waits.why == "deferred" else "waiting"
    not_before = waits.not_before if waits else None
    return PageTarget(account, state, reason, at, not_before, tuple(calls))
