"""What crawlers did: hits are added, each line once, and read back by day and by page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from sqlalchemy import BigInteger, Row, bindparam, select, type_coerce, update

from submitter.core.crawl.bots import BY_NAME, OTHER_BOT
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.met import Hours
from submitter.core.crawl.places import Group
from submitter.core.crawl.records import COUNTED, CrawlDay
from submitter.core.crawl.seen import Marks, packed, unpacked
from submitter.core.crawl.tally import Batch, DayKey, Visit, Visits
from submitter.ledger import crawldays
from submitter.ledger.columns import EPOCH, clean
from submitter.ledger.database import Conflict, Database, Many, Transaction, chunks
from submitter.ledger.pages import Place
from submitter.ledger.schema import page, page_key, section, site
from submitter.ledger.schema_crawls import crawl_day, crawl_hour, crawl_page, crawl_site, crawler
from submitter.ledger.sites import SITE, site_row

BATCH = 5_000
"""Listed pages read at a time; between two batches others may use the ledger."""

SOME = 5_000
"""Pages that are added to at a time."""

PART = 65_536
"""Lines in one part of an hour at most."""

MOST_UNLISTED = 100_000
"""Rows of unlisted pages that a site keeps; strangers can make up addresses without end."""

CLOSED_AFTER = timedelta(days=35)
"""So long after an hour's lines were read it is closed: its lines are forgotten, its counts stay,
and no further line of it is taken."""

CACHE_KB = 4_096
"""Memory of SQLite while hits are added."""

FIRST_DAY = EPOCH.date()
MICROS = 1_000_000
DAY_H = 24

LISTED = (
    select(page_key.c.key, section.c.name)
    .select_from(page_key)
    .join(page, page.c.id == page_key.c.page_id)
    .join(section, section.c.id == page.c.section_id)
    .where(
        page_key.c.site_id == bindparam("of_site"),
        page_key.c.key >= bindparam("start"),
        page.c.place == int(Place.LISTED),
    )
    .order_by(page_key.c.key)
    .limit(BATCH)
)
CRAWLERS = select(crawler)
HOUR = (
    select(crawl_hour.c.part, crawl_hour.c.lines)
    .where(crawl_hour.c.site_id == bindparam("of_site"), crawl_hour.c.hour == bindparam("of_hour"))
    .order_by(crawl_hour.c.part)
)
CLOSE = (
    update(crawl_hour)
    .where(crawl_hour.c.read_at < bindparam("before"), crawl_hour.c.lines.is_not(None))
    .values(lines=None)
)
DAYS = select(crawl_day).where(
    crawl_day.c.site_id == bindparam("of_site"),
    crawl_day.c.day >= bindparam("since"),
    crawl_day.c.day <= bindparam("until"),
)
VISITS = select(
    crawl_page.c.key,
    crawl_page.c.crawler_id,
    crawl_page.c.hits,
    type_coerce(crawl_page.c.first_at, BigInteger).label("first_at"),
    type_coerce(crawl_page.c.last_at, BigInteger).label("last_at"),
    crawl_page.c.days,
).where(
    crawl_page.c.site_id == bindparam("of_site"),
    crawl_page.c.key.in_(bindparam("ids", expanding=True)),
)
CRAWL_SITE = select(crawl_site).where(crawl_site.c.site_id == bindparam("of_site"))
SAVE_VISITS = Many(
    crawl_page,
    "site_id",
    "key",
    "crawler_id",
    "hits",
    "first_at",
    "last_at",
    "days",
    conflict=Conflict.REPLACE,
)


# ---------------------------------------------------------------- what is listed, what was read


def listing(database: Database, origin: str) -> Listing:
    """The pages that a site lists now, read by batches, each its own reading."""
    known = database.read(lambda tx: _known(tx, origin))
    return Listing(() if known is None else _listed(database, int(known.id)))


def _known(tx: Transaction, origin: str) -> Row[Any] | None:
    _stay_small(tx)
    return tx.first(SITE, of_origin=origin)


def _listed(database: Database, site_id: int) -> Iterator[list[tuple[int, str]]]:
    start = -(2**63)
    while start < 2**63:
        rows = database.read(partial(_batch, site_id=site_id, start=start))
        if rows:
            yield list(map(tuple, rows))
        if len(rows) < BATCH:
            return
        start = rows[-1].key + 1


def _batch(tx: Transaction, site_id: int, start: int) -> Sequence[Row[Any]]:
    return tx.rows(LISTED, of_site=site_id, start=start)


def lines_of(tx: Transaction, origin: str, hour: int) -> list[Marks] | None:
    """The lines of an hour that are counted; None: it is closed."""
    known = tx.first(SITE, of_origin=origin)
    if known is None:
        return []
    parts = [row.lines for row in tx.rows(HOUR, of_site=known.id, of_hour=hour)]
    return None if None in parts else [unpacked(part) for part in parts]


def close_old_hours(tx: Transaction, now: datetime) -> None:
    tx.execute(CLOSE, before=now - CLOSED_AFTER)


# ---------------------------------------------------------------- adding


def record(tx: Transaction, batches: Sequence[Batch], at: datetime) -> None:
    """Add these hits and remember their lines, all or none."""
    _stay_small(tx)
    ids = _crawler_ids(tx, {key.bot for batch in batches for key in batch.days})
    for batch in batches:
        site_id = int(site_row(tx, batch.site).id)
        pages = _Pages(tx, site_id, ids)
        pages.add(batch.visits)
        _add_days(tx, site_id, batch, pages.gains, ids)
        _add_hours(tx, site_id, batch.lines.keys())
        for hour, lines in batch.lines.items():
            _add_lines(tx, site_id, hour, lines, at)


def record_logs(tx: Transaction, met: Mapping[str, Hours]) -> None:
    """Of which hours lines of these sites were read."""
    for origin in sorted(met):
        _add_hours(tx, int(site_row(tx, origin).id), met[origin])


def _add_hours(tx: Transaction, site_id: int, hours: Collection[int]) -> None:
    if not hours:
        return
    known = tx.first(CRAWL_SITE, of_site=site_id)
    first, last, days = min(hours), max(hours), tuple({hour // DAY_H for hour in hours})
    if known is None or known.read_days is None:
        values = (first, last, crawldays.pack(days))
    else:
        packed, _ = crawldays.add(known.read_days, days)
        values = (min(first, known.read_from), max(last, known.read_until), packed)
        if values == (known.read_from, known.read_until, known.read_days):
            return
    names = ("read_from", "read_until", "read_days")
    tx.put(crawl_site, site_id=site_id, **dict(zip(names, values, strict=True)))


def _stay_small(tx: Transaction) -> None:
    """Pages are met in no order, so a large cache would fill up with a table's every corner."""
    if tx.connection.dialect.name == "sqlite":
        tx.connection.exec_driver_sql(f"PRAGMA cache_size=-{CACHE_KB}")


def _crawler_ids(tx: Transaction, names: Iterable[str]) -> dict[str, int]:
    """The number of each crawler, made when first used."""
    found = {row.name: row.id for row in tx.rows(CRAWLERS)}
    for name in sorted(set(names) - found.keys()):
        kind = BY_NAME.get(name, OTHER_BOT).kind
        found[name] = tx.add(crawler, name=name, kind=str(kind))
    return found


@dataclass(slots=True)
class _Gain:
    """What new visits add to a day: pages that were not read on it before."""

    pages: int = 0
    listed_pages: int = 0
    at_least: bool = False


_Found = tuple[int, str, Visit]
"""The key of a page, a bot, and what it did there."""


class _Pages:
    """The rows of one site's pages while visits are added. `gains` by day, section and bot."""

    def __init__(self, tx: Transaction, site_id: int, ids: Mapping[str, int]) -> None:
        self._tx, self._site_id, self._ids = tx, site_id, ids
        kept = tx.first(CRAWL_SITE, of_site=site_id)
        self._kept = self._unlisted = int(kept.unlisted) if kept else 0
        self.gains: dict[tuple[int, str, str], _Gain] = defaultdict(_Gain)

    def add(self, visits: Mapping[str, Visits]) -> None:
        found = [(key, bot, visit) for bot in sorted(visits) for key, visit in visits[bot].items()]
        found.sort(key=itemgetter(0))  # rows lie in this order
        for some in chunks(found, SOME):
            self._tx.many(SAVE_VISITS, self._rows(some, self._known(some)))
        if self._unlisted != self._kept:
            self._tx.put(crawl_site, site_id=self._site_id, unlisted=self._unlisted)

    def _known(self, visits: Sequence[_Found]) -> dict[tuple[int, int], tuple[Any, ...]]:
        """What is there already, by the keys of pages and the numbers of crawlers."""
        keys = dict.fromkeys(key for key, _, _ in visits)
        rows: Iterable[Any] = self._tx.rows_in(VISITS, keys, of_site=self._site_id)
        return {(row[0], row[1]): row[2:] for row in rows}

    def _rows(
        self, visits: Sequence[_Found], known: Mapping[tuple[int, int], Sequence[Any]]
    ) -> Iterator[tuple[Any, ...]]:
        site_id, ids, packs = self._site_id, self._ids, _Packs()
        gains: Counter[tuple[str, Group, tuple[int, ...]]] = Counter()
        for key, bot, (hits, first, last, days, group) in visits:
            number = ids[bot]
            earlier = known.get((key, number))
            first, last = first * MICROS, last * MICROS
            if earlier is not None:
                its_hits, its_first, its_last, its_days = earlier
                packed, days = crawldays.add(its_days, days)
                hits, first, last = hits + its_hits, min(first, its_first), max(last, its_last)
            elif group.is_listed or self._has_room(bot, group, days):
                packed = packs[days]
            else:
                continue
            gains[bot, group, days] += 1
            yield site_id, key, number, hits, first, last, packed
        for (bot, group, days), count in gains.items():
            self._gain(bot, group, days, count)

    def _has_room(self, bot: str, group: Group, days: Iterable[int]) -> bool:
        if self._unlisted >= MOST_UNLISTED:
            for day in days:
                self.gains[day, group.section, bot].at_least = True
            return False
        self._unlisted += 1
        return True

    def _gain(self, bot: str, group: Group, days: Iterable[int], count: int) -> None:
        for day in days:
            gain = self.gains[day, group.section, bot]
            gain.pages += count
            gain.listed_pages += count * group.is_listed


class _Packs(dict[tuple[int, ...], bytes]):
    """Packed days, remembered: most pages of a batch were read on the same."""

    def __missing__(self, days: tuple[int, ...]) -> bytes:
        packed = self[days] = crawldays.pack(days)
        return packed


def _add_days(
    tx: Transaction,
    site_id: int,
    batch: Batch,
    gains: Mapping[tuple[int, str, str], _Gain],
    ids: Mapping[str, int],
) -> None:
    if not batch.days:
        return
    numbers = [key.day for key in batch.days]
    known = {
        (row.day, row.section, row.crawler_id): row
        for row in tx.rows(
            DAYS, of_site=site_id, since=_date(min(numbers)), until=_date(max(numbers))
        )
    }
    for key in sorted(batch.days):
        name = clean(key.section)
        earlier = known.get((_date(key.day), name, ids[key.bot]))
        values = _summed(batch, key, gains.get(key, _Gain()), earlier)
        tx.put(
            crawl_day,
            site_id=site_id,
            day=_date(key.day),
            section=name,
            crawler_id=ids[key.bot],
            **values,
        )


def _summed(batch: Batch, key: DayKey, gain: _Gain, earlier: Row[Any] | None) -> dict[str, Any]:
    added = batch.days[key]
    values: dict[str, Any] = {name: added[name] for name in COUNTED}
    values["pages"], values["listed_pages"] = gain.pages, gain.listed_pages
    span = [EPOCH + timedelta(seconds=second) for second in batch.spans.get(key, ())]
    at_least = gain.at_least
    if earlier is not None:
        for name in values:
            values[name] += getattr(earlier, name)
        at_least = at_least or earlier.at_least
        span += [time for time in (earlier.first_at, earlier.last_at) if time is not None]
    listed = None if batch.listed is None else batch.listed.get(key.section, 0)
    return values | {
        "at_least": at_least,
        "listed": listed,
        "first_at": min(span, default=None),
        "last_at": max(span, default=None),
    }


def _date(number: int) -> date:
    return FIRST_DAY + timedelta(days=number)


def _add_lines(tx: Transaction, site_id: int, hour: int, lines: Marks, at: datetime) -> None:
    """The last part is filled up before another is begun."""
    parts = tx.rows(HOUR, of_site=site_id, of_hour=hour)
    number, marks = 0, list(lines)
    if parts:
        last = parts[-1]
        number = last.part + 1
        if last.lines is not None and len(last.lines) // 8 + len(marks) <= PART:
            number = last.part
            marks += unpacked(last.lines)
    for start in range(0, len(marks), PART):
        tx.put(
            crawl_hour,
            site_id=site_id,
            hour=hour,
            part=number,
            lines=packed(marks[start : start + PART]),
            read_at=at,
        )
        number += 1


# ---------------------------------------------------------------- reading back

READ_DAYS = (
    select(
        site.c.origin.label("site"),
        crawler.c.name.label("crawler"),
        crawler.c.kind,
        *[column for column in crawl_day.c if column.name not in ("site_id", "crawler_id")],
    )
    .select_from(crawl_day)
    .join(site, site.c.id == crawl_day.c.site_id)
    .join(crawler, crawler.c.id == crawl_day.c.crawler_id)
    .where(crawl_day.c.day >= bindparam("since"), crawl_day.c.day <= bindparam("until"))
    .order_by(crawl_day.c.day, site.c.origin, crawl_day.c.section, crawler.c.name)
)


def days(
    tx: Transaction, origins: Sequence[str] | None, since: date, until: date
) -> Iterator[CrawlDay]:
    """By day, site, section and crawler; of these sites, or of all."""
    wanted = None if origins is None else frozenset(origins)
    for row in tx.rows(READ_DAYS, since=since, until=until):
        if wanted is None or row.site in wanted:
            yield CrawlDay(**row._mapping)
