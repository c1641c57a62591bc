"""What each page was told in, and how that ended: a row for every page in every call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import bindparam, select, update

from submitter.core.states import TOLD, State
from submitter.ledger.columns import STATE_CODES, STATES
from submitter.ledger.database import Many, Transaction
from submitter.ledger.schema import telling
from submitter.ledger.waiting import Tally

HEARD = TOLD | {State.SENDING, State.UNKNOWN}
"""The engine has heard of the page, or may have."""


class Telling(NamedTuple):
    """The last call about one page at one target."""

    page_id: int
    target_id: int
    attempt_id: int
    state: State
    removal: bool
    reason: str | None


OF_PAGES = (
    select(telling)
    .where(telling.c.page_id.in_(bindparam("ids", expanding=True)))
    .order_by(telling.c.page_id, telling.c.target_id, telling.c.attempt_id)
)
ADD = Many(telling, "page_id", "target_id", "attempt_id", "state", "removal")
SETTLE = Many(
    update(telling)
    .where(
        telling.c.page_id == bindparam("of_page"),
        telling.c.target_id == bindparam("of_target"),
        telling.c.attempt_id == bindparam("of_attempt"),
    )
    .values(state=bindparam("to_state"), reason=bindparam("to_reason")),
    "to_state",
    "to_reason",
    "of_page",
    "of_target",
    "of_attempt",
)


def last_tellings(
    tx: Transaction, page_ids: Iterable[int], target_id: int | None = None
) -> dict[tuple[int, int], Telling]:
    """By (page, target): the newest telling of each, at one target or at all."""
    return {
        (row.page_id, row.target_id): Telling(
            row.page_id,
            row.target_id,
            row.attempt_id,
            STATES[row.state],
            bool(row.removal),
            row.reason,
        )
        for row in tx.rows_in(OF_PAGES, page_ids)
        if target_id in (None, row.target_id)
    }


def count_states(tellings: Iterable[Telling], kept: Tally, sign: int) -> None:
    """Put pages into the kept counts by state (1), or take them out (-1). A page whose last
    telling was its removal counts for nothing."""
    for one in tellings:
        if not one.removal:
            kept[one.target_id, one.state.value] += sign


def add(
    tx: Transaction, target_id: int, attempt_id: int, page_ids: Iterable[int], *, removal: bool
) -> None:
    """These pages are being sent."""
    code = STATE_CODES[State.SENDING]
    rows = [(page, target_id, attempt_id, code, int(removal)) for page in sorted(page_ids)]
    tx.many(ADD, rows)


def settle(
    tx: Transaction,
    target_id: int,
    attempt_id: int,
    outcomes: Iterable[tuple[int, State, str | None]],
) -> None:
    """(page, state, reason) for pages of this call."""
    rows = [
        (STATE_CODES[state], reason, page, target_id, attempt_id)
        for page, state, reason in outcomes
    ]
    tx.many(SETTLE, rows)
