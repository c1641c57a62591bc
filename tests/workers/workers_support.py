"""A world of sites whose memory is on PostgreSQL and whose work is done by workers."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from submitter.core.accounting import ExitCode
from submitter.core.jobs import Errand
from submitter.ledger import open_ledger
from submitter.ports import Ledger
from submitter.workers.calling import enqueue, run_worker
from submitter.workers.hands import Hands, Place
from submitter.workers.working import Rhythm
from support.whole import World

PATIENCE_S = 240.0
DRAIN = Rhythm(loops=2, drain=True, poll_s=0.05, takeover_s=3.0)


@dataclass
class Yard:
    """The world, the address of its ledger, and ways to put work in and have it done."""

    world: World
    url: str
    closing: ExitStack

    @property
    def inventory(self) -> Path:
        return self.world.write()

    def place(self, owner: str = "here") -> Place:
        return Place(self.inventory, self.url, {}, owner, threading.Event())

    def hands(self, place: Place | None = None) -> Hands:
        """Closed at the end of the test."""
        return self.closing.enter_context(closing(Hands(place or self.place())))

    def enqueue(self, run: str = "errand-1", **errand: object) -> dict[str, int]:
        return enqueue(Errand(run, **errand), self.place(), self.url)  # type: ignore[arg-type]

    def drain(self) -> ExitCode:
        return run_worker(self.place(), self.url, DRAIN)

    @contextmanager
    def process(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """`submitter worker` as a process of its own; gone after the block."""
        worker = subprocess.Popen(
            [
                *(sys.executable, "-m", "submitter", "-i", str(self.inventory)),
                *("--ledger", self.url, "worker", "--takeover", "3", *options),
            ],
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield worker
        finally:
            if worker.poll() is None:
                worker.kill()
            worker.wait(PATIENCE_S)

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        ledger = open_ledger(self.url)
        try:
            yield ledger
        finally:
            ledger.close()

    def pushed(self) -> list[str]:
        """Every page that Baidu took, as often as it took it."""
        return list(self.world.sandbox.baidu.book.accepted("push"))

    def submitted(self) -> list[str]:
        """Every sitemap that Google took, as often as it took it."""
        return list(self.world.sandbox.google.book.accepted("sitemaps.submit"))


def wait_until(holds: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < give_up_at, "it did not happen"
        time.sleep(0.05)
