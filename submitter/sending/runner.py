"""Sends a plan: lanes side by side, each lane's calls one after the other.

Every call is claim → send → settle: the intent is stored before the first byte leaves, the
outcome before the lane's next call. This is the only place that waits, retries and stops.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

from submitter.core import quota
from submitter.core.accounting import Done
from submitter.core.calls import Action, Call, Outcome, QuotaReading, Survey
from submitter.core.halving import BatchSearch
from submitter.core.lanes import common_property
from submitter.core.outcomes import outcome_of_error
from submitter.core.plan import part_of
from submitter.core.planned import WHOLE_ACCOUNT, Plan
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import OF_SITEMAPS, Kind
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    SubmitterError,
    TooFast,
)
from submitter.kit.retries import OutOfTime, Retries
from submitter.ports import QuotaReader
from submitter.sending.attempts import Attempt
from submitter.sending.channels import Channel, RunContext
from submitter.sending.closing import close_account
from submitter.sending.lanebook import LaneBook
from submitter.sending.preparing import Preparations
from submitter.sending.surveys import Surveyor

log = logging.getLogger(__name__)

PAUSE_S = 600.0
"""So long a property waits after its engine found us too fast at every try and named no time."""


def run_plan(plan: Plan, *, channels: Mapping[str, Channel], context: RunContext) -> list[Done]:
    """Send everything in the plan that may be sent now. Returns one or more `Done` per action:
    together they cover each of its pages once. Raises LedgerError when the memory fails."""
    by_account: dict[str, list[Action]] = {}
    for action in plan.actions:
        by_account.setdefault(action.account, []).append(action)
    allowances = {(one.account, one.property): one for one in plan.allowances}
    runs = [
        AccountRun(channels[name], actions, context, allowances)
        for name, actions in by_account.items()
    ]
    if not runs:
        return []
    with ThreadPoolExecutor(len(runs), thread_name_prefix="account") as pool:
        finished = [pool.submit(run.run) for run in runs]
    return [done for future in finished for done in future.result()]


class AccountRun:
    """All actions of one account. A failure closes what it concerns and nothing else."""

    def __init__(
        self,
        channel: Channel,
        actions: Sequence[Action],
        context: RunContext,
        allowances: Mapping[tuple[str, str], Allowance],
    ) -> None:
        self._channel, self._actions, self._context = channel, actions, context
        self._book = LaneBook(channel, context.clock, allowances)
        self._retries = Retries(context.rules.retries, context.clock, len(actions))
        self._done: list[Done] = []
        self._lock = threading.Lock()
        self._closed: dict[str, Outcome] = {}
        self._preparations = Preparations(channel, context)
        self._surveyor = Surveyor(channel, context, self._retries, begin=self._take_permit)
        self._misses = 0
        self._unready: Counter[str] = Counter()

    # ------------------------------------------------------------ the story

    def run(self) -> list[Done]:
        survey = self._learn_survey()
        lanes = self._lanes(survey)
        workers = max(1, min(self._context.rules.workers, len(lanes)))
        with ThreadPoolExecutor(workers, thread_name_prefix=self._channel.account.name) as pool:
            futures = [pool.submit(self._run_lane, lane, survey) for lane in lanes]
        for future in futures:
            future.result()
        return self._done

    def _learn_survey(self) -> Survey | None:
        """What the account can see, known before its first write."""
        try:
            return self._surveyor.survey(self._actions)
        except EngineError as error:
            outcome = self._outcome_of(self._actions[0], error)
            if isinstance(error, QuotaExhausted):
                close_account(self._channel, self._context, error, error.resets_at)
            if isinstance(error, NotAuthorized):
                self._channel.login.is_refused = True
            self._close(WHOLE_ACCOUNT, outcome)
        except OutOfTime:
            self._close(WHOLE_ACCOUNT, self._too_late())
        return None

    def _lanes(self, survey: Survey | None) -> list[list[Action]]:
        """Metered: one lane per property, where the quota lives, with its fast lane, which goes
        first and may tell what the common one has left; else per property and site."""
        lanes: dict[tuple[str, str], list[Action]] = {}
        for planned in self._actions:
            action = self._surveyor.placed(planned, survey)
            site = "" if self._channel.traits.metered else action.site
            lanes.setdefault((self._common(action.property), site), []).append(action)
        return list(lanes.values())

    def _common(self, property: str) -> str:
        return common_property(property, self._channel.traits)

    def _run_lane(self, actions: Iterable[Action], survey: Survey | None) -> None:
        for action in actions:
            try:
                self._run_action(action, survey)
            except SubmitterError:
                self._context.stop.set()
                raise
            self._context.progress.advance()

    def _run_action(self, action: Action, survey: Survey | None) -> None:
        closed = self._why_closed(action)
        if closed is not None:
            self._finish(action, closed, called=False)
            return
        try:
            self._channel.engine.preflight(action, survey)
            self._preparations.see_to(action.site)
        except EngineError as error:
            self._give_up(action, self._outcome_of(action, error), error, called=False)
            return
        if action.kind in OF_SITEMAPS:
            self._send(action, ())
        else:
            self._send_pages(action)

    # ------------------------------------------------------------ pages within an allowance

    def _send_pages(self, action: Action) -> None:
        """Send a batch, cut to what the lane may spend now; the rest waits, in order. What a fast
        lane has no room for goes into the common one."""
        urls = self._context.ledger.urls(action.site, action.pages)
        self._learn_allowance(action)
        begin = 0
        while begin < len(urls):
            rest = part_of(action, urls, begin, len(urls))
            closed = self._why_closed(rest)
            room = self._book.room(action)
            if closed is None and room == 0 and (common := self._book.beside(rest)):
                self._send_pages(common)
                return
            if closed is None and room == 0:
                closed = self._no_room(action)
            if closed is not None:
                self._finish(rest, closed, called=False)
                return
            end = min(begin + room, len(urls))
            self._send(part_of(action, urls, begin, end), tuple(urls[begin:end]))
            begin = end

    def _no_room(self, action: Action) -> Outcome:
        outcome = _not_begun("quota", "today's allowance is spent")
        return replace(outcome, not_before=self._book.reopens(action))

    def _learn_allowance(self, action: Action) -> None:
        """Ask an engine that can be asked what the lane may spend, before its first call."""
        engine, allowance = self._channel.engine, self._book.open(action)
        if allowance is None or not self._channel.traits.quota_readable:
            return
        if allowance.reported_left is not None or not isinstance(engine, QuotaReader):
            return

        def ask() -> QuotaReading:
            self._take_permit()
            return engine.read_quota(action.property, timeout_s=self._context.call_timeout_s())

        try:
            reading = self._retries.call(ask, until=self._context.until)
        except (EngineError, OutOfTime) as problem:
            log.info(
                "%s does not say what %s has left: %s", action.account, action.property, problem
            )
            return
        learned = quota.learn(allowance, reading)
        self._context.ledger.save_allowance(self._context.lease, learned)
        self._book.keep(learned)

    # ------------------------------------------------------------ one call, retried

    def _send(
        self, action: Action, urls: tuple[str, ...], search: BatchSearch | None = None
    ) -> None:
        attempt = Attempt(
            self._channel, self._context, self._book, Call(action, urls), begin=self._take_permit
        )
        try:
            outcome = self._retries.call(attempt.once, until=self._context.until)
        except OutOfTime:
            self._finish(action, self._too_late(), called=False)
            return
        except EngineError as error:
            if self._search_refused(Call(action, urls), error, search):
                return
            outcome = attempt.last or self._outcome_of(action, error)
            self._give_up(action, outcome, error, called=True)
            return
        self._misses = 0
        self._unready[action.property] = 0
        self._finish(action, outcome, called=True)

    def _search_refused(self, call: Call, error: EngineError, search: BatchSearch | None) -> bool:
        """Send a refused batch in halves where that costs nothing. False: there are none left."""
        if not isinstance(error, Refused) or not self._channel.traits.bisect:
            return False
        search = search or BatchSearch(len(call.urls))
        parts = search.next_halves(call)
        for part in parts:
            self._send(part.action, part.urls, search)
        return bool(parts)

    def _take_permit(self) -> None:
        context = self._context
        if context.is_over() or not self._channel.permits.acquire(until=context.until):
            raise OutOfTime
        if context.is_over():
            raise OutOfTime

    def _give_up(
        self, action: Action, outcome: Outcome, error: EngineError, *, called: bool
    ) -> None:
        """No receipt came: close what the error concerns, so that nothing runs into it again."""
        match error:
            case NotAuthorized(scope="account"):
                self._channel.login.is_refused = True
                self._close(WHOLE_ACCOUNT, outcome)
            case NotAuthorized():
                self._close(self._common(action.property), outcome)
                self._surveyor.doubt()
            case QuotaExhausted() if not self._channel.traits.metered:
                close_account(self._channel, self._context, error, error.resets_at)
                self._close(WHOLE_ACCOUNT, outcome)
            case NotReady(scope="property"):
                self._close_lane(action, outcome, error, quota.NOT_BEFORE)
            case NotReady():
                self._count_unready(action, outcome)
            case TooFast() if self._is_far_off(error):
                outcome = self._park(action, outcome, error)
                close_account(self._channel, self._context, error, outcome.not_before)
                self._close(WHOLE_ACCOUNT, outcome)
            case EngineUnavailable():
                if self._is_far_off(error) or isinstance(error, TooFast):
                    outcome = self._park(action, outcome, error)
                self._count_miss(outcome)
            case OutcomeUnknown():
                self._count_miss(outcome)
            case _:
                pass
        self._finish(action, outcome, called=called)

    def _is_far_off(self, error: EngineUnavailable) -> bool:
        """The engine named a time that is too long to wait for in this run."""
        return error.retry_after_s is not None and self._retries.is_too_long(error.retry_after_s)

    def _park(self, action: Action, outcome: Outcome, error: EngineUnavailable) -> Outcome:
        """The item waits for the time that the engine named, and so does all of its property."""
        wait_s = error.retry_after_s or 0.0
        if isinstance(error, TooFast) and not self._is_far_off(error):
            wait_s = max(wait_s, PAUSE_S)
        not_before = self._context.clock.now() + timedelta(seconds=wait_s)
        self._context.ledger.defer(
            self._context.lease, action, not_before=not_before, reason=quota.RETRY_AFTER
        )
        parked = replace(
            outcome,
            state=State.DEFERRED,
            rest=State.DEFERRED,
            code=quota.RETRY_AFTER,
            not_before=not_before,
        )
        self._close_lane(action, parked, error, quota.RETRY_AFTER)
        return parked

    def _close_lane(self, action: Action, outcome: Outcome, error: EngineError, why: str) -> None:
        """For this run, and where the lane has a page in the book, until the moment named."""
        self._close(self._common(action.property), outcome)
        page = self._book.open(action)
        if page is not None and outcome.not_before is not None:
            closed = quota.close(page, outcome.not_before, error.problem[:200], why)
            self._context.ledger.save_allowance(self._context.lease, closed)
            self._book.keep(closed)

    def _count_unready(self, action: Action, outcome: Outcome) -> None:
        """One item may be the only one; so many in a row are their property's fault."""
        with self._lock:
            self._unready[action.property] += 1
            count = self._unready[action.property]
        if count >= self._context.rules.breaker:
            message = f"not ready {count} times in a row: {outcome.message}"
            self._close(self._common(action.property), _not_begun("not-before", message[:200]))

    def _count_miss(self, outcome: Outcome) -> None:
        with self._lock:
            self._misses += 1
            broken = self._misses >= self._context.rules.breaker
        if broken:
            message = f"the engine did not answer {self._misses} times in a row: {outcome.message}"
            self._close(WHOLE_ACCOUNT, _not_begun("engine-unavailable", message[:200]))

    # ------------------------------------------------------------ closing and finishing

    def _close(self, what: str, outcome: Outcome) -> None:
        with self._lock:
            self._closed.setdefault(what, outcome)

    def _why_closed(self, action: Action) -> Outcome | None:
        with self._lock:
            closed = self._closed.get(WHOLE_ACCOUNT)
            closed = closed or self._closed.get(self._common(action.property))
        if closed is None and self._context.is_over():
            return self._too_late()
        return closed

    def _too_late(self) -> Outcome:
        code = "stopped" if self._context.stop.is_set() else "deadline"
        return _not_begun(code, "the run ended before its turn")

    def _finish(self, action: Action, outcome: Outcome, *, called: bool) -> None:
        if not called and self._must_be_put_off(action, outcome):
            self._context.ledger.defer(
                self._context.lease,
                action,
                not_before=outcome.not_before,
                reason=outcome.cause or outcome.code or outcome.message,
                state=outcome.rest if outcome.rest is State.FAILED else State.DEFERRED,
            )
        with self._lock:
            self._done.append(Done(action, outcome, called))
        log.info(
            "%s %s at %s: %s",
            *(action.kind, action.target, action.account, outcome.state),
            extra={
                "site": action.site,
                "account": action.account,
                "engine": action.engine,
                "state": outcome.state,
                "urls": action.size,
                "http_status": outcome.http_status,
                "code": outcome.code,
            },
        )

    def _must_be_put_off(self, action: Action, outcome: Outcome) -> bool:
        """Waiting pages keep their place anyway; those that wait for a moment and have no lane in
        the book, which would be closed until then, remember it themselves."""
        if action.kind in OF_SITEMAPS:
            return action.kind is Kind.SITEMAP
        return outcome.not_before is not None and self._book.open(action) is None

    def _outcome_of(self, action: Action, error: EngineError) -> Outcome:
        return outcome_of_error(
            action, error, traits=self._channel.traits, sent_at=self._context.clock.now()
        )


def _not_begun(code: str, message: str) -> Outcome:
    return Outcome(State.DEFERRED, State.DEFERRED, code=code, message=message)
