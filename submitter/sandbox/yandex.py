"""A local Yandex Webmaster API v4: hosts, added sitemaps, the recrawl queue and its quota.

Source: https://yandex.com/dev/webmaster/doc/en/reference/ (one page a method) and reports in public
repositories, collected as D1-D20 of the project's fact sheet, read 2026-11-30.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.google_reading import Fetch, read_sitemap
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, json_answer
from submitter.sandbox.yandex_hosts import (
    DAY_ZONE,
    Host,
    added_row,
    detected_row,
    host_row,
    page_of,
)

SCOPES = frozenset({"webmaster:hostinfo", "webmaster:verify"})
USER_ID = 4711

_ROUTES = {
    ("GET", "user"): "user",
    ("GET", "hosts"): "hosts",
    ("GET", "user-added-sitemaps"): "added.list",
    ("POST", "user-added-sitemaps"): "added.post",
    ("GET", "sitemaps"): "sitemaps.list",
    ("POST", "recrawl/queue"): "recrawl.post",
    ("GET", "recrawl/queue"): "recrawl.list",
    ("GET", "recrawl/quota"): "recrawl.quota",
}
"""(method, path after the user or the host) → call."""

_OPEN_TO_ALL = frozenset({"user", "hosts"})
"""Calls that need no more than webmaster:hostinfo."""
_NEED_DATA = frozenset({"added.post", "added.list", "sitemaps.list", "recrawl.post"})


def _error(status: int, code: str, **more: object) -> Answer:
    return json_answer(status, {"error_code": code, "error_message": "some string", **more})


_ERRORS = {
    "entity-invalid": _error(400, "ENTITY_VALIDATION_ERROR"),
    "url-invalid": _error(400, "INVALID_URL"),
    "token-invalid": _error(403, "INVALID_OAUTH_TOKEN"),
    "forbidden": _error(403, "ACCESS_FORBIDDEN"),
    "user-invalid": _error(403, "INVALID_USER_ID", available_user_id=USER_ID),
    "not-found": _error(404, "RESOURCE_NOT_FOUND"),
    "host-missing": _error(404, "HOST_NOT_FOUND"),
    "host-unverified": _error(404, "HOST_NOT_VERIFIED"),
    "host-not-loaded": _error(404, "HOST_NOT_LOADED"),
    "sitemap-there": _error(409, "SITEMAP_ALREADY_ADDED", sitemap_id="c7-fe:80-c0"),
    "url-there": _error(409, "URL_ALREADY_ADDED"),
    "over-quota": _error(429, "QUOTA_EXCEEDED"),
    "too-fast": _error(429, "TOO_MANY_REQUESTS_ERROR"),
    "internal": _error(500, "INTERNAL_ERROR"),
    "empty-body": Answer(200, b"", "application/json"),
    "gateway": Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html"),
}


class _Denied(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Yandex:
    """One user's hosts. A page stays in the queue, and cannot be put there again, until the robot
    has come (`advance`). `throttle` is a window over all calls; `scopes` are the token's."""

    name = "yandex"

    def __init__(self, clock: SandboxClock, fetch: Fetch, *, seed: int = 0) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = _ERRORS
        self.faults = Faults(frozenset(_ERRORS))
        self.throttle: Window | None = None
        self.scopes = SCOPES
        self.token = f"y0_{hashlib.sha256(f'yandex {seed}'.encode()).hexdigest()[:40]}"
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_host": self.add_host,
            "set_loaded": self.set_loaded,
            "spend": self.spend,
            "left": self.left,
            "advance": self.advance,
        }
        self._clock, self._fetch = clock, fetch
        self._hosts: dict[str, Host] = {}
        self._pace: SlidingWindows | None = None

    # -- for tests and tools

    def add_host(
        self, url: str, quota: int = 150, *, verified: bool = True, loaded: bool = True
    ) -> str:
        """Register a host by its address and return its id. Not `loaded`: just added."""
        host = Host.at(url, quota, verified=verified, loaded=loaded)
        with self.lock:
            self._hosts[host.id] = host
        return host.id

    def set_loaded(self, host_id: str, loaded: bool = True) -> None:
        with self.lock:
            self._hosts[host_id].loaded = loaded

    def spend(self, host_id: str, pages: int) -> None:
        """Somebody else uses the same quota: a person at the console, another tool."""
        with self.lock:
            self._hosts[host_id].spent[self._today()] += pages

    def left(self, host_id: str) -> int:
        with self.lock:
            return self._hosts[host_id].left(self._today())

    def advance(self) -> int:
        """The robot comes by now: reads every sitemap that was added, fetches every page in the
        queue. Returns how many sitemaps it could read."""
        with self.lock:
            for host in self._hosts.values():
                host.queue.clear()
            return sum(self._read_sitemaps(host) for host in self._hosts.values())

    # -- the part

    def read(self, request: Request) -> Call:
        user, host, rest = _parts(request.path)
        name = _ROUTES.get((request.method, rest), "unrouted")
        address = _address(request.body) if request.method == "POST" else ""
        return Call(name, host, user, (address,) if address else ())

    def decide(self, request: Request, call: Call) -> Verdict:
        try:
            self._admit(request, call)
            answer = self._perform(request, call)
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.name)
            return Verdict(_ERRORS[denied.name], refused=refused, code=denied.name)
        return Verdict(answer, call.items)

    def _admit(self, request: Request, call: Call) -> None:
        if request.header("authorization") != f"OAuth {self.token}":
            raise _Denied("token-invalid")
        self._take_place(request.arrived)
        if call.name == "unrouted":
            raise _Denied("not-found")
        if call.name != "user" and call.account != str(USER_ID):
            raise _Denied("user-invalid")
        if call.name not in _OPEN_TO_ALL and not self.scopes >= SCOPES:
            raise _Denied("forbidden")

    def _take_place(self, at: float) -> None:
        if self.throttle is None:
            return
        self._pace = self._pace or SlidingWindows([self.throttle])
        if self._pace.take(at):
            raise _Denied("too-fast")

    def _perform(self, request: Request, call: Call) -> Answer:
        if call.name == "user":
            return json_answer(200, {"user_id": USER_ID})
        if call.name == "hosts":
            return json_answer(200, {"hosts": [host_row(host) for host in self._hosts.values()]})
        host = self._host(call)
        match call.name:
            case "added.list":
                cursor = request.query_field("offset")
                page = page_of(host.added, cursor, _limit(request, 100))
                rows = [added_row(each) for each in page]
                return json_answer(200, {"sitemaps": rows, "count": len(host.added)})
            case "sitemaps.list":
                detected = [each for each in host.added if each.accessed_at]
                page = page_of(detected, request.query_field("from"), _limit(request, 10))
                return json_answer(200, {"sitemaps": [detected_row(each) for each in page]})
            case "recrawl.quota":
                left = host.left(self._today())
                return json_answer(200, {"daily_quota": host.quota, "quota_remainder": left})
            case "recrawl.list":
                return json_answer(200, {"tasks": [_task(page) for page in host.queue]})
        if not call.items:
            raise _Denied("entity-invalid")
        add = self._add_sitemap if call.name == "added.post" else self._queue
        return add(host, call.items[0])

    def _host(self, call: Call) -> Host:
        host = self._hosts.get(call.key)
        if host is None:
            raise _Denied("host-missing")
        if not host.verified:
            raise _Denied("host-unverified")
        if not host.loaded and call.name in _NEED_DATA:
            raise _Denied("host-not-loaded")
        return host

    def _add_sitemap(self, host: Host, address: str) -> Answer:
        if not address.startswith(("http://", "https://")):
            raise _Denied("url-invalid")
        if any(each.url == address for each in host.added):
            raise _Denied("sitemap-there")
        return json_answer(201, {"sitemap_id": host.add(address, self._clock.now()).id})

    def _queue(self, host: Host, page: str) -> Answer:
        """Only a page that is put into the queue spends."""
        if not host.holds(page):
            raise _Denied("url-invalid")
        if page in host.queue:
            raise _Denied("url-there")
        if not host.left(self._today()):
            raise _Denied("over-quota")
        host.spent[self._today()] += 1
        host.queue.append(page)
        left = host.left(self._today())
        return json_answer(202, {"task_id": _task(page)["task_id"], "quota_remainder": left})

    def _read_sitemaps(self, host: Host) -> int:
        count = 0
        for sitemap in host.added:
            reading = read_sitemap(sitemap.url, self._fetch, host.holds)
            if reading is not None:
                sitemap.reading, sitemap.accessed_at = reading, self._clock.now()
                count += 1
        return count

    def _today(self) -> date:
        return self._clock.now().astimezone(ZoneInfo(DAY_ZONE)).date()


def _parts(path: str) -> tuple[str, str, str]:
    """User, host and the rest of a path; `user` and `hosts` where there is no more. A host id is
    one encoded segment."""
    segments = path.removeprefix("/").split("/")
    match segments:
        case ["v4", "user"]:
            return "", "", "user"
        case ["v4", "user", user, "hosts"]:
            return user, "", "hosts"
        case ["v4", "user", user, "hosts", host, *rest]:
            return user, unquote(host), "/".join(rest)
        case _:
            return "", "", path


def _address(body: bytes) -> str:
    try:
        value = json.loads(body)
    except ValueError:
        return ""
    return str(value.get("url") or "") if isinstance(value, dict) else ""


def _limit(request: Request, default: int) -> int:
    written = request.query_field("limit")
    return min(100, max(1, int(written))) if written.isdigit() else default


def _task(page: str) -> dict[str, str]:
    digest = hashlib.sha256(page.encode()).hexdigest()
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])
    path = urlsplit(page).path
    return {"task_id": "-".join(parts), "url": page, "path": path, "state": "IN_PROGRESS"}
