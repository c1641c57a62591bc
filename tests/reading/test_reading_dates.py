"""Which dates count, to the second, and which never decide anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_support import NOW

from submitter.core.lastmod import (
    DateFault,
    Lastmod,
    common_seconds,
    parse_lastmod,
    parse_pubdate,
)


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[arg-type,misc]


GOOD = [
    ("2024", Lastmod(at(2024, 1, 1), date_only=True)),
    ("2024-02", Lastmod(at(2024, 2, 1), date_only=True)),
    ("2024-02-29", Lastmod(at(2024, 2, 29), date_only=True)),
    (" 2024-02-29\n", Lastmod(at(2024, 2, 29), date_only=True)),
    ("2024-01-08T10:30Z", Lastmod(at(2024, 1, 8, 10, 30))),
    ("2024-01-08T10:30:15Z", Lastmod(at(2024, 1, 8, 10, 30, 15))),
    ("2024-01-08T10:30:15+08:00", Lastmod(at(2024, 1, 8, 2, 30, 15))),
    ("2024-01-08T10:30:15-05:30", Lastmod(at(2024, 1, 8, 16, 0, 15))),
    ("2024-01-08T10:30:15.5Z", Lastmod(at(2024, 1, 8, 10, 30, 15))),
    ("2024-01-08T10:30:15.123456789+00:00", Lastmod(at(2024, 1, 8, 10, 30, 15))),
    ("2024-01-08T10:30", Lastmod(at(2024, 1, 8, 10, 30), zoned=False)),
    ("2024-01-08T00:00:00", Lastmod(at(2024, 1, 8), zoned=False)),
    ("2026-12-01T12:00:00Z", Lastmod(at(2026, 12, 1, 12))),
    ("1990-01-01", Lastmod(at(1990, 1, 1), date_only=True)),
]


@pytest.mark.parametrize(("text", "expected"), GOOD)
def test_the_forms_of_the_protocol_are_read(text: str, expected: Lastmod) -> None:
    assert parse_lastmod(text, now=NOW) == expected


BAD = [
    ("", DateFault.INVALID),
    ("not-a-date", DateFault.INVALID),
    ("2024-01-08 10:30:15", DateFault.INVALID),
    ("2024-01-08T10:30 AM", DateFault.INVALID),
    ("2024-01-08T10:30:15+0000", DateFault.INVALID),
    ("2024-01-08T10:30:15-00:14400", DateFault.INVALID),
    ("2024-01-08T10:30:15+24:00", DateFault.INVALID),
    ("2024-01-08T10:30:15.Z", DateFault.INVALID),
    ("2024-01-08T10:30:15.1234567890Z", DateFault.INVALID),
    ("202-05-20", DateFault.INVALID),
    ("2026-02-30", DateFault.INVALID),
    ("2026-13-01", DateFault.INVALID),
    ("0000-01-01", DateFault.INVALID),
    ("2024-01-08T24:00:00Z", DateFault.INVALID),
    ("2024-01-08T23:60:00Z", DateFault.INVALID),
    ("2016-12-31T23:59:60Z", DateFault.INVALID),
    ("2015-10-08T07:18:53Z 2015-06-15T07:18:53Z", DateFault.INVALID),
    ("20240108", DateFault.INVALID),
    ("2024-W01-1", DateFault.INVALID),
    ("２０２４-01-08", DateFault.INVALID),
    ("2026-12-01T12:00:01Z", DateFault.FUTURE),
    ("9999-12-31T23:59:59-23:59", DateFault.FUTURE),
    ("1989-12-31T23:59:59Z", DateFault.EARLY),
    ("1970-01-01", DateFault.EARLY),
    ("0001-01-01T00:00:00+23:59", DateFault.EARLY),
]


@pytest.mark.parametrize(("text", "fault"), BAD)
def test_any_other_date_is_none(text: str, fault: DateFault) -> None:
    assert parse_lastmod(text, now=NOW) is fault


PUBDATES = [
    ("Thu, 05 Jan 2017 13:34:51 +0100", Lastmod(at(2017, 1, 5, 12, 34, 51))),
    ("Thu, 05 Jan 17 13:34:52 GMT", Lastmod(at(2017, 1, 5, 13, 34, 52))),
    ("5 January 2017 13:34 EST", Lastmod(at(2017, 1, 5, 18, 34))),
    ("05 Jan 99 00:00:00 Z", Lastmod(at(1999, 1, 5))),
    ("05 Jan 17 13:34:55", Lastmod(at(2017, 1, 5, 13, 34, 55), zoned=False)),
    ("Thu, 05 Jan 2017 13:34:51 XYZ", Lastmod(at(2017, 1, 5, 13, 34, 51), zoned=False)),
    ("2017-01-05T13:34:51Z", Lastmod(at(2017, 1, 5, 13, 34, 51))),
    ("", DateFault.INVALID),
    ("Thu, 31 Feb 2017 13:34:51 GMT", DateFault.INVALID),
    ("Thu, 05 Foo 2017 13:34:51 GMT", DateFault.INVALID),
    ("Thu, 05 Jan 2017 13:34:51 +2460", DateFault.INVALID),
    ("Thu, 05 Jan 1970 00:00:00 GMT", DateFault.EARLY),
    ("Thu, 05 Jan 2060 00:00:00 GMT", DateFault.FUTURE),
]


@pytest.mark.parametrize(("text", "expected"), PUBDATES)
def test_feeds_have_their_own_form(text: str, expected: Lastmod | DateFault) -> None:
    assert parse_pubdate(text, now=NOW) == expected


@given(
    st.datetimes(datetime(1990, 1, 2), datetime(2026, 11, 30)),  # noqa: DTZ001 # zone is added
    st.integers(-23 * 60, 23 * 60),
)
def test_a_date_is_the_same_moment_in_every_zone(moment: datetime, minutes: int) -> None:
    utc = moment.replace(microsecond=0, tzinfo=UTC)
    sign, ahead = "-" if minutes < 0 else "+", abs(minutes)
    local = (utc + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S")
    text = f"{local}{sign}{ahead // 60:02}:{ahead % 60:02}"
    assert parse_lastmod(text, now=NOW) == Lastmod(int(utc.timestamp()))
    assert common_seconds([text, text]) == [int(utc.timestamp())] * 2


@given(st.text(alphabet="0123456789-:T.Z+ ", max_size=30))
def test_the_short_way_never_disagrees_with_the_long_one(text: str) -> None:
    seconds, judged = common_seconds([text]), parse_lastmod(text, now=NOW)
    if seconds is not None:
        assert judged in (Lastmod(*seconds), DateFault.EARLY, DateFault.FUTURE)
