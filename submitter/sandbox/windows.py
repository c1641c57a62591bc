"""True sliding windows: never more than so many calls in any stretch of so many seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    calls: int
    seconds: float
    name: str = ""


class SlidingWindows:
    """Counts what was let through; a refused call takes no place. Not thread-safe by itself."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self._windows = tuple(windows)
        self._taken: deque[float] = deque(maxlen=max((w.calls for w in windows), default=0))

    def take(self, at: float) -> Window | None:
        """None: there was room, and it is taken. Otherwise the window that is full.

        Calls that arrived together may be counted in another order; time still never goes back.
        """
        at = max(at, self._taken[-1]) if self._taken else at
        for window in self._windows:
            if self._is_full(window, at):
                return window
        self._taken.append(at)
        return None

    def _is_full(self, window: Window, at: float) -> bool:
        if window.calls < 1:
            return True
        if len(self._taken) < window.calls:
            return False
        return at - self._taken[-window.calls] < window.seconds
