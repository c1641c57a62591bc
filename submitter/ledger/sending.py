"""One call, before and after: the intent, its outcome, and what becomes of a dead run's calls."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, literal_column, select, update

from submitter.core.calls import Action, Outcome
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import OF_SITEMAPS, Kind
from submitter.errors import LedgerError
from submitter.ledger import allowances, leases, pages, sitemaps, sites, tellings, waiting
from submitter.ledger.columns import clean, clean_or_none, fit
from submitter.ledger.database import Transaction
from submitter.ledger.schema import target
from submitter.ledger.schema_calls import attempt as table
from submitter.ledger.waiting import Queue, Tally
from submitter.ports import Lease

AGAIN = frozenset({State.FAILED, State.DEFERRED, State.UNKNOWN})
"""A page that ended so waits again."""

ATTEMPT = select(table).where(table.c.id == bindparam("of_attempt"))
SENDING = select(table).where(table.c.state == literal_column("'sending'")).order_by(table.c.id)
SITES = select(target.c.site_id).where(target.c.id.in_(bindparam("ids", expanding=True)))
END = update(table).where(table.c.id == bindparam("of_attempt"))

Verdict = Callable[[int], tuple[State, str | None]]
"""Page → its state and the engine's reason."""


def pack_pages(ids: Sequence[int]) -> bytes | None:
    return struct.pack(f"<{len(ids)}q", *ids) if ids else None


def unpack_pages(packed: bytes | None) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 8}q", packed) if packed else ()


def claim(
    tx: Transaction,
    lease: Lease,
    action: Action,
    *,
    run: str,
    number: int,
    at: datetime,
    allowance: Allowance | None,
) -> int:
    """Store the intent. A page that does not wait for this target cannot be claimed: somebody
    else has it, or it was told."""
    leases.check(tx, lease)
    target_id = _target(tx, action)
    attempt_id = _insert(tx, lease, action, target_id, run, number, at, allowance)
    if action.kind is Kind.SITEMAP:
        sitemaps.begin(tx, target_id, action, at)
    elif action.kind not in OF_SITEMAPS:
        _take_pages(tx, action, target_id, attempt_id)
    if allowance:
        allowances.save(tx, allowance)
    return attempt_id


def _target(tx: Transaction, action: Action) -> int:
    return sites.described_target(
        tx, action.site, action.account, engine=action.engine, property=action.property
    )


def _insert(
    tx: Transaction,
    lease: Lease,
    action: Action,
    target_id: int,
    run: str,
    number: int,
    at: datetime,
    allowance: Allowance | None,
) -> int:
    return tx.add(
        table,
        run=run,
        action=action.key,
        number=number,
        lease=lease.name,
        fence=lease.fence,
        target_id=target_id,
        engine=action.engine,
        property=action.property,
        kind=action.kind.value,
        target=action.target,
        reason=clean(action.reason),
        content=action.content,
        urls=action.size,
        pages=pack_pages(action.pages),
        day=allowance.day if allowance else None,
        cost=action.cost,
        state=State.SENDING.value,
        sent_at=at,
    )


def _take_pages(tx: Transaction, action: Action, target_id: int, attempt_id: int) -> None:
    kept: Tally = Tally()
    ranked = [(one.rank, one.id) for one in pages.stances(tx, action.pages)]
    taken = waiting.take(tx, target_id, Queue.of(action.kind), ranked, kept)
    if taken != len(action.pages):
        raise LedgerError(
            f"ledger: {len(action.pages) - taken} of {len(action.pages)} pages of"
            f" {action.site} do not wait for {action.account!r}; another run may have sent them"
        )
    if action.kind is Kind.URLS:
        last = tellings.last_tellings(tx, action.pages, target_id)
        tellings.count_states(last.values(), kept, -1)
        kept[target_id, State.SENDING.value] += taken
    removal = action.kind is Kind.REMOVAL
    tellings.add(tx, target_id, attempt_id, action.pages, removal=removal)
    waiting.store_tally(tx, kept)


def settle(
    tx: Transaction,
    lease: Lease,
    attempt_id: int,
    action: Action,
    outcome: Outcome,
    *,
    at: datetime,
    allowance: Allowance | None,
) -> None:
    """Store the outcome. A call that was taken for lost may still be settled by its owner, as
    long as nobody took the lease: the answer was read after all."""
    leases.check(tx, lease)
    _target(tx, action)  # from here on the pages of its site are ours alone
    row = tx.first(ATTEMPT, of_attempt=attempt_id)
    if row is None or row.state not in (State.SENDING, State.UNKNOWN):
        said = f"is settled as {row.state}" if row else "was never claimed"
        raise LedgerError(f"ledger: call {attempt_id} {said}; it cannot be settled")
    if action.kind is Kind.SITEMAP:
        sitemaps.end(tx, row.target_id, action, outcome, at)
    elif action.kind is Kind.WITHDRAWAL:
        sitemaps.withdraw(tx, row.target_id, action, outcome)
    else:
        verdict = _verdict(tx, action, outcome)
        _settle_pages(tx, row, verdict, not_before=outcome.not_before)
    tx.execute(END.values(_ended(outcome, action, at)), of_attempt=attempt_id)
    if allowance:
        allowances.save(tx, allowance)


def _ended(outcome: Outcome, action: Action, at: datetime) -> dict[str, Any]:
    refused_whole = outcome.rest is State.REJECTED
    return {
        "state": str(outcome.state),
        "settled_at": at,
        "accepted": outcome.accepted,
        "rejected": (action.size or 1) if refused_whole else len(outcome.rejected),
        "unaccounted": outcome.unaccounted,
        "spent": fit(outcome.spent),
        "http_status": outcome.http_status,
        "code": clean_or_none(outcome.code),
        "message": clean(outcome.message),
        "quota_left": fit(outcome.quota_left),
        "not_before": outcome.not_before,
        "cause": outcome.cause,
        "next_step": clean_or_none(outcome.next_step),
    }


def _verdict(tx: Transaction, action: Action, outcome: Outcome) -> Verdict:
    locs = pages.locs(tx, action.pages) if outcome.rejected else {}
    reasons = {
        page_id: clean(outcome.rejected[loc])
        for page_id, loc in locs.items()
        if loc in outcome.rejected
    }

    def verdict(page_id: int) -> tuple[State, str | None]:
        if page_id in reasons:
            return State.REJECTED, reasons[page_id]
        return outcome.rest, None

    return verdict


def _settle_pages(
    tx: Transaction, row: Row[Any], verdict: Verdict, *, not_before: datetime | None
) -> None:
    """Give every page of the call its state. Pages that were told in a later call keep that
    one's."""
    kept: Tally = Tally()
    ids = unpack_pages(row.pages)
    last = tellings.last_tellings(tx, ids, row.target_id)
    outcomes = [(page_id, *verdict(page_id)) for page_id in ids]
    tellings.settle(tx, row.target_id, row.id, outcomes)
    states = {page_id: state for page_id, state, _ in outcomes}
    own = [
        one for one in pages.stances(tx, ids) if last[one.id, row.target_id].attempt_id == row.id
    ]
    if row.kind == Kind.URLS:
        for one in own:
            if not one.gone:
                kept[row.target_id, last[one.id, row.target_id].state.value] -= 1
                kept[row.target_id, states[one.id].value] += 1
    if row.state == State.UNKNOWN:
        queue = Queue.of(Kind(row.kind))
        waiting.take(tx, row.target_id, queue, [(one.rank, one.id) for one in own], kept)
    for state in AGAIN:
        waits = [one for one in own if states[one.id] is state]
        _wait_again(tx, row, waits, state, not_before, kept)
    waiting.store_tally(tx, kept)


def _wait_again(
    tx: Transaction,
    row: Row[Any],
    stances: Sequence[pages.Stance],
    state: State,
    not_before: datetime | None,
    kept: Tally,
) -> None:
    """Put pages back to their places. One that went or returned meanwhile waits where it now
    belongs."""
    removal = row.kind == Kind.REMOVAL
    ways = {Queue.REMOVAL: True} if removal else {Queue.URLS: False, Queue.PARKED: True}
    for queue, gone in ways.items():
        ranked = [(one.rank, one.id) for one in stances if one.gone is gone]
        waiting.add(tx, row.target_id, queue, ranked, state.value, kept)
        waiting.hold(tx, row.target_id, queue, ranked, state.value, not_before)


def defer(
    tx: Transaction,
    lease: Lease,
    action: Action,
    *,
    not_before: datetime | None,
    reason: str,
    state: State,
) -> None:
    """Remember why a planned call was not begun. It is no call, so it leaves no attempt."""
    at = leases.check(tx, lease)
    target_id = _target(tx, action)
    if action.kind is Kind.SITEMAP:
        sitemaps.defer(tx, target_id, action, at, not_before, clean(reason), state)
    if action.kind in OF_SITEMAPS:
        return
    ranked = [(one.rank, one.id) for one in pages.stances(tx, action.pages)]
    waiting.hold(
        tx,
        target_id,
        Queue.of(action.kind),
        ranked,
        State.DEFERRED.value,
        not_before,
        clean(reason),
    )


def recover(
    tx: Transaction, lease: Lease, *, now: datetime, not_before: Mapping[str, datetime]
) -> int:
    """Calls in flight whose owner is dead become unknown. Whoever holds a live lease is alive, and
    while we look, nobody takes or stretches the leases in question."""
    leases.check(tx, lease)
    sent = tx.rows(SENDING)  # before the leases: what is sent later has a lease we do not see
    alive = leases.alive(tx, {row.lease for row in sent}, now)
    alive.add((lease.name, lease.fence))
    dead = [row for row in sent if (row.lease, row.fence) not in alive]
    sites.hold(tx, (row.site_id for row in tx.rows_in(SITES, {row.target_id for row in dead})))
    ids = {row.id for row in dead}  # some may have been settled until the sites were ours
    dead = [row for row in tx.rows(SENDING) if row.id in ids] if ids else []
    targets = sites.known_targets(tx) if dead else {}
    for row in dead:
        _give_up(tx, row, now, not_before.get(targets[row.target_id][1]))
    return len(dead)


def _give_up(tx: Transaction, row: Row[Any], now: datetime, not_before: datetime | None) -> None:
    if row.kind == Kind.SITEMAP:
        sitemaps.lose(tx, row.target_id, row.target, not_before)
    elif row.kind not in OF_SITEMAPS:
        _settle_pages(tx, row, lambda page_id: (State.UNKNOWN, None), not_before=not_before)
    message = "the run that sent this died before it could store an answer"
    tx.execute(
        END.values(
            state=State.UNKNOWN.value,
            settled_at=now,
            spent=row.cost,
            not_before=not_before,
            message=message,
        ),
        of_attempt=row.id,
    )
