"""Google Search Console: sitemaps are submitted, asked about later, and withdrawn; pages are
asked about. How a call is built and carried stands in `google_calls`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Account, Limits, Site
from submitter.core.inspection import Inspection
from submitter.core.states import State
from submitter.core.traits import Fact, Kind, Traits, UnknownRule
from submitter.core.urls import shown
from submitter.engines import google_answers as answers
from submitter.engines import google_inspection as inspections
from submitter.engines import google_properties as properties
from submitter.engines._http import EngineRequest, EngineResponse, base_url, json_of
from submitter.engines.google_answers import DAY_ZONE, ENGINE, Asked
from submitter.engines.google_calls import Builder, Caller, carried, open_caller
from submitter.errors import Refused
from submitter.ports import Clock, Secret, Source

BASE_URL = "https://searchconsole.googleapis.com"
"""Source: the discovery document searchconsole.v1, revision 20260805, read 2026-11-30."""

MAX_FEEDPATH = 1_024
"""Longest sitemap address that is tried. It stands percent-encoded in a path beside the property,
where no limit is documented; the library treats an address over 2,048 characters as too long.
Source: googleapiclient/http.py 2.202.0 (`MAX_URI_LENGTH`), read 2026-11-30."""

TRAITS = Traits(
    name=ENGINE,
    title="Google Search Console",
    tells=frozenset({Kind.SITEMAP, Kind.WITHDRAWAL}),
    secret_key="credentials",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    limits=Limits(per_second=20, per_minute=200),
    unknown_rule=UnknownRule.REPEAT_LATER,
    checks=True,
    inspects_per_day=inspections.PER_DAY,
    inspects_per_minute=inspections.PER_MINUTE,
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
        Fact(
            "Withdrawing a sitemap takes it out of the report; Google may go on crawling it.",
            "https://searchconsole.googleapis.com/$discovery/rest?version=v1",
            "2026-11-30",
            "code",
        ),
        Fact(
            "URL Inspection: 2,000 pages a day and 600 a minute for one property; 10,000,000 and"
            " 15,000 for one project.",
            "https://developers.google.com/webmaster-tools/limits",
            "2026-08-13",
        ),
    ),
)


class Google:
    """One service account (or login) at Search Console. Implements `ports.Inspector`."""

    traits = TRAITS

    def __init__(self, account: str, api: Builder, caller: Caller, clock: Clock) -> None:
        self._account, self._api = account, api
        self._caller, self._clock = caller, clock

    def survey(self, *, timeout_s: float) -> Survey:
        """The account's properties and its role in each, in one call."""
        request = carried(self._api.resource("sites").list())
        response = self._caller.send(request, timeout_s=timeout_s)
        rows = answers.read_list(response, "siteEntry", self._asked())
        return Survey(self._account, answers.listed_properties(rows), self._caller.email)

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return properties.property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        if survey is not None:
            properties.check_access(action.property, action.target, survey)

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Nothing has to stand at the site."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        request = _request(self._api.resource("sitemaps"), call)
        response = self._caller.send(request, timeout_s=timeout_s)
        return _receipt(response, call, self._asked(call.action.property))

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        """One call for the whole property, however many sitemaps are asked for."""
        request = carried(self._api.resource("sitemaps").list(siteUrl=property))
        response = self._caller.send(request, timeout_s=timeout_s)
        rows = answers.read_list(response, "sitemap", self._asked(property))
        return _checks(rows, property, sitemaps)

    def inspect(self, property: str, url: str, *, timeout_s: float) -> Inspection:
        """One call; takes Google several seconds."""
        resource = self._api.resource("urlInspection", "index")
        request = inspections.request(resource, property, url)
        response = self._caller.send(request, timeout_s=timeout_s)
        return inspections.inspection(response, url, self._asked(property))

    def _asked(self, property: str = "") -> Asked:
        return Asked(self._clock.now(), property, self._caller.email or "this account")


def open_google(account: Account, secret: Secret | None, clock: Clock) -> Google:
    """Open an account. Raises ConfigError when its key cannot be used; connects to nothing."""
    api = Builder("searchconsole", "v1", base_url(account, BASE_URL))
    return Google(account.name, api, open_caller(account, secret, clock), clock)


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
    if action.kind is Kind.WITHDRAWAL:
        return carried(sitemaps.delete(siteUrl=action.property, feedpath=action.target))
    return carried(sitemaps.submit(siteUrl=action.property, feedpath=action.target))


def _receipt(response: EngineResponse, call: Call, asked: Asked) -> Receipt:
    """Of a withdrawal, Google's own 404 says what was wanted: it has no such sitemap there. The
    property is no question then, the survey has shown it."""
    if call.action.kind is not Kind.WITHDRAWAL:
        return answers.receipt(response, asked)
    if response.status == 404 and isinstance(json_of(response), dict):
        return Receipt(State.ALREADY, response.status, message="it is not in the report")
    return answers.receipt(response, asked, "taken out of the report")


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
