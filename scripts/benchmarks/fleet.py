"""A large fleet told by several workers over several accounts, beside what the limits alone take.

    python -m scripts.benchmarks.fleet [--sites 5000] [--speed 5] [--accounts 1,2,4]
        [--workers 1,2,4] [--no-takeover]

Makes so many subdomains of two sitemaps each, a sandbox with Google's real limits (20 calls a
second and 200 a minute for each account), a PostgreSQL server, and worker processes. Time runs
`--speed` times as fast on all sides. Prints for each case how long sending took beside the least
that the limits allow, calls refused for rate, what the database did for each call, and at last how
long it takes until the jobs of a killed worker are under way again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psycopg
import yaml

from scripts.benchmarks.limiter import PER_MINUTE, PER_SECOND, bound_s
from submitter.core.jobs import Errand
from submitter.kit.clock import SystemClock
from submitter.kit.owners import this_owner
from submitter.ledger import open_ledger
from submitter.sending.channels import RunRules
from submitter.workers.calling import enqueue, run_worker
from submitter.workers.hands import Place
from submitter.workers.working import Rhythm

ROOT = Path(__file__).resolve().parent.parent.parent
DOMAIN = "bulk.test"
PATIENCE_S = 3600
TAKEOVER_S = 6.0
PAGES = 3


class FleetClock(SystemClock):
    """Time that goes `speed` times as fast since `epoch`, the same in every process."""

    def __init__(self, speed: float, epoch: float) -> None:
        super().__init__()
        self._speed, self._epoch = speed, epoch

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._epoch, UTC) + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return (time.time() - self._epoch) * self._speed

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds / self._speed)


@dataclass(frozen=True)
class Case:
    """One measured arrangement."""

    sites: int
    accounts: int
    workers: int
    speed: float


# ---------------------------------------------------------------- the engine's side


def serve(folder: str, case: Case, pipe: Connection) -> None:
    """A sandbox with the fleet; answers `count` with (calls, refused for rate)."""
    from submitter.sandbox import Role, Sandbox
    from submitter.sandbox.fleet_pages import Section

    with Sandbox() as sandbox:
        emails = [f"a{n}@sandbox-project.iam.gserviceaccount.com" for n in range(case.accounts)]
        for number, email in enumerate(emails):
            sandbox.google.add_account(email)
            sandbox.google.grant(email, f"sc-domain:{DOMAIN}", Role.OWNER)
            key = Path(folder, f"a{number}.json")
            key.touch(mode=0o600)
            key.write_text(json.dumps(sandbox.google.key_file(email)))
        hosts = [f"s{number:05d}.{DOMAIN}" for number in range(case.sites)]
        for host in hosts:
            halves = [Section(n, PAGES, f"/{n}/{{word}}-{{n}}", file=f"/{n}.xml") for n in "ab"]
            sandbox.fleet.add_site(host, *halves, index=None)
        sandbox.google.set_limits(PER_SECOND, PER_MINUTE, speed=case.speed)
        write_inventory(Path(folder), hosts, case, sandbox.google.endpoint, sandbox.address)
        pipe.send("ready")
        while pipe.recv() == "count":
            book = sandbox.google.book
            pipe.send((len(list(book.accepted("sitemaps.submit"))), book.count(code="too-fast")))


def write_inventory(
    folder: Path, hosts: list[str], case: Case, endpoint: str, address: str
) -> None:
    accounts = {
        f"gsc-{n}": {"engine": "google", "credentials": f"file:a{n}.json", "endpoint": endpoint}
        for n in range(case.accounts)
    }
    document = {
        "version": 1,
        "name": "bench",
        "accounts": accounts,
        "fetch": {"connect_to": {f"{host}:80": address for host in hosts}},
        "defaults": {
            "scheme": "http",
            "google_property": "domain",
            "prelaunch": "off",
            "sitemaps": ["http://{host}/a.xml", "http://{host}/b.xml"],
        },
        "sites": [
            {
                "domain": DOMAIN,
                "allow_private": ["127.0.0.0/8"],
                "subdomains": [
                    {"host": host, "accounts": [f"gsc-{number % case.accounts}"]}
                    for number, host in enumerate(hosts)
                ],
            }
        ],
    }
    folder.joinpath("inventory.yaml").write_text(yaml.safe_dump(document))


@contextmanager
def engine(folder: str, case: Case) -> Iterator[Connection]:
    ours, theirs = mp.Pipe()
    server = mp.get_context("spawn").Process(target=serve, args=(folder, case, theirs), daemon=True)
    server.start()
    if not ours.poll(120) or ours.recv() != "ready":
        raise SystemExit("the sandbox did not start")
    try:
        yield ours
    finally:
        ours.send("stop")
        server.join(30)


def counted(pipe: Connection) -> tuple[int, int]:
    pipe.send("count")
    if not pipe.poll(60):
        raise SystemExit("the sandbox does not answer")
    calls, refused = pipe.recv()
    return calls, refused


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty database on a server of our own."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.postgres import database, own_server

    with own_server() as server, database(server.url) as url:
        yield url


# ---------------------------------------------------------------- workers


def work(folder: str, url: str, speed: float, epoch: float, *, drain: bool) -> None:
    """The main function of a worker process."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    clock = FleetClock(speed, epoch)
    rules = RunRules(beat_s=30.0 / speed)
    inventory = Path(folder, "inventory.yaml")
    place = Place(inventory, url, os.environ, this_owner(), stop, rules=rules, clock=clock)
    run_worker(place, url, Rhythm(loops=4, drain=drain, poll_s=0.2, takeover_s=TAKEOVER_S))


def start_worker(folder: str, url: str, case: Case, epoch: float) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "scripts.benchmarks.fleet", "--work", folder, url]
    words += [str(case.speed), repr(epoch)]
    return subprocess.Popen(words, cwd=ROOT)


def put_in(folder: str, url: str, case: Case, epoch: float) -> None:
    place = Place(
        Path(folder, "inventory.yaml"), url, os.environ, "bench",
        clock=FleetClock(case.speed, epoch),
    )  # fmt: skip
    open_ledger(url).close()
    enqueue(Errand("bench", verify=False), place, url)


def statements(url: str) -> tuple[int, int]:
    """(transactions, rows touched) of the database so far."""
    with psycopg.connect(url, autocommit=True) as session:
        row = session.execute(
            "SELECT xact_commit, tup_inserted + tup_updated + tup_deleted"
            " FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return row[0], row[1]


def times(url: str) -> tuple[datetime, datetime, int]:
    """When the first and the last call were sent, and how many there were."""
    with psycopg.connect(url) as session:
        row = session.execute("SELECT min(sent_at), max(sent_at), count(*) FROM attempt").fetchone()
    assert row is not None
    return (*(datetime.fromtimestamp(at / 1e6, UTC) for at in row[:2]), row[2])


def measure(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder, engine(folder, case) as pipe, postgres() as url:
        epoch = time.time()
        put_in(folder, url, case, epoch)
        before, began = statements(url), time.monotonic()
        workers = [start_worker(folder, url, case, epoch) for _ in range(case.workers)]
        for worker in workers:
            worker.wait(PATIENCE_S)
        took = time.monotonic() - began
        calls, refused = counted(pipe)
        first, last, rows = times(url)
        after = statements(url)
    assert calls == 2 * case.sites, calls
    again = rows - calls
    sending = (last - first).total_seconds()
    bound = bound_s(-(-calls // case.accounts), 1.0)
    print(
        f"{case.accounts:8} {case.workers:7} {calls:7,} {sending:9.1f} {bound:9.1f}"
        f" {sending / bound if bound else 0:6.3f} {refused:7} {again:5} {took * case.speed:9.1f}"
        f" {(after[0] - before[0]) / calls:9.1f} {(after[1] - before[1]) / calls:9.1f}",
        flush=True,
    )


def measure_takeover(case: Case) -> None:
    """Kill one of two workers in the middle; how long until its jobs go on, in real seconds."""
    with tempfile.TemporaryDirectory() as folder, engine(folder, case) as pipe, postgres() as url:
        epoch = time.time()
        put_in(folder, url, case, epoch)
        victim = start_worker(folder, url, case, epoch)
        while counted(pipe)[0] < case.sites // 4:
            time.sleep(0.1)
        [victims] = ask(url, "SELECT array_agg(id) FROM procrastinate_workers")
        heir = start_worker(folder, url, case, epoch)
        while not ask(url, "SELECT 1 FROM procrastinate_workers WHERE id <> ALL(%s)", victims):
            time.sleep(0.05)
        [left] = ask(url, HELD, victims)
        victim.kill()
        killed = time.monotonic()
        while ask(url, HELD, victims)[0]:
            time.sleep(0.05)
        took = time.monotonic() - killed
        heir.wait(PATIENCE_S)
        calls, refused = counted(pipe)
    print(f"takeover of {left} jobs after {took:.1f} s", end=" ")
    print(f"(a silent worker is given {TAKEOVER_S:g} s);", end=" ")
    print(f"{calls:,} calls for {2 * case.sites:,} sitemaps, refused for rate: {refused}")


HELD = """
    SELECT count(*) FROM procrastinate_jobs
    WHERE status = 'doing' AND (worker_id IS NULL OR worker_id = ANY(%s))
"""
"""Jobs that these workers, or one whose row is gone, have under way."""


def ask(url: str, query: str, *values: object) -> tuple[Any, ...]:
    """The first row; empty when there is none."""
    with psycopg.connect(url) as session:
        return session.execute(query.encode(), values).fetchone() or ()


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--sites", type=int, default=5000)
    options.add_argument("--speed", type=float, default=5.0)
    options.add_argument("--accounts", type=numbers, default=[1, 2, 4])
    options.add_argument("--workers", type=numbers, default=[1, 2, 4])
    options.add_argument("--no-takeover", action="store_true")
    options.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    chosen: Any = options.parse_args()
    if chosen.work:
        folder, url, speed, epoch = chosen.work
        work(folder, url, float(speed), float(epoch), drain=True)
        return
    print(f"{chosen.sites:,} subdomains x 2 sitemaps, time {chosen.speed:g} x as fast")
    print(
        "accounts workers   calls sending s   bound s  ratio refused again   whole s",
        " tx/call rows/call",
    )
    for accounts in chosen.accounts:
        for workers in chosen.workers:
            measure(Case(chosen.sites, accounts, workers, chosen.speed))
    if not chosen.no_takeover:
        measure_takeover(Case(chosen.sites, 1, 2, chosen.speed))


if __name__ == "__main__":
    main()
