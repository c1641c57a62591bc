"""Times as logs write them, to whole seconds since 1970 UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from submitter.core.crawl.hits import BadLine

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), start=1
    )
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_CLF: Final = re.compile(
    rb"(\d{1,2})/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?: ?([+-]\d\d):?(\d\d))?"
).fullmatch
_NUMBER: Final = re.compile(rb"(\d{9,11})(?:\.\d*)?|(\d{12,14})|(\d{15,17})|(\d{18,20})").fullmatch
_WORDS: Final = re.compile(
    rb"([A-Z][a-z]{2})[a-z]* (\d{1,2}),? (\d{4})[T, ]+(\d\d):(\d\d):(\d\d)(?: ?([+-]\d\d):?(\d\d))?"
).fullmatch
MOST_HOURS: Final = 14
"""No zone is further from UTC."""
_UNIT: Final = (1, 1_000, 1_000_000, 1_000_000_000)


class Times:
    """Reads times and remembers the last hour: a log goes through them one by one."""

    def __init__(self) -> None:
        self._hour = self._zone = b""
        self._start = 0
        self._clock = {b"%02d:%02d" % divmod(second, 60): second for second in range(3_600)}

    def read(self, text: bytes) -> int:
        """`10/Oct/2000:13:55:36 -0700`, and every other form that `moment` knows. BadLine."""
        second = self._clock.get(text[15:20])
        if second is not None and text[:15] == self._hour and text[20:] == self._zone:
            return self._start + second
        at = moment(text)
        if second is not None and text[14:15] == b":" and _CLF(text):
            self._hour, self._zone, self._start = text[:15], text[20:], at - second
        return at


def moment(text: bytes) -> int:
    """Without a zone it is UTC. Raises BadLine."""
    try:
        return _moment(text)
    except (ValueError, OverflowError, KeyError):
        raise BadLine("bad-time") from None


def _moment(text: bytes) -> int:
    if found := _CLF(text):
        day, month, year, *clock, hours, minutes = found.groups()
        return _seconds(int(year), _MONTHS[month], int(day), clock, hours, minutes)
    if found := _NUMBER(text):
        unit = next(at for at, group in enumerate(found.groups()) if group)
        return int(found[unit + 1]) // _UNIT[unit]
    if found := _WORDS(text):
        month, day, year, *clock, hours, minutes = found.groups()
        return _seconds(int(year), _MONTHS[month], int(day), clock, hours, minutes)
    at = datetime.fromisoformat(text.decode("ascii").strip().replace(",", "."))
    return _since_epoch(at if at.tzinfo else at.replace(tzinfo=UTC))


def _seconds(
    year: int,
    month: int,
    day: int,
    clock: list[bytes],
    hours: bytes | None,
    minutes: bytes | None,
) -> int:
    hour, minute, second = map(int, clock)
    at = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    return _since_epoch(at) + max(0, second - 59) - _offset(hours, minutes)


def _offset(hours: bytes | None, minutes: bytes | None) -> int:
    if hours is None or minutes is None:
        return 0
    if int(minutes) > 59 or abs(int(hours)) > MOST_HOURS:
        raise ValueError("no zone of this world")
    size = 3_600 * abs(int(hours)) + 60 * int(minutes)
    return -size if hours.startswith(b"-") else size


def _since_epoch(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(seconds=1)
