"""The dates of one document: each text read once, and all of them judged together at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from submitter.core.lastmod import (
    DAY_S,
    EARLIEST,
    DateFault,
    Lastmod,
    common_seconds,
    latest,
    parse_lastmod,
)
from submitter.core.notes import Notes
from submitter.core.urls import SHOWN_CHARACTERS

NOW_S: Final = 300
"""A date at most this much older than the time of reading was made by the reading."""

DATES_THAT_TELL: Final = 10
"""Fewer dates may well be all equal, or all of today."""

_REMEMBERED: Final = 4_096
_LONGEST_REMEMBERED: Final = 64

Date = tuple[int | None, str | None]
"""Seconds since 1970 UTC, None when it may not decide anything; and the text without blanks."""

_NO_DATE: Final = (None, None)


class DocumentDates:
    """Reads dates and notes what is wrong with them. A text over `longest` is no date."""

    def __init__(self, notes: Notes, now: datetime, *, longest: int) -> None:
        self._notes, self._now, self._longest = notes, now, longest
        self.parse: Callable[..., Lastmod | DateFault] = parse_lastmod
        """How dates are written in this kind of document."""
        self._good: dict[str, Date] = {"": _NO_DATE}
        self._latest = latest(now)
        second = int(now.timestamp())
        self._fresh, self._today = second - NOW_S, second - second % DAY_S
        self._seen = self._of_now = 0
        self._least, self._most = self._latest, 0

    def read(self, text: str, line: Callable[[], int]) -> Date:
        """One date, with a finding if it deserves one."""
        if text in self._good:
            return self._good[text]
        shown = text.strip()[:SHOWN_CHARACTERS]
        if not shown:
            return _NO_DATE
        found = self._parsed(text)
        if isinstance(found, DateFault):
            self._notes.add(found, line=line, example=shown)
            return None, shown
        if not found.zoned:
            self._notes.add("lastmod-without-zone", line=line, example=shown)
        return found.at, shown

    def read_all(self, texts: Sequence[str]) -> list[Date] | None:
        """All of them when none deserves a finding; else None, and nothing is noted."""
        if len(self._good) > _REMEMBERED:
            self._good = {"": _NO_DATE}
        good = self._good
        new = [text for text in texts if text not in good]
        if new and not self._learn(new):
            return None
        return [good[text] for text in texts]

    def _learn(self, texts: Sequence[str]) -> bool:
        """Remember these dates, if they are good and short."""
        seconds = common_seconds(texts) or self._seconds_of(texts)
        if not seconds or min(seconds) < EARLIEST or max(seconds) > self._latest:
            return False
        dates = zip(seconds, map(str.strip, texts), strict=True)
        self._good.update(zip(texts, dates, strict=True))
        return True

    def _seconds_of(self, texts: Sequence[str]) -> list[int]:
        """Of each text, when all are good and short; else none."""
        if max(map(len, texts)) > _LONGEST_REMEMBERED:
            return []
        found = [self._parsed(text) for text in texts]
        good = [date.at for date in found if isinstance(date, Lastmod) and date.zoned]
        return good if len(good) == len(texts) else []

    def _parsed(self, text: str) -> Lastmod | DateFault:
        if len(text) > self._longest:
            return DateFault.INVALID
        return self.parse(text, now=self._now)

    def count(self, lastmods: Sequence[int]) -> None:
        """Count dates of entries that are used; zero stands for none."""
        known = [at for at in lastmods if at]
        if not known:
            return
        self._seen += len(known)
        self._least, self._most = min(self._least, *known), max(self._most, *known)
        if self._most >= self._today:
            self._of_now += sum(at >= self._fresh or at == self._today for at in known)

    def judge(self) -> bool:
        """Note what the dates look like as a whole. True: they are the time of reading."""
        if self._seen < DATES_THAT_TELL:
            return False
        if self._of_now * 10 > self._seen * 9:
            self._notes.add("lastmod-is-now", count=self._of_now)
            return True
        if self._least == self._most:
            self._notes.add("lastmod-all-equal", count=self._seen)
        return False
