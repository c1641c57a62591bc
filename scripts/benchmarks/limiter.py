"""500 properties on one account against the sandbox's limiter, beside what the limits alone take.

Time runs `--speed` times as fast on both sides, so that the benchmark takes seconds and the limits
stay Google's (20 a second, 200 a minute); the sandbox is a process of its own, as an engine is.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import os
import tempfile
import time
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import yaml

from submitter.kit.clock import SystemClock
from submitter.kit.owners import this_owner
from submitter.stories.run_request import RunRequest
from submitter.stories.runs import run_fleet
from submitter.wiring import Wiring, load_fleet

PER_SECOND, PER_MINUTE = 20, 200


class FastClock(SystemClock):
    """A clock on which everything that is ours goes `speed` times as fast."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self._speed, self._began, self._origin = speed, super().now(), super().monotonic()

    def now(self) -> datetime:
        return self._began + timedelta(seconds=self.monotonic() - self._origin)

    def monotonic(self) -> float:
        elapsed = super().monotonic() - self._origin
        return self._origin + elapsed * self._speed

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds / self._speed)


def serve(directory: str, sites: int, speed: float, pipe: Connection) -> None:
    """A sandbox with so many one-page sites, each a property of its own."""
    from submitter.sandbox import Role, Sandbox

    with Sandbox() as sandbox:
        inventory = sandbox.write_demo(Path(directory))
        added = sandbox.fleet.add_sites(sites, 1)
        names = [sandbox.fleet.site(name).host for name in added]
        account = next(iter(sandbox.google.accounts))
        for host in names:
            sandbox.google.grant(account, f"http://{host}/", Role.OWNER)
        sandbox.google.set_limits(PER_SECOND, PER_MINUTE, speed=speed)
        rewrite(inventory, names, sandbox.address)
        pipe.send("ready")
        pipe.recv()
        pipe.send((sandbox.google.book.count(code="too-fast"), sandbox.google.book.count()))


def rewrite(inventory: Path, hosts: list[str], address: str) -> None:
    document = yaml.safe_load(inventory.read_text())
    google = document["accounts"]["google"]
    document["accounts"] = {"google": google}
    document["fetch"] = {"connect_to": {f"{host}:80": address for host in hosts}}
    document["defaults"]["sitemaps"] = "robots"
    [site] = document["sites"]
    site.update(domain="bulk.test", google_property="host", subdomains=hosts)
    site.pop("sections", None)
    inventory.write_text(yaml.safe_dump(document))


def bound_s(calls: int, speed: float) -> float:
    """The least time in which the limits alone let so many calls begin."""
    minutes, rest = divmod(calls - 1, PER_MINUTE)
    return (minutes * 60 + rest / PER_SECOND) / speed


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--sites", type=int, default=500)
    options.add_argument("--speed", type=float, default=10.0)
    chosen = options.parse_args()
    ours, theirs = mp.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        server = mp.get_context("spawn").Process(
            target=serve, args=(folder, chosen.sites, chosen.speed, theirs), daemon=True
        )
        server.start()
        if not ours.poll(60):
            raise SystemExit("the sandbox did not start")
        ours.recv()
        measure(Path(folder, "inventory.yaml"), chosen.speed)
        ours.send("stop")
        refused, calls = ours.recv()
        server.join()
    print(f"calls at the engine     {calls}, of them refused for rate: {refused}")


def measure(inventory: Path, speed: float) -> None:
    fleet = load_fleet(inventory)
    wiring = Wiring(fleet, environ=os.environ, clock=FastClock(speed))
    request = RunRequest("bench", fleet, fleet.targets(), this_owner(), verify=False)
    sending: list[float] = []

    class Watch:
        def start(self, title: str, total: int | None) -> None:
            if title == "sending":
                sending.append(time.monotonic())

        def advance(self, steps: int = 1) -> None: ...

        def stop(self) -> None:
            if len(sending) == 1:
                sending.append(time.monotonic())

    wiring.progress = Watch()
    report = run_fleet(request, wiring.tools())
    wiring.close()
    assert report.exit_code == 0, report.summary["counts"]
    took, calls = sending[1] - sending[0], len(fleet.sites) + 1
    bound = bound_s(calls, speed)
    print(f"{len(fleet.sites)} properties, 1 account  {took * speed:6.1f} s ({speed:g} x as fast)")
    print(f"the limits alone        {bound * speed:6.1f} s, ratio {took / bound:.3f}")


if __name__ == "__main__":
    main()
