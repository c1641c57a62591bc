"""`Retry-After` in every form RFC 9110 knows, and in those it does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.retry_after import MAX_WAIT_S, http_date, retry_after_seconds

NOW = datetime(1994, 11, 6, 8, 49, 0, tzinfo=UTC)
MOMENT = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)
IMF = "Sun, 06 Nov 1994 08:49:37 GMT"
RFC850 = "Sunday, 06-Nov-94 08:49:37 GMT"
ASCTIME = "Sun Nov  6 08:49:37 1994"


def wait(value: str | None, *, now: datetime = NOW, date: str | None = None) -> float | None:
    return retry_after_seconds(value, now=now, date=date)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("007", 7.0),
        ("1000000000", MAX_WAIT_S),
        ("9" * 5_000, MAX_WAIT_S),
    ],
)
def test_seconds_are_taken_as_they_are(value: str, seconds: float) -> None:
    assert wait(value) == seconds


@pytest.mark.parametrize("value", [IMF, RFC850, ASCTIME, f" {IMF} "])
def test_a_moment_is_known_in_all_three_forms(value: str) -> None:
    assert wait(value) == 37.0


NOTHING = [
    *(None, "", " ", "-5", "1.5", "1e3", "soon", "1 minute", "٣", "0x10", "+5", "NaN"),
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
    f"{IMF}, {IMF}",
    f"120, {IMF}",
]


@pytest.mark.parametrize("value", NOTHING)
def test_anything_else_says_nothing(value: str | None) -> None:
    assert wait(value) is None


@pytest.mark.parametrize(
    "value", ["Sun, 06 Nov 1994 08:48:00 GMT", "Sat, 01 Jan 1994 00:00:00 GMT"]
)
def test_a_moment_past_is_now(value: str) -> None:
    assert wait(value) == 0.0


@pytest.mark.parametrize("skew_h", [-5, 0, 5])
def test_a_skewed_clock_of_ours_changes_nothing(skew_h: int) -> None:
    now = NOW + timedelta(hours=skew_h)
    assert wait(IMF, now=now, date="Sun, 06 Nov 1994 08:49:07 GMT") == 30.0


@pytest.mark.parametrize("date", [None, "", "now", "Sun, 99 Nov 1994 08:49:07 GMT"])
def test_without_the_servers_date_ours_counts(date: str | None) -> None:
    assert wait(IMF, date=date) == 37.0


def test_a_far_moment_is_cut() -> None:
    assert wait("Sun, 06 Nov 9994 08:49:37 GMT") == MAX_WAIT_S
    assert NOW + timedelta(seconds=MAX_WAIT_S)


YEARS = [
    ("94", 1994, 1994),
    ("94", 2026, 1994),
    ("26", 2026, 2026),
    ("76", 2026, 2076),
    ("77", 2026, 1977),
    ("00", 1999, 1900),
    ("00", 2026, 2000),
]


@pytest.mark.parametrize(("year", "this_year", "full"), YEARS)
def test_two_digits_are_a_year_within_fifty_ahead(year: str, this_year: int, full: int) -> None:
    now = datetime(this_year, 1, 1, tzinfo=UTC)
    moment = http_date(f"Sunday, 06-Nov-{year} 08:49:37 GMT", now=now)
    assert moment is not None
    assert moment.year == full


def test_a_leap_second_is_the_last_of_its_minute() -> None:
    assert http_date("Sat, 31 Dec 2016 23:59:60 GMT", now=NOW) == datetime(
        2016, 12, 31, 23, 59, 59, tzinfo=UTC
    )


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_date_is_read_as_it_was_written(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    month, time = months[moment.month - 1], moment.time().isoformat()
    imf = f"Mon, {moment.day:02} {month} {moment.year:04} {time} GMT"
    asctime = f"Mon {month} {moment.day:2} {time} {moment.year:04}"
    assert http_date(imf, now=NOW) == http_date(asctime, now=NOW) == moment


@given(st.text(max_size=60), st.one_of(st.none(), st.text(max_size=40)))
def test_any_text_gives_a_wait_within_bounds_or_none(value: str, date: str | None) -> None:
    got = wait(value, date=date)
    assert got is None or 0.0 <= got <= MAX_WAIT_S
