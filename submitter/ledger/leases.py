"""The right to write: one row a lease, with a fence that only grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from submitter.errors import LeaseLost, LedgerBusy
from submitter.kit.owners import owner_words
from submitter.ledger.database import Transaction
from submitter.ledger.schema import lease as table
from submitter.ports import Lease

ROW = select(table).where(table.c.name == bindparam("of_name"))
TAKEN = ROW.with_for_update(key_share=True)
KEPT = ROW.with_for_update(read=True)
"""Nobody may take or stretch the lease before this transaction ends; others may check it, too."""
SOME_KEPT = (
    select(table)
    .where(table.c.name.in_(bindparam("ids", expanding=True)))
    .order_by(table.c.name)
    .with_for_update(read=True)
)
PARTS = select(table).where(
    table.c.name.like(bindparam("under")), table.c.expires_at > bindparam("now")
)
RENEW = update(table).where(table.c.name == bindparam("of_name"))


def acquire(
    tx: Transaction,
    name: str,
    owner: str,
    ttl_s: float,
    now: datetime,
    *,
    is_dead: Callable[[str], bool],
) -> Lease:
    whole = name.partition("/")[0]
    row = _locked(tx, whole, owner, now)
    if name == whole:
        others = [row, *tx.rows(PARTS, under=f"{whole}/%", now=now)]
    else:
        part = _locked(tx, name, owner, now)
        others, row = [row, part], part
    for other in others:
        mine = other.name == name and other.owner == owner
        if not mine and _is_alive(other, now) and not is_dead(other.owner):
            raise LedgerBusy(
                f"ledger: another run ({owner_words(other.owner)}) holds the lease {other.name!r}"
                f" since {other.acquired_at:%Y-%m-%d %H:%M:%S} UTC"
            )
    fence = row.fence + 1
    expires_at = now + timedelta(seconds=ttl_s)
    tx.put(
        table,
        name=name,
        owner=owner,
        fence=fence,
        acquired_at=now,
        renewed_at=now,
        expires_at=expires_at,
    )
    return Lease(name, owner, fence, expires_at)


def _locked(tx: Transaction, name: str, owner: str, now: datetime) -> Row[Any]:
    """The lease's row, made when it is not there yet. Nobody else takes it meanwhile."""
    row = tx.first(TAKEN, of_name=name)
    if row is None:
        tx.add_once(
            table,
            name=name,
            owner=owner,
            fence=0,
            acquired_at=now,
            renewed_at=now,
            expires_at=None,
        )
        row = tx.one(TAKEN, of_name=name)
    return row


def _is_alive(row: Row[Any], now: datetime) -> bool:
    return row.expires_at is not None and row.expires_at > now


def renew(tx: Transaction, lease: Lease, ttl_s: float, now: datetime) -> Lease:
    _check(tx.first(TAKEN, of_name=lease.name), lease)
    expires_at = now + timedelta(seconds=ttl_s)
    tx.execute(RENEW.values(renewed_at=now, expires_at=expires_at), of_name=lease.name)
    return Lease(lease.name, lease.owner, lease.fence, expires_at)


def release(tx: Transaction, lease: Lease) -> None:
    """Give it back. A lease that was lost is somebody else's by now and left alone."""
    tx.execute(
        RENEW.where(table.c.fence == lease.fence).values(expires_at=None), of_name=lease.name
    )


def alive(tx: Transaction, names: Iterable[str], now: datetime) -> set[tuple[str, int]]:
    """(name, fence) of those leases that somebody holds, and keeps until this transaction ends."""
    return {
        (row.name, row.fence) for row in tx.rows_in(SOME_KEPT, sorted(names)) if _is_alive(row, now)
    }


def check(tx: Transaction, lease: Lease) -> datetime:
    """Raise LeaseLost unless nobody took it and we did not give it back; an old one is still
    ours. Returns when it was last renewed."""
    return _check(tx.first(KEPT, of_name=lease.name), lease)


def _check(row: Row[Any] | None, lease: Lease) -> datetime:
    if row is None or row.fence != lease.fence or row.expires_at is None:
        taker = (
            f"another run ({owner_words(row.owner)}) took it"
            if row and row.fence != lease.fence
            else "it was given back"
        )
        raise LeaseLost(f"ledger: the lease {lease.name!r} is lost: {taker}")
    renewed_at: datetime = row.renewed_at
    return renewed_at
