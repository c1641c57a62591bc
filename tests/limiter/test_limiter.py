"""The limiter's rule: no window ever holds more than its limit, and none stays empty in vain."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.fleet import Limits
from submitter.core.limiter import LONGEST_WAY_S, SLACK, PermitLog, Window, windows_of

GOOGLE = Limits(per_second=20, per_minute=200)
EXACT = (Window(20, 1.0), Window(200, 60.0))
TINY_S = 1e-6


def run(log: PermitLog, calls: int) -> list[float]:
    """Permit times of a queue that is always waiting; every call is back at once."""
    times: list[float] = []
    now = 0.0
    for _ in range(calls):
        log.take_back("me", now)
        now = log.earliest(now)
        log.give("me", now)
        times.append(now)
    return times


def arrivals(
    log: PermitLog, calls: int, ways: Iterable[tuple[float, float]], threads: int
) -> list[float]:
    """When calls reach the engine, made by threads that wait for each answer before the next.

    `ways` are a call's times from permit to arrival and from arrival to answer.
    """
    times: list[float] = []
    way = iter(ways)
    ready = [(0.0, thread) for thread in range(threads)]
    while len(times) < calls:
        now, thread = heapq.heappop(ready)
        log.take_back(thread, now)
        at = log.earliest(now)
        if at > now:
            heapq.heappush(ready, (at, thread))
            continue
        log.give(thread, now)
        there, back = next(way)
        times.append(now + there)
        heapq.heappush(ready, (now + there + back, thread))
    return times


def fullest(times: Iterable[float], seconds: float) -> int:
    """The most events in any half-open stretch of so many seconds."""
    inside: deque[float] = deque()
    most = 0
    for at in sorted(times):
        inside.append(at)
        while inside[0] <= at - seconds:
            inside.popleft()
        most = max(most, len(inside))
    return most


def uneven() -> Iterator[tuple[float, float]]:
    """A slow start, as with a login and new connections, then a network with moods."""
    yield from [(0.6, 0.05)] * 8
    yield from cycle([(0.02, 0.03), (0.3, 0.01), (0.0, 0.0), (0.11, 0.2), (0.05, 0.4)])


@pytest.mark.parametrize("calls", [1, 20, 21, 200, 201, 500, 10_000])
def test_a_queue_takes_hardly_longer_than_the_limits_alone(calls: int) -> None:
    ours = run(PermitLog(windows_of(GOOGLE)), calls)[-1]
    bound = run(PermitLog(EXACT), calls)[-1]
    assert ours <= SLACK * bound + TINY_S


@pytest.mark.parametrize("calls", [500, 10_000])
def test_answers_that_take_their_time_cost_next_to_nothing(calls: int) -> None:
    ours = arrivals(PermitLog(windows_of(GOOGLE)), calls, cycle([(0.05, 0.1)]), threads=8)
    bound = run(PermitLog(EXACT), calls)[-1]
    assert max(ours) <= 1.05 * bound


def test_calls_that_are_held_up_still_come_within_the_limits() -> None:
    times = arrivals(PermitLog(windows_of(GOOGLE)), 1_000, uneven(), threads=8)
    assert fullest(times, 1.0) <= 20
    assert fullest(times, 60.0) <= 200


windows = st.lists(
    st.builds(Window, st.integers(1, 12), st.floats(0.1, 20.0)), min_size=1, max_size=3
)
ways = st.lists(
    st.tuples(st.floats(0.0, LONGEST_WAY_S), st.floats(0.0, 10.0)), min_size=1, max_size=40
)


@given(windows=windows, ways=ways, threads=st.integers(1, 6))
def test_no_window_of_the_engine_ever_holds_too_many(
    windows: list[Window], ways: list[tuple[float, float]], threads: int
) -> None:
    times = arrivals(PermitLog(windows), len(ways), ways, threads)
    for window in windows:
        assert fullest(times, window.seconds - TINY_S) <= window.permits


@given(windows=windows, seeds=st.lists(st.floats(-30.0, 0.0), max_size=20))
def test_calls_before_the_first_count_as_well(windows: list[Window], seeds: list[float]) -> None:
    times = run(PermitLog(windows, seeds), 30)
    for window in windows:
        for at in times:
            begin = at - window.seconds + TINY_S
            assert sum(begin < each <= at for each in [*seeds, *times]) <= window.permits


@given(windows=windows, calls=st.integers(2, 60))
def test_a_permit_waits_only_for_a_full_window(windows: list[Window], calls: int) -> None:
    times = run(PermitLog(windows), calls)
    for number, at in enumerate(times):
        if at == 0.0:
            continue
        just_before = [*times[:number], at - 10 * TINY_S]
        assert any(
            fullest(just_before, window.seconds - TINY_S) > window.permits for window in windows
        )


def test_a_call_on_its_way_keeps_its_place() -> None:
    log = PermitLog([Window(1, 1.0)])
    log.give("slow", 0.0)
    assert log.earliest(1.5) == 2.5
    log.take_back("slow", 1.7)
    assert log.earliest(1.8) == 2.7
    assert log.earliest(2.7) == 2.7


def test_a_call_that_nobody_says_is_back_arrived_at_some_time() -> None:
    log = PermitLog([Window(1, 1.0)])
    log.give("gone", 0.0)
    assert log.earliest(LONGEST_WAY_S) == LONGEST_WAY_S + 1.0
    assert log.earliest(100.0) == 100.0


def test_without_limits_every_permit_is_free() -> None:
    assert set(run(PermitLog(windows_of(Limits())), 1_000)) == {0.0}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(), ()),
        (Limits(per_second=20), (Window(20, SLACK),)),
        (Limits(per_minute=200), (Window(200, 60 * SLACK),)),
        (Limits(per_second=2.9), (Window(2, SLACK),)),
        (Limits(per_second=0.5), (Window(1, 2 * SLACK),)),
        (Limits(per_minute=0.5), (Window(1, 120 * SLACK),)),
    ],
)
def test_limits_become_windows(limits: Limits, expected: tuple[Window, ...]) -> None:
    assert windows_of(limits) == expected


def test_a_closed_log_gives_nothing_before_it_opens() -> None:
    log = PermitLog(EXACT)
    log.close(7.0)
    log.close(3.0)
    assert log.earliest(1.0) == 7.0
    assert log.earliest(8.0) == 8.0


def test_memory_does_not_grow_with_the_run() -> None:
    log = PermitLog(windows_of(GOOGLE))
    run(log, 5_000)
    assert len(log._back) <= 2 * 200
