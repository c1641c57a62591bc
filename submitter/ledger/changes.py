"""What a look does to pages: new ones are stored, known ones compared, lost ones marked.

`judge` decides, the rest writes. Nothing here reads a whole site.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, update

from submitter.core.looks import PageRow
from submitter.ledger import pages, tellers, tellings, waiting
from submitter.ledger.counts import Counts
from submitter.ledger.database import Many, Transaction, chunks
from submitter.ledger.fingerprints import Marker
from submitter.ledger.pages import Known, Place
from submitter.ledger.schema import page as page_table
from submitter.ledger.tellers import Teller
from submitter.ledger.tellings import HEARD
from submitter.ledger.waiting import Queue, Ranked, Tally, rank_of

LOSE = Many(
    update(page_table)
    .where(page_table.c.id == bindparam("of_id"), page_table.c.place == bindparam("of_place"))
    .values(place=bindparam("to_place"), last_look=bindparam("to_last")),
    "to_place",
    "to_last",
    "of_id",
    "of_place",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What holds during one look: the site, the look's number, who is told."""

    site_id: int
    origin: str
    number: int
    baseline_look: int
    sections: str
    marker: Marker
    tellers: tuple[Teller, ...]
    target_ids: tuple[int, ...]
    """Every target of the site, told by this look or not."""


@dataclass(frozen=True, slots=True)
class Change:
    """A known page as a document lists it now."""

    known: Known
    page: PageRow
    lastmod: int | None
    section_id: int
    first_listed: bool
    changed: bool

    @property
    def ranked(self) -> Ranked:
        return rank_of(self.page.priority, self.lastmod), self.known.id


def judge(known: Known, page: PageRow, *, section_id: int, number: int) -> Change:
    """Compare a page with its row. Its lastmod never goes back, so a stale copy of a document is
    no change; a page without one has changed when it gets one later than it was first seen."""
    listed = pages.fitting(page.lastmod)
    before = known.first_seen if known.lastmod is None else known.lastmod
    newer = listed is not None and listed > before
    first_listed = known.place == Place.BY_HAND and known.gone_look is None
    counted = number in (known.first_look, known.changed_look)
    return Change(
        known,
        page,
        listed if known.lastmod is None or newer else known.lastmod,
        section_id,
        first_listed,
        changed=newer and not first_listed and not counted,
    )


def store_new(
    tx: Transaction,
    scene: Scene,
    entries: dict[int, PageRow],
    counts: Counts,
    *,
    first: int,
    unread_since: int | None,
) -> list[int]:
    """Store pages that the document did not list before, with numbers from `first` on. Returns the
    keys that the site has already: from another document, from long ago, or named by hand."""
    added, there = pages.insert(
        tx,
        site_id=scene.site_id,
        origin=scene.origin,
        look_number=scene.number,
        place=Place.LISTED,
        entries=entries,
        first=first,
    )
    counts.appeared(len(added))
    tellers.enqueue(
        tx,
        scene.tellers,
        [(id, row.priority, row.lastmod) for id, row in added],
        counts.kept,
        unread_since=unread_since,
    )
    return there


def compare(
    tx: Transaction,
    scene: Scene,
    entries: dict[int, PageRow],
    counts: Counts,
    *,
    unread_since: int | None,
) -> None:
    """Bring the rows of known pages up to what a document lists."""
    sections = pages.section_ids(tx, {(row.section, row.priority) for row in entries.values()})
    for keys in chunks(sorted(entries), 5_000):
        changes = [
            judge(
                known,
                row := entries[known.key],
                section_id=sections[row.section, row.priority],
                number=scene.number,
            )
            for known in pages.known(tx, scene.site_id, keys)
        ]
        _apply(tx, scene, changes, counts, unread_since)


def lose(tx: Transaction, scene: Scene, keys: Iterable[int], counts: Counts) -> None:
    """Mark pages that left a document as missing. Whether another document lists them is found
    out at the end of the look."""
    ids = pages.page_ids(tx, scene.site_id, sorted(keys))
    rows = [(Place.MISSING.value, scene.number - 1, id, Place.LISTED.value) for id in ids]
    counts.lost(tx.many(LOSE, rows))


def welcome_back(
    tx: Transaction, target_ids: Iterable[int], returned: Sequence[Ranked], kept: Tally
) -> None:
    """Gone pages are here again. What waited for them waits on; only who was told that they are
    gone is told again that they are there."""
    last = tellings.last_tellings(tx, [page_id for _, page_id in returned])
    tellings.count_states(last.values(), kept, 1)
    for target_id in target_ids:
        waiting.move(tx, target_id, returned, kept, start=Queue.PARKED, to=Queue.URLS)
        waiting.take(tx, target_id, Queue.REMOVAL, returned, kept)
        retold = [
            (rank, page_id)
            for rank, page_id in returned
            if (one := last.get((page_id, target_id))) and one.removal and one.state in HEARD
        ]
        waiting.add(tx, target_id, Queue.URLS, retold, "new", kept)


def _apply(
    tx: Transaction,
    scene: Scene,
    changes: Sequence[Change],
    counts: Counts,
    unread_since: int | None,
) -> None:
    tx.many(pages.REWRITE, [row for row in (_rewritten(scene, one) for one in changes) if row])
    _move_ranks(tx, scene, changes)
    counts.found(sum(one.known.place == Place.MISSING for one in changes))
    for one in changes:
        if one.known.gone_look is not None:
            counts.returned(one.known.first_look, one.known.gone_look)
    gone = [one.ranked for one in changes if one.known.place == Place.GONE]
    welcome_back(tx, scene.target_ids, gone, counts.kept)
    _tell_listed(tx, scene, [one for one in changes if one.first_listed], counts, unread_since)
    _tell_changed(tx, scene, [one.ranked for one in changes if one.changed], counts)


def _tell_listed(
    tx: Transaction,
    scene: Scene,
    listed: Sequence[Change],
    counts: Counts,
    unread_since: int | None,
) -> None:
    """Pages that were named by hand are listed now: new to all who have not heard of them."""
    counts.appeared(len(listed))
    last = tellings.last_tellings(tx, [one.known.id for one in listed])
    tellers.enqueue(
        tx,
        scene.tellers,
        [(one.known.id, one.page.priority, one.lastmod) for one in listed],
        counts.kept,
        unread_since=unread_since,
        unless=last,
    )


def _tell_changed(tx: Transaction, scene: Scene, changed: Sequence[Ranked], counts: Counts) -> None:
    counts.changed(len(changed))
    for teller in scene.tellers:
        if teller.rule.tells_changed:
            waiting.add(tx, teller.target_id, Queue.URLS, changed, "changed", counts.kept)


def _rewritten(scene: Scene, one: Change) -> tuple[object, ...] | None:
    """The row as it should stand, or None when it stands so already."""
    known = one.known
    loc = pages.shortened(one.page.loc, scene.origin)
    identity = pages.stored_identity(one.page, scene.origin)
    new = (loc, identity, one.lastmod, one.section_id)
    old = (known.loc, known.identity, known.lastmod, known.section_id)
    if new == old and known.place == Place.LISTED and not one.changed:
        return None
    first_look = scene.number if one.first_listed else known.first_look
    changed_look = scene.number if one.changed else known.changed_look
    return (*new, Place.LISTED.value, first_look, changed_look, None, 0, None, known.id)


def _move_ranks(tx: Transaction, scene: Scene, changes: Sequence[Change]) -> None:
    moved = [(one.known.ranked, one.ranked) for one in changes if one.known.ranked != one.ranked]
    for target_id in scene.target_ids:
        for queue in Queue:
            tx.many(
                waiting.MOVE_RANK,
                [(new, target_id, queue.value, old, page) for (old, page), (new, _) in moved],
            )
