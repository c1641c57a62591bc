"""Dates of last change, as sites write them.

Only the forms of the protocol count; a date in any other form is no date, and the page stays. A
date that lies in the future or before the web is kept as text and never decides anything.
Source: https://www.w3.org/TR/NOTE-datetime (sitemaps, Atom, RSS 1.0) and RFC 822 section 5 with
four-digit years (RSS 2.0), read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

DAY_S: Final = 86_400

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

EARLIEST: Final = int(datetime(1990, 1, 1, tzinfo=UTC).timestamp())
"""No page is older than the web; such dates are zero clocks and defaults."""

TOLERANCE_S: Final = DAY_S
"""A date may lie this far ahead of us: clocks are wrong and zones are left out."""


class DateFault(StrEnum):
    """Why a date is not used; each is the id of a finding."""

    INVALID = "invalid-lastmod"
    FUTURE = "future-lastmod"
    EARLY = "early-lastmod"


@dataclass(frozen=True, slots=True)
class Lastmod:
    """A usable date. `at` counts seconds since 1970 UTC; of a date alone, its midnight in UTC."""

    at: int
    date_only: bool = False
    zoned: bool = True
    """False: a time without zone, taken as UTC. A date alone needs none."""


_MONTHS: Final = re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec")

_DIGITS_TO_ZERO: Final = str.maketrans("123456789", "000000000")
_COMMON_SHAPES: Final = {
    "0000-00-00T00:00:00Z",
    "0000-00-00T00:00:00+00:00",
    "0000-00-00T00:00:00-00:00",
}
"""What most dated pages carry. Here `fromisoformat` agrees with the protocol, but for hour 24."""

_W3C: Final = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})"
    r"(?P<time>T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.[0-9]{1,9})?)?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
).fullmatch

_RFC822: Final = re.compile(
    r"(?:[A-Za-z]{3,9},\s*)?(?P<day>[0-9]{1,2})\s+(?P<month>[A-Za-z]{3})[a-z]*\s+"
    r"(?P<year>[0-9]{4}|[0-9]{2})\s+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2}))?(?:\s+(?P<zone>[A-Za-z]{1,5}|[+-][0-9]{4}))?"
).fullmatch

_ZONE_HOURS: Final = {
    "UT": 0,
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
}
"""Source: RFC 822 section 5.1, read 2026-11-30."""


def common_seconds(texts: Sequence[str]) -> list[int] | None:
    """Seconds since 1970 UTC when all texts are in the form that most pages carry; else None.

    Not judged yet: compare with `EARLIEST` and `latest`.
    """
    lines = "\n".join(texts)
    if "T24" in lines or not _COMMON_SHAPES.issuperset(
        lines.translate(_DIGITS_TO_ZERO).split("\n")
    ):
        return None
    try:
        since = [date - _EPOCH for date in map(datetime.fromisoformat, texts)]
    except ValueError:
        return None
    return [span.days * DAY_S + span.seconds for span in since]


def latest(now: datetime) -> int:
    """The last second that a date may name."""
    return int(now.timestamp()) + TOLERANCE_S


def parse_lastmod(text: str, *, now: datetime) -> Lastmod | DateFault:
    """Read a W3C date of a sitemap, an Atom or an RSS 1.0 feed. Blanks around it do not count."""
    return _judge(_w3c(text.strip()), now)


def parse_pubdate(text: str, *, now: datetime) -> Lastmod | DateFault:
    """Read a date of an RSS 2.0 feed; W3C dates, which many feeds use there, count as well."""
    stripped = text.strip()
    return _judge(_rfc822(stripped) or _w3c(stripped), now)


def _judge(found: Lastmod | None, now: datetime) -> Lastmod | DateFault:
    if found is None:
        return DateFault.INVALID
    if found.at < EARLIEST:
        return DateFault.EARLY
    if found.at > latest(now):
        return DateFault.FUTURE
    return found


def _w3c(text: str) -> Lastmod | None:
    found = _W3C(text)
    if found is None:
        return None
    try:
        zone = found["zone"]
        at = _seconds(found, int(found["year"]), int(found["month"] or 1), _offset(zone))
        return Lastmod(at, date_only=not found["time"], zoned=bool(zone) or not found["time"])
    except ValueError:
        return None


def _rfc822(text: str) -> Lastmod | None:
    found = _RFC822(text)
    if found is None or found["month"].lower() not in _MONTHS:
        return None
    zone = found["zone"] or ""
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:
        at = _seconds(found, year, _MONTHS.index(found["month"].lower()) + 1, _offset(zone))
    except ValueError:
        return None
    return Lastmod(at, zoned=zone.upper() in _ZONE_HOURS or zone[:1] in ("+", "-"))


def _seconds(found: re.Match[str], year: int, month: int, offset: timedelta) -> int:
    local = datetime(
        year,
        month,
        int(found["day"] or 1),
        int(found["hour"] or 0),
        int(found["minute"] or 0),
        int(found["second"] or 0),
        tzinfo=UTC,
    )
    return int(local.timestamp()) - int(offset.total_seconds())


def _offset(zone: str | None) -> timedelta:
    """How far the zone is ahead of UTC; zero for none and for names nobody can place."""
    if not zone or zone[0] not in "+-":
        return timedelta(hours=_ZONE_HOURS.get((zone or "").upper(), 0))
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 23 or minutes > 59:
        raise ValueError(f"no zone is {zone}")
    ahead = timedelta(hours=hours, minutes=minutes)
    return -ahead if zone[0] == "-" else ahead
