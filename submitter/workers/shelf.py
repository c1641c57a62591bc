"""Ledgers that a worker's jobs take in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from submitter.core.fleet import Fleet
from submitter.ports import Ledger
from submitter.wiring import Wiring

FRESH_S: Final = 60.0
"""A ledger is opened anew after so long, so that a worker sees when a newer program has moved the
tables on, or a secret has another value."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """An open ledger, with the wiring that closes it."""

    wiring: Wiring
    of: tuple[str, str]
    opened_s: float


class LedgerShelf:
    """Opening a ledger, with all that its statements cost the first time, takes as long as a look
    at a small site; so it is kept for the next job. Each job has one alone."""

    def __init__(self, open_wiring: Callable[[Fleet], Wiring], *, fresh_s: float = FRESH_S) -> None:
        self._open_wiring, self._fresh_s = open_wiring, fresh_s
        self._lock = threading.Lock()
        self._idle: list[_Kept] = []

    @contextmanager
    def taken(self, fleet: Fleet) -> Iterator[Ledger]:
        """The ledger of this inventory, for one job. After an error it is not used again. Raises
        LedgerError, ConfigError."""
        kept = self._find(fleet) or self._open(fleet)
        try:
            yield kept.wiring.ledger
        except BaseException:
            kept.wiring.close()
            raise
        with self._lock:
            self._idle.append(kept)

    def close(self) -> None:
        """Close those that no job has."""
        with self._lock:
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.wiring.close()

    def _find(self, fleet: Fleet) -> _Kept | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                kept = self._idle.pop()
            if kept.of == _name_of(fleet) and monotonic() - kept.opened_s < self._fresh_s:
                return kept
            kept.wiring.close()

    def _open(self, fleet: Fleet) -> _Kept:
        return _Kept(self._open_wiring(fleet), _name_of(fleet), monotonic())


def _name_of(fleet: Fleet) -> tuple[str, str]:
    return fleet.ledger, fleet.name
