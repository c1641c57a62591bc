"""A web of paper that can be cut, moved and changed, and looks at it that can be compared."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from submitter.core.findings import Finding
from submitter.core.fleet import FetchRules, FirstRun, Section, Site
from submitter.core.looks import SiteLook, TellRule, Validators
from submitter.core.traits import Kind
from submitter.errors import FetchError
from submitter.ledger import open_ledger
from submitter.looking.parallel.pool import ReaderPool
from submitter.looking.reading import Errand, Part, Readers
from submitter.looking.walk import Surroundings, walk_site
from submitter.ports import Fetched, Ledger
from support.twins import NOON, HandClock

PATIENCE_S = 60.0
"""How long anything may take on a busy machine before a test gives up."""
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
ORIGIN = "https://shop.example"
INDEX = f"{ORIGIN}/index.xml"
RULE = TellRule("engine", FirstRun.ALL, 30, tells_changed=True, tells_removed=True)


# ---------------------------------------------------------------- documents


def urlset(pages: Sequence[str], lastmod: str = "2026-11-20") -> bytes:
    entries = "".join(f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod></url>" for loc in pages)
    return f'<urlset xmlns="{NAMESPACE}">{entries}</urlset>'.encode()


def index(children: Sequence[str]) -> bytes:
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in children)
    return f'<sitemapindex xmlns="{NAMESPACE}">{entries}</sitemapindex>'.encode()


def pages(name: str, count: int) -> list[str]:
    return [f"{ORIGIN}/{name}/{number}" for number in range(count)]


@dataclass(frozen=True)
class Paper:
    """One document, and how its site hands it out."""

    body: bytes = b""
    cut: bool = False
    """The connection breaks after the body."""
    delimited: bool = True
    moved_to: str | None = None
    etag: str | None = None
    charset: str | None = None
    gates: tuple[threading.Event, ...] = ()
    """Each is waited for before a further piece of the body."""


@dataclass
class Answer:
    """Implements `ports.Fetched`."""

    url: str
    final_url: str
    paper: Paper
    status: int
    web: PaperWeb
    content_type: str = "application/xml"
    findings: tuple[Finding, ...] = ()
    robots_tags: tuple[str, ...] = ()
    complete: bool = False

    @property
    def charset(self) -> str | None:
        return self.paper.charset

    @property
    def delimited(self) -> bool:
        return self.paper.delimited

    @property
    def validators(self) -> Validators:
        return Validators(self.paper.etag)

    def chunks(self) -> Iterator[bytes]:
        body, gates = self.paper.body, self.paper.gates
        size = max(1, -(-len(body) // (len(gates) + 1)))
        for number, at in enumerate(range(0, len(body), size)):
            if number and not gates[number - 1].wait(PATIENCE_S):
                raise AssertionError("a gate stayed shut")
            with self.web.lock:
                self.web.pieces += 1
            yield body[at : at + size]
        if self.paper.cut:
            raise FetchError(self.url, "body-cut", "the connection broke")
        self.complete = self.paper.delimited


@dataclass
class PaperWeb:
    """Implements `ports.Source`. `most` is how many documents were ever open at once, `pieces` how
    many pieces of bodies were handed out."""

    papers: Mapping[str, Paper]
    fetched: list[str] = field(default_factory=list)
    open: int = 0
    most: int = 0
    pieces: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

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
        del site, until, user_agent
        paper, final = self.papers.get(url), url
        if paper is not None and paper.moved_to is not None:
            final = paper.moved_to
            paper = self.papers.get(final)
        if paper is None:
            raise FetchError(url, "http-404", "status 404", http_status=404)
        with self.lock:
            self.fetched.append(url)
            self.open += 1
            self.most = max(self.most, self.open)
        known = paper.etag is not None and validators == Validators(paper.etag)
        try:
            yield Answer(url, final, paper, 304 if known else 200, self)
        finally:
            with self.lock:
                self.open -= 1


# ---------------------------------------------------------------- looks


def make_site(
    *roots: str, sections: tuple[Section, ...] = (), host: str = "shop.example", **rules: Any
) -> Site:
    return Site(host, sitemaps=roots, sections=sections, fetch=FetchRules(**rules))


@contextmanager
def running_pool(**options: Any) -> Iterator[ReaderPool]:
    """A pool whose workers are up."""
    pool = ReaderPool(**({"workers": 2, "patience_s": PATIENCE_S} | options))
    try:
        assert pool.start(wait_s=PATIENCE_S)
        yield pool
    finally:
        pool.stop()


def errand(web: PaperWeb, url: str, site: Site | None = None) -> Errand:
    return Errand(url, site or make_site(url), web, NOON)


def taken(parts: Iterator[Part]) -> list[Any]:
    """All parts as plain values."""
    return [list(part) if isinstance(part, Sequence) else part for part in parts]


def rows_of(parts: Iterator[Part]) -> list[Any]:
    return [row for part in taken(parts) if isinstance(part, list) for row in part]


@dataclass(frozen=True)
class Seen:
    """Everything that can be known after looks at one site: what they said, what is stored."""

    looks: list[SiteLook]
    documents: list[Any]
    waiting: list[Any]
    explained: list[Any]


def look_at(site: Site, days: Sequence[Any], readers: Readers, **around: Any) -> Seen:
    """One look a day at whatever is then on the web."""
    clock, looks = HandClock(), []
    ledger = open_ledger("sqlite:///:memory:")
    try:
        lease = ledger.acquire("run", "tests", ttl_s=1e6, now=clock.now())
        for source in days:
            look = ledger.look(lease, site.origin, tell=[RULE], at=clock.now())
            surroundings = Surroundings(source, clock, readers=readers, **around)
            looks.append(walk_site(site, look, surroundings))
            ledger.accept_look(lease, site.origin)
            clock.move(days=1)
        return remembered(site, looks, ledger)
    finally:
        ledger.close()


def remembered(site: Site, looks: list[SiteLook], ledger: Ledger) -> Seen:
    waiting = [
        candidate
        for kind in (Kind.URLS, Kind.REMOVAL)
        for candidate in ledger.candidates(
            site.origin, "engine", kind, now=looks[-1].at, limit=1_000_000
        )
    ]
    explained = [ledger.explain(one.loc) for one in waiting[:50]]
    return Seen(looks, list(ledger.documents_of(site.origin)), waiting, explained)


# ---------------------------------------------------------------- processes


def is_running(pid: int) -> bool:
    """Whether a process, ours or not, still does anything. One that nobody waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def threads_called(prefix: str) -> Counter[str]:
    return Counter(one.name for one in threading.enumerate() if one.name.startswith(prefix))
