"""Yandex Webmaster: sitemaps are added, pages are put into the recrawl queue one by one.

Every path holds the token owner's user id and the site's host id. Both are looked up, never
built; without the account's list of sites a site has no name that Yandex knows.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from submitter.core.calls import Action, Call, Check, QuotaReading, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Limits, Site
from submitter.core.traits import Fact, Kind, Option, Traits, UnknownRule
from submitter.engines import yandex_answers as answers
from submitter.engines import yandex_hosts as hosts
from submitter.engines._http import EngineRequest, EngineResponse, Transport, base_url
from submitter.engines._secrets import plain_secret
from submitter.engines.yandex_answers import DAY_ZONE, ENGINE, WRONG_USER, Asked
from submitter.engines.yandex_token import issued_on
from submitter.errors import EngineError, Refused
from submitter.ports import Clock, Secret, Source

BASE_URL = "https://api.webmaster.yandex.net"
VERSION = "/v4"
"""Source: https://yandex.com/dev/webmaster/doc/en/reference/user, read 2026-11-30."""

PAGE_SIZE = 100
"""Rows of a list at most. Source: https://yandex.com/dev/webmaster/doc/en/reference/
host-sitemaps-get, read 2026-11-30."""

MAX_PAGES = 50
"""Pages of one list that are read at most."""

MAX_LIST_BYTES = 33_554_432
"""The list of hosts has no pages."""

TRAITS = Traits(
    name=ENGINE,
    title="Yandex Webmaster",
    tells=frozenset({Kind.SITEMAP, Kind.URLS}),
    secret_key="token",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    limits=Limits(per_second=5),
    batch_size=1,
    metered=True,
    first_batch=1,
    quota_readable=True,
    unknown_rule=UnknownRule.NEXT_DAY,
    repeatable=frozenset({Kind.SITEMAP}),
    checks=True,
    first_run=FirstRun.RECENT,
    crawler="YandexBot",
    options=(
        Option("daily_limit", "int", "Pages a site may have recrawled in a day at most."),
        Option(
            "token_issued",
            "str",
            "The day on which the token was issued (YYYY-MM-DD); it ends six months later, and"
            " `check` warns a month before.",
        ),
    ),
    facts=(
        Fact(
            "POST user-added-sitemaps adds a sitemap; 409 SITEMAP_ALREADY_ADDED: it is there.",
            "https://yandex.com/dev/webmaster/doc/en/reference/host-user-added-sitemaps-post",
            "2026-11-30",
        ),
        Fact(
            "POST recrawl/queue takes one page and answers 202 with what is left of the day.",
            "https://yandex.com/dev/webmaster/doc/en/reference/host-recrawl-post",
            "2026-11-30",
        ),
        Fact(
            "GET recrawl/quota reads the day's quota and its rest; 150 a site are typical.",
            "https://yandex.com/dev/webmaster/doc/en/reference/host-recrawl-quota-get",
            "2026-11-30",
        ),
        Fact(
            "409 URL_ALREADY_ADDED spends nothing.",
            "https://github.com/seo-meow/yandex-webmaster-api",
            "2026-11-30",
            "code",
        ),
        Fact(
            "The quota starts anew at midnight in Moscow.",
            "https://github.com/askads/mcp-yandex-webmaster",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "A missing right comes as 404 HOST_NOT_VERIFIED: only `error_code` tells.",
            "https://github.com/askads/mcp-yandex-webmaster",
            "2026-11-30",
            "code",
        ),
        Fact(
            f"A token needs the scopes {answers.SCOPES} and lives six months.",
            "https://yandex.com/dev/webmaster/doc/ru/tasks/how-to-get-oauth",
            "2026-11-30",
        ),
        Fact(
            "A site just added is HOST_NOT_LOADED, at times for weeks.",
            "https://yandex.com/dev/webmaster/doc/en/reference/errors",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "No limit of calls by the second is documented; 5 is our own.",
            "https://yandex.com/dev/webmaster/doc/en/reference/errors",
            "2026-11-30",
            "unsure",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the calls go and what lets them in."""

    base: str
    token: str = field(repr=False)


class Yandex:
    """One OAuth token at Yandex Webmaster. Implements `ports.QuotaReader`."""

    traits = TRAITS

    def __init__(
        self, account: str, settings: Settings, clock: Clock, transport: Transport
    ) -> None:
        self._account, self._settings = account, settings
        self._clock, self._transport = clock, transport
        self._lock = threading.Lock()
        self._user: str | None = None

    def survey(self, *, timeout_s: float) -> Survey:
        """The user's sites, in two calls."""
        until = self._clock.monotonic() + timeout_s
        self._forget_user()
        user = self._user_id(until)
        response = self._read(f"/user/{user}/hosts", until)
        return Survey(self._account, answers.properties(response, self._asked()), f"user {user}")

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return hosts.property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        if survey is not None:
            hosts.check_host(action.property, survey)

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Nothing has to stand at the site."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        """One call; the first of an engine looks the user id up before it."""
        action, until = call.action, self._clock.monotonic() + timeout_s
        request = _request(self._settings, self._user_id(until), call)
        response = self._transport.send(request, timeout_s=until - self._clock.monotonic())
        try:
            return answers.receipt(response, self._asked(action.property, action.kind))
        except EngineError as error:
            if error.code == WRONG_USER:
                self._forget_user()
            raise

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        """Two lists, page by page, until every sitemap asked for was seen."""
        until = self._clock.monotonic() + timeout_s
        added = self._rows(property, "user-added-sitemaps", "offset", until)
        detected = self._rows(property, "sitemaps", "from", until)
        return answers.checks(
            sitemaps,
            property=property,
            added=answers.find(added, sitemaps),
            detected=answers.find(detected, sitemaps),
        )

    def read_quota(self, property: str, *, timeout_s: float) -> QuotaReading:
        until = self._clock.monotonic() + timeout_s
        response = self._read_host(property, "recrawl/quota", until)
        return answers.quota(response, self._asked(property))

    # ------------------------------------------------------------ reading

    def _user_id(self, until: float) -> str:
        """Whose token it is, asked once for all threads."""
        with self._lock:
            if self._user is None:
                self._user = answers.user_id(self._read("/user", until), self._asked())
            return self._user

    def _forget_user(self) -> None:
        with self._lock:
            self._user = None

    def _rows(
        self, property: str, name: str, cursor: str, until: float
    ) -> Iterator[Mapping[str, object]]:
        """A list page by page: each begins after the last row of the one before."""
        last = ""
        for _ in range(MAX_PAGES):
            after = f"&{cursor}={quote(last, safe='')}" if last else ""
            response = self._read_host(property, f"{name}?limit={PAGE_SIZE}{after}", until)
            rows = answers.rows_of(response, "sitemaps", self._asked(property))
            yield from rows
            before, last = last, str(rows[-1].get("sitemap_id") or "") if rows else ""
            if len(rows) < PAGE_SIZE or last in ("", before):
                return

    def _read_host(self, property: str, what: str, until: float) -> EngineResponse:
        return self._read(f"{_host_path(self._user_id(until), property)}/{what}", until)

    def _read(self, path: str, until: float) -> EngineResponse:
        left = until - self._clock.monotonic()
        return self._transport.send(_reading(self._settings, path), timeout_s=left)

    def _asked(self, property: str = "", kind: Kind | None = None) -> Asked:
        return Asked(self._clock.now(), property, kind)


def open_yandex(account: Account, secret: Secret | None, clock: Clock) -> Yandex:
    """Open an account. Raises ConfigError when its token or its date cannot be one; connects to
    nothing."""
    issued_on(account)
    settings = Settings(base_url(account, BASE_URL), plain_secret(account, "token", secret))
    return Yandex(account.name, settings, clock, Transport(ENGINE))


# ---------------------------------------------------------------- calls


def _request(settings: Settings, user: str, call: Call) -> EngineRequest:
    action = call.action
    path = _host_path(user, action.property)
    if action.kind is Kind.SITEMAP:
        return _writing(settings, f"{path}/user-added-sitemaps", action.target)
    if len(call.urls) != 1:
        problem = f"{len(call.urls)} pages in one call, not 1"
        raise Refused(ENGINE, problem, code="batch-size", sent=False)
    return _writing(settings, f"{path}/recrawl/queue", call.urls[0])


def _host_path(user: str, host: str) -> str:
    return f"/user/{user}/hosts/{quote(host, safe='')}"


def _writing(settings: Settings, path: str, address: str) -> EngineRequest:
    return EngineRequest(
        "POST",
        f"{settings.base}{VERSION}{path}",
        {**_headers(settings), "Content-Type": "application/json; charset=UTF-8"},
        json.dumps({"url": address}).encode(),
        secrets=(settings.token,),
    )


def _reading(settings: Settings, path: str) -> EngineRequest:
    return EngineRequest(
        "GET",
        f"{settings.base}{VERSION}{path}",
        _headers(settings),
        secrets=(settings.token,),
        max_answer_bytes=MAX_LIST_BYTES,
    )


def _headers(settings: Settings) -> dict[str, str]:
    return {"Accept": "application/json", "Authorization": f"OAuth {settings.token}"}
