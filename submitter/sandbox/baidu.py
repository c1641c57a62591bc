"""A local Baidu: the push of pages at `/urls`, with its quota and its manners.

Source: https://www.iaaak.com/2312.html (answers and error table, reproduced from Baidu's help) and
reports in public repositories, collected as A1-A35 of the project's fact sheet, read 2026-11-30.
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

DAY_ZONE = "Asia/Shanghai"
MAX_LINES = 2_000
_DEAD_PATHS = frozenset({"/update", "/del"})
"""In many old clients; today they always say `over quota`."""


def _error(code: int, message: str, *, status: int | None = None) -> Answer:
    """`error` repeats the HTTP status, except where an error was seen under 200."""
    return json_answer(status or code, {"error": code, "message": message})


_ERRORS = {
    "site-error": _error(400, "site error"),
    "site-error-401": _error(401, "site error"),
    "site-init-fail": _error(400, "site init fail"),
    "empty-content": _error(400, "empty content"),
    "too-many": _error(400, "only 2000 urls are allowed once"),
    "over-quota": _error(400, "over quota"),
    "over-quota-200": _error(400, "over quota", status=200),
    "token-invalid": _error(401, "token is not valid"),
    "not-found": _error(404, "not found"),
    "internal": _error(500, "internal error, please try later"),
    "retry-later": _error(505, "please retry later"),
    "sid-empty": _error(400, "site sid is empty"),
    "sid-empty-200": _error(400, "site sid is empty", status=200),
    "empty-body": Answer(200, b"", "text/html"),
    "gateway": Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html"),
}


@dataclass(slots=True)
class _Site:
    token: str
    quota: int
    daily: int | None = None
    """Pages a day in the fast lane; None: the site has none."""
    spent: Counter[date] = field(default_factory=Counter)
    spent_daily: Counter[date] = field(default_factory=Counter)

    def left(self, day: date) -> int:
        return max(self.quota - self.spent[day], 0)

    def left_daily(self, day: date) -> int:
        return max((self.daily or 0) - self.spent_daily[day], 0)


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The lines of a push: what would be taken, and the two lists of the answer."""

    good: tuple[str, ...]
    not_same_site: tuple[str, ...]
    not_valid: tuple[str, ...]

    def listed(self) -> dict[str, object]:
        """The lists that stand in an answer; empty ones do not."""
        lists = {"not_same_site": self.not_same_site, "not_valid": self.not_valid}
        return {name: list(lines) for name, lines in lists.items() if lines}

    def refused(self) -> dict[str, str]:
        foreign = dict.fromkeys(self.not_same_site, "not_same_site")
        return foreign | dict.fromkeys(self.not_valid, "not_valid")


class _Denied(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Baidu:
    """Sites by the exact spelling they were registered with, each with a quota for the day.

    `throttle` is a window for each site; when it is full the answer is 505 `please retry later`.
    """

    name = "baidu"

    def __init__(self, clock: SandboxClock, *, seed: int = 0) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = _ERRORS
        self.faults = Faults(frozenset(_ERRORS))
        self.throttle: Window | None = None
        self.token = hashlib.sha256(f"baidu {seed}".encode()).hexdigest()[:16]
        """Of the account that sites belong to when none is named: 16 letters and digits."""
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_site": self.add_site,
            "set_quota": self.set_quota,
            "set_daily": self.set_daily,
            "spend": self.spend,
            "left": self.left,
        }
        self._clock = clock
        self._sites: dict[str, _Site] = {}
        self._pace: dict[str, SlidingWindows] = {}

    # -- for tests and tools

    def add_site(self, site: str, quota: int = 10, token: str | None = None) -> None:
        """Register a site, spelled as its pushes must name it; one token may hold many."""
        with self.lock:
            self._sites[site] = _Site(token or self.token, quota)

    def set_quota(self, site: str, quota: int) -> None:
        """From now on, also for the running day."""
        with self.lock:
            self._sites[site].quota = quota

    def set_daily(self, site: str, pages: int | None) -> None:
        """Give a site a fast lane (`type=daily`), or take it away."""
        with self.lock:
            self._sites[site].daily = pages

    def spend(self, site: str, pages: int) -> None:
        """Somebody else uses the same quota: a person at the console, another tool."""
        with self.lock:
            self._sites[site].spent[self._today()] += pages

    def left(self, site: str) -> int:
        with self.lock:
            return self._sites[site].left(self._today())

    # -- the part

    def read(self, request: Request) -> Call:
        site = _literal(request.query, "site")
        lines = request.body.decode("utf-8", "replace").split("\n")
        pages = tuple(line.strip() for line in lines if line.strip())
        token = _literal(request.query, "token")
        return Call("push", site, f"{token[:4]}…", pages)  # a token is a secret even here

    def decide(self, request: Request, call: Call) -> Verdict:
        try:
            site = self._admit(request, call)
            return self._push(site, call, fast=_literal(request.query, "type") == "daily")
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.name)
            return Verdict(_ERRORS[denied.name], refused=refused, code=denied.name)

    def _admit(self, request: Request, call: Call) -> _Site:
        if request.path in _DEAD_PATHS:
            raise _Denied("over-quota")
        if request.path != "/urls":
            raise _Denied("not-found")
        if request.method != "POST":
            # Reported as a 400; its text is not known. There is nothing to read in a GET.
            raise _Denied("empty-content")
        if "%" in call.key:
            raise _Denied("site-init-fail")
        site, token = self._sites.get(call.key), _literal(request.query, "token")
        if site is None or token != site.token:
            known = token in {each.token for each in self._sites.values()}
            raise _Denied("site-error" if known else "token-invalid")
        self._take_place(call.key, request.arrived)
        self._check_body(request, call)
        return site

    def _take_place(self, site: str, at: float) -> None:
        if self.throttle is None:
            return
        pace = self._pace.setdefault(site, SlidingWindows([self.throttle]))
        if pace.take(at):
            raise _Denied("retry-later")

    def _check_body(self, request: Request, call: Call) -> None:
        # What the real service says to other content types is not known; none is documented.
        if not call.items or not request.header("content-type").startswith("text/plain"):
            raise _Denied("empty-content")
        if len(call.items) > MAX_LINES:
            raise _Denied("too-many")

    def _push(self, site: _Site, call: Call, *, fast: bool) -> Verdict:
        """A batch larger than what is left is refused whole; only pages of the site spend. Where
        there is no fast lane, `type=daily` changes nothing."""
        lines, today = _sort(call.items, call.key), self._today()
        if fast and site.daily is not None:
            return self._push_fast(site, lines)
        if len(lines.good) > site.left(today):
            raise _Denied("over-quota")
        site.spent[today] += len(lines.good)
        shown = {"remain": site.left(today), "success": len(lines.good)}
        return Verdict(json_answer(200, shown | lines.listed()), lines.good, lines.refused())

    def _push_fast(self, site: _Site, lines: _Sorted) -> Verdict:
        """What is too much for the fast lane's day is passed over without a word."""
        today = self._today()
        taken = lines.good[: site.left_daily(today)]
        site.spent_daily[today] += len(taken)
        shown = {
            "remain": site.left(today),
            "success": len(taken),
            "success_daily": len(taken),
            "remain_daily": site.left_daily(today),
        }
        return Verdict(json_answer(200, shown | lines.listed()), taken, lines.refused())

    def _today(self) -> date:
        return self._clock.now().astimezone(ZoneInfo(DAY_ZONE)).date()


def _literal(query: str, name: str) -> str:
    """A field of the query as its bytes stand there, undecoded."""
    for pair in query.split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            return value
    return ""


def _sort(lines: tuple[str, ...], site: str) -> _Sorted:
    own_host = _host(site if "//" in site else f"//{site}")
    hosts = [
        (line, _host(line) if line.startswith(("http://", "https://")) else "") for line in lines
    ]
    return _Sorted(
        good=tuple(line for line, host in hosts if host and host == own_host),
        not_same_site=tuple(line for line, host in hosts if host and host != own_host),
        not_valid=tuple(line for line, host in hosts if not host),
    )


def _host(address: str) -> str:
    """Host and port in lower case, empty when there is none."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""
