"""From an answer, or the lack of one, to what is remembered. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from submitter.core.calls import Action, Outcome, Receipt
from submitter.core.causes import cause_of, step_after
from submitter.core.quota import next_day_starts
from submitter.core.states import PARTIAL, TOLD, State
from submitter.core.traits import Kind, Traits, UnknownRule
from submitter.errors import (
    EngineError,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
)


def pages_in(action: Action) -> int:
    """What the columns count: pages of a batch; a sitemap is one."""
    return action.size or 1


def unknown_until(traits: Traits, sent_at: datetime, kind: Kind | None = None) -> datetime:
    """When an item whose answer was lost may be told again, by the engine's written rule.

    `sent_at` is the latest moment at which the engine may have taken it: the end of the call.
    `kind` None: of whichever kind it was, so by the stricter rule.
    """
    if traits.unknown_rule is UnknownRule.NEXT_DAY and kind not in traits.repeatable:
        return next_day_starts(traits.day_zone, sent_at)
    return sent_at + timedelta(seconds=traits.repeat_after_s)


def outcome_of_receipt(
    action: Action, receipt: Receipt, *, traits: Traits, sent_at: datetime
) -> Outcome:
    """What a whole answer means. Pages that its sums leave out are `unknown`, never accepted.

    The engine's sums say *how many* it took, not which: when some are unaccounted for, every page
    it did not name is `unknown` on its own, while the call keeps the engine's numbers.
    """
    rejected, total = len(receipt.rejected), pages_in(action)
    taken = max(0, total - rejected - receipt.unaccounted)
    rest = State.UNKNOWN if receipt.unaccounted else receipt.state
    lost = receipt.unaccounted > 0
    told = receipt.state in TOLD
    return Outcome(
        state=_call_state(receipt, taken=taken, rejected=rejected),
        rest=rest,
        accepted=taken if told else 0,
        rejected=receipt.rejected,
        unaccounted=receipt.unaccounted,
        spent=_spent(action, receipt),
        http_status=receipt.http_status,
        code=receipt.code,
        message=receipt.message,
        quota_left=receipt.quota_left,
        common_spent=min(action.cost, receipt.common_spent),
        common_left=receipt.common_left,
        not_before=unknown_until(traits, sent_at, action.kind) if lost else None,
    )


def _spent(action: Action, receipt: Receipt) -> int:
    if receipt.spent is None:
        return action.cost
    return min(action.cost, receipt.spent + receipt.unaccounted)


def _call_state(receipt: Receipt, *, taken: int, rejected: int) -> str:
    kinds = [
        state
        for state, count in (
            (str(receipt.state), taken),
            (str(State.REJECTED), rejected),
            (str(State.UNKNOWN), receipt.unaccounted),
        )
        if count
    ]
    return kinds[0] if len(kinds) == 1 else PARTIAL


def outcome_of_error(
    action: Action, error: EngineError, *, traits: Traits, sent_at: datetime
) -> Outcome:
    """What an attempt without a receipt ended as. Only a lost answer counts as spent; of one to a
    fast lane nobody knows which lane it went into, so it counts in both."""
    state, not_before, spent = State.FAILED, None, 0
    match error:
        case OutcomeUnknown():
            state = State.UNKNOWN
            not_before = unknown_until(traits, sent_at, action.kind)
            spent = action.cost
        case Refused() if traits.bisect and action.size > 1:
            pass  # which of its pages is not wanted is not known, so none is given up
        case Refused():
            state = State.REJECTED
        case QuotaExhausted():
            state = State.DEFERRED
            not_before = error.resets_at or next_day_starts(traits.day_zone, sent_at)
        case NotReady():
            state, not_before = State.DEFERRED, error.not_before
        case _:
            pass
    return Outcome(
        state=state,
        rest=state,
        spent=spent,
        http_status=error.http_status,
        code=error.code,
        message=error.problem[:200],
        quota_left=error.quota_left,
        common_spent=spent,
        not_before=not_before,
        cause=cause_of(error),
        next_step=step_after(error),
    )
