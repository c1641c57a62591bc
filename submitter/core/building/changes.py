"""Dates of real change: with a zone, never in the future, never made up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Final, NamedTuple

from submitter.core.dates import DATES_THAT_TELL, NOW_S
from submitter.core.lastmod import EARLIEST, DateFault, common_seconds, latest, parse_lastmod
from submitter.core.sitemap_xml import writable_lastmod

WITHOUT_ZONE: Final = "lastmod-without-zone"

_OF_A_DATABASE: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)"
    r"\s?(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?"
).fullmatch
"""`2026-11-30 16:43:00+00`: how databases write a time as text."""
_REMEMBERED: Final = 4_096


class Change(NamedTuple):
    """A date as it is written, empty for none; its second; and why it is none, if it is not."""

    text: str = ""
    at: int = 0
    fault: str = ""


NEVER: Final = Change()


class ChangeDates:
    """Reads the `lastmod` of rows. `zone` is that of times without one, if the operator knows."""

    def __init__(self, now: datetime, zone: tzinfo | None = None) -> None:
        self._now, self._zone = now, zone
        self._latest = latest(now)
        self._known: dict[Any, Change] = {}

    def read(self, value: Any) -> Change:
        if value is None or value == "":
            return NEVER
        if isinstance(value, str) and value in self._known:
            return self._known[value]
        change = self._judge(_text_of(value, self._zone))
        if isinstance(value, str) and len(value) < 64:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[value] = change
        return change

    def read_all(self, values: Sequence[Any]) -> Sequence[int] | None:
        """The seconds of all when each may be written as it is; else None."""
        try:
            seconds = common_seconds(values)
        except TypeError:
            return None
        if not seconds or min(seconds) < EARLIEST or max(seconds) > self._latest:
            return None
        return seconds

    def _judge(self, text: str) -> Change:
        found = parse_lastmod(text, now=self._now)
        if isinstance(found, DateFault):
            return Change(fault=str(found))
        if not found.zoned:
            return Change(fault=WITHOUT_ZONE)
        if not writable_lastmod(text):  # a year or a month alone
            return Change(fault=str(DateFault.INVALID))
        return Change(text, found.at)


def _text_of(value: Any, zone: tzinfo | None) -> str:
    """A value as a W3C date; as it is when it is in no form we know. Numbers count seconds."""
    match value:
        case bool():
            return str(value)
        case int() | float():
            return _of_seconds(value)
        case datetime():
            return _zoned(value, zone).isoformat()
        case date():
            return value.isoformat()
        case str():
            return _of_text(value.strip(), zone)
        case _:
            return str(value)


def _of_seconds(value: float) -> str:
    try:
        return datetime.fromtimestamp(int(value), UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return str(value)


def _of_text(text: str, zone: tzinfo | None) -> str:
    found = _OF_A_DATABASE(text)
    if found is None:
        return text
    day, time, offset = found.groups()
    if offset is None:
        return _in_zone(f"{day}T{time}", zone)
    return f"{day}T{time}{_offset(offset)}"


def _offset(text: str) -> str:
    if text in ("Z", "UTC"):
        return "Z"
    return f"{text[:3]}:{text[3:].lstrip(':') or '00'}"


def _in_zone(text: str, zone: tzinfo | None) -> str:
    try:
        return text if zone is None else _zoned(datetime.fromisoformat(text), zone).isoformat()
    except ValueError:
        return text


def _zoned(at: datetime, zone: tzinfo | None) -> datetime:
    return at.replace(tzinfo=zone) if at.tzinfo is None and zone is not None else at


class DateCensus:
    """Whether the dates of a whole list tell of changes or of the build itself."""

    def __init__(self, now: datetime) -> None:
        self._fresh = int(now.timestamp()) - NOW_S
        self.dated = self.of_now = 0
        self._least, self._most = 1 << 62, 0

    def add(self, seconds: Sequence[int]) -> tuple[int, int, int]:
        """Gives what `add_known` wants to hear of them another time."""
        if not seconds:
            return (0, 0, 0)
        found = (len(seconds), min(seconds), max(seconds))
        self.add_known(*found)
        if found[2] >= self._fresh:
            self.of_now += sum([at >= self._fresh for at in seconds])
        return found

    def add_known(self, count: int, least: int, most: int) -> None:
        """Dates of an earlier build, none of which is of now."""
        if count:
            self.dated += count
            self._least, self._most = min(self._least, least), max(self._most, most)

    def notes(self) -> Counter[str]:
        """What the dates look like as a whole, by id."""
        if self.dated < DATES_THAT_TELL:
            return Counter()
        if self.of_now * 10 > self.dated * 9:
            return Counter({"lastmod-is-now": self.of_now})
        return Counter({"lastmod-all-equal": self.dated} if self._least == self._most else {})
