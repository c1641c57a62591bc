"""The end of a look: which missing pages stand in another document, and which are gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import bindparam, literal_column, select, update

from submitter.ledger import documents, fingerprints, pages, tellings, waiting
from submitter.ledger.changes import Scene
from submitter.ledger.counts import Counts
from submitter.ledger.database import Database, Many, Transaction
from submitter.ledger.pages import Place
from submitter.ledger.schema import page, section
from submitter.ledger.sinks import Writing
from submitter.ledger.tellings import HEARD
from submitter.ledger.waiting import Queue, Ranked, rank_of

SUSPECTS = 100_000
"""Missing pages that are looked for at once: what bounds the memory of a look's end."""

GOING = 5_000
"""Pages that go in one transaction."""

MISSING = (page.c.site_id == bindparam("of_site")) & (page.c.place == literal_column("2"))
UNCOUNTED = (
    select(page.c.id, page.c.loc, page.c.identity)
    .where(MISSING, page.c.missed == 0, page.c.id > bindparam("after"))
    .order_by(page.c.id)
    .limit(SUSPECTS)
)
DUE = (
    select(page.c.id, page.c.first_look, page.c.lastmod, section.c.priority)
    .join(section, section.c.id == page.c.section_id)
    .where(MISSING, page.c.missed >= bindparam("misses"))
    .limit(GOING)
)
COUNT_MISS = update(page).where(MISSING).values(missed=page.c.missed + 1)
FIND = Many(
    update(page)
    .where(page.c.id == bindparam("of_id"))
    .values(place=bindparam("to_place"), last_look=bindparam("to_last")),
    "to_place",
    "to_last",
    "of_id",
)
GO = Many(
    update(page)
    .where(page.c.id == bindparam("of_id"))
    .values(place=bindparam("to_place"), gone_look=bindparam("to_gone")),
    "to_place",
    "to_gone",
    "of_id",
)


def find_listed(database: Database, scene: Scene, writing: Writing) -> None:
    """Missing pages that some document lists after all (they moved, or stood in two) are listed.
    Reads the keys of every document once for each `SUSPECTS` pages, and nothing when none are
    missing."""
    after = 0
    while suspects := _suspects(database, scene, after):
        after = max(suspects.values())
        found = [suspects[key] for key in _listed_among(database, scene, suspects)]
        writing(partial(_list_again, scene=scene, found=found))


def _list_again(tx: Transaction, scene: Scene, found: Sequence[int]) -> None:
    counts = Counts(scene.baseline_look)
    counts.found(tx.many(FIND, [(Place.LISTED.value, None, page_id) for page_id in found]))
    counts.store(tx, scene.site_id, scene.number)


def _suspects(database: Database, scene: Scene, after: int) -> dict[int, int]:
    """Key → number of the next missing pages that were not counted as missed yet."""
    rows = database.read(lambda tx: tx.rows(UNCOUNTED, of_site=scene.site_id, after=after))
    identities = [pages.full(row.identity or row.loc, scene.origin) for row in rows]
    return dict(zip(scene.marker.keys(identities), (row.id for row in rows), strict=True))


def _listed_among(database: Database, scene: Scene, suspects: dict[int, int]) -> set[int]:
    rows = database.read(lambda tx: tx.rows(documents.IDS, of_site=scene.site_id))
    found: set[int] = set()
    for row in rows:
        packed = database.read(partial(documents.listed_keys, document_id=row.id))
        found |= suspects.keys() & fingerprints.unpack_keys(packed)
    return found


def send_off(scene: Scene, writing: Writing, gone_after: int) -> None:
    """Pages that are missing for the `gone_after`th complete look are gone."""
    while writing(partial(_send_some_off, scene=scene, gone_after=gone_after)) == GOING:
        pass


def _send_some_off(tx: Transaction, scene: Scene, gone_after: int) -> int:
    rows = tx.rows(DUE, of_site=scene.site_id, misses=gone_after - 1)
    counts = Counts(scene.baseline_look)
    for row in rows:
        counts.went(row.first_look)
    going = [(rank_of(row.priority, row.lastmod), row.id) for row in rows]
    tx.many(GO, [(Place.GONE.value, scene.number, id) for _, id in going])
    _leave_queues(tx, scene, going, counts)
    counts.store(tx, scene.site_id, scene.number)
    return len(rows)


def count_miss(tx: Transaction, site_id: int) -> None:
    """A complete look ended without the pages that are still missing."""
    tx.execute(COUNT_MISS, of_site=site_id)


def _leave_queues(tx: Transaction, scene: Scene, going: Sequence[Ranked], counts: Counts) -> None:
    """Gone pages are not told as pages any more; who heard of them may be told that they went."""
    last = tellings.last_tellings(tx, [page_id for _, page_id in going])
    tellings.count_states(last.values(), counts.kept, -1)
    for target_id in scene.target_ids:
        waiting.move(tx, target_id, going, counts.kept, start=Queue.URLS, to=Queue.PARKED)
    for target_id in _tell_removed(scene):
        heard = [
            (rank, page_id)
            for rank, page_id in going
            if (one := last.get((page_id, target_id))) and not one.removal and one.state in HEARD
        ]
        waiting.add(tx, target_id, Queue.REMOVAL, heard, "gone", counts.kept)


def _tell_removed(scene: Scene) -> Iterable[int]:
    return (one.target_id for one in scene.tellers if one.rule.tells_removed)
