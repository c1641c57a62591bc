"""The sandbox's time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from submitter.sandbox import SandboxClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_a_frozen_clock_stands_still_until_it_is_moved() -> None:
    clock = SandboxClock(frozen_at=NOW)
    assert clock.now() == clock.now() == NOW
    clock.advance(90)
    assert clock.now() == NOW + timedelta(seconds=90)
    assert clock.monotonic() == 90.0


def test_a_clock_set_back_does_not_turn_the_monotonic_one_back() -> None:
    clock = SandboxClock(frozen_at=NOW)
    clock.advance(60)
    clock.move_to(NOW - timedelta(days=1))
    assert clock.now() == NOW - timedelta(days=1)
    assert clock.monotonic() == 60.0


def test_a_running_clock_moves_without_moving_the_outside() -> None:
    clock = SandboxClock()
    clock.advance(86_400)
    assert clock.now() - clock.outside() > timedelta(hours=23)


def test_midnight_is_that_of_the_zone() -> None:
    clock = SandboxClock(frozen_at=datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC))
    assert clock.move_past_midnight("Asia/Shanghai") == datetime(2026, 11, 30, 16, 0, 1, tzinfo=UTC)
    assert clock.now() == datetime(2026, 11, 30, 16, 0, 1, tzinfo=UTC)


def test_midnight_comes_on_the_day_the_clocks_change_too() -> None:
    clock = SandboxClock(frozen_at=datetime(2026, 3, 8, 9, 30, tzinfo=UTC))
    assert clock.move_past_midnight("America/Los_Angeles") == datetime(
        2026, 3, 9, 7, 0, 1, tzinfo=UTC
    )
