"""The right to write: one row a lease, with a fence that only grows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from submitter.errors import LeaseLost, LedgerBusy
from submitter.ledger.database import Transaction
from submitter.ledger.schema import lease as table
from submitter.ports import Lease

ROW = select(table).where(table.c.name == bindparam("of_name"))
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
    row = tx.first(ROW, of_name=name)
    if row and row.owner != owner and _is_alive(row, now) and not is_dead(row.owner):
        raise LedgerBusy(
            f"ledger: {row.owner!r} holds the lease {name!r}"
            f" since {row.acquired_at:%Y-%m-%d %H:%M:%S} UTC"
        )
    fence = row.fence + 1 if row else 1
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


def _is_alive(row: Row[Any], now: datetime) -> bool:
    return row.expires_at is not None and row.expires_at > now


def renew(tx: Transaction, lease: Lease, ttl_s: float, now: datetime) -> Lease:
    check(tx, lease)
    expires_at = now + timedelta(seconds=ttl_s)
    tx.execute(RENEW.values(renewed_at=now, expires_at=expires_at), of_name=lease.name)
    return Lease(lease.name, lease.owner, lease.fence, expires_at)


def release(tx: Transaction, lease: Lease) -> None:
    """Give it back. A lease that was lost is somebody else's by now and left alone."""
    tx.execute(
        RENEW.where(table.c.fence == lease.fence).values(expires_at=None), of_name=lease.name
    )


def check(tx: Transaction, lease: Lease) -> datetime:
    """Raise LeaseLost unless nobody took it and we did not give it back; an old one is still
    ours. Returns when it was last renewed."""
    row = tx.first(ROW, of_name=lease.name)
    if row is None or row.fence != lease.fence or row.expires_at is None:
        taker = (
            f"{row.owner!r} took it" if row and row.fence != lease.fence else "it was given back"
        )
        raise LeaseLost(f"ledger: the lease {lease.name!r} of {lease.owner!r} is lost: {taker}")
    renewed_at: datetime = row.renewed_at
    return renewed_at
