"""The quota book: what a lane may still spend on its engine's own day.

Promise: over any sequence of calls, answers, restarts and days,
accepted + in flight + unknown never exceeds what the engine said a lane has.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from submitter.core.calls import Outcome, QuotaReading
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import Traits

QUOTA: Final = "quota"
RETRY_AFTER: Final = "retry-after"
"""The engine wants fewer calls, or named a time."""
NOT_BEFORE: Final = "not-before"
"""The engine does not take this property's items yet."""


def engine_day(zone: str, at: datetime) -> date:
    """The engine's calendar day at this moment."""
    return at.astimezone(ZoneInfo(zone)).date()


def next_day_starts(zone: str, at: datetime) -> datetime:
    """The first moment (UTC) of the engine's next day."""
    tomorrow = engine_day(zone, at) + timedelta(days=1)
    return datetime.combine(tomorrow, time.min, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def open_allowance(
    account: str,
    property: str,
    *,
    traits: Traits,
    stored: Allowance | None,
    declared: int | None,
    now: datetime,
) -> Allowance:
    """Today's page of the book: the stored one if it is today's, else a fresh one.

    A stored day later than today (our clock went back) is kept: quota is never won by a clock.
    """
    today = engine_day(traits.day_zone, now)
    if stored is not None and stored.day >= today:
        return stored if declared is None else replace(stored, limit=declared)
    return Allowance(account, property, today, limit=declared)


def is_closed(allowance: Allowance, now: datetime) -> bool:
    return allowance.closed_until is not None and now < allowance.closed_until


def left(allowance: Allowance, now: datetime) -> int | None:
    """What may still be spent; None = the engine has not said yet and nothing is declared."""
    if is_closed(allowance, now):
        return 0
    rests = []
    if allowance.limit is not None:
        rests.append(allowance.limit - allowance.spent)
    if allowance.reported_left is not None:
        rests.append(allowance.reported_left - allowance.spent_since)
    return max(0, min(rests)) if rests else None


def learn(allowance: Allowance, reading: QuotaReading) -> Allowance:
    """Take in what the engine says when asked. From a limit alone, what we spent is taken off:
    whatever the engine means by it, no more is spent than it said."""
    left_now = reading.left
    if left_now is None and reading.limit is not None:
        left_now = max(0, reading.limit - allowance.spent)
    if left_now is None:
        return allowance
    limits = [limit for limit in (allowance.limit, reading.limit) if limit is not None]
    return replace(
        allowance,
        limit=min(limits, default=allowance.spent + left_now),
        reported_left=left_now,
        spent_since=0,
    )


def book(allowance: Allowance, cost: int) -> Allowance:
    """Before a call: what it may take is spent until its answer says otherwise."""
    return replace(
        allowance, spent=allowance.spent + cost, spent_since=allowance.spent_since + cost
    )


def settle(allowance: Allowance, cost: int, outcome: Outcome) -> Allowance:
    """After a call that was booked with `cost`: correct the book by what the answer says."""
    spent = allowance.spent - cost + outcome.spent
    if outcome.quota_left is None:
        return replace(
            allowance, spent=spent, spent_since=allowance.spent_since - cost + outcome.spent
        )
    learned = allowance.limit if allowance.limit is not None else spent + outcome.quota_left
    return replace(
        allowance,
        spent=spent,
        limit=learned,
        reported_left=outcome.quota_left,
        spent_since=0,
    )


def carry_unknown(allowance: Allowance, cost: int, outcome: Outcome) -> Allowance:
    """A lost call that crossed midnight touches both days: book it on the new one, too."""
    return book(allowance, cost) if outcome.rest is State.UNKNOWN else allowance


def close(allowance: Allowance, until: datetime, reason: str, why: str = QUOTA) -> Allowance:
    """`why` is the skip reason of what waits for it, kept before the engine's words."""
    words = reason if why == QUOTA else f"{why}: {reason}"
    return replace(allowance, closed_until=until, closed_reason=words)


def closed_because(allowance: Allowance | None) -> str:
    """The skip reason of what waits for a closed lane or account."""
    why = "" if allowance is None else allowance.closed_reason.partition(": ")[0]
    return why if why in (RETRY_AFTER, NOT_BEFORE) else QUOTA


def batch_limit(traits: Traits, allowance: Allowance | None, now: datetime, first: int) -> int:
    """How many pages the next call of this lane may hold now; 0 = none."""
    if not traits.metered or allowance is None:
        return traits.batch_size
    if traits.daily_cap is not None and allowance.spent >= traits.daily_cap:
        return 0
    rest = left(allowance, now)
    if rest is not None:
        return min(traits.batch_size, rest)
    if allowance.spent == 0:
        return min(traits.batch_size, first)
    return 0
