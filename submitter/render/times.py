"""Times as people read them: the exact moment in UTC, and how far it is from now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def exact(at: datetime | None) -> str:
    """`2026-11-30 16:43:00Z`; a dash when there is none."""
    return "-" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"


def span(length: timedelta) -> str:
    """`3 d`, `7 h`, `12 min`, `40 s`: one unit, rounded down."""
    seconds = int(abs(length.total_seconds()))
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "0 s"


def span_of_seconds(seconds: int) -> str:
    """As `span`."""
    return span(timedelta(seconds=seconds))


def relative(at: datetime | None, now: datetime) -> str:
    """`3 d ago`, `in 7 h`; a dash when there is none."""
    if at is None:
        return "-"
    return f"in {span(at - now)}" if at > now else f"{span(now - at)} ago"


def moment(at: datetime | None, now: datetime) -> str:
    """Both: `2026-11-30 16:43:00Z (in 7 h)`."""
    return "-" if at is None else f"{exact(at)} ({relative(at, now)})"


def read(text: str | None) -> datetime | None:
    """A timestamp of one of our own documents back as a time."""
    return None if text is None else datetime.fromisoformat(text)
