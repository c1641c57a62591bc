"""Times as people read them: the exact moment in UTC, and how far it is from now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import ceil, inf

_MIN, _HOUR, _DAY = 60, 3_600, 86_400
_STEPS = (
    (_MIN, 1, "s", 1, ""),
    (_HOUR, _MIN, "min", _MIN, ""),
    (_DAY, _HOUR, "h", _MIN, "min"),
    (10 * _DAY, _DAY, "d", _HOUR, "h"),
    (inf, _DAY, "d", _DAY, ""),
)
"""A length below so many seconds is told in the one unit, and what is left of it in the other."""


def exact(at: datetime | None) -> str:
    """`2026-11-30 16:43:00Z`; a dash when there is none."""
    return "-" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"


def span(length: timedelta) -> str:
    """`2 d 23 h`, `5 h 59 min`, `12 min`, `40 s`, rounded to the nearest and a half down; from ten
    days on in days alone."""
    seconds = abs(length.total_seconds())
    for end, size, unit, fine, fine_unit in _STEPS:
        whole = ceil(seconds / fine - 0.5) * fine
        if whole < end:
            rest = f" {whole % size // fine} {fine_unit}" if whole % size else ""
            return f"{whole // size} {unit}{rest}"
    raise AssertionError("the last step has no end")


def span_of_seconds(seconds: int) -> str:
    """As `span`."""
    return span(timedelta(seconds=seconds))


def relative(at: datetime | None, now: datetime) -> str:
    """`3 d 2 h ago`, `in 7 h`; a dash when there is none."""
    if at is None:
        return "-"
    return f"in {span(at - now)}" if at > now else f"{span(now - at)} ago"


def moment(at: datetime | None, now: datetime) -> str:
    """Both: `2026-11-30 16:43:00Z (in 7 h)`."""
    return "-" if at is None else f"{exact(at)} ({relative(at, now)})"


def read(text: str | None) -> datetime | None:
    """A timestamp of one of our own documents back as a time."""
    return None if text is None else datetime.fromisoformat(text)
