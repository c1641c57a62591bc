"""From what a document says to entries that may be used: identity, date, limits, duplicates."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from submitter.core.encodings import REPLACED
from submitter.core.findings import Finding
from submitter.core.lastmod import (
    DAY_S,
    EARLIEST,
    DateFault,
    Lastmod,
    common_seconds,
    latest,
    parse_lastmod,
    parse_pubdate,
)
from submitter.core.looks import DocumentKind
from submitter.core.notes import Notes
from submitter.core.urls import (
    MAX_CHARACTERS,
    SHOWN_CHARACTERS,
    BadUrl,
    looks_normal,
    normalize,
)

UNDECLARED: Final = "\ufdd0"
"""Stands for an entity that XML does not know. Unicode keeps this code for inner use."""

NOW_S: Final = 300
"""A date at most this much older than the time of reading was made by the reading."""

DATES_THAT_TELL: Final = 10
"""Fewer dates may well be all equal, or all of today."""

_DATES_REMEMBERED: Final = 4_096
_INVALID: Final = DateFault.INVALID
_NO_DATE: Final = (None, None)

DateParser = Callable[..., Lastmod | DateFault]
Line = Callable[[], int]
LineOf = Callable[[int], int]
_Date = tuple[int | None, str | None]


class Entry(NamedTuple):
    """One page or child document. `loc` is the document's spelling without blanks around it."""

    loc: str
    identity: str
    lastmod: int | None
    """Seconds since 1970 UTC; None when there is none that may decide anything."""
    lastmod_text: str | None
    """As the document spells it, usable or not."""


_new_entry: Final = partial(tuple.__new__, Entry)
"""Entries are made by the million; the class's own way takes twice as long."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What one document may cost.

    Source of the first two: https://www.sitemaps.org/protocol.html, read 2026-11-30.
    """

    entries: int = 50_000
    bytes: int = 52_428_800
    depth: int = 256
    names: int = 10_000
    """Distinct names of elements and attributes."""
    token: int = 1_048_576
    """Bytes of one tag or comment."""
    text: int = 65_536
    """Characters of one address or date, blanks around it included."""
    block: int = 131_072
    """Bytes read at a time. However they arrive, equal bytes are cut into equal blocks."""
    skim: bool = True
    """False: every entry takes the careful way. Only a test has reason to compare."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How reading a document ended.

    found = `entries` + `skipped` + `over_limit`.
    """

    kind: DocumentKind
    complete: bool
    """Read to its closing tag (a list: to its last line), and no entry left out for a limit."""
    entries: int
    """Entries given."""
    over_limit: int
    """Entries after the 50,000th; entries beyond the byte limit are not even counted."""
    content: str
    """Hash of identity and date of the entries given, in order. Without dates if `dates_lie`."""
    skipped: Mapping[str, int]
    """Entries not given, by reason; a key of `READING_IDS`."""
    findings: tuple[Finding, ...]
    dates_lie: bool = False
    """Nearly all dates are the time of reading: they must not decide what changed."""


class Intake:
    """Takes the raw entries of one document, in order, and gives those that may be used."""

    def __init__(self, notes: Notes, *, now: datetime, limits: ReadLimits) -> None:
        self._notes, self._limits = notes, limits
        self.skipped: Counter[str] = Counter()
        self.used = self.over_limit = self._found = 0
        self._newest: dict[int, int | None] = {}
        self._dates = _Dates(notes, now, limits)
        self._identities, self._lastmods = _hasher(), _hasher()

    def take(self, pairs: Sequence[tuple[str, str]], line_of: LineOf) -> list[Entry]:
        """Entries for pairs of address and date. `line_of` the n-th pair is asked for faults only.

        An address that comes again is given again only when its date is newer.
        """
        given: list[Entry] = []
        remembered, read_date, newest = self._dates.remembered, self._dates.read, self._newest
        for number, (raw, date) in enumerate(self._within_limit(pairs)):
            loc = raw.strip()
            if looks_normal(loc) and "/." not in loc and len(raw) <= MAX_CHARACTERS:
                identity = loc
            else:
                identity = self._identity(raw, loc, partial(line_of, number))
                if not identity:
                    continue
            when, text = remembered.get(date) or read_date(date, number, line_of)
            key = hash(identity)
            if key in newest and not _is_newer(when, newest[key]):
                self.skip("duplicate", loc, partial(line_of, number))
                continue
            newest[key] = when
            given.append(_new_entry((loc, identity, when, text)))
        self._sum_up(given)
        return given

    def _within_limit(self, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        room = self._limits.entries - self._found
        self._found += len(pairs)
        if len(pairs) <= room:
            return pairs
        self.over_limit += len(pairs) - max(0, room)
        return pairs[: max(0, room)]

    def skip(self, reason: str, example: str, line: Line) -> None:
        """Count an entry that is not used."""
        self.skipped[reason] += 1
        self._notes.add(reason, line=line, example=example)

    def expect_pubdates(self) -> None:
        """The document is an RSS feed, which writes dates in its own form."""
        self._dates.parse = parse_pubdate

    def content(self, *, dated: bool) -> str:
        """Hash of the entries given so far, with their dates or without."""
        digest = self._identities.copy()
        if dated:
            digest.update(self._lastmods.digest())
        return digest.hexdigest()

    def judge_dates(self) -> bool:
        """Note what the dates look like as a whole. True: they are the time of reading."""
        return self._dates.judge()

    def _identity(self, raw: str, loc: str, line: Line) -> str:
        """The normal form; empty when the entry is not used, which is then counted."""
        reason = _flaw(raw, loc, self._limits.text)
        if not reason:
            try:
                return normalize(loc)
            except BadUrl as error:
                reason = error.reason
        self.skip(reason, loc, line)
        return ""

    def _sum_up(self, given: Sequence[Entry]) -> None:
        self.used += len(given)
        self._identities.update("".join([f"{entry.identity}\n" for entry in given]).encode())
        lastmods = [entry.lastmod or 0 for entry in given]
        self._lastmods.update(struct.pack(f"<{len(lastmods)}q", *lastmods))
        self._dates.count(lastmods)


class _Dates:
    """The dates of one document: read once each, and judged together at the end."""

    def __init__(self, notes: Notes, now: datetime, limits: ReadLimits) -> None:
        self._notes, self._now, self._limits = notes, now, limits
        self.parse: DateParser = parse_lastmod
        self.remembered: dict[str, _Date] = {"": _NO_DATE}
        """Texts that need no finding each time they come."""
        second = int(now.timestamp())
        self._latest = latest(now)
        self._fresh = second - NOW_S
        self._today = second - second % DAY_S
        self._seen = self._of_now = 0
        self._least, self._most = self._latest, 0

    def read(self, text: str, number: int, line_of: LineOf) -> _Date:
        """The date with its text; without seconds when it may not decide anything."""
        at = common_seconds(text)
        if at is None or not EARLIEST <= at <= self._latest:
            return self._look_closer(text, partial(line_of, number))
        return self._remember(text, at)

    def _look_closer(self, text: str, line: Line) -> _Date:
        shown = text.strip()[:SHOWN_CHARACTERS]
        if not shown:
            return _NO_DATE
        found = self.parse(text, now=self._now) if len(text) <= self._limits.text else _INVALID
        if isinstance(found, DateFault):
            self._notes.add(found, line=line, example=shown)
            return None, shown
        if not found.zoned:
            self._notes.add("lastmod-without-zone", line=line, example=shown)
            return found.at, shown
        return self._remember(text, found.at)

    def _remember(self, text: str, at: int) -> _Date:
        if len(self.remembered) >= _DATES_REMEMBERED:
            self.remembered.clear()
            self.remembered[""] = _NO_DATE
        date = self.remembered[text] = (at, text.strip())
        return date

    def count(self, lastmods: Sequence[int]) -> None:
        """Zero stands for no date."""
        known = [at for at in lastmods if at]
        if not known:
            return
        self._seen += len(known)
        self._least, self._most = min(self._least, *known), max(self._most, *known)
        if self._most >= self._today:
            self._of_now += sum(at >= self._fresh or at == self._today for at in known)

    def judge(self) -> bool:
        if self._seen < DATES_THAT_TELL:
            return False
        if self._of_now * 10 > self._seen * 9:
            self._notes.add("lastmod-is-now", count=self._of_now)
            return True
        if self._least == self._most:
            self._notes.add("lastmod-all-equal", count=self._seen)
        return False


def _flaw(raw: str, loc: str, longest: int) -> str:
    """What can be wrong with an address before its spelling is looked at; empty = nothing."""
    if not loc:
        return "empty-loc"
    if len(raw) > longest:
        return "too-long"
    if UNDECLARED in loc:
        return "undeclared-entity"
    return "undecodable-bytes" if REPLACED in loc else ""


def _is_newer(when: int | None, known: int | None) -> bool:
    return when is not None and (known is None or when > known)


def _hasher() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)
