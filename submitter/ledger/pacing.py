"""Pages that were told a moment ago and wait again: not until their engine takes them again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import bindparam, literal_column, or_, select, update

from submitter.core.states import State
from submitter.ledger import pages
from submitter.ledger.columns import micros_of
from submitter.ledger.database import Many, Transaction
from submitter.ledger.schema import waiting
from submitter.ledger.schema_calls import attempt
from submitter.ledger.sending import unpack_pages
from submitter.ledger.tellers import Teller
from submitter.ledger.waiting import Queue

TOO_SOON = "too-soon"
"""Why such a page waits."""

UNHEARD = (State.FAILED, State.DEFERRED)
RECENT = select(attempt.c.pages, attempt.c.sent_at).where(
    attempt.c.target_id == bindparam("of_target"),
    attempt.c.sent_at > bindparam("since"),
    attempt.c.pages.is_not(None),
    attempt.c.state.not_in([str(state) for state in UNHEARD]),
)
PAUSE = Many(
    update(waiting)
    .where(
        waiting.c.target_id == bindparam("of_target"),
        waiting.c.kind == bindparam("of_kind"),
        waiting.c.rank == bindparam("of_rank"),
        waiting.c.page_id == bindparam("of_page"),
        or_(waiting.c.not_before.is_(None), waiting.c.not_before < bindparam("or_before")),
    )
    .values(not_before=bindparam("to_not_before"), reason=literal_column(f"'{TOO_SOON}'")),
    "to_not_before",
    "of_target",
    "of_kind",
    "of_rank",
    "of_page",
    "or_before",
)


def pause_recent(tx: Transaction, tellers: Sequence[Teller], at: datetime) -> None:
    """Hold what waits again so soon after it was told, in whichever queue it waits now."""
    for teller in tellers:
        pause = timedelta(seconds=teller.rule.repeat_after_s)
        if not pause:
            continue
        for row in tx.rows(RECENT, of_target=teller.target_id, since=at - pause):
            _pause(tx, teller.target_id, unpack_pages(row.pages), row.sent_at + pause)


def _pause(tx: Transaction, target_id: int, ids: Sequence[int], until: datetime) -> None:
    micros = micros_of(until)
    places = [(one.rank, one.id) for one in pages.stances(tx, ids)]
    for queue in (Queue.URLS, Queue.REMOVAL):
        kind = int(queue)
        tx.many(PAUSE, [(micros, target_id, kind, rank, id, micros) for rank, id in places])
