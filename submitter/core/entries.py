"""From what a document says to entries that may be used: identity, date, limits, duplicates."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple

from submitter.core.dates import DocumentDates
from submitter.core.encodings import REPLACED
from submitter.core.findings import Finding
from submitter.core.lastmod import parse_pubdate
from submitter.core.looks import DocumentKind
from submitter.core.notes import Notes
from submitter.core.urls import BadUrl, all_normal, normalize

UNDECLARED: Final = "\ufdd0"
"""Stands for an entity that XML does not know. Unicode keeps this code for inner use."""

LineOf = Callable[[int], int]
Lastmods = Iterable[int | None]
Texts = Iterable[str | None]


class Entry(NamedTuple):
    """One page or child document. `loc` is the document's spelling without blanks around it."""

    loc: str
    identity: str
    lastmod: int | None
    """Seconds since 1970 UTC; None when there is none that may decide anything."""
    lastmod_text: str | None
    """As the document spells it, usable or not."""


class EntryColumns:
    """Entries of a document column by column: for whoever takes millions, and no object of each."""

    def __init__(self) -> None:
        self.locs: list[str] = []
        self.identities: list[str] = []
        self.lastmods: list[int | None] = []
        self.lastmod_texts: list[str | None] = []

    def add(
        self, locs: Iterable[str], identities: Iterable[str], lastmods: Lastmods, texts: Texts
    ) -> None:
        self.locs += locs
        self.identities += identities
        self.lastmods += lastmods
        self.lastmod_texts += texts


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
        self.columns: EntryColumns | None = None
        """Where entries go, instead of being given."""
        self.skipped: Counter[str] = Counter()
        self.used = self.over_limit = self._found = 0
        self._newest: dict[str, int | None] = {}
        self._dates = DocumentDates(notes, now, longest=limits.text)
        self._identities, self._lastmods = _hasher(), _hasher()

    def take(self, locs: Sequence[str], dates: Sequence[str], line_of: LineOf) -> list[Entry]:
        """Entries for addresses and as many dates, empty where there is none.

        `line_of` the n-th is asked for faults only. An address that comes again is given again
        only when its date is newer.
        """
        count = self._within_limit(len(locs))
        if count < len(locs):
            locs, dates = locs[:count], dates[:count]
        given = self._take_all(locs, dates)
        return self._take_each(locs, dates, line_of) if given is None else given

    def _take_all(self, raws: Sequence[str], dates: Sequence[str]) -> list[Entry] | None:
        """All at once, where each address is normal and new, and each date good; else None.

        Says the same as `_take_each` in a third of the time.
        """
        locs = list(map(str.strip, raws))
        if not locs or (locs != raws and max(map(len, raws)) > self._limits.text):
            return None
        if len(set(locs)) < len(locs) or not self._newest.keys().isdisjoint(locs):
            return None
        read = self._dates.read_all(dates)
        if read is None or not all_normal(locs):
            return None
        lastmods, texts = zip(*read, strict=True)
        self._newest.update(zip(locs, lastmods, strict=True))
        self._sum_up(locs, lastmods)
        if self.columns is not None:
            self.columns.add(locs, locs, lastmods, texts)
            return []
        # Made by the million: the class's own way of making one takes twice as long.
        columns = zip(locs, locs, lastmods, texts, strict=True)
        return list(map(tuple.__new__, repeat(Entry), columns))

    def _take_each(self, raws: Sequence[str], dates: Sequence[str], line_of: LineOf) -> list[Entry]:
        given: list[Entry] = []
        newest = self._newest
        for number, (raw, date) in enumerate(zip(raws, dates, strict=True)):
            line = partial(line_of, number)
            loc = raw.strip()
            identity = self._identity(raw, loc, line)
            if not identity:
                continue
            lastmod, text = self._dates.read(date, line)
            if identity in newest and not _is_newer(lastmod, newest[identity]):
                self.skip("duplicate", loc, line)
                continue
            newest[identity] = lastmod
            given.append(Entry(loc, identity, lastmod, text))
        if not given:
            return given
        locs, identities, lastmods, texts = zip(*given, strict=True)
        self._sum_up(identities, lastmods)
        if self.columns is None:
            return given
        self.columns.add(locs, identities, lastmods, texts)
        return []

    def _within_limit(self, count: int) -> int:
        """How many of so many further entries may be used."""
        room = max(0, self._limits.entries - self._found)
        self._found += count
        self.over_limit += max(0, count - room)
        return min(count, room)

    def _sum_up(self, identities: Sequence[str], lastmods: Sequence[int | None]) -> None:
        self.used += len(identities)
        self._identities.update(("\n".join(identities) + "\n").encode())
        seconds = [lastmod or 0 for lastmod in lastmods]
        self._lastmods.update(struct.pack(f"<{len(seconds)}q", *seconds))
        self._dates.count(seconds)

    def skip(self, reason: str, example: str, line: Callable[[], int], count: int = 1) -> None:
        """Count an entry that is not used, or several."""
        self.skipped[reason] += count
        self._notes.add(reason, line=line, example=example, count=count)

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

    def forget(self) -> None:
        """Let go of every address: readers wait for the garbage collector, memory should not."""
        self._newest.clear()

    def _identity(self, raw: str, loc: str, line: Callable[[], int]) -> str:
        """The normal form; empty when the entry is not used, which is then counted."""
        reason = _flaw(raw, loc, self._limits.text)
        if not reason:
            try:
                return normalize(loc)
            except BadUrl as error:
                reason = error.reason
        if reason in _COUNTED_IN_TEXT and reason in self._notes:
            self.skipped[reason] += 1
            self._notes.add(reason, example="" if UNDECLARED in loc else loc, count=0)
        else:
            self.skip(reason, loc, line)
        return ""


_COUNTED_IN_TEXT: Final = frozenset({"undeclared-entity", "undecodable-bytes"})
"""Faults of single characters, which whoever reads the text counts wherever they stand."""


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
