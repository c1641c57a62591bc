"""The sandbox's own time, which tests move without touching the client's clock."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


class SandboxClock:
    """Real time plus what it was moved by, or a moment that stands still until it is moved.

    The sandbox plays a machine far away, so like a face it asks the system for the time here, and
    only here. Safe to move from any thread.
    """

    def __init__(self, *, frozen_at: datetime | None = None) -> None:
        self._lock = threading.Lock()
        self._frozen_at = frozen_at.astimezone(UTC) if frozen_at else None
        self._moved = timedelta()
        self._forward_s = 0.0

    def now(self) -> datetime:
        """Aware UTC."""
        with self._lock:
            return (self._frozen_at or self.outside()) + self._moved

    def monotonic(self) -> float:
        """Seconds for windows and life times: grows by every move ahead, never goes back."""
        with self._lock:
            return (0.0 if self._frozen_at else time.monotonic()) + self._forward_s

    def outside(self) -> datetime:
        """The time outside the sandbox: what a signed assertion of a client is judged by."""
        return datetime.fromtimestamp(time.time(), UTC)

    def advance(self, seconds: float) -> None:
        """Move by so many seconds; a negative number is a clock set back."""
        with self._lock:
            self._moved += timedelta(seconds=seconds)
            self._forward_s += max(seconds, 0.0)

    def move_to(self, at: datetime) -> None:
        self.advance((at - self.now()).total_seconds())

    def move_past_midnight(self, zone: str) -> datetime:
        """Move to one second after the next midnight of an IANA zone and return that moment."""
        local = self.now().astimezone(ZoneInfo(zone))
        tomorrow = local.date() + timedelta(days=1)
        at = datetime(
            tomorrow.year, tomorrow.month, tomorrow.day, second=1, tzinfo=ZoneInfo(zone)
        ).astimezone(UTC)
        self.move_to(at)
        return at
