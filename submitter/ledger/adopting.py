"""Pages that a person named by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, update

from submitter.core.looks import PageRow
from submitter.ledger import changes, pages, sites, tellings, waiting
from submitter.ledger.database import Many, Transaction
from submitter.ledger.fingerprints import Marker
from submitter.ledger.looks import number_look
from submitter.ledger.pages import Known, Place
from submitter.ledger.schema import page
from submitter.ledger.waiting import Queue, Ranked, Tally, rank_of

TAKE_UP = Many(
    update(page)
    .where(page.c.id == bindparam("of_id"))
    .values(
        place=bindparam("to_place"),
        missed=bindparam("to_missed"),
    ),
    "to_place",
    "to_missed",
    "of_id",
)


def adopt(
    tx: Transaction,
    marker: Marker,
    origin: str,
    account: str,
    rows: Sequence[PageRow],
    at: datetime,
) -> None:
    """Let these pages wait for this account, unless it heard of them before. They are in no
    document, so no look makes them gone."""
    target = sites.target_row(tx, origin, account)
    entries = dict(zip(marker.keys([row.identity for row in rows]), rows, strict=True))
    added, there = pages.insert(
        tx,
        site_id=target.site_id,
        origin=origin,
        look_number=number_look(tx, target.site_id, at, by_hand=True),
        place=Place.BY_HAND,
        entries=entries,
        first=pages.reserve(tx, len(entries)),
    )
    known = list(pages.known(tx, target.site_id, there))
    kept: Tally = Tally()
    _take_up(tx, target.site_id, [one for one in known if one.place == Place.GONE], kept)
    new = [(rank_of(row.priority, row.lastmod), id) for id, row in added]
    untold = new + _untold(tx, target.id, known)
    waiting.add(tx, target.id, Queue.URLS, untold, "new", kept)
    waiting.store_tally(tx, kept)


def _untold(tx: Transaction, target_id: int, known: Sequence[Known]) -> list[Ranked]:
    last = tellings.last_tellings(tx, [one.id for one in known], target_id)
    return [one.ranked for one in known if (one.id, target_id) not in last]


def _take_up(tx: Transaction, site_id: int, gone: Sequence[Known], kept: Tally) -> None:
    """Pages that went from the site's documents, but a person says that they are there. That
    they went stays known: when a document lists them again, they are not new."""
    tx.many(TAKE_UP, [(Place.BY_HAND.value, 0, one.id) for one in gone])
    targets = sites.target_ids(tx, site_id)
    changes.welcome_back(tx, targets, [one.ranked for one in gone], kept)
