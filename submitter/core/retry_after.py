"""How long a server asks us to wait: the `Retry-After` header, read strictly.

Source: RFC 9110 sections 5.6.7 and 10.2.3, read 2026-11-30.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

MAX_WAIT_S = 366 * 86_400.0
"""Longer wishes are cut here, so that `now + wait` stays a date; no caller waits that long."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_DATE_FORMS = (
    re.compile(rf"[A-Z][a-z]{{2}}, (?P<day>\d\d) {_MONTH} (?P<year>\d{{4}}) {_TIME} GMT"),
    re.compile(rf"[A-Z][a-z]{{5,8}}, (?P<day>\d\d)-{_MONTH}-(?P<year>\d\d) {_TIME} GMT"),
    re.compile(rf"[A-Z][a-z]{{2}} {_MONTH} (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})"),
)
_SECONDS = re.compile(r"\d+", re.ASCII)


def retry_after_seconds(value: str | None, *, now: datetime, date: str | None) -> float | None:
    """Seconds to wait, 0 or more; None when the header is absent or says nothing usable.

    A moment is measured against the server's own `Date` header where that can be read, else
    against `now`, so that a skewed clock here does not change the wait. It is not shortened to
    any budget: a wait that does not fit is a reason to stop, not to come back early.
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return min(float(text[:20]), MAX_WAIT_S)
    moment = http_date(text, now=now)
    if moment is None:
        return None
    asked_at = http_date(date, now=now) or now
    return min(max((moment - asked_at).total_seconds(), 0.0), MAX_WAIT_S)


def http_date(value: str | None, *, now: datetime) -> datetime | None:
    """An HTTP date in any of its three forms, or None. `now` settles two-digit years only."""
    text = (value or "").strip()
    for form in _DATE_FORMS:
        if match := form.fullmatch(text):
            return _moment(match, now)
    return None


def _moment(match: re.Match[str], now: datetime) -> datetime | None:
    year, second = int(match["year"]), min(int(match["second"]), 59)
    if len(match["year"]) == 2:
        year = _full_year(year, now.year)
    try:
        return datetime(
            year,
            _MONTHS.index(match["month"]) + 1,
            int(match["day"]),
            int(match["hour"]),
            int(match["minute"]),
            second,
            tzinfo=UTC,
        )
    except ValueError:
        return None


def _full_year(two_digits: int, this_year: int) -> int:
    """The year of this century, or of the last when that is more than 50 years ahead."""
    year = this_year - this_year % 100 + two_digits
    return year - 100 if year > this_year + 50 else year
