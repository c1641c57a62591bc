"""The rate limiter of one account, shared by all its threads."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime

from submitter.core.fleet import Limits
from submitter.core.limiter import PermitLog, windows_of
from submitter.ports import Clock


class AccountPermits:
    """Implements `ports.Permits`: a permit is reserved under the lock and awaited outside it.

    `recent` are the wall times of the account's latest calls, made by earlier processes too, so
    that a second run within the minute does not break the minute.
    """

    def __init__(self, limits: Limits, clock: Clock, *, recent: Iterable[datetime] = ()) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._closings = 0
        now, monotonic = clock.now(), clock.monotonic()
        ages = (max(0.0, (now - at).total_seconds()) for at in recent)
        self._log = PermitLog(windows_of(limits), (monotonic - age for age in ages))

    def acquire(self, *, until: float) -> bool:
        """Wait for a permit. False (and no permit taken) if none can be had before the
        monotonic time `until`."""
        while True:
            with self._lock:
                now = self._clock.monotonic()
                at = self._log.earliest(now)
                if at > until:
                    return False
                self._log.book(at)
                closings = self._closings
            if at <= now:
                return True
            self._clock.sleep(at - now)
            if self._still_ours(closings):
                return True

    def penalize(self, seconds: float) -> None:
        """Give no permit for so long, also to those who wait for a reserved one."""
        with self._lock:
            now = self._clock.monotonic()
            self._log.close(now + seconds, now=now)
            self._closings += 1

    def _still_ours(self, closings: int) -> bool:
        """False when a penalty took the reservation back while we slept."""
        with self._lock:
            return closings == self._closings
