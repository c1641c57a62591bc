"""Site Verification and URL Inspection as a plain client and the official one meet them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests
from google.oauth2 import service_account
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from sandbox_clients import SearchConsole, ask_token, claims, sign

from submitter.sandbox import Role, Sandbox, Section
from submitter.sandbox.google_accounts import SCOPE_READ, SCOPE_WRITE
from submitter.sandbox.google_inspection import PATH, STATES
from submitter.sandbox.google_verification import SCOPE, SCOPE_VERIFY_ONLY

DOMAIN, PROPERTY = "fleet.test", "sc-domain:fleet.test"
PAGE = "http://shop.fleet.test/pages/amber-1"
SITEMAP = "http://shop.fleet.test/sitemap-index.xml"
SITE = {"type": "INET_DOMAIN", "identifier": DOMAIN}

Ask = Callable[..., requests.Response]


def asking(console: SearchConsole, *scopes: str) -> Ask:
    """A client with a token for these scopes."""
    assertion = sign(console.account, claims(console.account, scope=" ".join(scopes)))
    token = ask_token(console.sandbox, console.http, assertion).json()["access_token"]

    def ask(method: str, path: str, body: object = None) -> requests.Response:
        return console.http.request(
            method,
            console.sandbox.google.endpoint + path,
            json=body,
            headers={"Authorization": f"Bearer {token}"},
            timeout=10,
        )

    return ask


# ---------------------------------------------------------------- site verification


@pytest.fixture
def verifier(console: SearchConsole) -> Ask:
    return asking(console, SCOPE, SCOPE_WRITE)


def token_of(verifier: Ask, identifier: str = DOMAIN, method: str = "DNS_TXT") -> Any:
    body = {"site": {"type": "INET_DOMAIN", "identifier": identifier}, "verificationMethod": method}
    return verifier("POST", "/siteVerification/v1/token", body)


def insert(verifier: Ask, method: str = "DNS_TXT", site: object = SITE) -> requests.Response:
    path = f"/siteVerification/v1/webResource?verificationMethod={method}"
    return verifier("POST", path, {"site": site} if site else None)


def test_a_token_is_the_accounts_own_and_stays_the_same(
    console: SearchConsole, verifier: Ask
) -> None:
    first, again = token_of(verifier).json(), token_of(verifier).json()
    assert first == again
    assert first["method"] == "DNS_TXT"
    assert first["token"].startswith("google-site-verification=")
    other = console.sandbox.google.add_account("other@sandbox-project.iam.gserviceaccount.com")
    theirs = asking(SearchConsole(console.sandbox, console.http, other, ""), SCOPE)
    assert token_of(theirs).json()["token"] != first["token"]


def test_a_domain_is_proven_by_its_record_and_owned_once_it_is_added(
    console: SearchConsole, verifier: Ask
) -> None:
    assert insert(verifier).json()["error"]["errors"][0]["reason"] == "badRequest"
    console.sandbox.google.put_txt(DOMAIN, "v=spf1 -all")
    console.sandbox.google.put_txt(DOMAIN, token_of(verifier).json()["token"])
    assert insert(verifier).json()["site"] == SITE
    assert console.call("GET").json() == {}
    assert console.call("PUT", PROPERTY).status_code == 204
    (entry,) = console.call("GET").json()["siteEntry"]
    assert entry == {"siteUrl": PROPERTY, "permissionLevel": "siteOwner"}
    (item,) = verifier("GET", "/siteVerification/v1/webResource").json()["items"]
    assert item["site"] == SITE
    assert item["owners"] == [console.account.email]


def test_a_property_added_before_it_was_proven_becomes_owned_when_added_again(
    console: SearchConsole, verifier: Ask
) -> None:
    console.call("PUT", PROPERTY)
    assert console.account.properties[PROPERTY] is Role.UNVERIFIED
    console.sandbox.google.put_txt(DOMAIN, token_of(verifier).json()["token"])
    insert(verifier)
    console.call("PUT", PROPERTY)
    assert console.account.properties[PROPERTY] is Role.OWNER


def test_a_property_name_in_place_of_a_domain_is_taken_and_never_found(
    console: SearchConsole, verifier: Ask
) -> None:
    token = token_of(verifier, PROPERTY).json()["token"]
    console.sandbox.google.put_txt(DOMAIN, token)
    nonsense = {"type": "INET_DOMAIN", "identifier": PROPERTY}
    assert insert(verifier, site=nonsense).status_code == 400


@pytest.mark.parametrize(
    ("method", "site", "status", "words"),
    [
        ("DNS_TXT", None, 400, "to verify a site of type SITE"),
        ("FILE", SITE, 400, "to verify a site of type INET_DOMAIN"),
        ("DNS", SITE, 503, "unexpected error"),
    ],
)
def test_the_wrong_method_is_refused_as_reported(
    verifier: Ask, method: str, site: object, status: int, words: str
) -> None:
    answer = insert(verifier, method, site)
    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]


def test_each_call_needs_its_own_scope(console: SearchConsole) -> None:
    usual, verify_only = asking(console, SCOPE_WRITE), asking(console, SCOPE_VERIFY_ONLY)
    error = token_of(usual).json()["error"]
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert token_of(verify_only).status_code == 200
    assert verify_only("GET", "/siteVerification/v1/webResource").status_code == 403


def test_each_api_is_switched_on_by_itself(console: SearchConsole, verifier: Ask) -> None:
    console.account.verification_enabled = False
    message = token_of(verifier).json()["error"]["message"]
    assert message.startswith("Google Site Verification API has not been used")
    assert console.call("GET").status_code == 200
    console.account.verification_enabled, console.account.api_enabled = True, False
    assert token_of(verifier).status_code == 200
    assert console.call("GET").status_code == 403


def test_a_path_that_is_none_gets_the_front_ends_html(verifier: Ask) -> None:
    assert verifier("POST", "/siteVerification/v1/tokens", {}).status_code == 404
    assert verifier("GET", PATH).status_code == 404


def test_records_are_put_over_http(console: SearchConsole, verifier: Ask) -> None:
    token = token_of(verifier).json()["token"]
    order = {"domain": DOMAIN, "text": token}
    control = f"{console.sandbox.base_url}/-/do/google.put_txt"
    assert console.http.post(control, json=order, timeout=10).status_code == 200
    assert insert(verifier).status_code == 200


# ---------------------------------------------------------------- url inspection


@pytest.fixture
def owner(console: SearchConsole) -> SearchConsole:
    """Owner of a property with a shop of three pages, whose sitemap is not submitted yet."""
    console.sandbox.fleet.add_site("shop", Section("pages", 3))
    console.sandbox.google.grant(console.account.email, PROPERTY)
    return console


@pytest.fixture
def inspector(owner: SearchConsole) -> Ask:
    ask = asking(owner, SCOPE_READ)

    def inspect(page: str = PAGE, site: str = PROPERTY) -> requests.Response:
        return ask("POST", PATH, {"inspectionUrl": page, "siteUrl": site})

    return inspect


def sentence(answer: requests.Response) -> str:
    return str(answer.json()["inspectionResult"]["indexStatusResult"]["coverageState"])


def test_a_page_is_unknown_until_a_sitemap_of_its_host_was_read(
    owner: SearchConsole, inspector: Ask
) -> None:
    assert sentence(inspector()) == "URL is unknown to Google"
    owner.submit(PROPERTY, SITEMAP)
    assert sentence(inspector()) == "URL is unknown to Google"
    owner.sandbox.google.advance()
    assert sentence(inspector()) == "Discovered - currently not indexed"


@pytest.mark.parametrize("state", STATES)
def test_every_state_can_be_played(owner: SearchConsole, inspector: Ask, state: str) -> None:
    owner.sandbox.google.set_index("http://shop.fleet.test/*", state)
    status = inspector().json()["inspectionResult"]["indexStatusResult"]
    assert status["coverageState"] == STATES[state].sentence
    assert (status["verdict"] == "PASS") is (state == "indexed")
    assert ("lastCrawlTime" in status) is (state not in ("unknown", "discovered"))
    assert ("googleCanonical" in status) is (state == "indexed")


def test_the_last_rule_that_fits_counts(owner: SearchConsole, inspector: Ask) -> None:
    owner.sandbox.google.set_index("*", "indexed")
    owner.sandbox.google.set_index("*-1", "missing")
    assert sentence(inspector()) == "Not found (404)"
    assert sentence(inspector("http://shop.fleet.test/pages/amber-2")) == "Submitted and indexed"


def test_a_state_that_is_none_is_a_mistake(owner: SearchConsole) -> None:
    with pytest.raises(ValueError, match="no state 'index'"):
        owner.sandbox.google.set_index("*", "index")


@pytest.mark.parametrize(
    ("page", "site"),
    [
        (PAGE, "http://shop.fleet.test/"),
        ("http://elsewhere.test/", PROPERTY),
    ],
)
def test_a_page_or_property_of_others_is_refused_in_the_same_words(
    inspector: Ask, page: str, site: str
) -> None:
    error = inspector(page, site).json()["error"]
    assert (error["code"], error["status"]) == (403, "PERMISSION_DENIED")
    assert error["message"].startswith("You do not own this site, or the inspected URL")
    assert "errors" not in error


def test_an_unverified_user_sees_nothing(owner: SearchConsole, inspector: Ask) -> None:
    owner.sandbox.google.grant(owner.account.email, PROPERTY, Role.UNVERIFIED)
    assert inspector().status_code == 403


def test_no_address_at_all_is_a_bad_parameter(inspector: Ask) -> None:
    assert inspector("shop.fleet.test/1").json()["error"]["errors"][0]["location"]


def test_a_property_has_so_many_a_minute(owner: SearchConsole, inspector: Ask) -> None:
    owner.sandbox.google.inspection.set_quota(per_minute=3)
    assert [inspector().status_code for _ in range(4)] == [200, 200, 200, 429]
    owner.sandbox.clock.advance(60)
    assert inspector().status_code == 200


def test_a_property_has_so_many_a_pacific_day(owner: SearchConsole, inspector: Ask) -> None:
    owner.sandbox.google.inspection.set_quota(per_day=2)
    owner.sandbox.google.grant(owner.account.email, "http://shop.fleet.test/")
    assert [inspector().status_code for _ in range(3)] == [200, 200, 429]
    error = inspector().json()["error"]
    assert error["message"] == f"Quota exceeded for {PROPERTY}."
    assert error["status"] == "RESOURCE_EXHAUSTED"
    assert inspector(site="http://shop.fleet.test/").status_code == 200
    owner.sandbox.clock.move_past_midnight("America/Los_Angeles")
    tomorrow = asking(owner, SCOPE_READ)
    body = {"inspectionUrl": PAGE, "siteUrl": PROPERTY}
    assert tomorrow("POST", PATH, body).status_code == 200


def test_inspections_take_no_place_of_other_calls(owner: SearchConsole, inspector: Ask) -> None:
    owner.sandbox.google.set_limits(1, None)
    assert {inspector().status_code for _ in range(5)} == {200}
    assert owner.call("GET").status_code == 200


def test_the_official_client_inspects(owner: SearchConsole, still: Sandbox) -> None:
    credentials = service_account.Credentials.from_service_account_info(  # type: ignore[no-untyped-call]
        still.google.key_file(owner.account.email), scopes=[SCOPE_READ]
    )
    with build(
        "searchconsole",
        "v1",
        credentials=credentials,
        client_options={"api_endpoint": f"{still.google.endpoint}/"},
        cache_discovery=False,
    ) as service:
        index = service.urlInspection().index()
        found = index.inspect(body={"inspectionUrl": PAGE, "siteUrl": PROPERTY}).execute()
        assert found["inspectionResult"]["indexStatusResult"]["verdict"] == "NEUTRAL"
        with pytest.raises(HttpError, match="do not own this site"):
            index.inspect(body={"inspectionUrl": PAGE, "siteUrl": "sc-domain:x.test"}).execute()
