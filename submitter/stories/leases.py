"""Holding the ledger while working on it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, Protocol

from submitter.errors import LeaseLost, LedgerBusy, LedgerError
from submitter.ports import Clock, Lease
from submitter.stories.run_request import RunRequest, Tools

log = logging.getLogger(__name__)

LEASE: Final = "run"
LEASE_TTL_S: Final = 90.0


@contextmanager
def held_lease(request: RunRequest, tools: Tools) -> Iterator[Lease]:
    """Hold the ledger, or the request's part of its work, for the time of the block; a heartbeat
    keeps the lease alive."""
    lease = acquire(
        f"{LEASE}/{request.part}" if request.part else LEASE,
        request.owner,
        ttl_s=LEASE_TTL_S,
        tools=tools,
        wait_s=request.wait_s,
    )
    stop_beating = threading.Event()
    beat = threading.Thread(
        target=keep_alive, args=(lease, tools, stop_beating), name="lease", daemon=True
    )
    beat.start()
    try:
        yield lease
    finally:
        stop_beating.set()
        beat.join()
        tools.ledger.release(lease)


class _Leases(Protocol):
    """Who gives leases: a ledger."""

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease: ...


class _Waiting(Protocol):
    """What waiting for a lease takes."""

    @property
    def ledger(self) -> _Leases: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def stop(self) -> threading.Event: ...


def acquire(name: str, owner: str, *, ttl_s: float, tools: _Waiting, wait_s: float) -> Lease:
    """Take a lease; while another holds it, wait so long. Raises LedgerBusy, LedgerError."""
    clock = tools.clock
    give_up_at = clock.monotonic() + wait_s
    while True:
        try:
            return tools.ledger.acquire(name, owner, ttl_s=ttl_s, now=clock.now())
        except LedgerBusy:
            if clock.monotonic() >= give_up_at or tools.stop.is_set():
                raise
            clock.sleep(min(1.0, max(0.05, give_up_at - clock.monotonic())))


def keep_alive(lease: Lease, tools: Tools, finished: threading.Event) -> None:
    """Renew the lease until `finished`; tells the run to stop where another has taken it."""
    while not finished.wait(tools.rules.beat_s):
        try:
            lease = tools.ledger.renew(lease, ttl_s=LEASE_TTL_S, now=tools.clock.now())
        except LeaseLost:
            log.error("the ledger's lease was taken by another run; this one stops")
            tools.stop.set()
            return
        except LedgerError as problem:
            log.warning(
                "the ledger's lease could not be renewed, which is tried again: %s", problem
            )
