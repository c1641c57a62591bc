"""Times are exact, and say how far they are from now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from submitter.render.times import exact, moment, read, relative, span

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(0), "0 s"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(seconds=59.6), "1 min"),
        (timedelta(minutes=12, seconds=30), "12 min"),
        (timedelta(minutes=61), "1 h 1 min"),
        (timedelta(hours=5, minutes=59), "5 h 59 min"),
        (timedelta(hours=23, minutes=59), "23 h 59 min"),
        (timedelta(hours=23, minutes=59, seconds=31), "1 d"),
        (timedelta(hours=71.5), "2 d 23 h"),
        (timedelta(hours=72.5), "3 d"),
        (timedelta(days=9, hours=23), "9 d 23 h"),
        (timedelta(days=400, hours=2), "400 d"),
        (timedelta(minutes=-5), "5 min"),
    ],
)
def test_a_span_is_told_in_two_units_at_most_and_cuts_nothing_down(
    length: timedelta, text: str
) -> None:
    assert span(length) == text


def test_relative_looks_both_ways() -> None:
    assert relative(NOW - timedelta(hours=3), NOW) == "3 h ago"
    assert relative(NOW + timedelta(days=2), NOW) == "in 2 d"
    assert relative(None, NOW) == "-"


def test_a_moment_is_exact_and_relative() -> None:
    assert moment(NOW + timedelta(hours=7), NOW) == "2026-11-30 19:00:00Z (in 7 h)"
    assert moment(None, NOW) == "-"


def test_our_own_timestamps_are_read_back() -> None:
    assert read("2026-11-30T12:00:00Z") == NOW
    assert exact(read("2026-11-30T20:00:00+08:00")) == "2026-11-30 12:00:00Z"
    assert read(None) is None
