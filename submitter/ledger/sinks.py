"""Takes the pages of one document while it streams, and stores what changed when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from submitter.core.looks import PageRow
from submitter.ledger import changes, documents
from submitter.ledger.changes import Scene
from submitter.ledger.counts import Counts
from submitter.ledger.database import Result, Transaction
from submitter.ledger.documents import Document
from submitter.ports import DocumentResult


class Writing(Protocol):
    """Takes a step in a transaction of its own, in which our lease was checked and the site is
    ours alone."""

    def __call__(self, step: Callable[[Transaction], Result]) -> Result: ...


class Sink:
    """A page whose key and check stand in the document's fingerprint costs nothing more; the
    others are kept until the end: a sitemap's limit of 50,000 pages bounds the memory."""

    def __init__(
        self,
        scene: Scene,
        url: str,
        before: Document | None,
        old: dict[int, int],
        *,
        at: datetime,
        writing: Writing,
        reserve: Callable[[int], int],
        closed: Callable[[str], None],
    ) -> None:
        self._scene, self._url, self._before, self._old = scene, url, before, old
        self._at, self._writing, self._reserve, self._closed = at, writing, reserve, closed
        self._seen: dict[int, int] = {}
        self._fresh: dict[int, PageRow] = {}

    def add(self, pages: Sequence[PageRow]) -> None:
        keys = self._scene.marker.keys([page.identity for page in pages])
        checks = self._scene.marker.checks(pages)
        old, seen, fresh = self._old, self._seen, self._fresh
        for key, check, page in zip(keys, checks, pages, strict=True):
            if key in seen:
                self._add_again(key, check, page)
                continue
            seen[key] = check
            if old.get(key) != check:
                fresh[key] = page

    def _add_again(self, key: int, check: int, page: PageRow) -> None:
        """A page that this document lists twice: the newest lastmod holds."""
        earlier = self._fresh.get(key)
        if earlier is None:
            if check != self._seen[key]:
                self._fresh[key] = page
        elif (page.lastmod or 0) > (earlier.lastmod or 0):
            self._fresh[key], self._seen[key] = page, check

    def close(self, result: DocumentResult) -> None:
        """Store the document and what changed in it. A document that was cut keeps the pages it
        listed before."""
        if result.dates_lie:
            self._disbelieve()
        entries = self._seen if result.complete else {**self._old, **self._seen}
        new = sum(key not in self._old for key in self._fresh)
        first = self._reserve(new) if new else 0
        self._writing(lambda tx: self._store(tx, result, entries, first))
        self._closed(self._url)

    def _store(
        self, tx: Transaction, result: DocumentResult, entries: dict[int, int], first: int
    ) -> None:
        counts = Counts(self._scene.baseline_look)
        self._store_pages(tx, counts, first)
        changes.lose(tx, self._scene, self._old.keys() - entries.keys(), counts)
        documents.store(
            tx,
            self._scene.site_id,
            self._url,
            result,
            entries,
            before=self._before,
            look_number=self._scene.number,
            sections=self._scene.sections,
            at=self._at,
        )
        counts.store(tx, self._scene.site_id, self._scene.number)

    def _disbelieve(self) -> None:
        """Known pages are as they were; new ones have no date."""
        for key, page in list(self._fresh.items()):
            if key in self._old:
                self._seen[key] = self._old[key]
                del self._fresh[key]
            else:
                self._fresh[key] = page._replace(lastmod=None)

    def _store_pages(self, tx: Transaction, counts: Counts, first: int) -> None:
        old, fresh, scene = self._old, self._fresh, self._scene
        new = {key: page for key, page in fresh.items() if key not in old}
        before = self._before
        unread_since = before.first_look if before and before.memory is None else None
        there = (
            changes.store_new(tx, scene, new, counts, first=first, unread_since=unread_since)
            if new
            else []
        )
        known = {key: page for key, page in fresh.items() if key in old}
        known.update((key, new[key]) for key in there)
        changes.compare(tx, scene, known, counts, unread_since=unread_since)
