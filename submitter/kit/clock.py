"""The real clock. Sleeping ends early when the run is told to stop."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime


class SystemClock:
    """Implements `ports.Clock`."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self._stop = stop or threading.Event()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._stop.wait(seconds)
