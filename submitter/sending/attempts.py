"""One action on its way to an engine: claim → send → settle, each try a call of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from submitter.core import quota
from submitter.core.calls import Action, Call, Outcome, Receipt
from submitter.core.outcomes import outcome_of_error, outcome_of_receipt
from submitter.core.standing import Allowance
from submitter.errors import EngineError, MaybeTooFast, NotReady, QuotaExhausted, TooFast
from submitter.sending.channels import Channel, RunContext
from submitter.sending.lanebook import LaneBook

REST = timedelta(hours=1)
"""So long a property is left alone whose calls came too often, at an engine that names no time.
Our own choice: nobody has written down how long it takes."""


class Attempt:
    """The tries of one call. `last` is how the newest of them ended."""

    def __init__(
        self,
        channel: Channel,
        context: RunContext,
        book: LaneBook,
        call: Call,
        *,
        begin: Callable[[], None],
    ) -> None:
        """`begin` waits for the right to make a call, or raises."""
        self._channel, self._context, self._book = channel, context, book
        self._call, self._begin = call, begin
        self._number = 0
        self.last: Outcome | None = None

    def once(self) -> Outcome:
        """claim → send → settle. Raises the engine's error after it has been stored."""
        context, action = self._context, self._call.action
        self._begin()
        self._number += 1
        booked, beside = self._book_cost(action), self._book_beside(action)
        attempt = context.ledger.claim(
            context.lease,
            action,
            run=context.run,
            number=self._number,
            at=context.clock.now(),
            allowance=booked,
        )
        answer = self._send()
        ended_at = context.clock.now()
        traits, error = self._channel.traits, None
        if isinstance(answer, Receipt):
            self.last = outcome_of_receipt(action, answer, traits=traits, sent_at=ended_at)
        else:
            error = answer
            self.last = outcome_of_error(action, error, traits=traits, sent_at=ended_at)
        settled = self._settle_allowance(booked, self.last, error)
        context.ledger.settle(
            context.lease, attempt, action, self.last, at=ended_at, allowance=settled
        )
        self._settle_beside(beside, self.last)
        if error is not None:
            self._slow_down(error)
            raise error
        return self.last

    def _send(self) -> Receipt | EngineError:
        try:
            return self._channel.engine.send(self._call, timeout_s=self._context.call_timeout_s())
        except MaybeTooFast as error:
            return self._doubted(error)
        except EngineError as error:
            return error

    def _doubted(self, error: MaybeTooFast) -> EngineError:
        """A credential that worked today is not wrong now: the property is left alone a while."""
        if not self._book.was_answered_today():
            return error
        return NotReady(
            error.engine,
            error.problem,
            not_before=self._context.clock.now() + REST,
            scope="property",
            http_status=error.http_status,
            code=error.code,
        )

    def _book_cost(self, action: Action) -> Allowance | None:
        allowance = self._book.open(action)
        booked = None if allowance is None else quota.book(allowance, action.cost)
        self._book.keep(booked)
        return booked

    def _settle_allowance(
        self, booked: Allowance | None, outcome: Outcome, error: EngineError | None
    ) -> Allowance | None:
        """The lane's page after the answer; a lost one over midnight is on the new page, too."""
        if booked is None:
            return None
        settled = quota.settle(booked, self._call.action.cost, outcome)
        if isinstance(error, QuotaExhausted) and outcome.not_before is not None:
            settled = quota.close(settled, outcome.not_before, error.problem[:200])
        self._book.keep(settled)
        self._carry_unknown(self._call.action, settled, outcome)
        return settled

    def _carry_unknown(self, action: Action, settled: Allowance, outcome: Outcome) -> None:
        if carried := self._book.carry_unknown(action, settled, outcome):
            self._context.ledger.save_allowance(self._context.lease, carried)

    def _book_beside(self, action: Action) -> Allowance | None:
        """A push into a fast lane may turn out to be a common one: until its answer says so, it
        counts as spent in both."""
        common = self._book.beside(action)
        booked = None if common is None else self._book_cost(common)
        if booked is not None:
            self._context.ledger.save_allowance(self._context.lease, booked)
        return booked

    def _settle_beside(self, booked: Allowance | None, outcome: Outcome) -> None:
        common = self._book.beside(self._call.action)
        if booked is None or common is None:
            return
        said = replace(outcome, spent=outcome.common_spent, quota_left=outcome.common_left)
        settled = quota.settle(booked, common.cost, said)
        self._book.keep(settled)
        self._context.ledger.save_allowance(self._context.lease, settled)
        self._carry_unknown(common, settled, said)

    def _slow_down(self, error: EngineError) -> None:
        """The account's other lanes wait, too; a wait too long for a run is not slept here."""
        if not isinstance(error, TooFast):
            return
        wait_s = error.retry_after_s or 1.0
        if wait_s <= self._context.rules.retries.longest_wait_s:
            self._channel.permits.penalize(wait_s)
