"""The latest date of change that stands in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from submitter.core.lastmod import DateFault, parse_lastmod

_DATES: Final = re.compile(rb"<lastmod>([^<]*)</lastmod>").findall
_DAY: Final = timedelta(days=1)
_ANY_TIME: Final = datetime(9990, 1, 1, tzinfo=UTC)
"""Dates were judged when they were written; here they are only compared."""


class Newest:
    """Takes lines of a file, and keeps the latest date as it is spelled there."""

    def __init__(self) -> None:
        self.text = ""
        self._at = 0
        self._least = b""

    def add(self, lines: bytes) -> None:
        """Only dates of the last days written are worth reading: zones shift them by one."""
        dates = _DATES(lines)
        if not dates or (most := max(dates)) < self._least:
            return
        self._least = max(self._least, _day_before(most))
        for date in {date for date in dates if date >= self._least}:
            at = _second(date.decode())
            if at > self._at:
                self._at, self.text = at, date.decode()
            elif at == self._at:  # one of equal ones, whatever their order
                self.text = min(self.text, date.decode())


def newest_in(lines: Iterable[bytes]) -> str:
    newest = Newest()
    for line in lines:
        newest.add(line)
    return newest.text


def _second(text: str) -> int:
    found = parse_lastmod(text, now=_ANY_TIME)
    return 0 if isinstance(found, DateFault) else found.at


def _day_before(date: bytes) -> bytes:
    try:
        day = datetime.fromisoformat(date[:10].decode())
    except ValueError:
        return b""
    return (day - _DAY).date().isoformat().encode()
