"""One look at one site: documents come in one by one, and at the end it is known what is gone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, select, update

from submitter.core.looks import Delta, DocumentMemory, TellRule, Validators
from submitter.errors import LedgerError
from submitter.ledger import changes, departures, documents, leases, pacing, pages, sites, tellers
from submitter.ledger.changes import Scene
from submitter.ledger.columns import clean
from submitter.ledger.counts import OF_LOOK, Counts
from submitter.ledger.database import Database, Result, Transaction
from submitter.ledger.documents import Document
from submitter.ledger.fingerprints import Marker
from submitter.ledger.schema import look as look_table
from submitter.ledger.schema import site
from submitter.ledger.sinks import Sink
from submitter.ports import Lease, LookResult

NEXT_LOOK = update(site).where(site.c.id == bindparam("of_site")).values(look=site.c.look + 1)
LAST_REAL = select(func.max(look_table.c.number)).where(
    look_table.c.site_id == bindparam("of_site"), look_table.c.by_hand.is_(False)
)
SITE = select(site).where(site.c.id == bindparam("of_site"))
LOOK = select(look_table).where(
    look_table.c.site_id == bindparam("of_site"), look_table.c.number == bindparam("of_number")
)

BEFORE = (
    select(look_table)
    .where(
        look_table.c.site_id == bindparam("of_site"),
        look_table.c.number < bindparam("of_number"),
    )
    .order_by(look_table.c.number.desc())
    .limit(1)
)
FORGET = delete(look_table).where(
    look_table.c.site_id == bindparam("of_site"), look_table.c.number == bindparam("of_number")
)


def number_look(tx: Transaction, site_id: int, at: datetime, *, by_hand: bool) -> int:
    """Begin the site's next look; pages named by hand come in one of their own."""
    tx.execute(NEXT_LOOK, of_site=site_id)
    number = int(tx.one(SITE, of_site=site_id).look)
    tx.execute(look_table.insert(), site_id=site_id, number=number, at=at, by_hand=by_hand)
    return number


def start_look(
    database: Database,
    lease: Lease,
    origin: str,
    *,
    marker: Marker,
    tell: Sequence[TellRule],
    sections: str,
    at: datetime,
) -> SqlLook:
    def begin(tx: Transaction) -> SqlLook:
        leases.check(tx, lease)
        scene = _scene(tx, origin, marker=marker, tell=tell, sections=sections, at=at)
        return SqlLook(database, lease, scene, documents.of_site(tx, scene.site_id), at)

    return database.write(begin, durable=False)


def _scene(
    tx: Transaction,
    origin: str,
    *,
    marker: Marker,
    tell: Sequence[TellRule],
    sections: str,
    at: datetime,
) -> Scene:
    row = sites.held_site(tx, origin)
    previous = tx.execute(LAST_REAL, of_site=row.id).scalar() or 0
    number = number_look(tx, row.id, at, by_hand=False)
    counts = Counts(row.baseline_look)
    told = tellers.make_tellers(
        tx,
        origin,
        tell,
        number=number,
        previous=previous,
        at_s=int(at.timestamp()),
        kept=counts.kept,
    )
    counts.store(tx, row.id, number)
    targets = tuple(sites.target_ids(tx, row.id))
    return Scene(row.id, origin, number, row.baseline_look, sections, marker, told, targets)


def accept_look(tx: Transaction, origin: str) -> None:
    """Make the site as it is now the guard's baseline."""
    tx.execute(
        update(site)
        .where(site.c.origin == origin)
        .values(
            baseline_look=site.c.look,
            baseline=site.c.known,
            new_since=0,
            changed_since=0,
            gone_since=0,
        )
    )


class SqlLook:
    """See `ports.Look`. Documents may be read in several threads at once."""

    def __init__(
        self,
        database: Database,
        lease: Lease,
        scene: Scene,
        known: Mapping[str, Document],
        at: datetime,
    ) -> None:
        self._database, self._lease, self._scene = database, lease, scene
        self._known, self._at = known, at
        self._losses = database.losses
        self._lock = threading.Lock()
        self._mentioned: set[str] = set()
        self._kept: dict[str, tuple[Validators | None, bool]] = {}
        self._unreadable: dict[str, str] = {}

    def remembered(self, url: str) -> DocumentMemory | None:
        document = self._known.get(url)
        return document.remembered(self._scene.sections) if document else None

    def open(self, url: str) -> Sink:
        before = self._known.get(url)
        old: dict[int, int] = {}
        if before:
            old = self._database.read(partial(documents.listed, document_id=before.id))
        return Sink(
            self._scene,
            url,
            before,
            old,
            at=self._at,
            writing=self._writing,
            reserve=self._reserve,
            closed=self._mention,
        )

    def keep(self, url: str, *, validators: Validators | None = None, read: bool = False) -> None:
        with self._lock:
            self._kept[url] = validators, read
        self._mention(url)

    def unreadable(self, url: str, reason: str) -> None:
        with self._lock:
            self._unreadable[url] = clean(reason)
        self._mention(url)

    def finish(self, *, gone_after: int, complete: bool) -> LookResult:
        dropped = [one for url, one in self._known.items() if url not in self._mentioned]
        for document in dropped if complete else ():
            self._writing(partial(self._drop, document=document))
        departures.find_listed(self._database, self._scene, self._writing)
        if complete:
            departures.send_off(self._scene, self._writing, gone_after)
        return self._writing(lambda tx: self._end(tx, complete))

    def _end(self, tx: Transaction, complete: bool) -> LookResult:
        self._store_mentions(tx)
        if complete:
            departures.count_miss(tx, self._scene.site_id)
            tellers.seed(tx, self._scene.tellers, self._scene.number)
        pacing.pause_recent(tx, self._scene.tellers, self._at)
        return _finished(tx, self._scene, complete)

    def _store_mentions(self, tx: Transaction) -> None:
        """What was said of documents that were not read. What stayed is not rewritten, so a look
        at which nothing changed writes nothing here."""
        for url, (validators, read) in self._kept.items():
            if document := self._known.get(url):
                self._store_kept(tx, document, validators, read)
        for url, reason in self._unreadable.items():
            known = self._known.get(url)
            if known is None:
                number = documents.add(tx, self._scene.site_id, url, self._scene.number)
                documents.change(tx, number, trouble=reason)
            elif known.trouble != reason:
                documents.change(tx, known.id, trouble=reason)

    def _store_kept(
        self, tx: Transaction, document: Document, validators: Validators | None, read: bool
    ) -> None:
        changed: dict[str, object] = {"read_at": self._at} if read else {}
        if document.trouble is not None:
            changed["trouble"] = None
        if validators and document.memory and validators != document.memory.validators:
            changed |= {"etag": validators.etag, "last_modified": validators.last_modified}
        if changed:
            documents.change(tx, document.id, **changed)

    def _drop(self, tx: Transaction, document: Document) -> None:
        counts = Counts(self._scene.baseline_look)
        changes.lose(tx, self._scene, documents.listed(tx, document.id), counts)
        documents.forget(tx, document.id)
        counts.store(tx, self._scene.site_id, self._scene.number)

    def _mention(self, url: str) -> None:
        with self._lock:
            self._mentioned.add(url)

    def _writing(self, step: Callable[[Transaction], Result]) -> Result:
        def guarded(tx: Transaction) -> Result:
            if self._database.losses != self._losses:
                raise LedgerError(
                    f"ledger {self._database.name}: the server crashed and lost some of what was"
                    f" stored of {self._scene.origin}; look at it again"
                )
            leases.check(tx, self._lease)
            sites.hold(tx, [self._scene.site_id])
            return step(tx)

        return self._database.write(guarded, durable=False)

    def _reserve(self, size: int) -> int:
        """Numbers of pages, taken by themselves: who stores pages of other sites need not wait.
        A server that forgets them would give them out again."""
        return self._database.write(
            lambda tx: pages.reserve(tx, size), durable=self._database.forgets
        )


def _finished(tx: Transaction, scene: Scene, complete: bool) -> LookResult:
    site_row = tx.one(SITE, of_site=scene.site_id)
    look_row = tx.one(LOOK, of_site=scene.site_id, of_number=scene.number)
    values = {"finished": True, "complete": complete, "listed": site_row.listed}
    if not _moved(look_row):
        values["looks"] = 1 + _take_over(tx, look_row, site_row.listed)
    tx.execute(OF_LOOK.values(values), of_site=scene.site_id, of_number=scene.number)
    return LookResult(
        first=site_row.baseline_look == 0,
        listed=site_row.listed,
        delta=Delta(look_row.new, look_row.changed, look_row.gone),
        baseline=site_row.baseline,
        since_baseline=Delta(site_row.new_since, site_row.changed_since, site_row.gone_since),
    )


def _moved(look_row: Row[Any]) -> bool:
    return bool(look_row.new or look_row.changed or look_row.gone)


def _take_over(tx: Transaction, look_row: Row[Any], listed: int) -> int:
    """Forget the look before if nothing happened at it either, on the same day: years of quiet
    looks must not fill the ledger. Returns how many looks it stood for."""
    before = tx.first(BEFORE, of_site=look_row.site_id, of_number=look_row.number)
    if (
        before is None
        or before.by_hand
        or not before.finished
        or _moved(before)
        or before.listed != listed
        or before.at.date() != look_row.at.date()
    ):
        return 0
    tx.execute(FORGET, of_site=before.site_id, of_number=before.number)
    return int(before.looks)
