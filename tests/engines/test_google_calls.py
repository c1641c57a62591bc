"""Calls to Search Console as they go out, and lists as they come back."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import responses
from engine_rows import (
    EMAIL,
    TOKEN_URI,
    StillClock,
    google_account,
    key_file,
    sitemap_call,
    token_answer,
)

from submitter.core.calls import Property
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.engines.google import MAX_FEEDPATH, TRAITS, Google, open_google
from submitter.errors import EngineUnavailable, NotAuthorized, Refused
from support.fault_server import FaultServer, ok, status

PROPERTY = "sc-domain:example.com"
SITES = "/webmasters/v3/sites"
SITEMAPS = f"{SITES}/sc-domain%3Aexample.com/sitemaps"
ENOUGH_S = 20.0


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.on("/token", token_answer())
        yield running


def google(server: FaultServer, prefix: str = "") -> Google:
    secret = MaskedSecret(key_file(server.url("/token")))
    return open_google(google_account(server.url(prefix)), secret, StillClock())


def answer(body: object) -> bytes:
    return json.dumps(body).encode()


# ---------------------------------------------------------------- out


@responses.activate
def test_without_an_endpoint_google_is_called() -> None:
    responses.post(TOKEN_URI, json={"access_token": "t", "expires_in": 3600})
    responses.put(
        f"https://searchconsole.googleapis.com{SITEMAPS}/"
        "https%3A%2F%2Fshop.example.com%2Fsitemap.xml",
        status=204,
    )
    engine = open_google(google_account(), MaskedSecret(key_file()), StillClock())
    receipt = engine.send(sitemap_call(), timeout_s=5)
    assert (receipt.state, receipt.http_status) == (State.ACCEPTED, 204)


ENCODED = [
    ("sc-domain:example.com", "https://example.com/s.xml"),
    ("https://sub.example.com/", "https://sub.example.com/a b.xml?x=1&y=ü"),
    ("https://sub.example.com/", "https://sub.example.com/%E4/s.xml"),
    ("https://sub.example.com/fr/", "https://sub.example.com/fr/s.xml.gz"),
    ("http://e.example:8080/", "http://e.example:8080/s+1.xml"),
]


@pytest.mark.parametrize(("name", "sitemap"), ENCODED)
def test_each_address_is_one_encoded_segment(server: FaultServer, name: str, sitemap: str) -> None:
    path = f"{SITES}/{quote(name, safe='')}/sitemaps/{quote(sitemap, safe='')}"
    server.on(path, status(204))
    google(server).send(sitemap_call(sitemap, name), timeout_s=ENOUGH_S)
    request = server.requests[-1]
    assert (request.method, request.target) == ("PUT", path)
    assert request.body == b""


def test_an_endpoint_may_have_a_prefix(server: FaultServer) -> None:
    server.on(f"/google{SITES}", ok(b"{}"))
    assert google(server, "/google").survey(timeout_s=ENOUGH_S).properties == ()


def test_a_sitemap_address_of_absurd_length_is_not_sent(server: FaultServer) -> None:
    long = "https://shop.example.com/" + "x" * MAX_FEEDPATH
    with pytest.raises(Refused) as caught:
        google(server).send(sitemap_call(long), timeout_s=ENOUGH_S)
    assert not caught.value.sent
    assert not server.requests
    assert len(str(caught.value)) < 400


def test_threads_do_not_mix_up_their_calls(server: FaultServer) -> None:
    engine = google(server)
    sitemaps = [f"https://shop.example.com/{number}.xml" for number in range(100)]
    paths = {f"{SITEMAPS}/{quote(sitemap, safe='')}" for sitemap in sitemaps}
    for path in paths:
        server.on(path, status(204))
    with ThreadPoolExecutor(8) as pool:
        calls = [sitemap_call(sitemap) for sitemap in sitemaps]
        receipts = list(pool.map(lambda call: engine.send(call, timeout_s=ENOUGH_S), calls))
    assert [receipt.state for receipt in receipts] == [State.ACCEPTED] * 100
    assert {request.path for request in server.requests} == paths | {"/token"}


def test_nothing_is_logged_that_a_person_would_see(
    server: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    body = answer({"error": {"code": 403, "errors": [{"reason": "forbidden"}]}})
    server.on(f"{SITEMAPS}/https%3A%2F%2Fshop.example.com%2Fsitemap.xml", status(403, body))
    with pytest.raises(NotAuthorized):
        google(server).send(sitemap_call(), timeout_s=ENOUGH_S)
    assert not caplog.records


# ---------------------------------------------------------------- surveys


def test_a_survey_lists_properties_roles_and_who_asked(server: FaultServer) -> None:
    body = {
        "siteEntry": [
            {"siteUrl": "https://e.example/", "permissionLevel": "SITE_FULL_USER"},
            {"siteUrl": PROPERTY, "permissionLevel": "siteOwner"},
        ]
    }
    server.on(SITES, ok(answer(body)))
    survey = google(server).survey(timeout_s=ENOUGH_S)
    assert survey.account == "gsc"
    assert survey.principal == EMAIL
    assert survey.properties == (
        Property("https://e.example/", "siteFullUser", None),
        Property(PROPERTY, "siteOwner", True),
    )


def test_preflight_goes_by_the_survey(server: FaultServer) -> None:
    server.on(SITES, ok(b"{}"))
    engine = google(server)
    with pytest.raises(NotAuthorized) as caught:
        engine.preflight(sitemap_call().action, engine.survey(timeout_s=ENOUGH_S))
    assert caught.value.cause == "property-missing"
    assert EMAIL in caught.value.next_step


# ---------------------------------------------------------------- checks


def test_one_call_checks_many_sitemaps_and_only_those_asked_for(server: FaultServer) -> None:
    rows = [{"path": f"https://shop.example.com/{number}.xml"} for number in range(5)]
    server.on(SITEMAPS, ok(answer({"sitemap": rows})))
    wanted = ["https://shop.example.com/3.xml", "https://shop.example.com/1.xml"]
    asked = [*wanted, "https://shop.example.com/9.xml"]
    checks = google(server).checks(PROPERTY, asked, timeout_s=ENOUGH_S)
    assert [check.sitemap for check in checks] == wanted
    assert {check.property for check in checks} == {PROPERTY}
    assert len(server.asked(SITEMAPS)) == 1


def test_a_sitemap_is_found_in_another_spelling(server: FaultServer) -> None:
    server.on(SITEMAPS, ok(answer({"sitemap": [{"path": "https://e.example/%E6%96%B0.xml"}]})))
    (check,) = google(server).checks(
        PROPERTY, ["https://e.example/%e6%96%b0.xml"], timeout_s=ENOUGH_S
    )
    assert check.sitemap == "https://e.example/%e6%96%b0.xml"


def test_a_property_without_sitemaps_has_no_checks(server: FaultServer) -> None:
    server.on(SITEMAPS, ok(b"{}"))
    sitemap = "https://shop.example.com/s.xml"
    assert google(server).checks(PROPERTY, [sitemap], timeout_s=ENOUGH_S) == []


def test_a_list_may_be_longer_than_an_answer_to_a_write(server: FaultServer) -> None:
    rows = [{"path": f"https://shop.example.com/{number:0300}.xml"} for number in range(4_000)]
    server.on(SITEMAPS, ok(answer({"sitemap": rows})))
    sitemap = str(rows[-1]["path"])
    assert len(google(server).checks(PROPERTY, [sitemap], timeout_s=ENOUGH_S)) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"sitemap": '])
def test_a_list_that_cannot_be_read_may_be_asked_for_again(
    server: FaultServer, body: bytes
) -> None:
    server.on(SITEMAPS, ok(body))
    with pytest.raises(EngineUnavailable):
        google(server).checks(PROPERTY, ["https://shop.example.com/s.xml"], timeout_s=ENOUGH_S)


def test_limits_are_those_that_google_documents() -> None:
    assert (TRAITS.limits.per_second, TRAITS.limits.per_minute) == (20, 200)
