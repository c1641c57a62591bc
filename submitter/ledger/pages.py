"""Page rows: how they are written, found by key, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from sqlalchemy import BigInteger, bindparam, select, type_coerce, update

from submitter.core.looks import PageRow
from submitter.ledger.database import Conflict, Many, Transaction
from submitter.ledger.schema import counter, look, page, page_key, section, site
from submitter.ledger.waiting import LATEST, Ranked, rank_of


class Place(IntEnum):
    """Where a page stands in its site. `MISSING`: in no document, but not yet gone."""

    BY_HAND = 0
    LISTED = 1
    MISSING = 2
    GONE = 3


class Stance(NamedTuple):
    """A page's place in every queue, and whether it is gone."""

    id: int
    rank: int
    gone: bool


class Known(NamedTuple):
    """A page row as a change needs it."""

    key: int
    id: int
    lastmod: int | None
    place: int
    first_look: int
    changed_look: int | None
    gone_look: int | None
    section_id: int
    priority: int
    loc: str
    identity: str | None
    first_seen: int
    """Seconds since 1970 UTC."""

    @property
    def ranked(self) -> Ranked:
        return rank_of(self.priority, self.lastmod), self.id


first_seen = (type_coerce(look.c.at, BigInteger) // 1_000_000).label("first_seen")
KNOWN = (
    select(
        page_key.c.key,
        page.c.id,
        page.c.lastmod,
        page.c.place,
        page.c.first_look,
        page.c.changed_look,
        page.c.gone_look,
        page.c.section_id,
        section.c.priority,
        page.c.loc,
        page.c.identity,
        first_seen,
    )
    .select_from(page_key)
    .join(page, page.c.id == page_key.c.page_id)
    .join(section, section.c.id == page.c.section_id)
    .join(look, (look.c.site_id == page_key.c.site_id) & (look.c.number == page.c.first_look))
    .where(
        page_key.c.site_id == bindparam("of_site"),
        page_key.c.key.in_(bindparam("ids", expanding=True)),
    )
)
STANCES = (
    select(page.c.id, page.c.lastmod, page.c.place, section.c.priority)
    .join(section, section.c.id == page.c.section_id)
    .where(page.c.id.in_(bindparam("ids", expanding=True)))
)
LOCS = (
    select(page.c.id, page.c.loc, site.c.origin)
    .join(site, site.c.id == page.c.site_id)
    .where(page.c.id.in_(bindparam("ids", expanding=True)))
)
KEYS = select(page_key.c.key, page_key.c.page_id).where(
    page_key.c.site_id == bindparam("of_site"),
    page_key.c.key.in_(bindparam("ids", expanding=True)),
)
SECTIONS = select(section)
RESERVE = (
    update(counter)
    .where(counter.c.name == "page")
    .values(value=counter.c.value + bindparam("more"))
)
RESERVED = select(counter.c.value).where(counter.c.name == "page")

ADD_KEYS = Many(page_key, "site_id", "key", "page_id", conflict=Conflict.IGNORE)
ADD_PAGES = Many(
    page, "id", "site_id", "loc", "identity", "lastmod", "section_id", "place", "first_look"
)
REWRITE = Many(
    update(page)
    .where(page.c.id == bindparam("of_id"))
    .values(
        {
            name: bindparam(f"to_{name}")
            for name in (
                "loc",
                "identity",
                "lastmod",
                "section_id",
                "place",
                "first_look",
                "changed_look",
                "last_look",
                "missed",
                "gone_look",
            )
        }
    ),
    "to_loc",
    "to_identity",
    "to_lastmod",
    "to_section_id",
    "to_place",
    "to_first_look",
    "to_changed_look",
    "to_last_look",
    "to_missed",
    "to_gone_look",
    "of_id",
)


def shortened(address: str, origin: str) -> str:
    """The address without the site's origin, where it starts with it."""
    cut = len(origin)
    return (
        address[cut:] if address.startswith(origin) and address[cut : cut + 1] == "/" else address
    )


def full(stored: str, origin: str) -> str:
    return origin + stored if stored.startswith("/") else stored


def stored_identity(row: PageRow, origin: str) -> str | None:
    return None if row.identity == row.loc else shortened(row.identity, origin)


def fitting(lastmod: int | None) -> int | None:
    """A lastmod within what the sending order can tell apart."""
    if lastmod is None or 0 < lastmod <= LATEST:
        return lastmod
    return 1 if lastmod < 1 else LATEST


def known(tx: Transaction, site_id: int, keys: Iterable[int]) -> Iterator[Known]:
    """The pages that have these keys; keys in ascending order are found fastest."""
    for row in tx.rows_in(KNOWN, keys, of_site=site_id):
        yield Known._make(row)


def page_ids(tx: Transaction, site_id: int, keys: Iterable[int]) -> Iterator[int]:
    for row in tx.rows_in(KEYS, keys, of_site=site_id):
        yield row.page_id


def stances(tx: Transaction, ids: Sequence[int]) -> list[Stance]:
    """Where these pages stand, in any order."""
    return [
        Stance(row.id, rank_of(row.priority, row.lastmod), row.place == Place.GONE)
        for row in tx.rows_in(STANCES, ids)
    ]


def locs(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    """The spellings of these pages, by number."""
    return {row.id: full(row.loc, row.origin) for row in tx.rows_in(LOCS, ids)}


def section_ids(tx: Transaction, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """The number of each (section, priority), made when first used."""
    found = {(row.name, row.priority): row.id for row in tx.rows(SECTIONS)}
    missing = sorted(set(wanted) - found.keys())
    for name, priority in missing:
        tx.add_once(section, name=name, priority=priority)
    return section_ids(tx, ()) if missing else found


def reserve(tx: Transaction, size: int) -> int:
    """Take `size` page numbers for good; returns the first."""
    tx.execute(RESERVE, more=size)
    return int(tx.one(RESERVED).value) - size + 1


def insert(
    tx: Transaction,
    *,
    site_id: int,
    origin: str,
    look_number: int,
    place: Place,
    entries: dict[int, PageRow],
    first: int,
) -> tuple[list[tuple[int, PageRow]], list[int]]:
    """Store pages by key, in the order given, with numbers from `first` on that were reserved.
    Returns the new ones with their numbers, and the keys that the site has already (they are left
    alone)."""
    numbered = dict(zip(entries, range(first, first + len(entries)), strict=True))
    stored = tx.many(ADD_KEYS, ((site_id, key, numbered[key]) for key in sorted(entries)))
    there = _there_before(tx, site_id, numbered) if stored < len(entries) else set()
    added = [(numbered[key], row) for key, row in entries.items() if key not in there]
    sections = section_ids(tx, {(row.section, row.priority) for _, row in added})
    where, cut, slash = int(place), len(origin), f"{origin}/"
    tx.many(
        ADD_PAGES,
        (
            (
                id,
                site_id,
                loc[cut:] if loc.startswith(slash) else loc,
                None if identity == loc else shortened(identity, origin),
                None if lastmod is None else fitting(lastmod),
                sections[section, priority],
                where,
                look_number,
            )
            for id, (identity, loc, lastmod, section, priority, _) in added
        ),
    )
    return added, sorted(there)


def _there_before(tx: Transaction, site_id: int, numbered: Mapping[int, int]) -> set[int]:
    rows = tx.rows_in(KEYS, sorted(numbered), of_site=site_id)
    return {row.key for row in rows if row.page_id != numbered[row.key]}
