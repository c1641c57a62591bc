"""A local Seznam Webmaster API: the reindex call, with a key for each site.

Source: Seznam's own description of the API, kept at https://github.com/PavelUngr/
seznam-webmaster-mcp (docs/swagger.json), and its WordPress plugin (for 200 and 204), read
2026-11-30; 422 was reported.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, json_answer

DAY_ZONE = "Europe/Prague"
PATH = "/wm-api/web/document/reindex"
LIMITS = (Window(5, 1.0), Window(100, 60.0))
"""For each user and site."""
_NO_PAGES = ("/sitemap.xml", "/robots.txt")


def _problem(status: int, title: str) -> Answer:
    shown = {"detail": title, "status": status, "title": title, "type": "about:blank"}
    return json_answer(status, shown)


_ERRORS = {
    "not-active": Answer(204),
    "no-key": _problem(400, "v dotazu chybí API klíč (parametr key)"),
    "key-invalid": _problem(401, "nesprávný API klíč"),
    "forbidden": _problem(403, "přístup odepřen"),
    "not-found": _problem(404, "webová stránka nenalezena"),
    "wrong-method": _problem(405, "Method Not Allowed"),
    "not-a-page": _problem(422, "Unprocessable Entity"),
    "too-many": _problem(429, "Too Many Requests"),
    "out-of-order": _problem(503, "služba je mimo provoz"),
    "gateway": Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html"),
}


@dataclass(slots=True)
class _Site:
    host: str
    may_write: bool
    active: bool
    quota: int
    spent: Counter[date] = field(default_factory=Counter)


class _Denied(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Seznam:
    """Sites by their keys, each with 500 pages a day and its own pace.

    What a spent day is answered by is not known; here it is a 429, like haste.
    """

    name = "seznam"

    def __init__(self, clock: SandboxClock, *, seed: int = 0) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = _ERRORS
        self.faults = Faults(frozenset(_ERRORS))
        self.limits: tuple[Window, ...] = LIMITS
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_site": self.add_site,
            "left": self.left,
        }
        self._clock, self._seed = clock, seed
        self._sites: dict[str, _Site] = {}
        self._pace: dict[str, SlidingWindows] = {}

    # -- for tests and tools

    def add_site(
        self, host: str, quota: int = 500, *, may_write: bool = True, active: bool = True
    ) -> str:
        """Register a site and return its key. Not `active`: added less than a day ago."""
        key = hashlib.sha256(f"seznam {self._seed} {host}".encode()).hexdigest()[:40]
        with self.lock:
            self._sites[key] = _Site(host.lower(), may_write, active, quota)
        return key

    def left(self, key: str) -> int:
        with self.lock:
            site = self._sites[key]
            return max(0, site.quota - site.spent[self._today()])

    # -- the part

    def read(self, request: Request) -> Call:
        if request.path != PATH:
            return Call("unrouted", request.path)
        key, page = request.query_field("key"), request.query_field("url")
        site = self._sites.get(key)
        return Call("reindex", site.host if site else "", f"{key[:4]}…", (page,))

    def decide(self, request: Request, call: Call) -> Verdict:
        try:
            self._reindex(request, call)
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.name)
            return Verdict(_ERRORS[denied.name], refused=refused, code=denied.name)
        return Verdict(json_answer(200, {"status": 200}), call.items)

    def _reindex(self, request: Request, call: Call) -> None:
        if call.name == "unrouted":
            raise _Denied("not-found")
        if request.method != "POST":
            raise _Denied("wrong-method")
        key = request.query_field("key")
        if not key or request.header("authorization"):
            raise _Denied("no-key")
        site = self._sites.get(key)
        if site is None:
            raise _Denied("key-invalid")
        if self._pace.setdefault(key, SlidingWindows(self.limits)).take(request.arrived):
            raise _Denied("too-many")
        self._spend(site, call.items[0])

    def _spend(self, site: _Site, page: str) -> None:
        if not site.active:
            raise _Denied("not-active")
        parts = urlsplit(page)
        if not site.may_write or parts.netloc.lower() != site.host:
            raise _Denied("forbidden")
        if parts.path in _NO_PAGES:
            raise _Denied("not-a-page")
        if site.spent[self._today()] >= site.quota:
            raise _Denied("too-many")
        site.spent[self._today()] += 1

    def _today(self) -> date:
        return self._clock.now().astimezone(ZoneInfo(DAY_ZONE)).date()
