"""Bing Webmaster Tools: sitemaps and pages are submitted, and sitemaps asked about later.

The key stands in the query of every call, so no message ever holds a query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from submitter.core.calls import Action, Call, Check, QuotaReading, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Limits, Site
from submitter.core.traits import Fact, Kind, Option, Traits, UnknownRule
from submitter.engines import bing_answers as answers
from submitter.engines import bing_sites as sites
from submitter.engines._http import EngineRequest, EngineResponse, Transport, base_url
from submitter.engines._secrets import plain_secret
from submitter.engines.bing_answers import DAY_ZONE, ENGINE, Asked
from submitter.errors import Refused
from submitter.ports import Clock, Secret, Source

BASE_URL = "https://ssl.bing.com"
METHODS = "/webmaster/api.svc/json"
"""Source: https://learn.microsoft.com/en-us/bingwebmaster/, read 2026-11-30."""

BATCH_SIZE = 500
"""Source: https://learn.microsoft.com/en-us/dotnet/api/microsoft.bing.webmaster.api.interfaces.
iwebmasterapi.submiturlbatch, read 2026-11-30."""

MAX_LIST_BYTES = 33_554_432
"""Lists of sites and feeds have no pages."""

TRAITS = Traits(
    name=ENGINE,
    title="Bing Webmaster Tools",
    tells=frozenset({Kind.SITEMAP, Kind.URLS}),
    secret_key="api_key",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    limits=Limits(per_second=5),
    batch_size=BATCH_SIZE,
    metered=True,
    first_batch=BATCH_SIZE,
    quota_readable=True,
    unknown_rule=UnknownRule.NEXT_DAY,
    repeatable=frozenset({Kind.SITEMAP}),
    bisect=True,
    checks=True,
    first_run=FirstRun.ALL,
    crawler="bingbot",
    options=(Option("daily_limit", "int", "Pages a site may submit in a day at most."),),
    site_options=(
        Option(
            "bing_site",
            "str",
            "The site exactly as it is registered at Bing; default: as the account lists it.",
        ),
    ),
    facts=(
        Fact(
            "SubmitFeed and SubmitUrlBatch by POST, the key as `apikey` in the query.",
            "https://learn.microsoft.com/en-us/bingwebmaster/",
            "2026-11-30",
        ),
        Fact(
            "At most 500 pages a batch; a batch over what is left of the day is refused whole.",
            "https://github.com/greycodee/seo-tools/issues/2",
            "2026-11-30",
            "reported",
        ),
        Fact(
            '`{"d":null}` is the answer to a call that was taken.',
            "https://github.com/cjh0613/hexo-submit-urls-to-search-engine/issues/22",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "GetUrlSubmissionQuota reads the quota; whether DailyQuota is the whole or the rest is"
            " disputed, so our own book counts, too.",
            "https://github.com/merj/bing-webmaster-tools",
            "2026-11-30",
            "unsure",
        ),
        Fact(
            "Ordinary sites may submit up to 10,000 pages a day, new ones 10 to 100; the day starts"
            " at midnight GMT.",
            "https://www.drupal.org/project/bing_indexing_api",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "Too many calls are answered by 400 with code 4, for the whole account and for more"
            " than an hour.",
            "https://learn.microsoft.com/en-us/dotnet/api/"
            "microsoft.bing.webmaster.api.interfaces.apierrorcode",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "No limit of calls is documented; clients keep to 5 a second.",
            "https://github.com/merj/bing-webmaster-tools",
            "2026-11-30",
            "code",
        ),
        Fact(
            "A known sitemap is read again about daily; indexes and gzip are fine.",
            "https://blogs.bing.com/webmaster/may-2022/"
            "Spring-cleaning-Removed-Bing-anonymous-sitemap-submission",
            "2026-11-30",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the calls go and what lets them in."""

    base: str
    api_key: str = field(repr=False)


class Bing:
    """One key at Bing. Implements `ports.QuotaReader`."""

    traits = TRAITS

    def __init__(
        self, account: str, settings: Settings, clock: Clock, transport: Transport
    ) -> None:
        self._account, self._settings = account, settings
        self._clock, self._transport = clock, transport
        self._surveyed: Survey | None = None

    def survey(self, *, timeout_s: float) -> Survey:
        """The sites of the key's user in their registered forms, in one call."""
        response = self._read("GetUserSites", timeout_s=timeout_s)
        found = answers.properties(response, self._asked())
        self._surveyed = Survey(self._account, found)
        return self._surveyed

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return sites.property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        if survey is not None:
            self._surveyed = survey  # a refusal is explained by it
            sites.check_site(action.property, survey)

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Nothing has to stand at the site."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        response = self._transport.send(_request(self._settings, call), timeout_s=timeout_s)
        asked = self._asked(call.action.property, call.action.kind, len(call.urls))
        return answers.receipt(response, asked)

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        """One call for the whole site, however many sitemaps are asked for."""
        response = self._read("GetFeeds", property, timeout_s=timeout_s)
        return answers.checks(response, sitemaps, self._asked(property))

    def read_quota(self, property: str, *, timeout_s: float) -> QuotaReading:
        response = self._read("GetUrlSubmissionQuota", property, timeout_s=timeout_s)
        return answers.quota(response, self._asked(property))

    def _read(self, method: str, site: str = "", *, timeout_s: float) -> EngineResponse:
        return self._transport.send(_reading(self._settings, method, site), timeout_s=timeout_s)

    def _asked(self, property: str = "", kind: Kind | None = None, pages: int = 0) -> Asked:
        return Asked(self._clock.now(), property, kind, pages, self._surveyed)


def open_bing(account: Account, secret: Secret | None, clock: Clock) -> Bing:
    """Open an account. Raises ConfigError when the key cannot be one; connects to nothing."""
    key = plain_secret(account, "api_key", secret)
    settings = Settings(base_url(account, BASE_URL), key)
    return Bing(account.name, settings, clock, Transport(ENGINE))


def _request(settings: Settings, call: Call) -> EngineRequest:
    action = call.action
    if action.kind is Kind.SITEMAP:
        feed = {"siteUrl": action.property, "feedUrl": action.target}
        return _writing(settings, "SubmitFeed", feed)
    if not 0 < len(call.urls) <= BATCH_SIZE:
        problem = f"{len(call.urls)} pages in one batch, not 1 to {BATCH_SIZE}"
        raise Refused(ENGINE, problem, code="batch-size", sent=False)
    batch = {"siteUrl": action.property, "urlList": list(call.urls)}
    return _writing(settings, "SubmitUrlBatch", batch)


def _writing(settings: Settings, method: str, body: Mapping[str, object]) -> EngineRequest:
    """A connection of its own: a reused one that closes under a batch leaves its outcome unknown,
    and that costs the pages a day."""
    return EngineRequest(
        "POST",
        _address(settings, method),
        {"Content-Type": "application/json; charset=utf-8", "Connection": "close"},
        json.dumps(body).encode(),
        secrets=(settings.api_key,),
    )


def _reading(settings: Settings, method: str, site: str) -> EngineRequest:
    query = f"&siteUrl={quote(site, safe='')}" if site else ""
    return EngineRequest(
        "GET",
        _address(settings, method) + query,
        {"Accept": "application/json"},
        secrets=(settings.api_key,),
        max_answer_bytes=MAX_LIST_BYTES,
    )


def _address(settings: Settings, method: str) -> str:
    key = quote(settings.api_key, safe="")
    return f"{settings.base}{METHODS}/{method}?apikey={key}"
