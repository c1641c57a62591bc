"""Reads one document from its bytes into a look: the pages of the site's own host, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from submitter.core.findings import MAX_EXAMPLES, Finding, Severity
from submitter.core.fleet import Site
from submitter.core.looks import DocumentKind, DocumentReading, PageRow, Validators
from submitter.core.sections import Sorter
from submitter.core.sitemap import Entry, Reading, SitemapReader
from submitter.errors import FetchError, SitemapError
from submitter.ports import DocumentResult, DocumentSink, Fetched, Look
from submitter.spool import Spool

_OTHER_SCHEME = {"https": "http", "http": "https"}


@dataclass(frozen=True, slots=True)
class Written:
    """One document after reading: its report, and what the tree above it needs."""

    reading: DocumentReading
    content: str
    children: tuple[str, ...]


class DocumentScribe:
    """Writes documents of one site into one look, and counts what is not used."""

    def __init__(self, site: Site, look: Look, *, now: datetime) -> None:
        self._look, self._now = look, now
        self._own = f"{site.scheme}://{site.host}/"
        self._other_scheme = f"{_OTHER_SCHEME[site.scheme]}://{site.host}/"
        self._sorter = Sorter(site.sections)
        self.foreign = 0
        self.skipped: Counter[str] = Counter()

    def write(self, url: str, fetched: Fetched, body: Spool) -> Written:
        """Read to the end or to the break. Raises SitemapError when nothing of it may be used."""
        reader = SitemapReader(url, now=self._now, charset=fetched.charset)
        page = _PageSieve(url, self._own, self._other_scheme, self._sorter)
        sink = self._look.open(url)
        children: list[str] = []
        broken: FetchError | None = None
        try:
            for piece in body.pieces():
                self._use(reader, reader.feed(piece), page, sink, children)
        except FetchError as error:
            broken = error
        try:
            rest, reading = reader.close(
                transport_complete=broken is None and _ended_whole(fetched, reader.kind)
            )
        except SitemapError as unusable:
            raise broken or unusable from None
        self._use(reader, rest, page, sink, children)
        if broken is not None and not reading.entries:
            raise broken
        report = _report(url, fetched, reading, page, children, broken)
        sink.close(_result(reading, report, body, fetched, children))
        self._count(page, reading)
        return Written(report, reading.content, tuple(children))

    def _use(
        self,
        reader: SitemapReader,
        entries: Sequence[Entry],
        page: _PageSieve,
        sink: DocumentSink,
        children: list[str],
    ) -> None:
        if not entries:
            return
        if reader.kind is DocumentKind.INDEX:
            children.extend(entry.loc for entry in entries)
        else:
            sink.add(page.sift(entries))

    def _count(self, page: _PageSieve, reading: Reading) -> None:
        self.foreign += page.foreign
        self.skipped.update(reading.skipped)
        if reading.over_limit:
            self.skipped["over-limit"] += reading.over_limit
        if page.foreign:
            self.skipped["foreign-host"] += page.foreign


def _ended_whole(fetched: Fetched, kind: DocumentKind | None) -> bool:
    """A body without a mark of its end is whole when its root element closed; a list has none."""
    return fetched.complete or (not fetched.delimited and kind is not DocumentKind.TEXT)


class _PageSieve:
    """Lets the pages of one host through and remembers examples of the others."""

    def __init__(self, document: str, own: str, other_scheme: str, sorter: Sorter) -> None:
        self._document, self._own, self._other_scheme = document, own, other_scheme
        self._place = sorter.place
        self.used = self.foreign = self.wrong_scheme = 0
        self._examples: list[str] = []

    def sift(self, entries: Sequence[Entry]) -> list[PageRow]:
        own, document, place = self._own, self._document, self._place
        rows = []
        for loc, identity, lastmod, _text in entries:
            if identity.startswith(own) or self._is_ours(loc, identity):
                rows.append(PageRow(identity, loc, lastmod, *place(identity, document)))
        self.used += len(rows)
        return rows

    def _is_ours(self, loc: str, identity: str) -> bool:
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
            found.append(
                Finding(
                    "foreign-host",
                    Severity.WARNING,
                    self._document,
                    message,
                    self.foreign,
                    tuple(self._examples),
                )
            )
        if self.wrong_scheme:
            message = f"pages at another scheme than {self._own}"
            found.append(
                Finding(
                    "other-scheme", Severity.WARNING, self._document, message, self.wrong_scheme
                )
            )
        return tuple(found)


def _result(
    reading: Reading, report: DocumentReading, body: Spool, fetched: Fetched, children: list[str]
) -> DocumentResult:
    """What is remembered. Without hash and validators, the next look reads the document again."""
    again = _has_to_be_told_again(report)
    return DocumentResult(
        kind=reading.kind,
        complete=reading.complete,
        body_sha256="" if again else body.sha256() or "",
        content=reading.content,
        validators=Validators() if again else fetched.validators,
        children=tuple(children),
        over_limit=reading.over_limit,
    )


def _has_to_be_told_again(report: DocumentReading) -> bool:
    """Faults are not remembered: as long as a document has errors, or no page of its site, every
    look has to see it for itself."""
    if any(finding.severity is Severity.ERROR for finding in report.findings):
        return True
    return report.kind is not DocumentKind.INDEX and not report.pages


def _report(
    url: str,
    fetched: Fetched,
    reading: Reading,
    page: _PageSieve,
    children: Sequence[str],
    broken: FetchError | None,
) -> DocumentReading:
    findings = (*fetched.findings, *reading.findings, *page.findings())
    if broken is not None:
        findings += (Finding(broken.reason, Severity.ERROR, url, broken.problem),)
    return DocumentReading(
        url=url,
        final_url=fetched.final_url,
        depth=0,
        kind=reading.kind,
        http_status=fetched.status,
        children=len(children),
        pages=page.used,
        over_limit=reading.over_limit,
        complete=reading.complete,
        findings=findings,
    )
