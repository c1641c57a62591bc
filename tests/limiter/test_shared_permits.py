"""Permits that several workers share through the ledger: together they keep the limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.core.fleet import Limits
from submitter.core.limiter import LONGEST_WAY_S, SLACK, windows_of
from submitter.kit.permits import CLOCKS_APART_S, SharedPermits
from submitter.ledger import open_ledger
from submitter.ledger.ledger import SqlLedger
from support.postgres import database

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FOREVER = 1e12
MINUTE = 60 * SLACK + CLOCKS_APART_S
LIMITS = Limits(per_second=3, per_minute=10)


class World:
    """Time that passes while somebody sleeps; a worker's clock may be ahead of it."""

    elapsed = 0.0


class WorkerClock:
    def __init__(self, world: World, ahead_s: float = 0.0) -> None:
        self.world, self.ahead_s = world, ahead_s

    def now(self) -> datetime:
        return START + timedelta(seconds=self.world.elapsed + self.ahead_s)

    def monotonic(self) -> float:
        return self.world.elapsed

    def sleep(self, seconds: float) -> None:
        self.world.elapsed += seconds


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest) -> Iterator[SqlLedger]:
    if request.param == "sqlite":
        ledger = open_ledger("sqlite:///:memory:")
        yield ledger
        ledger.close()
    else:
        with database() as url:
            ledger = open_ledger(url)
            yield ledger
            ledger.close()


def shared(
    ledger: SqlLedger, world: World, worker: str, ahead_s: float = 0.0, account: str = "gsc"
) -> SharedPermits:
    clock = WorkerClock(world, ahead_s)
    return SharedPermits(LIMITS, clock, ledger, account=account, worker=worker)


def test_two_workers_have_the_permits_of_one(ledger: SqlLedger) -> None:
    world = World()
    workers = [shared(ledger, world, name) for name in ("one", "other")]
    times = []
    for number in range(21):
        assert workers[number % 2].acquire(until=FOREVER)
        times.append(world.elapsed)
    assert times[2] == 0.0
    assert times[3] == pytest.approx(SLACK + CLOCKS_APART_S, abs=1e-4)
    assert times[10] == pytest.approx(MINUTE, abs=1e-4)
    assert times[20] == pytest.approx(2 * MINUTE, abs=1e-4), "and none is given away"


def test_a_penalty_is_everybodys(ledger: SqlLedger) -> None:
    world = World()
    shared(ledger, world, "one").penalize(30.0)
    assert not shared(ledger, world, "other").acquire(until=29.0)
    assert shared(ledger, world, "other").acquire(until=FOREVER)
    assert world.elapsed == pytest.approx(30.0, abs=1e-4)


def test_a_clock_that_was_far_ahead_holds_nobody_up_for_as_long(ledger: SqlLedger) -> None:
    world = World()
    fast, other = shared(ledger, world, "fast", ahead_s=3600.0), shared(ledger, world, "other")
    assert fast.acquire(until=FOREVER)
    fast.penalize(30.0)
    assert other.acquire(until=FOREVER)
    assert world.elapsed == pytest.approx(30.0, abs=1e-4), "its penalty is kept"
    for _ in range(9):
        assert other.acquire(until=FOREVER)
    end = LONGEST_WAY_S + MINUTE
    assert world.elapsed == pytest.approx(end, abs=1e-4), "its call counts as just made"


def test_accounts_do_not_share(ledger: SqlLedger) -> None:
    windows = windows_of(Limits(per_minute=1))
    assert ledger.take_permit("a", windows, holder="x", now=START) == 0.0
    assert ledger.take_permit("b", windows, holder="x", now=START) == 0.0
    assert ledger.take_permit("a", windows, holder="y", now=START) > 59.0


SKEW_S = st.floats(-CLOCKS_APART_S / 2, CLOCKS_APART_S / 2)
TURNS = st.lists(st.tuples(st.integers(0, 3), st.floats(0.0, 5.0)), max_size=30)


def test_no_window_holds_too_many_however_workers_take_turns() -> None:
    """Their clocks may be apart by as much as is allowed for."""
    ledger, accounts = open_ledger("sqlite:///:memory:"), count()

    @settings(max_examples=60)
    @given(ahead_s=st.lists(SKEW_S, min_size=2, max_size=4), turns=TURNS)
    def holds(ahead_s: list[float], turns: list[tuple[int, float]]) -> None:
        world, account = World(), str(next(accounts))
        workers = [shared(ledger, world, str(n), s, account) for n, s in enumerate(ahead_s)]
        times: list[float] = []
        for who, pause_s in turns:
            world.elapsed += pause_s
            if workers[who % len(workers)].acquire(until=world.elapsed + 100.0):
                times.append(world.elapsed)
        for window in windows_of(LIMITS):
            for first, beyond in zip(times, times[window.permits :], strict=False):
                assert beyond - first >= window.seconds / SLACK - 1e-4

    holds()
    ledger.close()
