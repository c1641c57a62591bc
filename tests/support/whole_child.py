"""Runs in processes of their own that may be killed: a program that loads everything once and
then forks for every run it is asked for.

A job is a JSON object on a line of stdin. `do` is `run` (a run over an inventory, watched at named
points) or `cli` (the command line, as a person would start it). On stdout, a line for each event:

    forked PID · at PID · stopped PID · ended PID STATUS
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import googleapiclient.discovery
import requests
import sqlalchemy
from google.oauth2 import service_account
from sqlalchemy.dialects import postgresql

from submitter.cli import exits, signals
from submitter.cli.commands import run as run_command
from submitter.core.calls import Call, Receipt
from submitter.engines import baidu, google
from submitter.errors import LedgerBusy
from submitter.kit.clock import SystemClock
from submitter.kit.owners import this_owner
from submitter.ledger import open_ledger, postgres
from submitter.ports import Lease
from submitter.sending.channels import Channel, RunRules
from submitter.sources import web
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import run_fleet
from submitter.wiring import Wiring, load_fleet

LOADED = (
    *(googleapiclient, requests, sqlalchemy, service_account, run_command, baidu, google, web),
    *(open_ledger, postgres, postgresql),
)
"""What a run imports late, so that a fork has it at once."""

EVENTS = 1
"""The file descriptor that events are written to."""


def tell(line: str) -> None:
    os.write(EVENTS, f"{line}\n".encode())


# ---------------------------------------------------------------- named points


class Points:
    """Counts how often the run comes past each named point, from all its threads together.

    At the agreed place it sends itself a signal, or says so and goes on (`signal` empty).
    """

    def __init__(self, name: str, number: int, signal_name: str) -> None:
        self._agreed = name, number
        self._signal = signal.Signals[f"SIG{signal_name}"] if signal_name else None
        self._passed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def at(self, name: str) -> None:
        with self._lock:
            places = {(one, self._count(one)) for one in (name, "any")}
        if self._agreed in places:
            if self._signal is None:
                tell(f"at {os.getpid()}")
            else:  # to this thread, which therefore goes no further
                signal.pthread_kill(threading.get_ident(), self._signal)

    def _count(self, name: str) -> int:
        self._passed[name] += 1
        return self._passed[name]


class WatchedLedger:
    """A ledger that comes past points; everything else is the ledger's own."""

    def __init__(self, ledger: Any, points: Points) -> None:
        self._ledger, self._points = ledger, points

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def acquire(self, *args: Any, **named: Any) -> Lease:
        try:
            lease: Lease = self._ledger.acquire(*args, **named)
        except LedgerBusy:
            self._points.at("busy")
            raise
        return lease

    def look(self, *args: Any, **named: Any) -> Any:
        return WatchedLook(self._ledger.look(*args, **named), self._points)

    def claim(self, *args: Any, **named: Any) -> Any:
        self._points.at("before-claim")
        attempt = self._ledger.claim(*args, **named)
        self._points.at("after-claim")
        return attempt

    def settle(self, *args: Any, **named: Any) -> None:
        self._points.at("before-settle")
        self._ledger.settle(*args, **named)
        self._points.at("after-settle")

    def finish_run(self, *args: Any, **named: Any) -> None:
        self._points.at("before-finish")
        self._ledger.finish_run(*args, **named)


class WatchedLook:
    """A look that comes past a point whenever a document is done."""

    def __init__(self, look: Any, points: Points) -> None:
        self._look, self._points = look, points

    def __getattr__(self, name: str) -> Any:
        return getattr(self._look, name)

    def open(self, url: str) -> Any:
        return WatchedSink(self._look.open(url), self._points)


class WatchedSink:
    def __init__(self, sink: Any, points: Points) -> None:
        self._sink, self._points = sink, points

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sink, name)

    def close(self, result: Any) -> None:
        self._sink.close(result)
        self._points.at("in-look")


class WatchedEngine:
    """An engine that comes past a point when its answer is there and nothing is stored yet."""

    def __init__(self, engine: Any, points: Points) -> None:
        self._engine, self._points = engine, points

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        receipt: Receipt = self._engine.send(call, timeout_s=timeout_s)
        self._points.at("after-send")
        return receipt


def watched(tools: Tools, points: Points) -> Tools:
    def open_channels(names: Any) -> Mapping[str, Channel]:
        return {
            name: replace(channel, engine=WatchedEngine(channel.engine, points))
            for name, channel in tools.open_channels(names).items()
        }

    ledger: Any = WatchedLedger(tools.ledger, points)
    return replace(tools, ledger=ledger, open_channels=open_channels)


# ---------------------------------------------------------------- one run


class ChildClock:
    """`ports.Clock` that begins where the sandbox's stands and is moved by sleeping only."""

    def __init__(self, now: datetime) -> None:
        self._start, self._slept = now, 0.0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._slept)

    def monotonic(self) -> float:
        return self._slept

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._slept += max(seconds, 0.0)


@dataclass(frozen=True)
class Job:
    """A run to make. Without `now` its clock is the system's."""

    inventory: str
    run: str
    now: str = ""
    point: str = ""
    number: int = 1
    signal: str = ""
    accounts: Sequence[str] = ()
    workers: int = 8
    wait_s: float = 0.0
    summary: str = ""
    """A file for the run's JSON document."""


def make_run(job: Job) -> int:
    fleet = load_fleet(Path(job.inventory))
    targets = [
        one for one in fleet.targets() if not job.accounts or one.account.name in job.accounts
    ]
    rules = RunRules(workers=job.workers)
    request = RunRequest(job.run, fleet, targets, this_owner(), wait_s=job.wait_s)
    with signals.stopping() as stopped:
        clock = ChildClock(datetime.fromisoformat(job.now)) if job.now else SystemClock()
        parts = Wiring(fleet, environ={}, stop=stopped.event, clock=clock, rules=rules)
        points = Points(job.point, job.number, job.signal)
        report = run_fleet(request, watched(parts.tools(), points))
        parts.close()
    if job.summary:
        Path(job.summary).write_text(json.dumps(report.summary), encoding="utf-8")
    return stopped.exit_code(report.exit_code)


def _make_run(arguments: Mapping[str, Any]) -> int:
    try:
        return make_run(Job(**arguments))
    except Exception as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return int(exits.trouble_of(error).exit_code)


def _type_command(arguments: Mapping[str, Any]) -> int:
    os.chdir(arguments["folder"])
    return int(exits.run(arguments["argv"]))


DO: Mapping[str, Callable[[Mapping[str, Any]], int]] = {"run": _make_run, "cli": _type_command}


# ---------------------------------------------------------------- forking


def fork(job: dict[str, Any]) -> int:
    """Start a job; what it prints goes into the files it names."""
    pid = os.fork()
    if pid:
        return pid
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 70
    try:
        _redirect(job.pop("stdout", os.devnull), job.pop("stderr", os.devnull))
        code = DO[job.pop("do")](job)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _redirect(stdout: str, stderr: str) -> None:
    """Events keep a descriptor of their own."""
    global EVENTS
    EVENTS = os.dup(1)
    for number, name in ((0, os.devnull), (1, stdout), (2, stderr)):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def serve() -> None:
    """Fork for every line, report every event, and end with stdin; so do all its children."""
    wake_reading, wake_writing = os.pipe()
    os.set_blocking(wake_writing, False)
    os.set_blocking(wake_reading, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake_writing)
    alive: set[int] = set()
    waiting = b""
    while True:
        ready, _, _ = select.select([0, wake_reading], [], [])
        if wake_reading in ready:
            os.read(wake_reading, 4096)
            _report(alive)
        if 0 in ready:
            piece = os.read(0, 65_536)
            if not piece:
                break
            *lines, waiting = (waiting + piece).split(b"\n")
            for line in lines:
                pid = fork(json.loads(line))
                alive.add(pid)
                tell(f"forked {pid}")
    for pid in alive:
        os.kill(pid, signal.SIGKILL)


def _report(alive: set[int]) -> None:
    while alive:
        pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
        if not pid:
            return
        if os.WIFSTOPPED(status):
            tell(f"stopped {pid}")
            continue
        alive.discard(pid)
        tell(f"ended {pid} {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    serve()
