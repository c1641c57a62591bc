"""URL Inspection: where a page stands, as far as tests and demos say so.

Source of fields: the discovery document searchconsole.v1 (revision 20260805); of sentences and
errors: reported answers; read 2026-11-30.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fnmatch import fnmatchcase
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from submitter.sandbox import google_errors
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.google_sitemaps import SitemapTable, covers
from submitter.sandbox.part import Call
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, json_answer

PATH = "/v1/urlInspection/index:inspect"
DAY_ZONE = ZoneInfo("America/Los_Angeles")
"""When Google's day begins is documented for another of its quotas only (unsure here)."""

CRAWLED_AGO = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class _State:
    """What an answer says of a page in this state. None: `…_UNSPECIFIED`, never crawled."""

    sentence: str
    verdict: str = "NEUTRAL"
    fetch: str | None = "SUCCESSFUL"
    indexing: str = "INDEXING_ALLOWED"
    robots: str = "ALLOWED"


STATES: Mapping[str, _State] = {
    "indexed": _State("Submitted and indexed", "PASS"),
    "crawled": _State("Crawled - currently not indexed"),
    "discovered": _State("Discovered - currently not indexed", fetch=None),
    "unknown": _State("URL is unknown to Google", fetch=None),
    "noindex": _State("Excluded by ‘noindex’ tag", indexing="BLOCKED_BY_META_TAG"),
    "duplicate": _State("Duplicate, Google chose different canonical than user"),
    "redirect": _State("Page with redirect", fetch="REDIRECT_ERROR"),
    "missing": _State("Not found (404)", fetch="NOT_FOUND"),
    "blocked": _State("Blocked by robots.txt", fetch="BLOCKED_ROBOTS_TXT", robots="DISALLOWED"),
}


class InspectionDesk:
    """Says of a page what the last matching rule says; without one, a page is discovered once a
    sitemap of its host was read, and unknown before. Guarded by the part's lock.

    `per_day` and `per_minute` are a property's; the refusal is the same for both.
    """

    def __init__(self, clock: SandboxClock, sitemaps: SitemapTable) -> None:
        self.per_day, self.per_minute = 2_000, 600
        self._clock, self._sitemaps = clock, sitemaps
        self._rules: list[tuple[str, str]] = []
        self._days: Counter[tuple[str, date]] = Counter()
        self._minutes: dict[str, SlidingWindows] = {}

    def set_index(self, pages: str, state: str) -> None:
        """From now on pages that match the glob are in this state (see `STATES`)."""
        if state not in STATES:
            raise ValueError(f"no state {state!r}: {sorted(STATES)}")
        self._rules.append((pages, state))

    def set_quota(self, per_day: int = 2_000, per_minute: int = 600) -> None:
        self.per_day, self.per_minute = per_day, per_minute
        self._minutes.clear()

    def read(self, request: Request) -> Call | None:
        """The call, or None when the path is not URL Inspection's."""
        if request.path != PATH:
            return None
        page, site = _asked(request)
        name = "urlInspection.inspect" if request.method == "POST" else "unrouted"
        return Call(name, site, items=(page,))

    def answer(self, request: Request, call: Call, *, may: bool) -> tuple[Answer, str]:
        """The answer, and the error's code or nothing. `may`: the account may see the property."""
        page = call.items[0]
        if urlsplit(page).scheme not in ("http", "https"):
            return google_errors.bad_parameter("inspectionUrl", "Invalid URL."), "bad-page"
        if not may or not covers(call.key, page):
            return google_errors.not_own(), "forbidden"
        if not self._has_room(call.key, request.arrived):
            return google_errors.inspections_spent(call.key), "quota"
        result = {"indexStatusResult": self._status(call.key, page)}
        return json_answer(200, {"inspectionResult": result}), ""

    def _has_room(self, site: str, at: float) -> bool:
        day = (site, self._clock.now().astimezone(DAY_ZONE).date())
        window = Window(self.per_minute, 60.0)
        windows = self._minutes.setdefault(site, SlidingWindows([window]))
        if self._days[day] >= self.per_day or windows.take(at):
            return False
        self._days[day] += 1
        return True

    def _status(self, site: str, page: str) -> dict[str, object]:
        state = STATES[self._state_of(site, page)]
        status: dict[str, object] = {
            "verdict": state.verdict,
            "coverageState": state.sentence,
            "robotsTxtState": "ROBOTS_TXT_STATE_UNSPECIFIED",
            "indexingState": "INDEXING_STATE_UNSPECIFIED",
            "pageFetchState": "PAGE_FETCH_STATE_UNSPECIFIED",
        }
        if state.fetch is not None:
            crawled_at = self._clock.now() - CRAWLED_AGO
            status |= {
                "robotsTxtState": state.robots,
                "indexingState": state.indexing,
                "pageFetchState": state.fetch,
                "lastCrawlTime": crawled_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "crawledAs": "MOBILE",
                "userCanonical": page,
            }
        if state.verdict == "PASS":
            status["googleCanonical"] = page
        return status

    def _state_of(self, site: str, page: str) -> str:
        for glob, state in reversed(self._rules):
            if fnmatchcase(page, glob):
                return state
        host = urlsplit(page).netloc
        read = (row for row in self._sitemaps.rows(site) if "lastDownloaded" in row)
        known = any(urlsplit(str(row["path"])).netloc == host for row in read)
        return "discovered" if known else "unknown"


def _asked(request: Request) -> tuple[str, str]:
    """Page and property."""
    try:
        body = json.loads(request.body or b"{}")
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    return str(body.get("inspectionUrl", "")), str(body.get("siteUrl", ""))
