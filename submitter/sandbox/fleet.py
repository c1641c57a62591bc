"""The sample fleet: sites told apart by their Host header, all behind the sandbox's one port."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.fleet_pages import Section
from submitter.sandbox.fleet_site import FleetSite
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.wire import Answer, Request, html_answer, json_answer

BOOK_LIMIT = 100_000
"""Fetches remembered; a fleet is asked far more often than an engine."""


class Fleet:
    """Sites by host. A call is named by its method; its key is the host, its item the path."""

    name = "fleet"

    def __init__(self, clock: SandboxClock, *, seed: int = 0, domain: str = "fleet.test") -> None:
        self.domain, self.seed = domain, seed
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book(limit=BOOK_LIMIT)
        self.answers: Mapping[str, Answer] = {
            "forbidden": html_answer(403, "Forbidden"),
            "too-many": html_answer(429, "Too Many Requests"),
            "unavailable": html_answer(503, "Service Unavailable"),
            "html": html_answer(200, "Checking your browser"),
        }
        self.faults = Faults(frozenset(self.answers))
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_pages": lambda site, **rest: self.site(site).add_pages(**rest),
            "remove_pages": lambda site, **rest: self.site(site).remove_pages(**rest),
            "change_pages": lambda site, **rest: self.site(site).change_pages(**rest),
            "break_document": lambda site, **rest: self.site(site).break_document(**rest),
            "mend": lambda site, **rest: self.site(site).mend(**rest),
            "put": lambda site, **rest: self.site(site).put(**rest),
            "redirect": lambda site, **rest: self.site(site).redirect(**rest),
            "shut_out": lambda site, **rest: self.site(site).shut_out(**rest),
            "let_in": lambda site: self.site(site).let_in(),
            "close": lambda site: self.site(site).close(),
        }
        self._clock = clock
        self._since = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
        self._sites: dict[str, FleetSite] = {}

    # -- for tests and tools

    def add_site(
        self, name: str, *sections: Section, index: str | None = "/sitemap-index.xml"
    ) -> FleetSite:
        """A site by full host, or by its short name under the fleet's domain."""
        host = name if "." in name else f"{name}.{self.domain}"
        site = FleetSite(
            host, sections, clock=self._clock, since=self._since, seed=self.seed, index=index
        )
        with self.lock:
            self._sites[host] = site
        return site

    def add_sites(
        self, count: int, pages: int, *, per_document: int = 50_000, domain: str = "bulk.test"
    ) -> list[str]:
        """Many alike sites with an index each; returns their hosts. No page is held in memory."""
        section = Section("pages", pages, per_document=per_document)
        hosts = [f"s{number:05d}.{domain}" for number in range(1, count + 1)]
        return [self.add_site(host, section).host for host in hosts]

    def site(self, name: str) -> FleetSite:
        """By host or short name; KeyError when there is none."""
        return self._sites.get(name) or self._sites[f"{name}.{self.domain}"]

    def hosts(self) -> list[str]:
        return list(self._sites)

    def __contains__(self, host: object) -> bool:
        return host in self._sites

    def fetch(self, address: str) -> bytes | None:
        """A document as a crawler gets it: None when it cannot be had or robots.txt says no."""
        parts = urlsplit(address)
        site = self._sites.get(parts.hostname or "")
        if site is None or site.is_closed:
            return None
        answer = site.answer(Request("GET", parts.path or "/", parts.query))
        return b"".join(answer.pieces()) if answer.status == 200 else None

    # -- the part

    def read(self, request: Request) -> Call:
        agent = request.header("user-agent")
        return Call(request.method, request.host, agent, (request.path,))

    def decide(self, request: Request, call: Call) -> Verdict:
        if request.method not in ("GET", "HEAD"):
            return Verdict(json_answer(405, {"error": "only GET"}), code="405")
        answer = self.site(call.key).answer(request)
        taken = call.items if answer.status in (200, 304) else ()
        return Verdict(answer, accepted=taken, code=str(answer.status))
