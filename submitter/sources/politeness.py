"""How hard we may press one host: parallel connections, and pauses when it asks for them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from submitter.ports import Clock
from submitter.sources.deadlines import Deadline

FIRST_GAP_S: Final = 1.0
"""Least time between two requests to a host that has just said 429 or 503."""
LONGEST_GAP_S: Final = 30.0
REMEMBERED_HOSTS: Final = 4_096
"""A hostile redirect can name any number of hosts; those at rest are forgotten beyond this."""


@dataclass(slots=True)
class _Host:
    busy: int = 0
    waiting: int = 0
    gap_s: float = 0.0
    free_at: float = -math.inf
    """Monotonic time before which no request starts."""

    def at_rest(self, now: float) -> bool:
        return not (self.busy or self.waiting) and self.free_at <= now


class Pacer:
    """Gives out the right to talk to a host. Thread-safe.

    A host that said 429 or 503 gets fewer requests a second: the gap between two doubles with each
    such answer and halves with each good one.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._hosts: dict[str, _Host] = {}

    def enter(self, name: str, *, parallel: int, deadline: Deadline) -> Callable[[], None]:
        """Wait for a place at the host; call what comes back to leave it, once.

        Raises FetchError when there is no place (`host-busy`) or no peace (`host-paused`) in time.
        """
        with self._changed:
            host = self._admit(name, max(parallel, 1), deadline)
            now = self._clock.monotonic()
            wait_s = max(host.free_at - now, 0.0)
            if wait_s >= deadline.check("host-busy"):
                raise deadline.failure("host-paused", retry_after_s=wait_s)
            host.free_at = now + wait_s + host.gap_s
            host.busy += 1
        if wait_s:
            self._clock.sleep(wait_s)
        return lambda: self._leave(host)

    def slow_down(self, name: str, asked_s: float | None) -> float:
        """The host said 429 or 503: pause, and take it slower from then on. Returns the pause."""
        with self._changed:
            host = self._hosts.setdefault(name, _Host())
            host.gap_s = min(max(host.gap_s * 2, FIRST_GAP_S), LONGEST_GAP_S)
            pause_s = max(asked_s or 0.0, host.gap_s)
            host.free_at = max(host.free_at, self._clock.monotonic() + pause_s)
        return pause_s

    def speed_up(self, name: str) -> None:
        """The host answered well."""
        with self._changed:
            host = self._hosts.get(name)
            if host is not None and host.gap_s:
                host.gap_s = host.gap_s / 2 if host.gap_s > FIRST_GAP_S / 4 else 0.0

    def _admit(self, name: str, parallel: int, deadline: Deadline) -> _Host:
        self._forget()
        host = self._hosts.setdefault(name, _Host())
        host.waiting += 1
        try:
            while host.busy >= parallel:
                left_s = deadline.left_s()
                if left_s <= 0 or not self._changed.wait(left_s):
                    raise deadline.failure("host-busy")
        finally:
            host.waiting -= 1
        return host

    def _leave(self, host: _Host) -> None:
        with self._changed:
            host.busy -= 1
            self._changed.notify_all()

    def _forget(self) -> None:
        if len(self._hosts) > REMEMBERED_HOSTS:
            now = self._clock.monotonic()
            self._hosts = {n: host for n, host in self._hosts.items() if not host.at_rest(now)}
