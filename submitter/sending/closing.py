"""Closing an account for longer than a run, so that the next one does not knock either."""

from __future__ import annotations

from datetime import datetime

from submitter.core import quota
from submitter.core.planned import WHOLE_ACCOUNT
from submitter.core.standing import Allowance
from submitter.errors import EngineError, TooFast
from submitter.sending.channels import Channel, RunContext


def close_account(
    channel: Channel, context: RunContext, error: EngineError, until: datetime | None
) -> Allowance:
    """Remember that nobody calls before that moment; None: the engine's next day."""
    now, zone = context.clock.now(), channel.traits.day_zone
    row = Allowance(channel.account.name, WHOLE_ACCOUNT, quota.engine_day(zone, now))
    why = quota.RETRY_AFTER if isinstance(error, TooFast) else quota.QUOTA
    until = until or quota.next_day_starts(zone, now)
    closed = quota.close(row, until, error.problem[:200], why)
    context.ledger.save_allowance(context.lease, closed)
    return closed


def closed_account(name: str, context: RunContext) -> Allowance | None:
    """The row that closes the account now; None where it may call."""
    row = context.ledger.allowances().get((name, WHOLE_ACCOUNT))
    return row if row is not None and quota.is_closed(row, context.clock.now()) else None
