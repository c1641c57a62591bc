"""One call of the command line: its global options, and the parts it works with."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from submitter.core.redaction import Redactor

if TYPE_CHECKING:
    from submitter.cli.signals import StopSignal
    from submitter.core.fleet import Fleet
    from submitter.ports import Progress
    from submitter.wiring import Wiring
    from submitter.workers.hands import Place


@dataclass(slots=True)
class Invocation:
    """`started` is the monotonic time that `--deadline` counts from; `exit_code` what the call
    will end with, known before its report is printed."""

    started: float = field(default_factory=time.monotonic)
    inventory: Path = Path("inventory.yaml")
    inventory_named: bool = False
    """True: by an option or a variable, so it has to be there."""
    ledger: str | None = None
    verbosity: int = 0
    redactor: Redactor = field(default_factory=Redactor)
    exit_code: int = 0

    @property
    def environ(self) -> Mapping[str, str]:
        return os.environ

    def until(self, deadline_s: float | None) -> float:
        """The deadline as a monotonic time."""
        return float("inf") if deadline_s is None else self.started + deadline_s

    def load_fleet(self) -> Fleet:
        """The inventory. Raises ConfigError."""
        from submitter.wiring import load_fleet

        return load_fleet(self.inventory, ledger=self.ledger)

    @contextmanager
    def wiring(
        self,
        fleet: Fleet,
        *,
        progress: Progress | None = None,
        stopped: StopSignal | None = None,
    ) -> Iterator[Wiring]:
        """The parts, opened on first use and closed at the end."""
        from submitter.wiring import Wiring

        parts = Wiring(
            fleet,
            environ=self.environ,
            progress=progress,
            stop=stopped.event if stopped else None,
            signal=lambda: stopped.number if stopped else None,
            found_secret=self.redactor.add,
        )
        try:
            yield parts
        finally:
            parts.close()

    def worker_place(self, stop: threading.Event | None = None) -> Place:
        """Where a worker of this call works."""
        from submitter.kit.owners import this_owner
        from submitter.workers.hands import Place

        return Place(
            inventory=self.inventory,
            ledger=self.ledger,
            environ=self.environ,
            owner=this_owner(),
            stop=stop or threading.Event(),
            found_secret=self.redactor.add,
        )

    @contextmanager
    def working(self, fleet: Fleet) -> Iterator[tuple[Wiring, StopSignal]]:
        """As `wiring`, for long work: with progress on a terminal, and stopped by a signal."""
        from submitter.cli.progress import make_progress
        from submitter.cli.signals import stopping

        with (
            stopping() as stopped,
            self.wiring(fleet, progress=make_progress(), stopped=stopped) as parts,
        ):
            yield parts, stopped


def now() -> datetime:
    """This moment, for reports and for times that a person gives relative to it."""
    return datetime.now(UTC)


def new_run_id() -> str:
    """`20261130T164300Z-ab12cd`: when, and six digits that no other run has."""
    return f"{now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
