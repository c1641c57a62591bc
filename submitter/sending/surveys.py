"""What an account can see at its engine: asked before its first write, or by a job before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from submitter.core.calls import Action, Survey
from submitter.core.lanes import with_lane_of
from submitter.core.traits import Kind
from submitter.errors import EngineError, EngineUnavailable, NotAuthorized, OutcomeUnknown
from submitter.kit.retries import OutOfTime, Retries
from submitter.sending.channels import Channel, RunContext

FRESH: Final = timedelta(minutes=10)
"""So old a survey may be by which a job sends. Our own choice: rights change seldom, and one that
was taken away shows as the engine's own refusal."""
ASK_AGAIN: Final = timedelta(minutes=2)
"""So old a survey may be by which a job does not send, and only the channel's own: another login
may have been told other things. Our own choice: a right that was just given is found soon, and an
account with many forbidden sites does not ask for each of them."""


class Surveyor:
    """Of one account in one run. Thread-safe."""

    def __init__(
        self,
        channel: Channel,
        context: RunContext,
        retries: Retries,
        *,
        begin: Callable[[], None],
    ) -> None:
        """`begin` waits for the right to make a call, or raises."""
        self._channel, self._context = channel, context
        self._retries, self._begin = retries, begin
        self._lock = threading.Lock()
        self._doubtful = self._is_listed = False

    def survey(self, actions: Sequence[Action]) -> Survey | None:
        """Another job's while it is fresh and allows all these actions, else the engine's answer;
        None: it cannot be asked. Raises EngineError, OutOfTime."""
        survey = self._learn(actions)
        self._is_listed = survey is not None
        return survey

    def _learn(self, actions: Sequence[Action]) -> Survey | None:
        known = self._context.surveys.get(self._channel.account.name)
        if known is None:
            return self._ask()
        survey, at = known
        self._doubtful = not self._asked_lately()
        if self._doubtful and not (self._age(at) < FRESH and self._allows(survey, actions)):
            return self._ask()
        return survey

    def _asked_lately(self) -> bool:
        """Whether this very login was told what the account can see, not long ago."""
        at = self._channel.login.surveyed_at
        return at is not None and self._age(at) < ASK_AGAIN

    def _age(self, at: datetime) -> timedelta:
        return abs(self._context.clock.now() - at)

    def doubt(self) -> None:
        """The engine refuses what the survey allows. If that is another job's, ask, so that those
        to come know better. Where no survey could say so before, the secret may be at fault."""
        if not self._is_listed:
            self._channel.login.is_refused = True
        with self._lock:
            doubtful, self._doubtful = self._doubtful, False
        if doubtful:
            with suppress(EngineError, OutOfTime):
                self._ask()

    def placed(self, planned: Action, survey: Survey | None) -> Action:
        """A withdrawal goes where the submission went, all else where the survey says."""
        if planned.kind is Kind.WITHDRAWAL and planned.property:
            return planned
        name = self._channel.engine.property_of(self._context.sites[planned.site], survey)
        name = with_lane_of(planned.property, name, self._channel.traits)
        return replace(planned, property=name)

    def _allows(self, survey: Survey, actions: Sequence[Action]) -> bool:
        try:
            for action in actions:
                self._channel.engine.preflight(self.placed(action, survey), survey)
        except NotAuthorized:
            return False
        return True

    def _ask(self) -> Survey | None:
        self._doubtful = False
        survey = self._retries.call(self._ask_once, until=self._context.until)
        if survey is not None:
            now = self._channel.login.surveyed_at = self._context.clock.now()
            self._context.ledger.save_survey(survey, at=now)
        return survey

    def _ask_once(self) -> Survey | None:
        self._begin()
        try:
            return self._channel.engine.survey(timeout_s=self._context.call_timeout_s())
        except OutcomeUnknown as lost:  # a read whose answer is lost can simply be asked again
            raise EngineUnavailable(
                lost.engine, lost.problem, http_status=lost.http_status, code=lost.code
            ) from lost
