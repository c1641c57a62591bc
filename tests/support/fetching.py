"""What tests of sources share: a clock that need not be waited for, and sites on a test server."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from submitter.core.fleet import FetchRules, Site
from support.fault_server import FaultServer

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class PatientClock:
    """Real sockets need real time; sleeping moves this clock ahead at once instead."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._ahead = 0.0

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.move(seconds)

    def move(self, seconds: float) -> None:
        self._ahead += seconds


def make_site(
    server: FaultServer, *, allow_private: tuple[str, ...] = ("127.0.0.0/8",), **rules: object
) -> Site:
    """A site that lives on the server. `rules` are those of `FetchRules`."""
    patience: dict[str, object] = {"timeout_s": 5.0, "max_bytes": 1_000_000}
    return Site(
        server.authority,
        scheme=server.url().partition(":")[0],
        allow_private=allow_private,
        fetch=FetchRules(**(patience | rules)),  # type: ignore[arg-type]  # named by the tests
    )
