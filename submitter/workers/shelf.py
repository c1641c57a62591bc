"""Open parts that a worker's jobs take in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from submitter.core.fleet import Fleet
from submitter.wiring import Wiring

FRESH_S: Final = 60.0
"""Everything is opened anew after so long, so that a worker sees when a newer program has moved
the tables on, or a secret has another value."""


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    wiring: Wiring
    opened_s: float


class WiringShelf:
    """Opening a ledger takes as long as a look at a small site, and logging in at an engine longer
    than a call there; so they are kept for the next job, with the connections to sites. Each job
    has its wiring alone."""

    def __init__(self, open_wiring: Callable[[Fleet], Wiring], *, fresh_s: float = FRESH_S) -> None:
        self._open_wiring, self._fresh_s = open_wiring, fresh_s
        self._lock = threading.Lock()
        self._idle: list[_Kept] = []
        self._refused_s = float("-inf")
        """What was opened before may hold a secret that an engine refused meanwhile."""

    @contextmanager
    def taken(self, fleet: Fleet) -> Iterator[Wiring]:
        """The wiring of this very inventory, for one job. It is closed after an error, and when
        the job leaves it unfit for another: whoever was told to stop does not sleep any more."""
        kept = self._find(fleet) or _Kept(self._open_wiring(fleet), monotonic())
        is_good = False
        try:
            yield kept.wiring
            is_good = not kept.wiring.stop.is_set()
        finally:
            self._put_back(kept, is_good)

    def _put_back(self, kept: _Kept, is_good: bool) -> None:
        with self._lock:
            if kept.wiring.was_refused:
                self._refused_s = monotonic()
            if is_good and self._is_fit(kept):
                self._idle.append(kept)
                return
        kept.wiring.close()

    def tidy(self) -> None:
        """Close those that no job will take any more."""
        self._close_idle(lambda kept: not self._is_fit(kept))

    def close(self) -> None:
        """Close those that no job has."""
        self._close_idle(lambda kept: True)

    def _close_idle(self, is_over: Callable[[_Kept], bool]) -> None:
        with self._lock:
            over = [kept for kept in self._idle if is_over(kept)]
            self._idle = [kept for kept in self._idle if kept not in over]
        for kept in over:
            kept.wiring.close()

    def _is_fit(self, kept: _Kept) -> bool:
        return kept.opened_s > self._refused_s and monotonic() - kept.opened_s < self._fresh_s

    def _find(self, fleet: Fleet) -> _Kept | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                kept = self._idle.pop()
            if kept.wiring.fleet is fleet and self._is_fit(kept):
                return kept
            kept.wiring.close()
