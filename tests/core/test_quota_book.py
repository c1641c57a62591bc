"""The quota book: what a lane may still spend, over any sequence of calls, answers and days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core import quota
from submitter.core.calls import Outcome
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import Kind, Traits, UnknownRule

NOON = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)  # noon in Shanghai
BAIDU = Traits(
    name="baidu",
    title="Baidu",
    tells=frozenset({Kind.URLS}),
    secret_key="token",
    day_zone="Asia/Shanghai",
    batch_size=2000,
    daily_cap=100_000,
    metered=True,
    first_batch=1,
    unknown_rule=UnknownRule.NEXT_DAY,
)


def open_today(stored: Allowance | None = None, declared: int | None = None) -> Allowance:
    return quota.open_allowance(
        "baidu", "shop", traits=BAIDU, stored=stored, declared=declared, now=NOON
    )


def accepted(count: int, left: int | None = None) -> Outcome:
    return Outcome("accepted", State.ACCEPTED, accepted=count, spent=count, quota_left=left)


UNKNOWN = Outcome("unknown", State.UNKNOWN, spent=5)
REFUSED = Outcome("deferred", State.DEFERRED, spent=0)


@pytest.mark.parametrize(
    ("zone", "at", "day", "next_start"),
    [
        ("Asia/Shanghai", "2026-11-30T15:59:59", "2026-11-30", "2026-11-30T16:00:00"),
        ("Asia/Shanghai", "2026-11-30T16:00:00", "2026-12-01", "2026-12-01T16:00:00"),
        ("UTC", "2026-02-28T23:59:59", "2026-02-28", "2026-03-01T00:00:00"),
        ("Europe/Moscow", "2026-12-31T20:59:59", "2026-12-31", "2026-12-31T21:00:00"),
        # the day on which Los Angeles gains an hour has 25 of them
        ("America/Los_Angeles", "2026-11-01T07:00:00", "2026-11-01", "2026-11-02T08:00:00"),
        ("America/Los_Angeles", "2026-03-08T08:00:00", "2026-03-08", "2026-03-09T07:00:00"),
    ],
)
def test_a_day_is_the_engines_own(zone: str, at: str, day: str, next_start: str) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert quota.engine_day(zone, moment) == date.fromisoformat(day)
    start = quota.next_day_starts(zone, moment)
    assert start == datetime.fromisoformat(next_start).replace(tzinfo=UTC)


def test_nothing_is_known_of_a_fresh_day() -> None:
    assert quota.left(open_today(), NOON) is None


def test_a_declared_limit_is_a_limit() -> None:
    assert quota.left(open_today(declared=10), NOON) == 10


def test_yesterdays_book_says_nothing_about_today() -> None:
    old = Allowance("baidu", "shop", date(2026, 11, 29), limit=10, spent=10, reported_left=0)
    assert quota.left(open_today(old), NOON) is None


def test_a_clock_that_went_back_wins_no_quota() -> None:
    tomorrow = Allowance("baidu", "shop", date(2026, 12, 1), limit=10, spent=10)
    assert quota.left(open_today(tomorrow), NOON) == 0


def test_the_answer_teaches_the_limit() -> None:
    booked = quota.book(open_today(), 1)
    after = quota.settle(booked, 1, accepted(1, left=9))
    assert (after.limit, after.spent, quota.left(after, NOON)) == (10, 1, 9)


def test_the_newest_answer_lowers_what_is_left() -> None:
    after = quota.settle(quota.book(open_today(), 1), 1, accepted(1, left=9))
    later = quota.settle(quota.book(after, 2), 2, accepted(2, left=3))
    assert quota.left(later, NOON) == 3


def test_an_old_account_that_always_says_millions_is_held_by_its_first_word() -> None:
    after = quota.settle(quota.book(open_today(), 1), 1, accepted(1, left=4))
    later = quota.settle(quota.book(after, 4), 4, accepted(4, left=4_999_999))
    assert quota.left(later, NOON) == 0


def test_a_lost_answer_counts_as_spent() -> None:
    allowance = open_today(declared=8)
    after = quota.settle(quota.book(allowance, 5), 5, UNKNOWN)
    assert quota.left(after, NOON) == 3


def test_a_refused_batch_gives_its_cost_back() -> None:
    after = quota.settle(quota.book(open_today(declared=8), 5), 5, REFUSED)
    assert quota.left(after, NOON) == 8


def test_a_closed_lane_opens_at_the_named_moment() -> None:
    until = NOON + timedelta(hours=12)
    closed = quota.close(open_today(declared=8), until, "over quota")
    assert quota.left(closed, NOON) == 0
    assert quota.left(closed, until) == 8


def test_a_call_lost_over_midnight_touches_both_days() -> None:
    fresh = open_today(declared=8)
    assert quota.left(quota.carry_unknown(fresh, 5, UNKNOWN), NOON) == 3
    assert quota.left(quota.carry_unknown(fresh, 5, accepted(5)), NOON) == 8


@pytest.mark.parametrize(
    ("allowance", "room"),
    [
        (open_today(), 1),
        (open_today(declared=10), 10),
        (open_today(declared=5000), 2000),
        (quota.book(open_today(), 1), 0),  # the first answer was lost: nothing more today
        (quota.book(open_today(declared=10**6), 100_000), 0),  # the engine's own ceiling
    ],
)
def test_the_next_batch_fits_what_is_known(allowance: Allowance, room: int) -> None:
    assert quota.batch_limit(BAIDU, allowance, NOON, 1) == room


ANSWERS = st.sampled_from(["accepted", "lost", "over", "unavailable", "partial"])


@given(
    limit=st.integers(0, 60),
    waiting=st.integers(0, 200),
    answers=st.lists(ANSWERS, max_size=40),
    first=st.integers(1, 5),
)
def test_accepted_in_flight_and_unknown_never_exceed_the_allowance(
    limit: int, waiting: int, answers: list[str], first: int
) -> None:
    """A faithful engine refuses a batch over the rest whole; it may lose any answer it likes."""
    engine_spent = taken = unknown = 0
    allowance = open_today()
    for answer in answers:
        allowance = open_today(allowance)  # a restart: only the stored row survives
        size = min(waiting, quota.batch_limit(BAIDU, allowance, NOON, first))
        if size == 0:
            break
        allowance = quota.book(allowance, size)
        assert taken + unknown + size <= max(limit, first)
        fits = engine_spent + size <= limit
        if answer == "unavailable":
            outcome = Outcome("failed", State.FAILED)
        elif answer == "lost":
            engine_spent += size if fits else 0
            unknown += size
            outcome = Outcome("unknown", State.UNKNOWN, spent=size)
        elif not fits or answer == "over":
            outcome = REFUSED
            allowance = quota.settle(allowance, size, outcome)
            allowance = quota.close(allowance, NOON + timedelta(hours=12), "over quota")
            assert quota.batch_limit(BAIDU, allowance, NOON, first) == 0
            continue
        else:
            good = size if answer == "accepted" else size // 2
            engine_spent += good
            taken += good
            waiting -= good
            outcome = accepted(good, left=limit - engine_spent)
        allowance = quota.settle(allowance, size, outcome)
    assert taken + unknown <= max(limit, first)
    assert taken <= limit
