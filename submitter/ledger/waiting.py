"""The pages that still have to be told, in sending order: one row for a page at a target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import IntEnum

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Delete,
    Update,
    bindparam,
    case,
    delete,
    literal,
    update,
)

from submitter.core.traits import Kind
from submitter.ledger.columns import micros_of
from submitter.ledger.database import Conflict, Many, Transaction
from submitter.ledger.schema import tally, waiting

LATEST = 2**33 - 1
"""The largest lastmod that keeps its order (the year 2242)."""

HIGHEST = 2**29 - 1
"""The largest priority that keeps its order; the lowest is minus this."""

Ranked = tuple[int, int]
"""(rank, page number): a page's place in every queue."""

Tally = Counter[tuple[int, str]]
"""Changes of the kept counts: (target, what) → pages more or less."""


class Queue(IntEnum):
    """What a waiting page waits for. `PARKED` pages are gone and were never told: they wait for
    their return, and are not counted."""

    URLS = 0
    REMOVAL = 1
    PARKED = 2

    @property
    def what(self) -> str:
        return f"waiting:{self.name.lower()}"

    @classmethod
    def of(cls, kind: Kind) -> Queue:
        return {Kind.URLS: cls.URLS, Kind.REMOVAL: cls.REMOVAL}[kind]


def rank_of(priority: int, lastmod: int | None) -> int:
    """Sending order as one number, the lowest first: high priority, then new lastmod, then none.
    It is stored; a change of this rule needs a migration."""
    if lastmod is None:
        age = LATEST
    elif 0 < lastmod <= LATEST:
        age = LATEST - lastmod
    else:
        age = LATEST - 1 if lastmod < 1 else 0
    if not -HIGHEST <= priority <= HIGHEST:
        priority = HIGHEST if priority > 0 else -HIGHEST
    return age - priority * (LATEST + 1)


def rank_column(
    priority: ColumnElement[int], lastmod: ColumnElement[int | None]
) -> ColumnElement[int]:
    """`rank_of` inside the database, for values that are within its bounds."""
    latest, highest = literal(LATEST, BigInteger), literal(HIGHEST, BigInteger)
    age = case((lastmod.is_(None), latest), else_=latest - lastmod)
    priority = case((priority > highest, highest), (priority < -highest, -highest), else_=priority)
    return -priority * literal(LATEST + 1, BigInteger) + age


ROW = ("target_id", "kind", "rank", "page_id", "why")
ADD = Many(waiting, *ROW, conflict=Conflict.IGNORE)


def _at(statement: Update | Delete) -> Update | Delete:
    return statement.where(
        waiting.c.target_id == bindparam("of_target"),
        waiting.c.kind == bindparam("of_kind"),
        waiting.c.rank == bindparam("of_rank"),
        waiting.c.page_id == bindparam("of_page"),
    )


OF = ("of_target", "of_kind", "of_rank", "of_page")
MOVE_RANK = Many(_at(update(waiting).values(rank=bindparam("to_rank"))), "to_rank", *OF)
MOVE_QUEUE = Many(_at(update(waiting).values(kind=bindparam("to_kind"))), "to_kind", *OF)
TAKE = Many(_at(delete(waiting)), *OF)
HOLD = Many(
    _at(
        update(waiting).values(
            why=bindparam("to_why"),
            not_before=bindparam("to_not_before"),
            reason=bindparam("to_reason"),
        )
    ),
    "to_why",
    "to_not_before",
    "to_reason",
    *OF,
)


def add(
    tx: Transaction, target_id: int, queue: Queue, pages: Sequence[Ranked], why: str, kept: Tally
) -> None:
    """Let these pages wait, unless they do already."""
    kind = int(queue)
    added = tx.many(ADD, ((target_id, kind, rank, page, why) for rank, page in sorted(pages)))
    kept[target_id, queue.what] += added


def take(
    tx: Transaction, target_id: int, queue: Queue, pages: Iterable[Ranked], kept: Tally
) -> int:
    """Let these pages wait no more; returns how many of them did."""
    kind = int(queue)
    taken = tx.many(TAKE, ((target_id, kind, rank, page) for rank, page in sorted(pages)))
    kept[target_id, queue.what] -= taken
    return taken


def move(
    tx: Transaction,
    target_id: int,
    pages: Sequence[Ranked],
    kept: Tally,
    *,
    start: Queue,
    to: Queue,
) -> None:
    """Let those of these pages that wait in one queue wait in another."""
    kinds = int(to), int(start)
    rows = [(kinds[0], target_id, kinds[1], rank, page) for rank, page in pages]
    moved = tx.many(MOVE_QUEUE, rows)
    kept[target_id, start.what] -= moved
    kept[target_id, to.what] += moved


def hold(
    tx: Transaction,
    target_id: int,
    queue: Queue,
    pages: Iterable[Ranked],
    why: str,
    not_before: datetime | None,
    reason: str | None = None,
) -> None:
    """Say of waiting pages why they wait still, and until when."""
    until = None if not_before is None else micros_of(not_before)
    kind = int(queue)
    rows = [(why, until, reason, target_id, kind, rank, page) for rank, page in pages]
    tx.many(HOLD, rows)


def store_tally(tx: Transaction, kept: Tally) -> None:
    """Add the changes to the kept counts. Parked pages are not counted."""
    for (target_id, what), more in sorted(kept.items()):
        if not more or what == Queue.PARKED.what:
            continue
        found = tx.execute(TALLY_MORE, more=more, of_target=target_id, of_what=what).rowcount
        if not found:
            tx.add_once(tally, target_id=target_id, what=what, pages=more)


TALLY_MORE = (
    update(tally)
    .values(pages=tally.c.pages + bindparam("more"))
    .where(tally.c.target_id == bindparam("of_target"), tally.c.what == bindparam("of_what"))
)
