"""A sitemap that lies on this machine, served to a walk as if its site had sent it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import IO

from submitter.core import urls
from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import DocumentReading, SiteLook, Validators
from submitter.core.sitemap import Entry, SitemapReader
from submitter.errors import FetchError, SitemapError
from submitter.ports import Fetched, Source

MEMORY_BYTES = 8 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
NOWHERE = "https://nowhere.invalid"
"""Origin of a document that lists nothing. Source: RFC 6761 section 6.4, read 2026-11-30."""
PATH = "/-/local-document"


@dataclass(slots=True)
class HeldDocument:
    """Implements `ports.Fetched` over bytes that were read before."""

    url: str
    final_url: str
    body: IO[bytes]
    broken: FetchError | None
    """What ended the bytes early."""
    charset: str | None
    content_type: str
    complete: bool
    delimited: bool
    findings: tuple[Finding, ...]
    status: int = 200
    validators: Validators = Validators()
    robots_tags: tuple[str, ...] = ()

    def header(self, name: str) -> None:
        del name

    def chunks(self) -> Iterator[bytes]:
        self.body.seek(0)
        while piece := self.body.read(PIECE_BYTES):
            yield piece
        if self.broken is not None:
            raise self.broken


class LocalCopy:
    """Implements `ports.Source`: its own address gives the held document, others go to `web`.

    `origin` is that of the first address in the document: the site it is about.
    """

    def __init__(self, name: str, held: HeldDocument, *, web: Source, now: datetime) -> None:
        self._name, self._web = name, web
        self.origin = first_origin(held, now) or NOWHERE
        self.address = self.origin + PATH
        self._held = replace(held, url=self.address, final_url=self.address)

    @contextmanager
    def fetch(
        self,
        url: str,
        *,
        site: Site,
        validators: Validators | None = None,
        until: float | None = None,
        user_agent: str | None = None,
    ) -> Iterator[Fetched]:
        """See `ports.Source`."""
        if url == self.address:
            yield self._held
            return
        with self._web.fetch(
            url, site=site, validators=validators, until=until, user_agent=user_agent
        ) as fetched:
            yield fetched

    def named(self, look: SiteLook) -> SiteLook:
        """The look with the file's own name in place of the address we gave it."""
        readings = tuple(self._named_reading(one) for one in look.readings)
        findings = tuple(self._renamed(one) for one in look.findings)
        return replace(look, readings=readings, findings=findings)

    def name_of(self, url: str) -> str:
        """The file's own in place of what we gave it: its address, and a site where it has none."""
        return self._name if url in (self.address, NOWHERE) else url

    def _named_reading(self, reading: DocumentReading) -> DocumentReading:
        mine = reading.url == self.address
        return replace(
            reading,
            url=self.name_of(reading.url),
            final_url=self.name_of(reading.final_url),
            http_status=None if mine else reading.http_status,
            findings=tuple(self._renamed(one) for one in reading.findings),
        )

    def _renamed(self, finding: Finding) -> Finding:
        return replace(
            finding,
            where=finding.where.replace(self.address, self._name),
            message=finding.message.replace(self.address, self._name),
        )


@contextmanager
def local_copy(name: str, *, files: Source, site: Site, now: datetime) -> Iterator[LocalCopy]:
    """Read a file or `-` to its end. `site` says how much of it. Raises FetchError."""
    with (
        tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES) as body,
        files.fetch(name, site=site) as fetched,
    ):
        broken = _copy(fetched, body)
        held = HeldDocument(
            url=name,
            final_url=name,
            body=body,
            broken=broken,
            charset=fetched.charset,
            content_type=fetched.content_type,
            complete=fetched.complete,
            delimited=fetched.delimited,
            findings=tuple(fetched.findings),
        )
        yield LocalCopy(name, held, web=files, now=now)


def first_origin(document: HeldDocument, now: datetime) -> str | None:
    """Where the first address in it lies; None when there is none."""
    reader = SitemapReader(document.url, now=now, charset=document.charset)
    try:
        first = next(_entries(reader, document), None)
    except SitemapError:
        return None
    return urls.origin_of(first.identity) if first else None


def _entries(reader: SitemapReader, document: HeldDocument) -> Iterator[Entry]:
    try:
        for piece in document.chunks():
            yield from reader.feed(piece)
    except FetchError:
        pass  # what came before the break is read; the walk will report it
    rest, _ = reader.close(transport_complete=True)
    yield from rest


def _copy(fetched: Fetched, body: IO[bytes]) -> FetchError | None:
    try:
        for chunk in fetched.chunks():
            body.write(chunk)
    except FetchError as error:
        if body.tell() == 0:
            raise
        return error
    return None
