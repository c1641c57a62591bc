"""Retries of one account: finite, kind, and inside the run's deadline (tenacity underneath)."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from submitter.errors import EngineUnavailable
from submitter.ports import Clock

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")


class OutOfTime(Exception):
    """The deadline leaves no room for another call, or the run was told to stop."""


@dataclass(frozen=True, slots=True)
class RetryRules:
    """Times in seconds. The shared budget keeps a storm of 503s from multiplying the calls."""

    attempts: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    """An engine's Retry-After beyond this parks the item instead of waiting for it."""
    budget_least: int = 10
    budget_share: float = 0.2
    """Retries of an account in one run: at most this share of its actions, at least the least."""


class Retries:
    """Calls something again while it raises EngineUnavailable and the budget lasts."""

    def __init__(
        self,
        rules: RetryRules,
        clock: Clock,
        actions: int,
        *,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._rules, self._clock, self._jitter = rules, clock, jitter
        self._budget = max(rules.budget_least, int(actions * rules.budget_share))
        self._lock = threading.Lock()

    def call(self, once: Callable[[], T], *, until: float) -> T:
        """Run `once`, again if need be. Raises its last error; never sleeps past `until`."""
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(EngineUnavailable),
            wait=self._wait_s,
            stop=lambda state: self._must_stop(state, until),
            sleep=self._clock.sleep,
            reraise=True,
        )
        return retrying(once)

    def is_too_long(self, seconds: float) -> bool:
        return seconds > self._rules.longest_wait_s

    def _wait_s(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, EngineUnavailable) and error.retry_after_s is not None:
            return error.retry_after_s + self._jitter()
        backoff = self._rules.first_wait_s * 2.0 ** (state.attempt_number - 1)
        return min(self._rules.longest_wait_s, backoff) * (0.5 + self._jitter() / 2)

    def _must_stop(self, state: RetryCallState, until: float) -> bool:
        error = state.outcome.exception() if state.outcome else None
        named = error.retry_after_s if isinstance(error, EngineUnavailable) else None
        if state.attempt_number >= self._rules.attempts:
            return True
        if named is not None and self.is_too_long(named):
            return True
        if self._clock.monotonic() + state.upcoming_sleep >= until:
            return True
        return not self._spend_one()

    def _spend_one(self) -> bool:
        with self._lock:
            self._budget -= 1
            return self._budget >= 0
