"""Seznam: a page is asked to be indexed again, one call each.

There is no call for sitemaps: Seznam reads the `Sitemap` lines of robots.txt. A key belongs to one
site. This file is the worked example of CONTRIBUTING: all that one engine needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import quote

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Limits, Site
from submitter.core.quota import next_day_starts
from submitter.core.states import State
from submitter.core.traits import Fact, Kind, Option, Traits, UnknownRule
from submitter.engines._http import (
    EngineRequest,
    EngineResponse,
    Transport,
    base_url,
    error_of_status,
    json_of,
    quoted,
    retry_after,
    unreadable,
)
from submitter.engines._secrets import plain_secret
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    Refused,
    TooFast,
)
from submitter.ports import Clock, Secret, Source

ENGINE = "seznam"
BASE_URL = "https://reporter.seznam.cz"
PATH = "/wm-api/web/document/reindex"
DAY_ZONE = "Europe/Prague"
"""Whose midnight starts the day is not written anywhere; Seznam's own is a guess."""

DAILY_LIMIT = 500
"""For each user and site. Source: Seznam's own description of the API, kept at
https://github.com/PavelUngr/seznam-webmaster-mcp (docs/swagger.json), read 2026-11-30."""

TRAITS = Traits(
    name=ENGINE,
    title="Seznam Webmaster",
    tells=frozenset({Kind.URLS}),
    secret_key="key",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    limits=Limits(per_second=5, per_minute=100),
    daily_cap=DAILY_LIMIT,
    metered=True,
    first_batch=1,
    unknown_rule=UnknownRule.NEXT_DAY,
    first_run=FirstRun.RECENT,
    crawler="SeznamBot",
    options=(
        Option("daily_limit", "int", "Pages a site may ask for in a day.", default=DAILY_LIMIT),
    ),
    facts=(
        Fact(
            "POST /wm-api/web/document/reindex?key=&url= without a body, one page a call; the key"
            " needs the right to write.",
            "https://github.com/PavelUngr/seznam-webmaster-mcp",
            "2026-11-30",
            "code",
        ),
        Fact(
            "5 calls a second, 100 a minute and 500 pages a day, for each user and site.",
            "https://github.com/PavelUngr/seznam-webmaster-mcp",
            "2026-11-30",
            "code",
        ),
        Fact(
            "204: the site is not fully activated yet, which takes up to a day.",
            "https://wordpress.org/plugins/seznam-webmaster/",
            "2026-11-30",
            "code",
        ),
        Fact(
            "sitemap.xml and robots.txt are answered by 422: they are no pages.",
            "https://reporter.seznam.cz/wm/",
            "2026-11-30",
            "reported",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the calls go and what lets them in."""

    base: str
    key: str = field(repr=False)


class Seznam:
    """One site's key at Seznam. Implements `ports.Engine`."""

    traits = TRAITS

    def __init__(self, settings: Settings, clock: Clock, transport: Transport) -> None:
        self._settings, self._clock, self._transport = settings, clock, transport

    def survey(self, *, timeout_s: float) -> Survey | None:
        """A key names no sites."""
        return None

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        """Nothing is known beforehand."""

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Nothing has to stand at the site."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        response = self._transport.send(_request(self._settings, call), timeout_s=timeout_s)
        return _receipt(response, self._clock.now())

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        return []


def open_seznam(account: Account, secret: Secret | None, clock: Clock) -> Seznam:
    """Open an account. Raises ConfigError when the key cannot be one; connects to nothing."""
    settings = Settings(base_url(account, BASE_URL), plain_secret(account, "key", secret))
    return Seznam(settings, clock, Transport(ENGINE))


def property_of(site: Site, survey: Survey | None) -> str:
    return site.origin


def _request(settings: Settings, call: Call) -> EngineRequest:
    if len(call.urls) != 1:
        problem = f"{len(call.urls)} pages in one call, not 1"
        raise Refused(ENGINE, problem, code="batch-size", sent=False)
    key, url = quote(settings.key, safe=""), quote(call.urls[0], safe="")
    return EngineRequest(
        "POST",
        f"{settings.base}{PATH}?key={key}&url={url}",
        {"Accept": "application/json"},
        secrets=(settings.key,),
    )


# ---------------------------------------------------------------- answers


def _receipt(response: EngineResponse, now: datetime) -> Receipt:
    """Taken: 200 with nothing, or with `{"status": 200}`. Anything else is an EngineError."""
    said = _said(response)
    if response.status == 200 and (said == 200 or not response.body.strip()):
        return Receipt(State.ACCEPTED, response.status, message="taken")
    raise _error_of(response, said, now)


def _said(response: EngineResponse) -> int | None:
    """The status in Seznam's own words (RFC 7807); None when it said nothing."""
    body = json_of(response)
    if not isinstance(body, dict):
        return None
    status = body.get("status", response.status if "title" in body else None)
    return status if isinstance(status, int) else None


def _error_of(response: EngineResponse, said: int | None, now: datetime) -> EngineError:
    """Source of the statuses: as for DAILY_LIMIT, and reports for 204 and 422."""
    status = said or response.status
    response = replace(response, status=status)
    problem = f"{response.shown}: HTTP {status}{quoted(response.text)}"
    if status == 204 or (status == 404 and said):  # the site is not, or the page may not be, known
        return NotReady(
            ENGINE,
            problem,
            not_before=next_day_starts(DAY_ZONE, now),
            scope="property" if status == 204 else "item",
            http_status=status,
        )
    if status == 422:
        return Refused(ENGINE, problem, http_status=status, code="not-a-page")
    if status in _CLOSING:
        cause, step = _CLOSING[status]
        return NotAuthorized(
            ENGINE, problem, scope="property", cause=cause, next_step=step, http_status=status
        )
    if status in (429, 502, 503) and said:
        wait, kind = retry_after(response, now=now), TooFast if status == 429 else EngineUnavailable
        return kind(ENGINE, problem, retry_after_s=wait, http_status=status)
    if response.ok:
        return unreadable(ENGINE, response, problem)
    return error_of_status(ENGINE, response, now=now)


_CLOSING = {
    401: ("key-invalid", "Compare the key with the site's own at reporter.seznam.cz/wm (API)."),
    403: (
        "key-read-only",
        "Make a key that may write, for this very site, at reporter.seznam.cz/wm.",
    ),
}
"""A key is one site's, so it closes that site only."""
