"""A local IndexNow: a hub and two engines that keep one book, and what they remember of keys.

A key file is really fetched, from the sample fleet and through the sandbox's own port, as an
engine would fetch it. Sources: https://www.indexnow.org/documentation, https://yandex.ru/support/
webmaster/en/indexnow/reference/get-url, and B1-B23 of the project's fact sheet, read 2026-11-30.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, html_answer, json_answer

ENGINES = ("hub", "bing", "yandex")
"""Posted to at `/indexnow`, `/bing/indexnow` and `/yandex/indexnow`."""

MAX_PAGES = 10_000
HASTE_S = 600.0
"""A page told again within this time is told too soon."""

_FETCH_TIMEOUT_S = 5.0
_AGENT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")

_INVALID = "InvalidRequestParameters"
_REFUSALS = {
    "bad-request": (400, _INVALID, "Given request parameters are null or invalid"),
    "key-not-found": (403, "KeyNotFound", "The key file could not be found"),
    "forbidden": (403, "UserForbiddedToAccessSite", "User is unauthorized to access the site."),
    "pending": (403, "SiteVerificationNotCompleted", "Site Verification is not completed."),
    "method": (405, "", "Method not allowed"),
    "key-form": (422, _INVALID, "Key must consist of a-Z0-9 or '-'"),
    "unprocessable": (422, _INVALID, "One or more URLs are not related to your site."),
    "too-many": (429, "", "Too Many Requests"),
    "unavailable": (503, "", "Service Unavailable"),
}
"""Status, Bing's code as it is really spelled, and the message."""


@dataclass(frozen=True, slots=True)
class _Post:
    """A call as it was written, checked for its form."""

    engine: str
    host: str
    key: str
    location: str
    pages: tuple[str, ...]


class _Denied(Exception):
    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class IndexNow:
    """Engines that know nothing but the keys they were shown. A call is named by its engine, its
    key in the book is the host.

    The first post of a new key is answered by 202, later ones by 200. A post whose key file is not
    there is refused, and so is every later one with this key for this host at this engine: the key
    is burned. `throttle` is a window for each engine.
    """

    name = "indexnow"

    def __init__(self, clock: SandboxClock) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = {
            **{name: _refusal("hub", name) for name in _REFUSALS},
            "yandex-forbidden": _refusal("yandex", "forbidden"),
            "gateway": html_answer(502, "502 Bad Gateway"),
            "accepted": Answer(200),
            "received": Answer(202),
            "odd-success": Answer(203),
        }
        self.faults = Faults(frozenset(self.answers))
        self.throttle: dict[str, Window] = {}
        self.check_s = 0.0
        """So long a new key is being checked: until then its posts get 403 `pending`."""
        self.commands: Mapping[str, Callable[..., object]] = {
            "refuse": self.refuse,
            "set_check_s": self.set_check_s,
            "set_throttle": self.set_throttle,
            "burned": self.burned,
            "hasty": self.hasty,
        }
        self._clock = clock
        self._pace: dict[str, SlidingWindows] = {}
        self._shown_at: dict[tuple[str, str, str], float] = {}
        self._burned: set[tuple[str, str, str]] = set()
        self._known: set[tuple[str, str, str]] = set()
        self._unwanted: set[str] = set()
        self._told_at: dict[str, float] = {}
        self._hasty: Counter[str] = Counter()

    # -- for tests and tools

    def base(self, engine: str) -> str:
        """The base address of an engine; `/indexnow` follows it."""
        return self.endpoint if engine == "hub" else f"{self.endpoint}/{engine}"

    def refuse(self, page: str) -> None:
        """A post with this page in it is refused whole from now on, with 422."""
        with self.lock:
            self._unwanted.add(page)

    def set_check_s(self, seconds: float) -> None:
        with self.lock:
            self.check_s = seconds

    def set_throttle(self, engine: str, calls: int, seconds: float) -> None:
        with self.lock:
            self.throttle[engine] = Window(calls, seconds)
            self._pace.pop(engine, None)

    def burned(self) -> list[tuple[str, str]]:
        """Engine and host of every key that was used before its file was there."""
        with self.lock:
            return sorted((engine, host) for engine, host, _ in self._burned)

    def hasty(self) -> dict[str, int]:
        """Page → how often it was told again within ten minutes, at whichever engine."""
        with self.lock:
            return dict(self._hasty)

    # -- the part

    def read(self, request: Request) -> Call:
        engine = _engine_of(request.path)
        written = _written(request)
        pages = written.get("urlList")
        shown = tuple(map(str, pages)) if isinstance(pages, list) else ()
        key = str(written.get("key") or "")
        return Call(engine or "lost", str(written.get("host") or ""), f"{key[:4]}…", shown)

    def decide(self, request: Request, call: Call) -> Verdict:
        try:
            post = _parsed(request, call)
            self._admit(post, request.arrived)
            return self._take(post)
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.name)
            return Verdict(_refusal(call.name, denied.name), refused=refused, code=denied.name)

    def _admit(self, post: _Post, arrived: float) -> None:
        self._check_pace(post.engine, arrived)
        shown = (post.engine, post.host, post.key)
        if shown in self._burned or len({_host(page) for page in post.pages}) > 1:
            raise _Denied("forbidden")
        if not self._is_served(post):
            self._burned.add(shown)
            raise _Denied("key-not-found")
        since = self._shown_at.setdefault(shown, self._clock.monotonic())
        if self._clock.monotonic() - since < self.check_s:
            raise _Denied("pending")
        if not all(page.startswith(_scopes(post)) for page in post.pages):
            raise _Denied("unprocessable")
        if self._unwanted.intersection(post.pages):
            raise _Denied("unprocessable")

    def _check_pace(self, engine: str, arrived: float) -> None:
        window = self.throttle.get(engine)
        if window is None:
            return
        pace = self._pace.setdefault(engine, SlidingWindows([window]))
        if pace.take(arrived):
            raise _Denied("too-many")

    def _take(self, post: _Post) -> Verdict:
        now, shown = self._clock.monotonic(), (post.engine, post.host, post.key)
        for page in post.pages:
            if now - self._told_at.get(page, now - HASTE_S) < HASTE_S:
                self._hasty[page] += 1
            self._told_at[page] = now
        status = 200 if shown in self._known else 202
        self._known.add(shown)
        body = Answer(status)
        if post.engine == "yandex":
            body = json_answer(status, {"success": True})
        return Verdict(body, post.pages, code=str(status))

    def _is_served(self, post: _Post) -> bool:
        """Whether the key file is where it should be, asked of the site as an engine asks it."""
        parts = urlsplit(post.location)
        if parts.netloc.lower() != post.host.lower():
            return False
        body = _fetch(urlsplit(self.endpoint).netloc, post.host, parts.path)
        return body is not None and body.decode("utf-8-sig", "replace").strip() == post.key


def _engine_of(path: str) -> str | None:
    name, _, rest = path.removeprefix("/").partition("/")
    if (name, rest) == ("indexnow", ""):
        return "hub"
    return name if name in ENGINES[1:] and rest == "indexnow" else None


def _written(request: Request) -> Mapping[str, object]:
    """The fields of a post, or of a GET for a single page; empty when they cannot be read."""
    if request.method == "GET":
        page = request.query_field("url")
        names = ("key", "keyLocation")
        fields = {name: request.query_field(name) for name in names}
        return {"host": _host(page), "urlList": [page], **fields}
    try:
        body = json.loads(request.body)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _parsed(request: Request, call: Call) -> _Post:
    """Refuses what has not the form of a call, before anything is looked up."""
    if call.name not in ENGINES:
        raise _Denied("bad-request")
    if request.method not in ("GET", "POST"):
        raise _Denied("method")
    plain = request.header("content-type").split(";")[0].strip()
    if request.method == "POST" and plain != "application/json":
        raise _Denied("bad-request")
    written = _written(request)
    key = str(written.get("key") or "")
    if not (call.key and key and call.items and all(map(_host, call.items))):
        raise _Denied("bad-request")
    if not _KEY.fullmatch(key):
        raise _Denied("key-form")
    if len(call.items) > MAX_PAGES:
        raise _Denied("unprocessable")
    location = str(written.get("keyLocation") or "") or f"http://{call.key}/{key}.txt"
    return _Post(call.name, call.key, key, location, call.items)


def _scopes(post: _Post) -> tuple[str, str]:
    """What an address of the host begins with that the key file speaks for."""
    directory = urlsplit(post.location).path.rpartition("/")[0]
    return f"http://{post.host}{directory}/", f"https://{post.host}{directory}/"


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _refusal(engine: str, name: str) -> Answer:
    """In the words of the engine: Bing's has codes, which the hub shares, Yandex's has none."""
    status, code, message = _REFUSALS[name]
    if engine == "yandex":
        return json_answer(status, {"success": False, "message": message})
    if not code:
        return Answer(status)
    return json_answer(status, {"errorCode": code, "message": message, "details": None})


def _fetch(server: str, host: str, path: str) -> bytes | None:
    """One GET without redirects; None unless it is answered by 200."""
    connection = http.client.HTTPConnection(server, timeout=_FETCH_TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Host": host, "User-Agent": _AGENT})
        response = connection.getresponse()
        return response.read(65_536) if response.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
