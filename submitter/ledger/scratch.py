"""What crawlers did, for as long as one reading takes: nothing is kept, and no ledger is opened.

Counts and pages are in memory, a bounded number of pages; the marks of lines are on disk. Nothing
is listed here, so nothing is known of what was never crawled.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, Self, TypeAlias

from submitter.core.crawl.bots import BY_NAME, OTHER_BOT
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.met import Hours
from submitter.core.crawl.records import COUNTED, Coverage, CrawlDay
from submitter.core.crawl.seen import Marks, packed, unpacked
from submitter.core.crawl.tally import Batch, DayKey, Visits
from submitter.core.looks import DocumentMemory
from submitter.errors import LedgerError
from submitter.ports import Lease

MOST_BITS: Final = 250_000_000
"""Of all pages in memory; then further ones are counted no more, and said to be missing."""
PAGE_BITS: Final = 800
"""What a page takes beside the bits of its days: a key of 36 bytes and its place in a table."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MASK: Final = 2**64 - 1

_Day: TypeAlias = "array[int]"
"""The sums of a row, as `COUNTED` names them, and the seconds of its first and last hit, 0 without
one: there are as many rows as the days, sites, sections and bots of a log, so each is small."""
_Pages: TypeAlias = dict[int, int]
"""By the key of a page, a bit for each day on which it was read."""


@dataclass(slots=True)
class _Site:
    """What one site's lines came to."""

    days: dict[DayKey, _Day] = field(default_factory=lambda: defaultdict(_no_hits))
    pages: dict[tuple[str, str], _Pages] = field(default_factory=lambda: defaultdict(dict))
    """By section and bot."""
    incomplete: set[DayKey] = field(default_factory=set)
    """Days with pages for which there was no room."""


class ScratchCrawls:
    """Implements `ports.CrawlIntake`. Use as a context manager: its file goes with it."""

    def __init__(self) -> None:
        self._sites: dict[str, _Site] = {}
        self._bit_of: dict[int, int] = {}
        """By day, in the order in which days were met: logs lie in any order."""
        self._bits = 0
        self._lines = _Lines()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()

    # -- a lease that nobody else could hold

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        return Lease(name, owner, 1, now + timedelta(seconds=ttl_s))

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        return Lease(lease.name, lease.owner, lease.fence, now + timedelta(seconds=ttl_s))

    def release(self, lease: Lease) -> None:
        pass

    # -- while lines are read

    def marker(self) -> Callable[[Iterable[bytes]], Marks]:
        return _marks_of

    def page_key(self, identity: str) -> int:
        """Python's own hash is salted anew in each process, and so is good for one."""
        return hash(identity)

    def listing(self, site: str) -> Listing:
        del site
        return Listing()

    def documents_of(self, site: str) -> list[DocumentMemory]:
        del site
        return []

    def lines_of(self, site: str, hour: int) -> list[Marks]:
        return self._lines.of(site, hour)

    def record_crawls(self, lease: Lease, batches: Sequence[Batch], *, at: datetime) -> None:
        del lease, at
        for batch in batches:
            site = self._sites.setdefault(batch.site, _Site())
            for row, counts in batch.days.items():
                _add_day(site.days[row], counts, batch.spans.get(row))
            for bot, visits in batch.visits.items():
                self._add_visits(site, bot, visits)
            self._lines.add(batch.site, batch.lines)

    def record_logs(self, lease: Lease, met: Mapping[str, Hours]) -> None:
        pass

    def close_old_hours(self, lease: Lease, *, now: datetime) -> None:
        pass

    def _add_visits(self, site: _Site, bot: str, visits: Visits) -> None:
        room, masks = MOST_BITS - self._bits, _Masks(self._bit_of)
        last_group, pages = None, _Pages()
        for key, (_, _, _, days, group) in visits.items():
            if group is not last_group:
                last_group, pages = group, site.pages[group.section, bot]
            mask, known = masks[days], pages.get(key)
            if known is None:
                weight = PAGE_BITS + mask.bit_length()
            elif known | mask == known:
                continue
            else:
                mask |= known
                weight = mask.bit_length() - known.bit_length()
            if weight > room:
                site.incomplete.update(DayKey(day, group.section, bot) for day in days)
                continue
            room -= weight
            pages[key] = mask
        self._bits = MOST_BITS - room

    # -- reading back

    def crawl_days(
        self, sites: Sequence[str] | None, *, since: date, until: date
    ) -> list[CrawlDay]:
        found = [
            day
            for origin, site in self._sites.items()
            if sites is None or origin in sites
            for day in self._days_of(origin, site)
            if since <= day.day <= until
        ]
        return sorted(found, key=lambda day: (day.day, day.site, day.section, day.crawler))

    def _days_of(self, origin: str, site: _Site) -> Iterable[CrawlDay]:
        read = self._pages_read(site)
        for row, sums in site.days.items():
            number, section, bot = row
            *counts, first, last = sums
            yield CrawlDay(
                origin,
                (EPOCH + timedelta(days=number)).date(),
                section,
                bot,
                str(BY_NAME.get(bot, OTHER_BOT).kind),
                **dict(zip(COUNTED, counts, strict=True)),
                pages=read[row],
                listed_pages=0,
                at_least=row in site.incomplete,
                listed=None,
                first_at=EPOCH + timedelta(seconds=first) if first else None,
                last_at=EPOCH + timedelta(seconds=last) if last else None,
            )

    def _pages_read(self, site: _Site) -> Counter[DayKey]:
        found: Counter[DayKey] = Counter()
        days = list(self._bit_of)
        for (section, bot), pages in site.pages.items():
            for mask, count in Counter(pages.values()).items():
                for bit in _bits(mask):
                    found[DayKey(days[bit], section, bot)] += count
        return found

    def coverage(self, site: str, *, since: datetime | None = None) -> list[Coverage]:
        del site, since
        return []

    def never_crawled(self, site: str, *, limit: int) -> list[str]:
        del site, limit
        return []


def _no_hits() -> _Day:
    return array("q", bytes(8 * (len(COUNTED) + 2)))


def _add_day(sums: _Day, counts: Mapping[str, int], span: tuple[int, int] | None) -> None:
    for at, name in enumerate(COUNTED):
        sums[at] += counts.get(name, 0)
    if span is not None:
        first, last = span
        sums[-2] = min(first, sums[-2] or first)
        sums[-1] = max(last, sums[-1])


class _Lines:
    """Marks of lines by site and hour, in a database file without a name: a log of many hosts has
    more of both than memory has room for."""

    def __init__(self) -> None:
        self._sites: dict[str, int] = {}
        self._file = sqlite3.connect("", isolation_level=None)
        for statement in TABLE:
            self._file.execute(statement)

    def add(self, site: str, lines: Mapping[int, Marks]) -> None:
        number = self._sites.setdefault(site, len(self._sites))
        rows = ((number, hour, packed(marks)) for hour, marks in lines.items())
        with _said():
            self._file.execute("BEGIN")
            self._file.executemany("INSERT INTO lines VALUES (?, ?, ?)", rows)
            self._file.execute("COMMIT")

    def of(self, site: str, hour: int) -> list[Marks]:
        if site not in self._sites:
            return []
        asked = "SELECT marks FROM lines WHERE site = ? AND hour = ?"
        with _said():
            found = self._file.execute(asked, (self._sites[site], hour)).fetchall()
        return [unpacked(marks) for (marks,) in found]

    def close(self) -> None:
        self._file.close()


TABLE: Final = (
    "PRAGMA journal_mode=OFF",
    "CREATE TABLE lines (site INTEGER, hour INTEGER, marks BLOB)",
    "CREATE INDEX lines_by_hour ON lines (site, hour)",
)


@contextmanager
def _said() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(f"temporary files: {error}") from error


class _Masks(dict[tuple[int, ...], int]):
    """Bits of days, remembered: most pages of a batch were read on the same."""

    def __init__(self, bit_of: dict[int, int]) -> None:
        self._bit_of = bit_of

    def __missing__(self, days: tuple[int, ...]) -> int:
        bits = self._bit_of
        mask = self[days] = sum([1 << bits.setdefault(day, len(bits)) for day in days])
        return mask


def _bits(mask: int) -> Iterator[int]:
    """The numbers of those that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _marks_of(lines: Iterable[bytes]) -> Marks:
    """As `seen.marker` of a salt that nobody knows, in a tenth of the time."""
    return array("Q", [hash(line.rstrip(b"\r")) & MASK for line in lines])
