"""A local Bing Webmaster API: sites by their exact form, feeds, batches of pages, a throttle.

Source: https://learn.microsoft.com/en-us/dotnet/api/microsoft.bing.webmaster.api.interfaces and
reports in public repositories, collected as C1-C23 of the project's fact sheet, read 2026-11-30.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import cast
from urllib.parse import urlsplit

from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.google_reading import Fetch, Reading, read_sitemap
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, html_answer, json_answer

ROOT = "/webmaster/api.svc/json/"
MAX_BATCH = 500
NEVER = "/Date(-62135568000000)/"
_METHODS = {
    "GetUserSites": "GET",
    "GetFeeds": "GET",
    "GetUrlSubmissionQuota": "GET",
    "SubmitFeed": "POST",
    "SubmitUrlBatch": "POST",
}


class QuotaText(StrEnum):
    """The two texts for a batch that does not fit; nobody knows which one comes when."""

    LEFT = "left"
    EXCEEDED = "exceeded"


def _error(code: int, message: str) -> Answer:
    return json_answer(400, {"ErrorCode": code, "Message": f"ERROR!!! {message}"})


_ERRORS = {
    "internal": _error(1, "InternalError"),
    "unknown": _error(2, "UnknownError"),
    "key-invalid": _error(3, "InvalidApiKey"),
    "throttled": _error(4, "ThrottleUser"),
    "site-throttled": _error(5, "ThrottleHost"),
    "blocked": _error(6, "UserBlocked"),
    "invalid-url": _error(7, "InvalidUrl"),
    "invalid-parameter": _error(8, "InvalidParameter"),
    "too-many": _error(8, "Max Urls quota is 500 at a time"),
    "not-authorized": _error(14, "NotAuthorized"),
    "empty-body": Answer(200, b"", "application/json"),
    "gateway": Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html"),
}


@dataclass(slots=True)
class _Feed:
    submitted_at: datetime
    crawled_at: datetime | None = None
    reading: Reading | None = None


@dataclass(slots=True)
class _Site:
    url: str
    key: str
    verified: bool
    quota: int
    monthly: int
    feeds_from: datetime
    """Before this moment SubmitFeed finds something wrong with its parameters."""
    feeds: dict[str, _Feed] = field(default_factory=dict)
    spent: Counter[str] = field(default_factory=Counter)
    """By day and by month."""

    def left(self, at: datetime) -> int:
        today = self.quota - self.spent[f"{at:%Y-%m-%d}"]
        return max(0, min(today, self.monthly - self.spent[f"{at:%Y-%m}"]))

    def spend(self, at: datetime, pages: int) -> None:
        self.spent[f"{at:%Y-%m-%d}"] += pages
        self.spent[f"{at:%Y-%m}"] += pages


class _Denied(Exception):
    def __init__(self, code: str, answer: Answer | None = None) -> None:
        self.code, self.answer = code, answer or _ERRORS[code]
        super().__init__(code)


class Bing:
    """Sites of keys, each with a quota for the day and the month; a key's user may be throttled.

    `throttle` is a window for each key; when it is full the answer is ThrottleUser for
    `cool_down_s`. How errors and the quota are shown is disputed, so it can be set: see `behave`.
    """

    name = "bing"

    def __init__(self, clock: SandboxClock, fetch: Fetch, *, seed: int = 0) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = _ERRORS
        self.faults = Faults(frozenset(_ERRORS))
        self.throttle: Window | None = None
        self.cool_down_s = 4_000.0
        self.key = hashlib.sha256(f"bing {seed}".encode()).hexdigest()[:32]
        """Of the user whom sites belong to when none is named."""
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_site": self.add_site,
            "spend": self.spend,
            "left": self.left,
            "advance": self.advance,
            "behave": self.behave,
        }
        self._clock, self._fetch = clock, fetch
        self._sites: dict[str, _Site] = {}
        self._pace: dict[str, SlidingWindows] = {}
        self._cool_until: dict[str, float] = {}
        self.behave()

    # -- for tests and tools

    def add_site(
        self,
        url: str,
        quota: int = 100,
        monthly: int = 3_000,
        *,
        verified: bool = True,
        key: str | None = None,
        settling_s: float = 0.0,
    ) -> None:
        """Register a site in this very form. For `settling_s` it is too new to take feeds."""
        feeds_from = self._clock.now() + timedelta(seconds=settling_s)
        with self.lock:
            self._sites[url] = _Site(url, key or self.key, verified, quota, monthly, feeds_from)

    def spend(self, url: str, pages: int) -> None:
        """Somebody else uses the same quota: a person at the console, another tool."""
        with self.lock:
            self._sites[url].spend(self._clock.now(), pages)

    def left(self, url: str) -> int:
        with self.lock:
            return self._sites[url].left(self._clock.now())

    def advance(self) -> int:
        """bingbot comes by now and reads every feed. Returns how many it could fetch."""
        with self.lock:
            return sum(
                self._crawl(site, url, feed)
                for site in self._sites.values()
                for url, feed in site.feeds.items()
            )

    def behave(
        self,
        *,
        quota_text: QuotaText | str = QuotaText.LEFT,
        quota_code: int = 2,
        quota_shows_rest: bool = True,
        error_status: int = 400,
        packed: bool = False,
    ) -> None:
        """From now on. `quota_shows_rest`: DailyQuota is what is left, not the day's whole.
        `packed`: an answer is a JSON string with the JSON inside."""
        with self.lock:
            self._quota_text, self._quota_code = QuotaText(quota_text), quota_code
            self._quota_shows_rest = quota_shows_rest
            self._error_status, self._packed = error_status, packed

    # -- the part

    def read(self, request: Request) -> Call:
        name = request.path.removeprefix(ROOT)
        if not request.path.startswith(ROOT) or name not in _METHODS:
            return Call("unrouted", request.path)
        key, body = request.query_field("apikey"), _object(request.body)
        site = str(body.get("siteUrl") or request.query_field("siteUrl"))
        items = _texts(body.get("urlList") if "urlList" in body else [body.get("feedUrl")])
        return Call(name, site, f"{key[:4]}…", items)  # a key is a secret even here

    def decide(self, request: Request, call: Call) -> Verdict:
        if call.name == "unrouted":
            return Verdict(html_answer(404, "Not Found"), code="unrouted")
        if request.method != _METHODS[call.name]:
            return Verdict(html_answer(405, "Method not allowed."), code="wrong-method")
        try:
            result = self._perform(request, call)
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.code)
            answer = self._shaped(denied.answer, self._error_status)
            return Verdict(answer, refused=refused, code=denied.code)
        return Verdict(self._shaped(json_answer(200, {"d": result}), 200), call.items)

    def _shaped(self, answer: Answer, status: int) -> Answer:
        body = json.dumps(answer.body.decode()).encode() if self._packed else answer.body
        return Answer(status, body, answer.content_type)

    def _perform(self, request: Request, call: Call) -> object:
        key = request.query_field("apikey")
        self._take_place(key, request.arrived)
        if call.name == "GetUserSites":
            return [_site_row(site) for site in self._sites.values() if site.key == key]
        site = self._sites.get(call.key)
        if site is None or site.key != key or not site.verified:
            raise _Denied("not-authorized")
        match call.name:
            case "GetFeeds":
                return [_feed_row(url, feed) for url, feed in site.feeds.items()]
            case "GetUrlSubmissionQuota":
                return self._quota_row(site)
            case "SubmitFeed":
                self._submit_feed(site, call.items)
            case _:
                self._submit_pages(site, call.items)
        return None

    def _take_place(self, key: str, at: float) -> None:
        if key not in {site.key for site in self._sites.values()} | {self.key}:
            raise _Denied("key-invalid")
        if at < self._cool_until.get(key, float("-inf")):
            raise _Denied("throttled")
        if self.throttle is None:
            return
        if self._pace.setdefault(key, SlidingWindows([self.throttle])).take(at):
            self._cool_until[key] = at + self.cool_down_s
            raise _Denied("throttled")

    def _submit_feed(self, site: _Site, feeds: tuple[str, ...]) -> None:
        if self._clock.now() < site.feeds_from or len(feeds) != 1:
            raise _Denied("invalid-parameter")
        if not feeds[0].startswith(("http://", "https://")):
            raise _Denied("invalid-url")
        known = site.feeds.setdefault(feeds[0], _Feed(self._clock.now()))
        known.submitted_at = self._clock.now()

    def _submit_pages(self, site: _Site, pages: tuple[str, ...]) -> None:
        """One page too many, or one that is not the site's, and none is taken."""
        if not pages:
            raise _Denied("invalid-parameter")
        if len(pages) > MAX_BATCH:
            raise _Denied("too-many")
        if any(_host(page) != _host(site.url) for page in pages):
            raise _Denied("invalid-url")
        if len(pages) > site.left(self._clock.now()):
            raise _Denied("over-quota", self._over_quota(site, len(pages)))
        site.spend(self._clock.now(), len(pages))

    def _over_quota(self, site: _Site, pages: int) -> Answer:
        if self._quota_text is QuotaText.LEFT:
            left = site.left(self._clock.now())
            return _error(
                self._quota_code, f"Quota remaining for today: {left}, Submitted: {pages}"
            )
        text = f"You have exceeded your daily url submission quota : {site.quota}"
        return _error(self._quota_code, text)

    def _quota_row(self, site: _Site) -> dict[str, object]:
        now = self._clock.now()
        spent = site.spent if self._quota_shows_rest else Counter[str]()
        return {
            "__type": "UrlSubmissionQuota:#Microsoft.Bing.Webmaster.Api",
            "DailyQuota": max(0, site.quota - spent[f"{now:%Y-%m-%d}"]),
            "MonthlyQuota": max(0, site.monthly - spent[f"{now:%Y-%m}"]),
        }

    def _crawl(self, site: _Site, url: str, feed: _Feed) -> bool:
        reading = read_sitemap(url, self._fetch, lambda page: _host(page) == _host(site.url))
        if reading is None:
            return False
        feed.reading, feed.crawled_at = reading, self._clock.now()
        return True


def _site_row(site: _Site) -> dict[str, object]:
    code = hashlib.sha256(site.url.encode()).hexdigest()[:32]
    return {
        "__type": "Site:#Microsoft.Bing.Webmaster.Api",
        "AuthenticationCode": code.upper(),
        "DnsVerificationCode": f"{code}.{_host(site.url)}",
        "IsVerified": site.verified,
        "Url": site.url,
    }


def _feed_row(url: str, feed: _Feed) -> dict[str, object]:
    reading = feed.reading
    return {
        "__type": "Feed:#Microsoft.Bing.Webmaster.Api",
        "Compressed": url.endswith(".gz"),
        "FileSize": 0,
        "LastCrawled": _date(feed.crawled_at) if feed.crawled_at else NEVER,
        "Status": "Pending" if reading is None else "Error" if reading.errors else "Success",
        "Submitted": _date(feed.submitted_at),
        "Type": "Sitemap",
        "Url": url,
        "UrlCount": reading.pages if reading else 0,
    }


def _date(at: datetime) -> str:
    """Milliseconds of UTC; the offset of Bing's own clock behind them means nothing."""
    since = at - datetime(1970, 1, 1, tzinfo=UTC)
    return f"/Date({since // timedelta(milliseconds=1)}-0800)/"


def _object(body: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        return {}
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value if each) if isinstance(value, list) else ()


def _host(address: str) -> str:
    """Host and port in lower case, empty when there is none."""
    try:
        return urlsplit(address if "//" in address else f"//{address}").netloc.lower()
    except ValueError:
        return ""
