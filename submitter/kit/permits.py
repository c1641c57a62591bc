"""The rate limiter of one account, shared by all its threads, or by all workers."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from submitter.core.fleet import Limits
from submitter.core.limiter import LONGEST_WAY_S, PermitLog, windows_of
from submitter.ports import Clock, WorkBook

_EARLY_S = 0.01
"""A sleep that ends so much too soon was cut short: the run is told to stop."""
CLOCKS_APART_S = 0.1
"""Clocks of workers that are kept by a time service differ by less."""
_TICK_S = 1e-6
"""Nobody sleeps for less."""


class AccountPermits:
    """Implements `ports.Permits`: decides under the lock, sleeps outside it.

    A thread that asks for a permit has the answer to its last call. `recent` are the wall times
    of the account's latest calls, made by earlier processes too, so that a second run within the
    minute does not break the minute.
    """

    def __init__(self, limits: Limits, clock: Clock, *, recent: Iterable[datetime] = ()) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        now, monotonic = clock.now(), clock.monotonic()
        ages = ((now - at).total_seconds() - LONGEST_WAY_S for at in recent)
        self._log = PermitLog(windows_of(limits), (monotonic - max(0.0, age) for age in ages))

    def acquire(self, *, until: float) -> bool:
        """Wait for a permit. False (and no permit taken) if none can be had before the
        monotonic time `until`, or the clock's sleep is cut short."""
        me = threading.get_ident()
        while True:
            with self._lock:
                now = self._clock.monotonic()
                self._log.take_back(me, now)
                at = self._log.earliest(now)
                if at - now < _TICK_S:
                    self._log.give(me, now)
                    return True
            if at > until:
                return False
            self._clock.sleep(at - now)
            if self._clock.monotonic() < at - _EARLY_S:
                return False

    def penalize(self, seconds: float) -> None:
        """Give no permit for so long, also to those who are waiting."""
        with self._lock:
            self._log.close(self._clock.monotonic() + seconds)


class SharedPermits:
    """Implements `ports.Permits` over a book that all workers share; `worker` names this one.

    The book counts in wall time, so the workers' clocks have to be kept by a time service; every
    window is longer by what such clocks may be apart.
    """

    def __init__(
        self, limits: Limits, clock: Clock, book: WorkBook, *, account: str, worker: str
    ) -> None:
        self._windows = tuple(
            replace(one, seconds=one.seconds + CLOCKS_APART_S) for one in windows_of(limits)
        )
        self._clock, self._book = clock, book
        self._account, self._worker = account, worker
        self._turn = threading.Lock()

    def acquire(self, *, until: float) -> bool:
        """As `AccountPermits.acquire`. One thread at a time asks the book, and waits for it."""
        patience_s = until - self._clock.monotonic()
        if not self._turn.acquire(timeout=max(0.0, min(patience_s, threading.TIMEOUT_MAX))):
            return False
        try:
            return self._ask(f"{self._worker} {threading.get_ident()}", until)
        finally:
            self._turn.release()

    def _ask(self, holder: str, until: float) -> bool:
        while True:
            wait_s = self._book.take_permit(
                self._account, self._windows, holder=holder, now=self._clock.now()
            )
            if wait_s <= 0:
                return True
            at = self._clock.monotonic() + wait_s
            if at > until:
                return False
            self._clock.sleep(wait_s)
            if self._clock.monotonic() < at - _EARLY_S:
                return False

    def penalize(self, seconds: float) -> None:
        until = self._clock.now() + timedelta(seconds=seconds)
        self._book.close_permits(self._account, until=until)
