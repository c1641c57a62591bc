"""From the bytes of one document to the pages of one site that it lists.

Knows nothing of where bytes come from or where pages go, so that it can work in any process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.fleet import Section, Site
from submitter.core.looks import DocumentKind, PageRow
from submitter.core.pagebatch import PageBatch, all_begin_with
from submitter.core.sections import NO_SECTION, Sorter
from submitter.core.sitemap import EntryColumns, Reading, SitemapReader

FOREIGN_HOST: Final = "foreign-host"

PAGE_IDS: Final = {
    FOREIGN_HOST: Meaning(
        Severity.WARNING, "pages on another host than the site's are not used for it"
    ),
    "other-scheme": Meaning(Severity.WARNING, "pages at another scheme than the site's"),
}
"""Ids of findings about whose pages a document lists, for the docs. They only grow."""

_OTHER_SCHEME: Final = {"https": "http", "http": "https"}


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """Which document to read, and by which rules."""

    url: str
    own: str
    """What the pages of the site begin with: `https://shop.example.com/`."""
    other_scheme: str
    sections: tuple[Section, ...]
    now: datetime
    charset: str | None
    """What the HTTP header says."""

    @classmethod
    def of(cls, site: Site, url: str, *, now: datetime, charset: str | None) -> ReadOrder:
        own, other = site.origin, f"{_OTHER_SCHEME[site.scheme]}://{site.host}"
        return cls(url, f"{own}/", f"{other}/", site.sections, now, charset)


@dataclass(frozen=True, slots=True)
class PageReading:
    """How reading ended: `reading` of the document, and what of it is the site's."""

    reading: Reading
    pages: int
    foreign: int
    children: tuple[str, ...]
    """What an index names, as spelled there."""
    findings: tuple[Finding, ...]


class PageReader:
    """Reads one document. Feed it inflated bytes, then finish it; SitemapError ends it for good."""

    def __init__(self, order: ReadOrder) -> None:
        self._reader = SitemapReader(order.url, now=order.now, charset=order.charset)
        self._reader.collect()
        self._sieve = _Sieve(order)
        self._children: list[str] = []

    def feed(self, piece: bytes) -> Sequence[PageRow]:
        """Pages whose entries have ended. Raises SitemapError."""
        self._reader.feed(piece)
        return self._sift(self._reader.collect())

    def finish(
        self, *, complete: bool, delimited: bool = True
    ) -> tuple[Sequence[PageRow], PageReading]:
        """The last pages and the summing up. Raises SitemapError.

        `complete`: every byte came. Without a mark of its end (`delimited`) a body is whole when
        its root element closed; a list has none.
        """
        known = complete or delimited
        _, reading = self._reader.close(transport_complete=complete if known else None)
        rows, sieve = self._sift(self._reader.collect()), self._sieve
        found = PageReading(
            reading, sieve.used, sieve.foreign, tuple(self._children), sieve.findings()
        )
        return rows, found

    def _sift(self, entries: EntryColumns) -> Sequence[PageRow]:
        if self._reader.kind is DocumentKind.INDEX:
            self._children += entries.locs
            return ()
        return self._sieve.sift(entries) if entries.locs else ()


class _Sieve:
    """Lets the pages of one host through and remembers examples of the others."""

    def __init__(self, order: ReadOrder) -> None:
        self._document, self._own, self._other_scheme = order.url, order.own, order.other_scheme
        self._place = Sorter(order.sections).place if order.sections else None
        self.used = self.foreign = self.wrong_scheme = 0
        self._examples: list[str] = []

    def sift(self, entries: EntryColumns) -> Sequence[PageRow]:
        if not all_begin_with(self._own, entries.identities):
            entries = self._ours(entries)
        self.used += len(entries.locs)
        if not entries.locs:
            return ()
        return PageBatch(
            entries.identities,
            entries.locs,
            entries.lastmods,
            *self._places(entries.identities),
            entries.lastmod_texts,
        )

    def _ours(self, entries: EntryColumns) -> EntryColumns:
        ours = EntryColumns()
        columns = (entries.locs, entries.identities, entries.lastmods, entries.lastmod_texts)
        for loc, identity, lastmod, text in zip(*columns, strict=True):
            if self._is_ours(loc, identity):
                ours.add((loc,), (identity,), (lastmod,), (text,))
        return ours

    def _places(self, identities: Sequence[str]) -> tuple[Sequence[str], Sequence[int]]:
        if self._place is None:
            return NO_SECTION[:1], NO_SECTION[1:]
        places = [self._place(identity, self._document) for identity in identities]
        sections, priorities = zip(*places, strict=True)
        return sections, priorities

    def _is_ours(self, loc: str, identity: str) -> bool:
        if identity.startswith(self._own):
            return True
        if identity.startswith(self._other_scheme):
            self.wrong_scheme += 1
            return True
        self.foreign += 1
        if len(self._examples) < MAX_EXAMPLES:
            self._examples.append(loc)
        return False

    def findings(self) -> tuple[Finding, ...]:
        found = []
        if self.foreign:
            message = f"pages on another host than {self._own} are not used for this site"
            found.append(self._finding(FOREIGN_HOST, message, self.foreign, self._examples))
        if self.wrong_scheme:
            message = f"pages at another scheme than {self._own}"
            found.append(self._finding("other-scheme", message, self.wrong_scheme))
        return tuple(found)

    def _finding(self, id: str, message: str, count: int, examples: Sequence[str] = ()) -> Finding:
        return Finding(id, PAGE_IDS[id].severity, self._document, message, count, tuple(examples))
