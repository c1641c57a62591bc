"""Asks engines what became of the sitemaps they were told, and records what they say."""

from __future__ import annotations

import builtins
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from submitter.core import quota
from submitter.core.agents import USER_AGENTS
from submitter.core.calls import Action, Survey
from submitter.core.causes import cause_of, meaning_of, step_after
from submitter.core.fleet import Target
from submitter.core.sights import Sight
from submitter.core.standing import Allowance
from submitter.core.traits import Kind, Traits
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    TooFast,
)
from submitter.kit.retries import OutOfTime, Retries
from submitter.looking.sighting import Eyes
from submitter.looking.stuck import stuck_sitemaps
from submitter.ports import SightBook
from submitter.sending.channels import Channel, RunContext
from submitter.sending.closing import close_account, closed_account

T = TypeVar("T")

log = logging.getLogger(__name__)

LOOKED_AT = 200
"""Looks at stuck sitemaps in one go: they are few, or something larger is wrong."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one property said: checks recorded, or the problem that stood in the way."""

    account: str
    property: str
    sites: tuple[str, ...]
    checks: int
    problem: str = ""
    unasked: bool = False
    """True: the deadline came first, or the account is paused."""
    paused_until: datetime | None = None
    """When an account may be asked again that its engine wants left alone."""
    cause: str | None = None
    """Of the problem, a row of the table of causes, with what that says."""
    meaning: str | None = None
    next_step: str | None = None
    sights: tuple[Sight, ...] = ()
    """What its stuck sitemaps look like to us."""


@dataclass(frozen=True, slots=True)
class _Question:
    property: str
    sitemaps: Mapping[str, tuple[str, ...]]
    """Site → its sitemaps."""

    @builtins.property
    def wanted(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(url for urls in self.sitemaps.values() for url in urls))


def verify(
    targets: Sequence[Target],
    *,
    channels: Mapping[str, Channel],
    surveys: Mapping[str, Survey],
    context: RunContext,
) -> list[Answer]:
    """Ask each property once for all its sitemaps, then look at those that are stuck ourselves.
    Raises LedgerError only."""
    asked = [name for name, channel in channels.items() if channel.traits.checks]
    known = _known_sitemaps(targets, context)
    answers: list[Answer] = []
    with ThreadPoolExecutor(max(1, len(asked)), thread_name_prefix="verify") as pool:
        futures = []
        for name in asked:
            mine = [target for target in targets if target.account.name == name]
            questions = _questions(mine, channels[name], surveys.get(name), known)
            futures.append(pool.submit(_ask_account, channels[name], questions, context))
        for future in futures:
            answers.extend(future.result())
    told = [target for target in targets if target.account.name in asked]
    return _with_sights(answers, told, channels, context)


def _known_sitemaps(
    targets: Sequence[Target], context: RunContext
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    known: dict[tuple[str, str], list[str]] = {}
    for row in context.ledger.statuses(sorted({target.site.origin for target in targets})):
        known.setdefault((row.site, row.account), []).append(row.sitemap)
    return {key: tuple(dict.fromkeys(sitemaps)) for key, sitemaps in known.items()}


def _questions(
    targets: Iterable[Target],
    channel: Channel,
    survey: Survey | None,
    known: Mapping[tuple[str, str], tuple[str, ...]],
) -> list[_Question]:
    by_property: dict[str, dict[str, tuple[str, ...]]] = {}
    for target in targets:
        sitemaps = known.get(target.key, ())
        if sitemaps:
            name = channel.engine.property_of(target.site, survey)
            by_property.setdefault(name, {})[target.site.origin] = sitemaps
    return [_Question(name, sites) for name, sites in sorted(by_property.items())]


def _ask_account(
    channel: Channel, questions: Sequence[_Question], context: RunContext
) -> list[Answer]:
    interview = _Interview(channel, context, len(questions))
    workers = max(1, min(context.rules.workers, len(questions)))
    with ThreadPoolExecutor(workers, thread_name_prefix="verify") as pool:
        return list(pool.map(interview.ask, questions))


class _Interview:
    """One account's questions. Thread-safe. An account that is paused is not asked, and a refusal
    is explained by what the account can see, as the doctor and a run do."""

    def __init__(self, channel: Channel, context: RunContext, questions: int) -> None:
        self._channel, self._context = channel, context
        self._retries = Retries(context.rules.retries, context.clock, questions)
        self._lock = threading.Lock()
        self._paused = closed_account(channel.account.name, context)
        self._survey: Survey | None = None
        self._surveyed = False

    def ask(self, question: _Question) -> Answer:
        context, name = self._context, self._channel.account.name
        nothing = Answer(name, question.property, tuple(question.sitemaps), 0)
        if (paused := self._paused) is not None:
            return self._left_alone(nothing, paused)
        try:
            checks = self._read(
                lambda: self._channel.engine.checks(
                    question.property, question.wanted, timeout_s=context.call_timeout_s()
                )
            )
        except OutOfTime:
            return replace(nothing, problem="no time was left", unasked=True)
        except EngineError as error:
            return self._unanswered(nothing, question, error)
        for site, urls in question.sitemaps.items():
            mine = [check for check in checks if check.sitemap in urls]
            context.ledger.record_checks(context.lease, site, name, mine, at=context.clock.now())
        context.progress.advance()
        return replace(nothing, checks=len(checks))

    def _read(self, read: Callable[[], T]) -> T:
        """Raises OutOfTime, or what `read` raises after all tries."""
        return self._retries.call(lambda: self._read_once(read), until=self._context.until)

    def _read_once(self, read: Callable[[], T]) -> T:
        context = self._context
        if context.is_over() or not self._channel.permits.acquire(until=context.until):
            raise OutOfTime
        try:
            return read()
        except OutcomeUnknown as lost:  # a read whose answer is lost can simply be asked again
            raise EngineUnavailable(
                lost.engine, lost.problem, http_status=lost.http_status
            ) from lost

    # -- without an answer

    def _left_alone(self, answer: Answer, paused: Allowance) -> Answer:
        throttled = quota.closed_because(paused) == quota.RETRY_AFTER
        cause = "too-fast" if throttled else "quota-spent"
        return replace(
            answer,
            problem=f"not asked: {paused.closed_reason}",
            unasked=True,
            paused_until=paused.closed_until,
            cause=cause,
            meaning=meaning_of(cause, self._channel.traits.name),
        )

    def _unanswered(self, answer: Answer, question: _Question, error: EngineError) -> Answer:
        if isinstance(error, TooFast) and self._is_far_off(error):
            return self._left_alone(answer, self._pause(error))
        match error:
            case NotAuthorized(scope="account"):
                self._channel.login.is_refused = True
            case NotAuthorized():
                error = self._explained(question, error)
        cause = cause_of(error)
        meaning, step = meaning_of(cause, error.engine), step_after(error)
        return replace(answer, problem=error.problem, cause=cause, meaning=meaning, next_step=step)

    def _is_far_off(self, error: TooFast) -> bool:
        return error.retry_after_s is not None and self._retries.is_too_long(error.retry_after_s)

    def _pause(self, error: TooFast) -> Allowance:
        """Nobody asks again before the moment that the engine named, in later runs neither."""
        until = self._context.clock.now() + timedelta(seconds=error.retry_after_s or 0.0)
        with self._lock:
            if self._paused is None:
                self._paused = close_account(self._channel, self._context, error, until)
            return self._paused

    def _explained(self, question: _Question, error: NotAuthorized) -> EngineError:
        """What the account's own list says of the same property, where it says something."""
        site, sitemaps = next(iter(question.sitemaps.items()))
        account = self._channel.account
        action = Action(
            site=site,
            account=account.name,
            engine=account.engine,
            property=question.property,
            kind=Kind.SITEMAP,
            target=sitemaps[0],
            reason="verify",
            content="",
        )
        try:
            self._channel.engine.preflight(action, self._seen())
        except EngineError as better:
            return better
        return error

    def _seen(self) -> Survey | None:
        """What the account can see now, asked once; None where nobody says."""
        with self._lock:
            if not self._surveyed:
                self._surveyed = True
                timeout_s = self._context.call_timeout_s()
                with suppress(EngineError, OutOfTime):
                    self._survey = self._read(
                        lambda: self._channel.engine.survey(timeout_s=timeout_s)
                    )
            return self._survey


# ---------------------------------------------------------------- what we see ourselves


def _with_sights(
    answers: Sequence[Answer],
    targets: Sequence[Target],
    channels: Mapping[str, Channel],
    context: RunContext,
) -> list[Answer]:
    """Look at what is stuck as ourselves and as the crawler that does not come for it."""
    traits = {target.account.engine: channels[target.account.name].traits for target in targets}
    stuck = stuck_sitemaps(context.ledger, targets, traits, now=context.clock.now())
    looks = sorted(
        {
            (site, one.sitemap, agent)
            for (site, account), sitemaps in stuck.items()
            for one in sitemaps
            for agent in ("", channels[account].traits.crawler)
            if agent in ("", *USER_AGENTS)
        }
    )[:LOOKED_AT]
    with ThreadPoolExecutor(context.rules.workers, thread_name_prefix="stuck") as pool:
        found = pool.map(lambda look: _look(context, *look), looks)
        sights = [sight for sight in found if sight is not None]
    if sights and isinstance(context.ledger, SightBook):
        context.ledger.record_sights(context.lease, sights)
    return [_with_its_own(answer, sights, channels[answer.account].traits) for answer in answers]


def _look(context: RunContext, origin: str, sitemap: str, agent: str) -> Sight | None:
    """None: no time is left."""
    if context.is_over():
        return None
    until = None if context.until == float("inf") else context.until
    eyes = Eyes(context.sites[origin], context.source, context.clock.now(), until, agent)
    return eyes.see(sitemap, eyes.site.fetch.max_bytes)


def _with_its_own(answer: Answer, sights: Sequence[Sight], traits: Traits) -> Answer:
    mine = [one for one in sights if one.site in answer.sites]
    return replace(answer, sights=tuple(one for one in mine if one.agent in ("", traits.crawler)))
