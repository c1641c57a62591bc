"""Two runs at once, an owner that was asleep, and a run that is told to stop."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from submitter.errors import LedgerBusy, LedgerError
from submitter.ports import Lease, Ledger
from submitter.stories.leases import keep_alive
from support.whole import World
from support.whole_books import (
    prove_books_agree,
    prove_ledger_is_whole,
    run_until_told,
    untold,
)
from support.whole_forks import Child, Forks

LEDGER, BUSY, TERMINATED = 8, 75, 143


@pytest.fixture
def shops(fleet: World) -> World:
    for number in range(4):
        fleet.add(f"shop{number}", pages=5, quota=4)
    return fleet


def begin(forks: Forks, world: World, *, machine_time: bool = False, **job: Any) -> Child:
    """A run with one account and one thread, so that it stops between two steps and never
    inside one; in the world's time or in the machine's."""
    now = "" if machine_time else world.clock.now().isoformat()
    given = {"run": "forked", "accounts": ["google"], "workers": 1, "now": now} | job
    return forks.start(inventory=str(world.write()), stderr=str(world.folder / "stderr"), **given)


def type_command(forks: Forks, world: World, *argv: str) -> Child:
    """The command line in a process of its own; the clock is the machine's."""
    return forks.start(
        do="cli",
        folder=str(world.folder),
        argv=["-i", str(world.write()), *argv],
        stdout=str(world.folder / "stdout"),
        stderr=str(world.folder / "stderr"),
    )


def printed(world: World, name: str = "stdout") -> str:
    return Path(world.folder, name).read_text(encoding="utf-8")


# ---------------------------------------------------------------- two at once


def test_a_second_run_leaves_at_once_and_touches_nothing(shops: World, forks: Forks) -> None:
    first = begin(forks, shops, point="after-send", signal="STOP")
    first.stopped()
    fetches = shops.sandbox.fleet.book.count()
    with pytest.raises(LedgerBusy):
        shops.run()
    assert shops.sandbox.fleet.book.count() == fetches
    first.send(signal.SIGCONT)
    assert first.ended() == 0
    run_until_told(shops)
    prove_books_agree(shops)
    assert "unknown" not in {row.state for row in shops.log()}


def test_the_command_says_with_75_that_it_came_second(shops: World, forks: Forks) -> None:
    first = begin(forks, shops, machine_time=True, point="after-claim", signal="STOP")
    first.stopped()
    second = type_command(forks, shops, "run", "--json")
    assert second.ended() == BUSY
    assert json.loads(printed(shops))["error"]["kind"] == "busy"
    first.send(signal.SIGCONT)
    assert first.ended() == 0


def test_a_second_run_may_wait_for_its_turn(shops: World, forks: Forks) -> None:
    first = begin(forks, shops, machine_time=True, point="after-claim", signal="STOP")
    first.stopped()
    second = begin(forks, shops, machine_time=True, run="second", wait_s=60, point="busy")
    assert second.at_point(), "it has met the first one's lease and goes on waiting"
    first.send(signal.SIGCONT)
    assert (first.ended(), second.ended()) == (0, 0)
    assert [row.id for row in shops.run_rows() if row.exit_code == 0] == ["second", "forked"]
    prove_books_agree(shops)


def test_many_runs_at_once_are_one_run(shops: World, forks: Forks) -> None:
    """Whoever wins, the others are busy; nothing is told twice."""
    job = {"inventory": str(shops.write()), "now": shops.clock.now().isoformat()}
    children = [forks.start(run=f"run-{number}", **job) for number in range(6)]
    ends = [child.ended() for child in children]
    assert 0 in ends
    assert set(ends) <= {0, BUSY}
    prove_ledger_is_whole(shops.ledger_path)
    prove_books_agree(shops)
    assert shops.sandbox.baidu.book.more_than_once("push") == {}


# ---------------------------------------------------------------- an owner that slept


@pytest.mark.parametrize("point", ["after-claim", "after-send"])
def test_an_owner_that_slept_past_its_lease_cannot_write(
    shops: World, forks: Forks, point: str
) -> None:
    """Its call is unknown to whoever took over, and stays so, whatever it says later."""
    asleep = begin(forks, shops, accounts=["baidu"], point=point, number=2, signal="STOP")
    asleep.stopped()
    shops.clock.advance(120)
    ran = shops.run(targets=shops.only("baidu"))
    before = [(row.id, row.state) for row in shops.log()]
    assert [state for _, state in before].count("unknown") == 1
    assert ran.exit_code == 0
    asleep.send(signal.SIGCONT)
    assert asleep.ended() == LEDGER
    assert "LeaseLost" in printed(shops, "stderr")
    assert [(row.id, row.state) for row in shops.log()] == before
    finished = {row.id: row.exit_code for row in shops.run_rows()}
    assert finished["forked"] is None, "it could not write its end either"
    prove_books_agree(shops)
    run_until_told(shops)
    prove_books_agree(shops)


def test_an_owner_that_slept_while_it_looked_sends_nothing(shops: World, forks: Forks) -> None:
    asleep = begin(forks, shops, point="in-look", signal="STOP")
    asleep.stopped()
    shops.clock.advance(120)
    shops.run()
    calls = len(shops.log())
    submitted = len(shops.sandbox.google.book.entries("sitemaps.submit"))
    asleep.send(signal.SIGCONT)
    assert asleep.ended() == LEDGER
    assert len(shops.log()) == calls
    assert len(shops.sandbox.google.book.entries("sitemaps.submit")) == submitted


class Beats:
    """An event that is waited for so often before it comes."""

    def __init__(self, number: int) -> None:
        self._left = number

    def wait(self, seconds: float) -> bool:
        del seconds
        self._left -= 1
        return self._left < 0


class RenewsBadly:
    """A ledger whose renewals fail in this order, then work."""

    def __init__(self, ledger: Ledger, *errors: LedgerError) -> None:
        self._ledger, self._errors = ledger, list(errors)

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        if self._errors:
            raise self._errors.pop(0)
        return self._ledger.renew(lease, ttl_s=ttl_s, now=now)


def test_a_beat_that_fails_is_not_the_last(shops: World) -> None:
    """The disk was busy for a moment: the lease is renewed by the next beat."""
    with shops.wired() as wiring:
        lease = wiring.ledger.acquire("run", "me", ttl_s=90, now=shops.clock.now())
        shops.clock.advance(60)
        ledger: Any = RenewsBadly(wiring.ledger, LedgerBusy("ledger: busy"))
        beats: Any = Beats(2)
        keep_alive(lease, replace(wiring.tools(), ledger=ledger), beats)
        shops.clock.advance(60)
        with pytest.raises(LedgerBusy):
            wiring.ledger.acquire("run", "somebody else", ttl_s=90, now=shops.clock.now())


def test_a_lease_that_was_taken_stops_the_run(shops: World) -> None:
    with shops.wired() as wiring:
        lease = wiring.ledger.acquire("run", "me", ttl_s=90, now=shops.clock.now())
        shops.clock.advance(100)
        wiring.ledger.acquire("run", "somebody else", ttl_s=90, now=shops.clock.now())
        tools = wiring.tools()
        beats: Any = Beats(5)
        keep_alive(lease, tools, beats)
        assert tools.stop.is_set()


# ---------------------------------------------------------------- told to stop


@pytest.mark.parametrize("point", ["in-look", "after-claim", "after-send", "after-settle"])
def test_a_run_that_is_told_to_stop_finishes_its_call_and_stores_it(
    shops: World, forks: Forks, point: str
) -> None:
    summary = shops.folder / "summary.json"
    child = begin(forks, shops, point=point, number=2, signal="TERM", summary=str(summary))
    assert child.ended() == TERMINATED
    states = {row.state for row in shops.log()}
    assert states <= {"accepted"}, "nothing is left in flight, nothing is unknown"
    if point != "in-look":
        assert states == {"accepted"}
    report = json.loads(summary.read_text(encoding="utf-8"))
    assert report["outcome"] in ("deadline", "ok", "nothing")
    assert shops.run_rows()[0].finished_at is not None
    assert untold(shops), "there was more to do"
    run_until_told(shops)
    prove_books_agree(shops)
    assert shops.sandbox.baidu.book.more_than_once("push") == {}
    assert shops.sandbox.google.book.more_than_once("sitemaps.submit") == {}


def test_the_command_that_is_told_to_stop_says_so_with_143(shops: World, forks: Forks) -> None:
    """Google takes its time for a submission; the signal comes meanwhile."""
    shops.sandbox.google.faults.add("delay", call="sitemaps.submit", seconds=1.0)
    child = type_command(forks, shops, "run", "--json", "--account", "google")
    for _ in range(2_000):
        if shops.sandbox.google.book.entries("sitemaps.submit"):
            break
        assert not forks.happens("ended", child.pid, within_s=0.02)
    child.send(signal.SIGTERM)
    assert child.ended() == TERMINATED
    report = json.loads(printed(shops))
    assert report["counts"]["sitemaps"]["accepted"] >= 1
    assert {row.state for row in shops.log()} == {"accepted"}
    prove_books_agree(shops)
