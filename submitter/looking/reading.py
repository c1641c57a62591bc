"""Reads one document from its bytes into a look.

Reading is cut in two: `read_document` fetches and parses, in whatever thread or process, and says
part by part what it found; `DocumentScribe` writes the parts down, in the order of the walk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Site
from submitter.core.looks import (
    DocumentMemory,
    DocumentReading,
    PageRow,
    Validators,
)
from submitter.core.pagereader import FOREIGN_HOST, PageReader, PageReading, ReadOrder
from submitter.errors import FetchError, SitemapError
from submitter.kit.spool import Spool
from submitter.ports import DocumentResult, Fetched, Look, Source

PIECE_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Errand:
    """One document to be fetched and read. `validators`: ask whether it changed."""

    url: str
    site: Site
    source: Source
    now: datetime
    memory: DocumentMemory | None = None
    validators: Validators | None = None
    until: float | None = None


# ---------------------------------------------------------------- what reading says


@dataclass(frozen=True, slots=True)
class Head:
    """The answer came; nothing of its body is needed yet."""

    final_url: str
    status: int
    validators: Validators


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The document is as remembered: the server said so or, with `read`, its bytes are equal."""

    read: bool


@dataclass(frozen=True, slots=True)
class Again:
    """The pages so far count for nothing; they follow once more from the first."""


@dataclass(frozen=True, slots=True)
class Done:
    """The document was read to its end, or to the break."""

    report: DocumentReading
    result: DocumentResult
    foreign: int
    skipped: Mapping[str, int]


Part = Head | Unchanged | Again | Sequence[PageRow] | Done
"""First a `Head`; then `Unchanged`, or pages and at last `Done`."""


class Parts(Iterator[Part], Protocol):
    """A document while it is read. Raises FetchError when it cannot be had, SitemapError when
    nothing of it may be used."""

    def close(self) -> None:
        """Read no further."""


# ---------------------------------------------------------------- who reads


class Reader(Protocol):
    """See `core.pagereader.PageReader`."""

    def feed(self, piece: bytes) -> Sequence[PageRow]: ...

    def finish(
        self, *, complete: bool, delimited: bool
    ) -> tuple[Sequence[PageRow], PageReading]: ...


OpenReader = Callable[[ReadOrder], AbstractContextManager[Reader]]


class Readers(Protocol):
    """Who reads documents for walks. Thread-safe."""

    def read(self, errand: Errand) -> Parts:
        """Read the document that a walk needs now."""

    def read_ahead(self, errand: Errand) -> Parts | None:
        """Begin with a document that a walk will need soon; None when that does not pay."""

    def expect(self, documents: int) -> None:
        """A walk has found so many documents that it knows nothing of yet."""

    def stop(self) -> None:
        """No walk reads for a while."""


class SoleReader:
    """Implements `Readers` in the thread of each walk."""

    def read(self, errand: Errand) -> Parts:
        return read_document(errand)

    def read_ahead(self, errand: Errand) -> None:
        del errand

    def expect(self, documents: int) -> None:
        del documents

    def stop(self) -> None:
        return None


def read_here(order: ReadOrder) -> AbstractContextManager[Reader]:
    """A reader in this process."""
    return nullcontext(PageReader(order))


# ---------------------------------------------------------------- from an errand to parts


def read_document(
    errand: Errand, open_reader: OpenReader = read_here
) -> Generator[Part, None, None]:
    """Fetch and read the document; see `Parts`."""
    memory = errand.memory
    with errand.source.fetch(
        errand.url, site=errand.site, validators=errand.validators, until=errand.until
    ) as fetched:
        yield Head(fetched.final_url, fetched.status, fetched.validators)
        if fetched.status == 304 and memory is not None:
            yield Unchanged(read=False)
            return
        with Spool(fetched.chunks(), wanted=memory is not None) as body:
            if memory and memory.complete and body.sha256() == memory.body_sha256:
                yield Unchanged(read=True)
            else:
                yield from _read_body(errand, fetched, body, open_reader)


def _read_body(
    errand: Errand, fetched: Fetched, body: Spool, open_reader: OpenReader
) -> Generator[Part, None, None]:
    order = ReadOrder.of(errand.site, errand.url, now=errand.now, charset=fetched.charset)
    broken: FetchError | None = None
    with open_reader(order) as reader:
        try:
            for piece in gathered(body.pieces()):
                if rows := reader.feed(piece):
                    yield rows
        except FetchError as error:
            broken = error
        rows, found = _finish(reader, fetched, broken)
        if rows:
            yield rows
    yield _sum_up(errand.url, fetched, body, found, broken)


def gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces large enough to be worth a reader's while."""
    waiting = bytearray()
    try:
        for piece in pieces:
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                yield bytes(waiting)
                waiting.clear()
    except FetchError:
        if waiting:
            yield bytes(waiting)
        raise
    if waiting:
        yield bytes(waiting)


def _finish(
    reader: Reader, fetched: Fetched, broken: FetchError | None
) -> tuple[Sequence[PageRow], PageReading]:
    complete, delimited = fetched.complete, fetched.delimited
    if broken is not None:
        complete, delimited = False, True
    try:
        rows, found = reader.finish(complete=complete, delimited=delimited)
    except SitemapError as unusable:
        raise broken or unusable from None
    if broken is not None and not found.reading.entries:
        raise broken
    return rows, found


def _sum_up(
    url: str, fetched: Fetched, body: Spool, found: PageReading, broken: FetchError | None
) -> Done:
    report = _report(url, fetched, found, broken)
    skipped = Counter(found.reading.skipped)
    skipped.update({"over-limit": found.reading.over_limit, FOREIGN_HOST: found.foreign})
    return Done(report, _result(report, fetched, body, found), found.foreign, +skipped)


def _report(
    url: str, fetched: Fetched, found: PageReading, broken: FetchError | None
) -> DocumentReading:
    findings = (*fetched.findings, *found.reading.findings, *found.findings)
    if broken is not None:
        findings += (Finding(broken.reason, Severity.ERROR, url, broken.problem),)
    return DocumentReading(
        url=url,
        final_url=fetched.final_url,
        depth=0,
        kind=found.reading.kind,
        http_status=fetched.status,
        children=len(found.children),
        pages=found.pages,
        over_limit=found.reading.over_limit,
        complete=found.reading.complete,
        findings=findings,
    )


def _result(
    report: DocumentReading, fetched: Fetched, body: Spool, found: PageReading
) -> DocumentResult:
    """What is remembered: what was wrong, too, so that an unchanged document is still wrong."""
    return DocumentResult(
        kind=found.reading.kind,
        complete=found.reading.complete,
        body_sha256=body.sha256() or "",
        content=found.reading.content,
        validators=fetched.validators,
        children=found.children,
        over_limit=found.reading.over_limit,
        findings=report.findings,
        dates_lie=found.reading.dates_lie,
    )


# ---------------------------------------------------------------- from parts to a look


class DocumentScribe:
    """Writes documents of one site into one look, and counts what is not used."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self.foreign = 0
        self.skipped: Counter[str] = Counter()

    def recall(self, memory: DocumentMemory) -> None:
        """Count what an unchanged document lists and is not used, as when it was read."""
        for finding in memory.findings:
            if finding.id == FOREIGN_HOST:
                self.foreign += finding.count
                self.skipped[FOREIGN_HOST] += finding.count

    def write(self, url: str, parts: Iterator[Part]) -> Done:
        """Take the pages and how it ended. Raises what `parts` raise; then nothing is stored."""
        sink = self._look.open(url)
        for part in parts:
            match part:
                case Done():
                    sink.close(part.result)
                    self.foreign += part.foreign
                    self.skipped.update(part.skipped)
                    return part
                case Again():
                    sink = self._look.open(url)
                case Head() | Unchanged():
                    raise AssertionError(f"{part} in the middle of a document")
                case rows:
                    sink.add(rows)
        raise AssertionError("a document that was not read to any end")
