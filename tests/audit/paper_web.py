"""A web made of paper: answers by address, with headers, redirects, statuses and validators."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.errors import FetchError
from submitter.ports import Fetched
from support.twins import HandClock

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True)
class Sheet:
    """One answer. `to`: where redirects lead before it comes."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html"
    to: str = ""
    etag: str | None = None
    last_modified: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    robots_tags: tuple[str, ...] = ()
    honest_304: bool = True
    slow_s: float = 0.0


@dataclass
class PaperWeb:
    """Implements `ports.Source`. What is not there answers 404. Thread-safe."""

    sheets: dict[str, Sheet]
    clock: HandClock = field(default_factory=HandClock)
    asked: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    tick_s: float = 0.0
    by_agent: dict[str, Sheet] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

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
        del site, until
        with self._lock:
            self.asked.append(url)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield self._answer(url, validators, user_agent)
        finally:
            with self._lock:
                self.at_once -= 1

    def _answer(self, url: str, validators: Validators | None, agent: str | None) -> PaperAnswer:
        sheet = self.sheets.get(url, Sheet(status=404))
        sheet = next((one for name, one in self.by_agent.items() if name in (agent or "")), sheet)
        self.clock.move(seconds=self.tick_s + sheet.slow_s)
        if sheet.status != 200:
            raise FetchError(
                url, f"http-{sheet.status}", f"status {sheet.status}", http_status=sheet.status
            )
        mine = Validators(sheet.etag, sheet.last_modified)
        known = validators is not None and mine != Validators() and validators == mine
        status = 304 if known and sheet.honest_304 else 200
        return PaperAnswer(url, sheet, status)

    def change(self, url: str, **changes: object) -> None:
        self.sheets[url] = replace(self.sheets[url], **changes)  # type: ignore[arg-type]


class PaperAnswer:
    """Implements `ports.Fetched`."""

    complete = delimited = True
    charset: str | None = None
    findings: tuple[Finding, ...] = ()

    def __init__(self, url: str, sheet: Sheet, status: int) -> None:
        self.url, self._sheet, self.status = url, sheet, status
        self.final_url = sheet.to or url
        self.content_type = sheet.content_type
        self.validators = Validators(sheet.etag, sheet.last_modified)
        self.robots_tags = sheet.robots_tags

    def header(self, name: str) -> str | None:
        return self._sheet.headers.get(name)

    def chunks(self) -> Iterator[bytes]:
        for at in range(0, len(self._sheet.body), 1_000):
            yield self._sheet.body[at : at + 1_000]


def document(body: str, **more: object) -> Sheet:
    """A sitemap as a good server sends it."""
    given: dict[str, object] = {"content_type": "application/xml", "etag": '"1"'}
    return Sheet(body.encode(), **(given | more))  # type: ignore[arg-type]


def urlset(*entries: str) -> str:
    return f'<urlset xmlns="{NAMESPACE}">{"".join(entries)}</urlset>'


def entry(loc: str, lastmod: str = "") -> str:
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<url><loc>{loc}</loc>{date}</url>"


def index(*children: tuple[str, str]) -> str:
    entries = "".join(
        f"<sitemap><loc>{loc}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</sitemap>"
        for loc, date in children
    )
    return f'<sitemapindex xmlns="{NAMESPACE}">{entries}</sitemapindex>'


WORDS = (
    "amber anchor apple arrow autumn bamboo basil beacon birch bloom breeze brook canyon cedar "
    "cherry cloud clover cobalt coral crystal dawn delta desert dune ember falcon fern field"
)


def page(text: str = WORDS, *, head: str = "", title: str = "A page", body: str = "") -> Sheet:
    html = (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>"
        f"<nav>Home Shop Cart</nav><main><h1>{title}</h1><p>{text}</p>{body}</main></body></html>"
    )
    return Sheet(html.encode())
