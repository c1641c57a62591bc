"""A web made of paper: documents by address, fetched like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.errors import FetchError
from submitter.ports import Fetched


@dataclass
class PaperDocument:
    """Implements `ports.Fetched`."""

    url: str
    body: bytes
    complete: bool = True
    delimited: bool = True
    status: int = 200
    content_type: str = "application/xml"
    charset: str | None = None
    validators: Validators = Validators()
    findings: tuple[Finding, ...] = ()
    moved_to: str = ""

    @property
    def final_url(self) -> str:
        return self.moved_to or self.url

    def chunks(self) -> Iterator[bytes]:
        for at in range(0, len(self.body), 64):
            yield self.body[at : at + 64]
        if not self.complete:
            raise FetchError(self.url, "connect-reset", "the connection broke")


@dataclass
class PaperSource:
    """Implements `ports.Source`; what is not there answers 404."""

    documents: Mapping[str, bytes]
    cut: frozenset[str] = frozenset()
    moved: Mapping[str, str] = field(default_factory=dict)
    """Address → where redirects lead; the document stands under its own address."""
    fetched: list[str] = field(default_factory=list)

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
        del site, validators, until, user_agent
        self.fetched.append(url)
        if url not in self.documents:
            raise FetchError(url, "http-404", "status 404", http_status=404)
        yield PaperDocument(  # type: ignore[misc]
            url,
            self.documents[url],
            complete=url not in self.cut,
            moved_to=self.moved.get(url, ""),
        )


def urlset(*locs: str, lastmod: str = "2026-11-20") -> bytes:
    entries = "".join(f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod></url>" for loc in locs)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<urlset xmlns="{namespace}">{entries}</urlset>'.encode()


def index(*locs: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<sitemapindex xmlns="{namespace}">{entries}</sitemapindex>'.encode()
