"""Calls to Bing as they go out, to which of its sites, and lists as they come back."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from engine_rows import BING_KEY, NOW, StillClock, pages_call, plain_account

from submitter.core.calls import Action, Call, Property, QuotaReading, Survey
from submitter.core.fleet import Site
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines.bing import BATCH_SIZE, TRAITS, Bing, open_bing
from submitter.engines.bing_sites import check_site, property_of
from submitter.errors import ConfigError, EngineUnavailable, NotAuthorized, OutcomeUnknown, Refused
from support.fault_server import Answer, FaultServer, ok, rst, status

SITE = "https://shop.example.com/"
METHODS = "/webmaster/api.svc/json"
ENOUGH_S = 20.0
YES = ok(b'{"d":null}', "application/json")


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def bing(server: FaultServer, prefix: str = "", key: str = BING_KEY) -> Bing:
    account = plain_account("bing", server.url(prefix))
    return open_bing(account, MaskedSecret(key), StillClock())


def found(body: object) -> Answer:
    return ok(json.dumps({"d": body}).encode(), "application/json")


def feed_call(sitemap: str = f"{SITE}sitemap.xml", site: str = SITE) -> Call:
    action = Action(site, "bing", "bing", site, Kind.SITEMAP, sitemap, "new", "c1")
    return Call(action)


# ---------------------------------------------------------------- out


def test_a_sitemap_goes_out_with_the_site_in_its_registered_form(server: FaultServer) -> None:
    server.on(f"{METHODS}/SubmitFeed", YES)
    assert bing(server).send(feed_call(), timeout_s=ENOUGH_S).state is State.ACCEPTED
    (request,) = server.requests
    assert (request.method, request.target) == ("POST", f"{METHODS}/SubmitFeed?apikey={BING_KEY}")
    assert request.headers["content-type"].startswith("application/json")
    assert json.loads(request.body) == {"siteUrl": SITE, "feedUrl": f"{SITE}sitemap.xml"}


def test_pages_go_out_as_one_list(server: FaultServer) -> None:
    server.on(f"{METHODS}/SubmitUrlBatch", YES)
    urls = (f"{SITE}1", f"{SITE}%E6%96%B0?a=b&c")
    bing(server).send(pages_call("bing", SITE, *urls), timeout_s=ENOUGH_S)
    (request,) = server.requests
    assert request.target == f"{METHODS}/SubmitUrlBatch?apikey={BING_KEY}"
    assert json.loads(request.body) == {"siteUrl": SITE, "urlList": list(urls)}


def test_an_endpoint_may_have_a_prefix(server: FaultServer) -> None:
    server.on(f"/bing{METHODS}/SubmitFeed", YES)
    bing(server, "/bing/").send(feed_call(), timeout_s=ENOUGH_S)
    assert server.asked(f"/bing{METHODS}/SubmitFeed")


def test_without_an_endpoint_bing_is_called() -> None:
    engine = open_bing(plain_account("bing"), MaskedSecret(BING_KEY), StillClock())
    assert engine._settings.base == "https://ssl.bing.com"
    assert BING_KEY not in repr(engine._settings)


@pytest.mark.parametrize("pages", [0, BATCH_SIZE + 1])
def test_a_batch_of_the_wrong_size_is_not_sent(server: FaultServer, pages: int) -> None:
    action = pages_call("bing", SITE).action
    call = Call(action, tuple(f"{SITE}{number}" for number in range(pages)))
    with pytest.raises(Refused) as caught:
        bing(server).send(call, timeout_s=ENOUGH_S)
    assert not caught.value.sent
    assert not server.connections


def test_the_largest_batch_is_sent(server: FaultServer) -> None:
    server.on(f"{METHODS}/SubmitUrlBatch", YES)
    urls = tuple(f"{SITE}{number}" for number in range(BATCH_SIZE))
    bing(server).send(pages_call("bing", SITE, *urls), timeout_s=ENOUGH_S)
    assert len(json.loads(server.requests[0].body)["urlList"]) == 500


@pytest.mark.parametrize("answer", [rst(), status(500), status(502), ok(b"")])
def test_a_lost_feed_is_unknown_like_a_lost_batch(server: FaultServer, answer: Answer) -> None:
    server.on(f"{METHODS}/SubmitFeed", answer)
    with pytest.raises(OutcomeUnknown):
        bing(server).send(feed_call(), timeout_s=ENOUGH_S)
    assert TRAITS.repeatable == {Kind.SITEMAP}


@pytest.mark.parametrize("key", ["", " \n", "two words", "two\nlines", "kéy", "a\0b"])
def test_what_cannot_be_a_key_is_refused_unseen(server: FaultServer, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        bing(server, key=key)
    assert "accounts.bing.api_key" in str(caught.value)
    assert not key.strip() or key not in str(caught.value)


def test_no_secret_is_a_fault_of_the_inventory() -> None:
    with pytest.raises(ConfigError):
        open_bing(plain_account("bing"), None, StillClock())


def test_a_key_is_sent_without_the_blanks_around_it(
    server: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.on(f"{METHODS}/SubmitFeed", YES)
    bing(server, key=f" {BING_KEY}\r\n").send(feed_call(), timeout_s=ENOUGH_S)
    assert server.requests[0].target.endswith(f"apikey={BING_KEY}")
    assert "blanks around it" in caplog.text
    assert BING_KEY not in caplog.text


# ---------------------------------------------------------------- back


def test_a_survey_is_one_call(server: FaultServer) -> None:
    server.on(f"{METHODS}/GetUserSites", found([{"Url": SITE, "IsVerified": True}]))
    survey = bing(server).survey(timeout_s=ENOUGH_S)
    assert survey == Survey("bing", (Property(SITE, "verified", True),))
    (request,) = server.requests
    assert (request.method, request.target) == ("GET", f"{METHODS}/GetUserSites?apikey={BING_KEY}")


def test_a_refusal_after_a_survey_is_explained_by_it(server: FaultServer) -> None:
    server.on(f"{METHODS}/GetUserSites", found([{"Url": SITE, "IsVerified": False}]))
    forbidden = json.dumps({"ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}).encode()
    server.on(f"{METHODS}/SubmitFeed", status(400, forbidden))
    engine = bing(server)
    engine.survey(timeout_s=ENOUGH_S)
    with pytest.raises(NotAuthorized) as caught:
        engine.send(feed_call(), timeout_s=ENOUGH_S)
    assert caught.value.cause == "site-unverified"


def test_a_site_is_asked_about_once_however_many_sitemaps_it_has(server: FaultServer) -> None:
    sitemaps = [f"{SITE}{number}.xml" for number in range(200)]
    server.on(
        f"{METHODS}/GetFeeds", found([{"Url": sitemap, "UrlCount": 3} for sitemap in sitemaps])
    )
    checks = bing(server).checks(SITE, sitemaps, timeout_s=ENOUGH_S)
    assert [check.sitemap for check in checks] == sitemaps
    (request,) = server.requests
    assert request.target.endswith("&siteUrl=https%3A%2F%2Fshop.example.com%2F")


def test_a_list_may_be_longer_than_an_answer_to_a_write(server: FaultServer) -> None:
    rows = [{"Url": f"{SITE}{number}{'x' * 900}", "UrlCount": 1} for number in range(1_500)]
    server.on(f"{METHODS}/GetFeeds", found(rows))
    assert bing(server).checks(SITE, [str(rows[7]["Url"])], timeout_s=ENOUGH_S)


def test_the_quota_is_read_for_one_site(server: FaultServer) -> None:
    server.on(f"{METHODS}/GetUrlSubmissionQuota", found({"DailyQuota": 10, "MonthlyQuota": 140}))
    assert bing(server).read_quota(SITE, timeout_s=ENOUGH_S) == QuotaReading(limit=10)
    assert server.requests[0].method == "GET"


def test_a_lost_reading_may_be_asked_again(server: FaultServer) -> None:
    server.on(f"{METHODS}/GetFeeds", rst())
    with pytest.raises(EngineUnavailable):
        bing(server).checks(SITE, [f"{SITE}s.xml"], timeout_s=ENOUGH_S)


# ---------------------------------------------------------------- sites

SHOP = Site("shop.example.com", domain="example.com")


def listing(*names: str, unverified: tuple[str, ...] = ()) -> Survey:
    verified = [Property(name, "verified", True) for name in names]
    return Survey("bing", (*verified, *(Property(n, "unverified", False) for n in unverified)))


# account's list → name of https://shop.example.com
FORMS = [
    (listing(), SITE),
    (listing("https://shop.example.com/"), "https://shop.example.com/"),
    (listing("https://shop.example.com"), "https://shop.example.com"),
    (listing("http://shop.example.com/"), "http://shop.example.com/"),
    (listing("http://shop.example.com/", SITE), SITE),
    (listing("http://shop.example.com/", unverified=(SITE,)), "http://shop.example.com/"),
    (listing(unverified=(SITE,)), SITE),
    (listing("http://SHOP.example.com"), "http://SHOP.example.com"),
    (listing("shop.example.com"), "shop.example.com"),
    (listing("https://shop.example.com:443/"), "https://shop.example.com:443/"),
    (listing("https://example.com/", "https://www.example.com/"), SITE),
    (listing("https://shop.example.com/blog/"), SITE),
    (listing("https://shop.example.com:8443/", "not an address", "http://["), SITE),
]


@pytest.mark.parametrize(("survey", "name"), FORMS)
def test_a_site_has_the_form_that_the_account_registered(survey: Survey, name: str) -> None:
    assert property_of(SHOP, survey) == name


def test_a_host_of_other_letters_is_found() -> None:
    site = Site("xn--bcher-kva.example")
    assert property_of(site, listing("https://bücher.example/")) == "https://bücher.example/"


def test_the_inventory_has_the_last_word() -> None:
    site = Site("shop.example.com", settings={"bing_site": "https://example.com/"})
    assert property_of(site, listing(SITE)) == "https://example.com/"


def test_a_site_that_may_be_used_passes() -> None:
    check_site(SITE, listing(SITE))
    check_site(SITE, Survey("bing", (Property(SITE, "?", None),)))


@pytest.mark.parametrize(
    ("survey", "cause", "words"),
    [
        (listing(), "site-missing", "among the 0"),
        (listing("https://other.example/"), "site-missing", "among the 1"),
        (listing("http://shop.example.com"), "site-spelled-differently", "http://shop.example.com"),
        (listing(unverified=(SITE,)), "site-unverified", "not verified"),
    ],
)
def test_preflight_says_what_the_list_shows(
    server: FaultServer, survey: Survey, cause: str, words: str
) -> None:
    with pytest.raises(NotAuthorized) as caught:
        bing(server).preflight(feed_call().action, survey)
    assert (caught.value.scope, caught.value.cause, caught.value.sent) == ("property", cause, False)
    assert words in str(caught.value)
    assert not server.connections


def test_traits_tell_what_the_inventory_may_say() -> None:
    assert {option.name for option in TRAITS.options} == {"daily_limit"}
    assert {option.name for option in TRAITS.site_options} == {"bing_site"}
    assert TRAITS.day_zone == "UTC"
    assert NOW.tzinfo is not None
