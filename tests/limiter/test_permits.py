"""Permits of an account: one limiter for all its threads, and for the process before this one."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from submitter.core.fleet import Limits
from submitter.core.limiter import LONGEST_WAY_S, SLACK
from submitter.kit.permits import AccountPermits

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FOREVER = 1e12


class VirtualClock:
    """Sleeping moves the time; `at_sleep` runs in the middle of the first sleep."""

    cut_short = False

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.sleeps: list[float] = []
        self.at_sleep = lambda: None

    def now(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return 5_000.0 + self.elapsed

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        at_sleep, self.at_sleep = self.at_sleep, lambda: None
        self.elapsed += seconds / 2
        at_sleep()
        if not self.cut_short:
            self.elapsed += seconds / 2


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def taken(permits: AccountPermits, clock: VirtualClock, calls: int) -> list[float]:
    times = []
    for _ in range(calls):
        assert permits.acquire(until=FOREVER)
        times.append(clock.elapsed)
    return times


def test_a_burst_is_free_and_then_the_limits_hold(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=20, per_minute=200), clock)
    times = taken(permits, clock, 401)
    assert times[19] == 0.0
    assert times[20] == pytest.approx(SLACK)
    assert times[200] == pytest.approx(60 * SLACK)
    assert times[400] == pytest.approx(120 * SLACK)


def test_a_permit_that_comes_too_late_is_not_taken(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=1), clock)
    assert permits.acquire(until=clock.monotonic())
    assert not permits.acquire(until=clock.monotonic() + 1.0)
    assert not clock.sleeps
    assert permits.acquire(until=clock.monotonic() + 2.0)
    assert clock.elapsed == pytest.approx(SLACK)


def test_a_second_process_does_not_break_the_minute(clock: VirtualClock) -> None:
    recent = [START - timedelta(seconds=50 - number / 10) for number in range(200)]
    permits = AccountPermits(Limits(per_second=20, per_minute=200), clock, recent=recent)
    assert taken(permits, clock, 1) == [pytest.approx(60 * SLACK - 50 + LONGEST_WAY_S)]


def test_what_is_long_past_does_not_count(clock: VirtualClock) -> None:
    recent = [START - timedelta(seconds=90)] * 200
    permits = AccountPermits(Limits(per_minute=200), clock, recent=recent)
    assert taken(permits, clock, 200) == [0.0] * 200


def test_a_call_from_the_future_counts_as_just_made(clock: VirtualClock) -> None:
    """The wall clock went back between two runs."""
    permits = AccountPermits(Limits(per_second=1), clock, recent=[START + timedelta(hours=1)])
    assert taken(permits, clock, 1) == [pytest.approx(SLACK)]


def test_a_penalty_holds_everybody_up(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=20), clock)
    permits.penalize(9.0)
    assert taken(permits, clock, 2) == [9.0, 9.0]
    assert len(clock.sleeps) == 1


def test_a_penalty_reaches_those_who_wait_already(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=1), clock)
    permits.acquire(until=FOREVER)
    clock.at_sleep = lambda: permits.penalize(30.0)
    (at,) = taken(permits, clock, 1)
    assert at == pytest.approx(SLACK / 2 + 30.0)


def test_a_penalty_may_leave_no_time(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=1), clock)
    permits.acquire(until=FOREVER)
    clock.at_sleep = lambda: permits.penalize(30.0)
    assert not permits.acquire(until=clock.monotonic() + 5.0)


def test_without_limits_nobody_waits(clock: VirtualClock) -> None:
    assert taken(AccountPermits(Limits(), clock), clock, 100) == [0.0] * 100
    assert not clock.sleeps


def test_a_run_that_is_told_to_stop_gets_no_permit(clock: VirtualClock) -> None:
    permits = AccountPermits(Limits(per_second=1), clock)
    permits.acquire(until=FOREVER)
    clock.cut_short = True
    assert not permits.acquire(until=FOREVER)
    assert len(clock.sleeps) == 1


class BusyClock:
    """Time that many threads move on by sleeping, whoever is first."""

    def __init__(self) -> None:
        self._elapsed = 0.0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return START

    def monotonic(self) -> float:
        with self._lock:
            return self._elapsed

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self._elapsed += seconds


def test_threads_together_get_no_more_than_one_alone() -> None:
    clock = BusyClock()
    permits = AccountPermits(Limits(per_second=5), clock)
    times: list[float] = []

    def work(_: int) -> None:
        assert permits.acquire(until=FOREVER)
        times.append(clock.monotonic())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(100)))
    assert len(times) == 100
    assert max(times) >= 19 * SLACK
