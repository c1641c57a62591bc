"""What an engine says of single pages, and of which pages it is asked. Pure.

A sample is a sample: it speaks for the pages in it. The newest pages told come first, because the
effect of a submission shows there; the rest of the sample goes through all others in turn, those
that were never asked about before those that were, in an order that the day deals anew.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from heapq import heappush, heapreplace
from itertools import chain, zip_longest
from typing import NamedTuple

from submitter.core.quota import engine_day

RECENT = timedelta(minutes=2)
"""Calls so long ago cannot count in any limit by the minute."""

_Rank = tuple[int, int, str]
_Ranked = tuple[_Rank, int, "ListedPage"]
"""A page with its rank; a running number keeps pages from being compared."""


class IndexState(StrEnum):
    """Where a page stands, in the one order that leads into an index."""

    INDEXED = "indexed"
    CRAWLED = "crawled"
    """Crawled and not indexed."""
    KNOWN = "known"
    """The engine knows that it exists and never crawled it."""
    UNKNOWN = "unknown"
    """The engine never heard of it."""
    UNCLEAR = "unclear"
    """The answer does not say."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """One page as its engine sees it. The texts are the engine's own; None: not said."""

    property: str
    url: str
    state: IndexState
    reason: str = ""
    """The engine's sentence about it (Google's `coverageState`)."""
    verdict: str | None = None
    last_crawled: datetime | None = None
    robots_txt: str | None = None
    indexing: str | None = None
    fetch: str | None = None
    engine_canonical: str | None = None
    page_canonical: str | None = None


@dataclass(frozen=True, slots=True)
class Inspected:
    """An inspection as remembered."""

    site: str
    account: str
    section: str
    at: datetime
    inspection: Inspection


class ListedPage(NamedTuple):
    """A page that a site lists now. Times in seconds since 1970 UTC."""

    site: str
    loc: str
    section: str
    first_seen: int
    lastmod: int | None = None


class Group(NamedTuple):
    """What one sample is about: a section of a property, whichever sites it is spread over."""

    account: str
    property: str
    section: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A group's sample, newest pages first, and the number of pages it was drawn from."""

    pages: tuple[ListedPage, ...]
    listed: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What became of a group's sample. `asked` were asked now, `known` earlier on the same day."""

    group: Group
    listed: int
    asked: tuple[Inspection, ...] = ()
    known: tuple[Inspection, ...] = ()
    unasked: Mapping[str, int] = field(default_factory=dict)
    """Why pages of the sample were not asked about → how many."""
    problems: tuple[str, ...] = ()
    earlier: Earlier | None = None

    @property
    def inspections(self) -> tuple[Inspection, ...]:
        return (*self.asked, *self.known)


@dataclass(frozen=True, slots=True)
class Earlier:
    """The last sample of the same group on an earlier day, of other pages in the main."""

    day: date
    sampled: int
    indexed: int


# ---------------------------------------------------------------- which pages


class Sampler:
    """Draws pages of every group while they stream by; holds no more than the samples.

    Equal pages, size, day and memory give an equal sample, in whatever order the pages come.
    """

    def __init__(self, size: int, day: date, last_asked: Mapping[str, date] | None = None) -> None:
        """`size` pages a group at most; `day` is the engine's; `last_asked` says of pages when
        they were asked about before that day."""
        self._size, self._day, self._last_asked = size, day, last_asked or {}
        self._draws: dict[Group, _Draw] = {}

    def offer(self, group: Group, page: ListedPage) -> None:
        draw = self._draws.get(group)
        if draw is None:
            draw = self._draws[group] = _Draw(self._size, f"{self._day} {group.section} ")
        draw.offer(page, self._last_asked.get(page.loc))

    def drawn(self) -> dict[Group, Drawn]:
        """By account, property and section."""
        return {
            group: Drawn(self._draws[group].pages(), self._draws[group].listed)
            for group in sorted(self._draws)
        }


class _Draw:
    """The newest pages, and those whose turn it is; `seed` deals the order of the latter."""

    def __init__(self, size: int, seed: str) -> None:
        self._size, self._seed = size, seed
        self._newest: list[_Ranked] = []
        self._next: list[_Ranked] = []
        self.listed = 0

    def offer(self, page: ListedPage, last_asked: date | None) -> None:
        self.listed += 1
        lastmod = -1 if page.lastmod is None else page.lastmod
        waits = 0 if last_asked is None else -last_asked.toordinal()
        self._keep(self._newest, (page.first_seen, lastmod, page.loc), page)
        self._keep(self._next, (waits, _dealt(self._seed + page.loc), page.loc), page)

    def _keep(self, heap: list[_Ranked], rank: _Rank, page: ListedPage) -> None:
        """Keep the `size` highest; the lowest of them stands first in the heap."""
        if len(heap) < self._size:
            heappush(heap, (rank, self.listed, page))
        elif heap and heap[0][0] < rank:
            heapreplace(heap, (rank, self.listed, page))

    def pages(self) -> tuple[ListedPage, ...]:
        newest = _highest_first(self._newest)[: (self._size + 1) // 2]
        others = _highest_first(self._next)
        return tuple(list(dict.fromkeys((*newest, *others)))[: self._size])


def _highest_first(heap: list[_Ranked]) -> list[ListedPage]:
    return [page for _, _, page in sorted(heap, reverse=True)]


def _dealt(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def in_turns(drawn: Mapping[Group, Drawn]) -> Iterator[tuple[Group, ListedPage]]:
    """The first page of every group, then the second of each, and so on: when the day's quota
    ends early, every group has a part of its sample, and the newest pages were asked about."""
    columns = [[(group, page) for page in one.pages] for group, one in drawn.items()]
    rows = zip_longest(*columns)
    return (one for one in chain.from_iterable(rows) if one is not None)


# ---------------------------------------------------------------- what it comes to


def counts(inspections: Sequence[Inspection]) -> dict[IndexState, int]:
    """How many pages are where; every state is there."""
    found = Counter(one.state for one in inspections)
    return {state: found[state] for state in IndexState}


def reasons(inspections: Sequence[Inspection]) -> list[tuple[str, int]]:
    """Why pages are not indexed, in the engine's own words, the commonest first."""
    found = Counter(one.reason for one in inspections if one.state is not IndexState.INDEXED)
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered of one account's pages, as a day needs it."""

    today: Mapping[tuple[str, str], Inspection]
    """By property and page: asked about on this day already."""
    last_asked: Mapping[str, date]
    """Page → the last day before this one on which it was asked about."""
    earlier: Mapping[Group, Earlier]
    recent: Mapping[str, Sequence[datetime]]
    """Property → answers of the last minutes, by whichever process, oldest first."""


def recall(rows: Iterable[Inspected], zone: str, now: datetime) -> Recalled:
    """`zone` is where the engine's days begin; `rows` come oldest first."""
    today = engine_day(zone, now)
    known: dict[tuple[str, str], Inspection] = {}
    recent: dict[str, list[datetime]] = {}
    last_asked: dict[str, date] = {}
    samples: dict[Group, dict[date, list[Inspection]]] = {}
    for row in rows:
        day, found = engine_day(zone, row.at), row.inspection
        if row.at >= now - RECENT:
            recent.setdefault(found.property, []).append(row.at)
        if day >= today:
            known[found.property, found.url] = found
            continue
        last_asked[found.url] = max(day, last_asked.get(found.url, day))
        group = Group(row.account, found.property, row.section)
        samples.setdefault(group, {}).setdefault(day, []).append(found)
    earlier = {group: _latest(days) for group, days in samples.items()}
    return Recalled(known, last_asked, earlier, recent)


def _latest(days: Mapping[date, Sequence[Inspection]]) -> Earlier:
    day = max(days)
    return Earlier(day, len(days[day]), counts(days[day])[IndexState.INDEXED])
