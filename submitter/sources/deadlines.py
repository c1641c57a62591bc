"""When one fetch must be over, whatever the other side does."""

from __future__ import annotations

from typing import Final

from submitter.errors import FetchError
from submitter.ports import Clock
from submitter.sources.reasons import failure

_PROBLEMS: Final = {
    "dns-timeout": "the name service did not answer in time",
    "connect-timeout": "no connection in time",
    "timeout": "no answer within {limit_s:g} s",
    "too-slow": "not whole within {limit_s:g} s",
    "host-busy": "our other connections to this host left no room in time",
    "host-paused": "the host wants us to wait for {retry_after_s:.0f} s",
}


class Deadline:
    """The site's total time limit for one document, cut short by the run's own deadline."""

    def __init__(self, clock: Clock, url: str, *, limit_s: float, until: float | None) -> None:
        self._clock, self._url, self._limit_s, self._until = clock, url, limit_s, until
        self._ends_at = clock.monotonic() + limit_s

    def left_s(self) -> float:
        """Seconds left, negative when it is over."""
        ends_at = self._ends_at if self._until is None else min(self._ends_at, self._until)
        return ends_at - self._clock.monotonic()

    def check(self, reason: str) -> float:
        """Seconds left; raises FetchError with the reason when there are none."""
        left_s = self.left_s()
        if left_s <= 0:
            raise self.failure(reason)
        return left_s

    def lend(self, seconds: float) -> None:
        """Give back what our own reader took: the site is not slow because we are."""
        self._ends_at += seconds

    def failure(self, reason: str, *, retry_after_s: float | None = None) -> FetchError:
        """What to raise for running out of time; `deadline` when it was the run's, not the
        site's."""
        if self._until is not None and self._until <= self._ends_at and retry_after_s is None:
            return failure(self._url, "deadline", "the run's deadline came first")
        problem = _PROBLEMS[reason].format(limit_s=self._limit_s, retry_after_s=retry_after_s or 0)
        return failure(self._url, reason, problem, retry_after_s=retry_after_s)
