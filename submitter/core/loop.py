"""The closed loop: how long it takes from telling an engine to its reading. Pure.

Waits are kept as counts by bucket, whole minutes in the first day and whole hours after it, so a
year of waits takes as much room as a day of them, and a quantile is off by no more than half a
bucket.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from submitter.core.traits import Kind, Traits

MINUTE_S: Final = 60
HOUR_S: Final = 3_600
DAY_S: Final = 86_400
FINE: Final = DAY_S // MINUTE_S
"""Buckets of a minute; those of an hour come after them."""
COARSEST: Final = FINE + 24 * 366 * 2
"""Waits of two years and more are one bucket."""

MEDIAN: Final = 0.5
P90: Final = 0.9


def bucket_of(seconds: int) -> int:
    """The bucket of a wait; waits below zero count as none."""
    if seconds < DAY_S:
        return max(0, seconds) // MINUTE_S
    return min(COARSEST, FINE + (seconds - DAY_S) // HOUR_S)


def middle_of(bucket: int) -> int:
    """The wait, in seconds, that a bucket stands for."""
    if bucket < FINE:
        return bucket * MINUTE_S + MINUTE_S // 2
    return DAY_S + (bucket - FINE) * HOUR_S + HOUR_S // 2


class Goal(StrEnum):
    """What ends a wait."""

    CRAWL = "crawl"
    """The engine's crawler reads the page, by the site's access logs."""
    DOWNLOAD = "download"
    """The engine reads the sitemap, in its own word."""


@dataclass(frozen=True, slots=True)
class Period:
    """Which sendings are meant: first sent at or after `since` and before `until`."""

    name: str
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Way:
    """How an engine comes to know of pages, and whose reading answers it."""

    engine: str
    kind: Kind
    """URLS: told page by page; SITEMAP: told sitemaps that list them."""
    readers: tuple[str, ...]
    """Crawlers as access logs name them."""


class Sent(NamedTuple):
    """Pages of a section that were first sent, or sitemaps (section None). `unsure` of them are of
    sites with several sitemaps told: which of these listed a page first is not remembered, so the
    earliest telling counts, and the page may have been told later."""

    section: str | None
    things: int
    unsure: int = 0


AGAIN: Final = -1
"""Stands for a bucket where pages were read before they were sent and again since: of the readings
of a page the first and the last are kept, so how soon it was read again is not known."""


class Reached(NamedTuple):
    """Those of them that were read; `bucket` None: only before they were sent; or `AGAIN`."""

    section: str | None
    bucket: int | None
    things: int


class Step(NamedTuple):
    """Things that were read within this wait, in seconds, and not within the one before."""

    within_s: int
    things: int


STEPS: Final = tuple(
    [minutes * MINUTE_S for minutes in (1, 2, 5, 10, 15, 20, 30, 45)]
    + [hours * HOUR_S for hours in (1, 2, 3, 4, 6, 8, 12, 16, 20)]
    + [days * DAY_S for days in (1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 28, 60, 90, 180, 365)]
)
"""Where the steps of a listing of waits end; its quantiles have steps of their own."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the engine took, in one section and period. Waits are of what was read after it
    was sent; `sent` = that, `again`, `before` and `open`."""

    engine: str
    kind: Kind
    goal: Goal
    section: str | None
    """None: all sections together, or sitemaps, which have none."""
    period: str
    sent: int
    reached: int
    again: int
    """Read before it was sent and again since; how soon is not known."""
    before: int
    """Read only before it was sent, and so no answer to the sending."""
    median_s: int | None
    p90_s: int | None
    steps: tuple[Step, ...] = ()
    """The waits that the numbers above are made of, the shortest first."""
    unsure: int = 0
    """Those sent of which it is not certain when they were first sent (see `Sent`)."""

    @property
    def open(self) -> int:
        """Sent and not read since."""
        return max(0, self.sent - self.reached - self.again - self.before)


@dataclass(slots=True)
class Waits:
    """Adds up the waits of one section."""

    buckets: Counter[int] = field(default_factory=Counter)
    again: int = 0
    before: int = 0

    def add(self, bucket: int | None, count: int) -> None:
        if bucket is None:
            self.before += count
        elif bucket == AGAIN:
            self.again += count
        else:
            self.buckets[bucket] += count

    def update(self, other: Waits) -> None:
        self.buckets.update(other.buckets)
        self.again += other.again
        self.before += other.before

    def steps(self, *ends: int | None) -> tuple[Step, ...]:
        """The waits by `STEPS` and by these ends; steps without a wait are left out."""
        waits = sorted((middle_of(bucket), count) for bucket, count in self.buckets.items())
        longest = waits[-1][0] if waits else 0
        edges = sorted({*STEPS, longest, *(end for end in ends if end is not None)})
        sums: Counter[int] = Counter()
        for wait, count in waits:
            sums[edges[bisect_left(edges, wait)]] += count
        return tuple(Step(edge, sums[edge]) for edge in edges if sums[edge])

    def quantile(self, share: float) -> int | None:
        """The wait, in seconds, within which this share of them ended; None: there was none."""
        rank = share * self.buckets.total()
        passed = 0
        for bucket in sorted(self.buckets):
            passed += self.buckets[bucket]
            if passed >= rank:
                return middle_of(bucket)
        return None


def latencies(
    way: Way, goal: Goal, period: Period, sent: Iterable[Sent], reached: Iterable[Reached]
) -> list[Latency]:
    """By section, those with most sent first; before them all sections together, if there are
    several. Nothing sent in a section is no row."""
    sizes: Counter[str | None] = Counter()
    unsure: Counter[str | None] = Counter()
    waits: dict[str | None, Waits] = {}
    for section, count, of_these in sent:
        sizes[section] += count
        unsure[section] += of_these
    for section, bucket, count in reached:
        waits.setdefault(section, Waits()).add(bucket, count)
    rows = [
        _latency(
            way, goal, period, Sent(section, size, unsure[section]), waits.get(section, Waits())
        )
        for section, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0] or ""))
    ]
    if len(rows) < 2:
        return rows
    whole = Waits()
    for one in waits.values():
        whole.update(one)
    return [_latency(way, goal, period, Sent(None, sizes.total(), unsure.total()), whole), *rows]


def _latency(way: Way, goal: Goal, period: Period, sent: Sent, waits: Waits) -> Latency:
    median, p90 = waits.quantile(MEDIAN), waits.quantile(P90)
    return Latency(
        engine=way.engine,
        kind=way.kind,
        goal=goal,
        section=sent.section,
        period=period.name,
        sent=sent.things,
        reached=waits.buckets.total(),
        again=waits.again,
        before=waits.before,
        median_s=median,
        p90_s=p90,
        steps=waits.steps(median, p90),
        unsure=sent.unsure,
    )


def ways_of(traits: Mapping[str, Traits], engines: Iterable[str]) -> list[Way]:
    """Every way of these engines, in their order."""
    found = []
    for name in dict.fromkeys(engines):
        one = traits[name]
        readers = one.readers or (one.crawler,)
        found += [
            Way(name, kind, readers) for kind in (Kind.SITEMAP, Kind.URLS) if kind in one.tells
        ]
    return found


def periods_of(
    since: datetime, now: datetime, *, before: datetime | None, after: datetime | None
) -> list[Period]:
    """The whole period, or its parts before one moment and from another (or the same) on."""
    if before is None and after is None:
        return [Period("all", since, now)]
    parts = []
    if before is not None:
        parts.append(Period("before", since, min(before, now)))
    if after is not None:
        parts.append(Period("after", max(since, after), now))
    return parts
