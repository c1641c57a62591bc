"""Sliding windows: the law that limits are judged by."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.sandbox import Window
from submitter.sandbox.windows import SlidingWindows

GAPS = st.lists(st.floats(0, 0.4, allow_nan=False), max_size=120)


@settings(deadline=None)
@given(GAPS)
def test_no_stretch_of_time_ever_holds_more_calls_than_its_window(gaps: list[float]) -> None:
    limits = (Window(3, 1.0), Window(7, 5.0))
    windows, at, taken = SlidingWindows(limits), 0.0, list[float]()
    for gap in gaps:
        at += gap
        if windows.take(at) is None:
            taken.append(at)
    for limit in limits:
        for start in taken:
            inside = [when for when in taken if start <= when and when - start < limit.seconds]
            assert len(inside) <= limit.calls


@settings(deadline=None)
@given(GAPS)
def test_a_call_is_refused_only_when_a_window_is_full(gaps: list[float]) -> None:
    window = Window(3, 1.0)
    windows, at, taken = SlidingWindows([window]), 0.0, list[float]()
    for gap in gaps:
        at += gap
        refused = windows.take(at)
        recent = [when for when in taken if at - when < window.seconds]
        assert (refused is window) == (len(recent) >= window.calls)
        if refused is None:
            taken.append(at)


def test_a_window_opens_exactly_when_its_time_is_over() -> None:
    windows = SlidingWindows([Window(2, 1.0)])
    assert windows.take(0.0) is None
    assert windows.take(0.5) is None
    assert windows.take(0.999) is not None
    assert windows.take(1.0) is None
    assert windows.take(1.499) is not None
    assert windows.take(1.5) is None


def test_without_windows_everything_is_let_through() -> None:
    windows = SlidingWindows([])
    assert all(windows.take(0.0) is None for _ in range(1_000))
