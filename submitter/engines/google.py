"""Google Search Console: sitemaps are submitted, and asked about later.

google-api-python-client builds every call from its own discovery document; our transport carries
it (requests, one connection pool for each thread). Its `HttpRequest.execute` is left out on
purpose: httplib2 must not be shared by threads and has no total timeout, and even with
`num_retries=0` every answer passes through a retry check that logs bodies and fails on some. What
is left of the library is what it is good at: methods, paths, encoding, parameters.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Account, Limits, Site
from submitter.core.traits import Fact, Kind, Traits, UnknownRule
from submitter.core.urls import shown
from submitter.engines import google_answers as answers
from submitter.engines import google_properties as properties
from submitter.engines._http import (
    EngineRequest,
    EngineResponse,
    Transport,
    base_url,
    is_loopback,
)
from submitter.engines.google_answers import DAY_ZONE, ENGINE, Asked
from submitter.engines.google_keys import ServiceKey, read_key
from submitter.engines.google_login import Login, LoginDesk, default_loader, key_loader
from submitter.errors import ConfigError, Refused
from submitter.ports import Clock, Secret

BASE_URL = "https://searchconsole.googleapis.com"
"""Source: the discovery document searchconsole.v1, revision 20260805, read 2026-11-30."""

MAX_FEEDPATH = 1_024
"""Longest sitemap address that is tried. It stands percent-encoded in a path beside the property,
where no limit is documented; the library treats an address over 2,048 characters as too long.
Source: googleapiclient/http.py 2.202.0 (`MAX_URI_LENGTH`), read 2026-11-30."""

MAX_LIST_BYTES = 33_554_432
"""Lists have no pages: a domain property with 10,000 sitemaps comes as some 5 MB at once."""

TRAITS = Traits(
    name=ENGINE,
    title="Google Search Console",
    tells=frozenset({Kind.SITEMAP}),
    secret_key="credentials",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    limits=Limits(per_second=20, per_minute=200),
    unknown_rule=UnknownRule.REPEAT_LATER,
    checks=True,
    shared_property=True,
    crawler="Googlebot",
    facts=(
        Fact(
            "20 calls a second and 200 a minute for one user; sitemaps and sites.",
            "https://developers.google.com/webmaster-tools/limits",
            "2026-08-13",
        ),
        Fact(
            "A 2xx on submit means queued; it is a hint, with no promise to download.",
            "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
            "2026-11-30",
        ),
        Fact(
            "Submitting again is harmless and asks for a new reading.",
            "https://github.com/chatmcp/mcpso/issues/3824",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "The property's name must match to the letter, or the answer is 403.",
            "https://developers.google.com/webmaster-tools/v1/sites",
            "2026-11-30",
        ),
        Fact(
            "Each service account is a user of its own for the limits.",
            "https://developers.google.com/webmaster-tools/limits",
            "2026-11-30",
            "unsure",
        ),
    ),
)


class Google:
    """One service account (or login) at Search Console. Implements `ports.Engine`."""

    traits = TRAITS

    def __init__(
        self, account: str, api: _Api, desk: LoginDesk, transport: Transport, clock: Clock
    ) -> None:
        self._account, self._api, self._desk = account, api, desk
        self._transport, self._clock = transport, clock

    def survey(self, *, timeout_s: float) -> Survey:
        """The account's properties and its role in each, in one call."""
        response = self._send(_carried(self._api.sites().list()), timeout_s=timeout_s)
        rows = answers.read_list(response, "siteEntry", self._asked())
        return Survey(self._account, answers.listed_properties(rows), self._desk.email)

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return properties.property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        if survey is not None:
            properties.check_access(action.property, action.target, survey)

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        request = _request(self._api.sitemaps(), call)
        response = self._send(request, timeout_s=timeout_s)
        return answers.receipt(response, self._asked(call.action.property))

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        """One call for the whole property, however many sitemaps are asked for."""
        request = _carried(self._api.sitemaps().list(siteUrl=property))
        rows = answers.read_list(
            self._send(request, timeout_s=timeout_s), "sitemap", self._asked(property)
        )
        return _checks(rows, property, sitemaps)

    def _send(self, request: EngineRequest, *, timeout_s: float) -> EngineResponse:
        """One call; after a 401 once more with a fresh token, which then is final."""
        until = self._clock.monotonic() + timeout_s
        login = self._desk.login(until=until)
        response = self._carry(request, login, until)
        if response.status != 401:
            return response
        return self._carry(request, self._desk.login(until=until, instead_of=login), until)

    def _carry(self, request: EngineRequest, login: Login, until: float) -> EngineResponse:
        left = until - self._clock.monotonic()
        return self._transport.send(_authorized(request, login), timeout_s=left)

    def _asked(self, property: str = "") -> Asked:
        return Asked(self._clock.now(), property, self._desk.email or "this account")


def open_google(account: Account, secret: Secret | None, clock: Clock) -> Google:
    """Open an account. Raises ConfigError when its key cannot be used; connects to nothing."""
    base = base_url(account, BASE_URL)
    local = account.endpoint is not None and is_loopback(urlsplit(base).hostname or "")
    transport = Transport(ENGINE)
    if account.secret is not None and account.secret.scheme == "adc":
        desk = LoginDesk(default_loader(local=local), transport, clock)
    else:
        key = _key_of(account, secret, local=local)
        desk = LoginDesk(key_loader(key), transport, clock, email=key.email)
    return Google(account.name, _Api(base), desk, transport, clock)


def _key_of(account: Account, secret: Secret | None, *, local: bool) -> ServiceKey:
    key = "missing" if secret is None else read_key(secret, local=local)
    if isinstance(key, str):
        raise ConfigError.one(f"accounts.{account.name}.credentials ({account.secret})", key)
    return key


class _Api:
    """The library's builders of calls: made at first use (0.1 s), once for all threads."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._lock = threading.Lock()
        self._sites: Any = None
        self._sitemaps: Any = None

    def sites(self) -> Any:
        self._discover()
        return self._sites

    def sitemaps(self) -> Any:
        self._discover()
        return self._sitemaps

    def _discover(self) -> None:
        with self._lock:
            if self._sitemaps is None:
                service = _discovered(self._base)
                self._sites, self._sitemaps = service.sites(), service.sitemaps()


def _discovered(base: str) -> Any:
    from googleapiclient.discovery import build

    return build(
        "searchconsole",
        "v1",
        http=object(),  # in place of httplib2 and credentials: nothing is executed through it
        static_discovery=True,
        cache_discovery=False,  # without it, a line about oauth2client in every log
        client_options={"api_endpoint": f"{base}/"},
    )


def _request(sitemaps: Any, call: Call) -> EngineRequest:
    """`sitemaps` is the library's resource; it encodes both addresses as one segment each."""
    action = call.action
    if len(action.target) > MAX_FEEDPATH:
        raise Refused(
            ENGINE,
            f"{shown(action.target)}: longer than {MAX_FEEDPATH:,} characters",
            code="sitemap-address-too-long",
            sent=False,
        )
    return _carried(sitemaps.submit(siteUrl=action.property, feedpath=action.target))


def _carried(built: Any) -> EngineRequest:
    """What the library would send, without its stray `?` and its own transport's headers."""
    headers = {"Accept": "*/*", "X-Goog-Api-Client": str(built.headers["x-goog-api-client"])}
    method, url = str(built.method), str(built.uri).removesuffix("?")
    if method == "GET":
        return EngineRequest(method, url, headers, max_answer_bytes=MAX_LIST_BYTES)
    return EngineRequest(method, url, headers)


def _authorized(request: EngineRequest, login: Login) -> EngineRequest:
    headers = {**request.headers, **login.headers()}
    return replace(request, headers=headers, secrets=(login.token.reveal(),))


def _checks(
    rows: Sequence[Mapping[str, object]], property: str, sitemaps: Sequence[str]
) -> list[Check]:
    """What the list says about the sitemaps asked for, in their order and our spelling."""
    found = {unquote(str(row.get("path", ""))): row for row in rows}
    return [
        answers.check_of(found[unquote(sitemap)], property=property, sitemap=sitemap)
        for sitemap in sitemaps
        if unquote(sitemap) in found
    ]
