"""Bing's manners: exact forms, whole batches, two texts of one quota; our engine among them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import requests
from sandbox_clients import open_engine, pages_call, sitemap_call

from submitter.core.calls import Property, QuotaReading
from submitter.core.fleet import Site
from submitter.core.states import State
from submitter.engines.bing import Bing
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    TooFast,
)
from submitter.sandbox import Sandbox, Section, Window

SITE = "http://shop.fleet.test/"
SITEMAP = f"{SITE}sitemap-index.xml"
SHOP = Site("shop.fleet.test", scheme="http")
ENOUGH_S = 20.0


def pages(count: int) -> list[str]:
    return [f"{SITE}{number}" for number in range(count)]


@pytest.fixture
def shop(still: Sandbox) -> Sandbox:
    still.bing.add_site(SITE, quota=10)
    return still


def ask(
    sandbox: Sandbox, http: requests.Session, method: str, body: object = None, **query: str
) -> requests.Response:
    address = f"{sandbox.bing.endpoint}/webmaster/api.svc/json/{method}"
    query = {"apikey": sandbox.bing.key, **query}
    if body is None:
        return http.get(address, params=query, timeout=10)
    return http.post(address, params=query, json=body, timeout=10)


def batch(sandbox: Sandbox, http: requests.Session, *urls: str) -> requests.Response:
    return ask(sandbox, http, "SubmitUrlBatch", {"siteUrl": SITE, "urlList": list(urls)})


# ---------------------------------------------------------------- its manners


def test_a_batch_is_taken_whole_or_not_at_all(shop: Sandbox, http: requests.Session) -> None:
    assert batch(shop, http, *pages(4)).json() == {"d": None}
    answer = batch(shop, http, *pages(7))
    assert (answer.status_code, answer.json()) == (
        400,
        {"ErrorCode": 2, "Message": "ERROR!!! Quota remaining for today: 6, Submitted: 7"},
    )
    assert shop.bing.left(SITE) == 6
    assert shop.bing.book.accepted("SubmitUrlBatch", SITE) == pages(4)


def test_a_spent_quota_has_another_text_too(shop: Sandbox, http: requests.Session) -> None:
    shop.bing.behave(quota_text="exceeded", quota_code=8)
    assert batch(shop, http, *pages(11)).json() == {
        "ErrorCode": 8,
        "Message": "ERROR!!! You have exceeded your daily url submission quota : 10",
    }


def test_five_hundred_pages_and_not_one_more(shop: Sandbox, http: requests.Session) -> None:
    shop.bing.add_site(SITE, quota=1_000)
    assert batch(shop, http, *pages(500)).status_code == 200
    assert "500 at a time" in batch(shop, http, *pages(501)).text
    assert shop.bing.left(SITE) == 500


def test_one_foreign_page_fails_the_batch(shop: Sandbox, http: requests.Session) -> None:
    answer = batch(shop, http, *pages(2), "http://www.fleet.test/a")
    assert answer.json()["ErrorCode"] == 7
    assert shop.bing.left(SITE) == 10


def test_the_quota_comes_back_at_midnight_gmt_and_the_month_lasts(
    still: Sandbox, http: requests.Session
) -> None:
    still.clock.move_to(datetime(2026, 11, 29, 23, 59, 59, tzinfo=UTC))
    still.bing.add_site(SITE, quota=10, monthly=12)
    batch(still, http, *pages(10))
    still.clock.advance(1)
    assert still.bing.left(SITE) == 2
    assert batch(still, http, *pages(3)).status_code == 400
    still.clock.move_to(datetime(2026, 12, 1, tzinfo=UTC))
    assert still.bing.left(SITE) == 10


@pytest.mark.parametrize("site", ["http://shop.fleet.test", "https://shop.fleet.test/", "x"])
def test_a_site_in_another_form_is_not_authorized(
    shop: Sandbox, http: requests.Session, site: str
) -> None:
    for answer in (
        ask(shop, http, "SubmitFeed", {"siteUrl": site, "feedUrl": SITEMAP}),
        ask(shop, http, "GetFeeds", siteUrl=site),
        ask(shop, http, "GetUrlSubmissionQuota", siteUrl=site),
    ):
        assert answer.json() == {"ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}


def test_keys_see_their_own_sites_only(shop: Sandbox, http: requests.Session) -> None:
    shop.bing.add_site("https://other.example", key="another key", verified=False)
    (row,) = ask(shop, http, "GetUserSites").json()["d"]
    assert (row["Url"], row["IsVerified"]) == (SITE, True)
    (row,) = ask(shop, http, "GetUserSites", apikey="another key").json()["d"]
    assert (row["Url"], row["IsVerified"]) == ("https://other.example", False)
    assert ask(shop, http, "GetUserSites", apikey="none").json()["ErrorCode"] == 3


def test_a_reading_is_a_get(shop: Sandbox, http: requests.Session) -> None:
    assert ask(shop, http, "GetFeeds", {"siteUrl": SITE}).status_code == 405
    assert ask(shop, http, "SubmitFeed", siteUrl=SITE).status_code == 405
    assert ask(shop, http, "GetNothing").status_code == 404


def test_a_throttled_key_stays_throttled(shop: Sandbox, http: requests.Session) -> None:
    shop.bing.throttle = Window(2, 1.0)
    codes = [ask(shop, http, "GetUserSites").json().get("ErrorCode") for _ in range(4)]
    assert codes == [None, None, 4, 4]
    shop.clock.advance(3_600)
    assert ask(shop, http, "GetUserSites").json()["ErrorCode"] == 4
    shop.clock.advance(500)
    assert "d" in ask(shop, http, "GetUserSites").json()


def test_errors_may_come_under_200_and_json_inside_a_string(
    shop: Sandbox, http: requests.Session
) -> None:
    shop.bing.behave(error_status=200, packed=True)
    answer = batch(shop, http, *pages(11))
    assert answer.status_code == 200
    assert answer.json().startswith('{"ErrorCode": 2')
    assert batch(shop, http, *pages(1)).json() == '{"d": null}'


def test_a_feed_is_read_when_bingbot_comes(shop: Sandbox, http: requests.Session) -> None:
    shop.fleet.add_site("shop", Section("pages", 12))
    assert ask(shop, http, "SubmitFeed", {"siteUrl": SITE, "feedUrl": SITEMAP}).json() == {
        "d": None
    }
    (row,) = ask(shop, http, "GetFeeds", siteUrl=SITE).json()["d"]
    assert (row["LastCrawled"], row["Status"]) == ("/Date(-62135568000000)/", "Pending")
    assert row["Submitted"] == "/Date(1796040000000-0800)/"
    shop.clock.advance(60)
    assert shop.bing.advance() == 1
    (row,) = ask(shop, http, "GetFeeds", siteUrl=SITE).json()["d"]
    assert (row["LastCrawled"], row["Status"], row["UrlCount"]) == (
        "/Date(1796040060000-0800)/", "Success", 12,
    )  # fmt: skip


# ---------------------------------------------------------------- our engine


@pytest.fixture
def bing(shop: Sandbox) -> Bing:
    engine = open_engine(shop, "bing", shop.bing.key)
    assert isinstance(engine, Bing)
    return engine


def failure(bing: Bing, *urls: str) -> EngineError:
    with pytest.raises(EngineError) as caught:
        bing.send(pages_call("bing", SITE, *urls), timeout_s=ENOUGH_S)
    return caught.value


def test_the_engine_submits_and_asks_what_became_of_it(shop: Sandbox, bing: Bing) -> None:
    shop.fleet.add_site("shop", Section("pages", 12))
    survey = bing.survey(timeout_s=ENOUGH_S)
    assert survey.properties == (Property(SITE, "verified", True),)
    name = bing.property_of(SHOP, survey)
    call = sitemap_call("bing", name, SITEMAP)
    bing.preflight(call.action, survey)
    assert bing.send(call, timeout_s=ENOUGH_S).state is State.ACCEPTED
    (check,) = bing.checks(name, [SITEMAP], timeout_s=ENOUGH_S)
    assert (check.is_pending, check.last_downloaded) == (True, None)
    assert check.last_submitted == shop.clock.now()
    shop.bing.advance()
    (check,) = bing.checks(name, [SITEMAP], timeout_s=ENOUGH_S)
    assert (check.is_pending, check.urls_submitted, check.errors) == (False, 12, None)
    assert check.last_downloaded == shop.clock.now()


def test_the_engine_finds_the_registered_form(shop: Sandbox, bing: Bing) -> None:
    shop.bing.add_site("https://www.fleet.test")
    survey = bing.survey(timeout_s=ENOUGH_S)
    name = bing.property_of(Site("www.fleet.test", scheme="http"), survey)
    feed = "http://www.fleet.test/sitemap.xml"
    assert bing.send(sitemap_call("bing", name, feed), timeout_s=ENOUGH_S).state is State.ACCEPTED


@pytest.mark.parametrize("shows_rest", [True, False])
def test_what_the_quota_means_does_not_matter_on_a_fresh_day(
    shop: Sandbox, bing: Bing, shows_rest: bool
) -> None:
    shop.bing.behave(quota_shows_rest=shows_rest)
    assert bing.read_quota(SITE, timeout_s=ENOUGH_S) == QuotaReading(limit=10)
    urls = pages(10)
    assert bing.send(pages_call("bing", SITE, *urls), timeout_s=ENOUGH_S).state is State.ACCEPTED
    assert shop.bing.book.accepted("SubmitUrlBatch") == urls


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("status", [400, 200])
@pytest.mark.parametrize("text", ["left", "exceeded"])
def test_the_engine_learns_from_either_text(
    shop: Sandbox, bing: Bing, text: str, status: int, packed: bool
) -> None:
    shop.bing.behave(quota_text=text, error_status=status, packed=packed)
    error = failure(bing, *pages(11))
    assert isinstance(error, QuotaExhausted)
    assert (error.quota_left, error.resets_at) == (10, shop.clock.now())
    assert bing.send(pages_call("bing", SITE, *pages(10)), timeout_s=ENOUGH_S)
    error = failure(bing, f"{SITE}more")
    assert isinstance(error, QuotaExhausted)
    assert (error.quota_left, error.resets_at) == (0, datetime(2026, 12, 1, tzinfo=UTC))


def test_the_engine_cools_down_when_it_is_throttled(shop: Sandbox, bing: Bing) -> None:
    shop.bing.throttle = Window(1, 1.0)
    bing.survey(timeout_s=ENOUGH_S)
    error = failure(bing, *pages(1))
    assert isinstance(error, TooFast)
    assert error.retry_after_s is not None
    shop.clock.advance(error.retry_after_s)
    assert bing.send(pages_call("bing", SITE, *pages(1)), timeout_s=ENOUGH_S)


def test_a_fresh_site_is_waited_for(shop: Sandbox, bing: Bing) -> None:
    shop.bing.add_site(SITE, settling_s=600)
    call = sitemap_call("bing", SITE, SITEMAP)
    with pytest.raises(NotReady) as caught:
        bing.send(call, timeout_s=ENOUGH_S)
    assert caught.value.not_before is not None
    shop.clock.move_to(caught.value.not_before)
    assert bing.send(call, timeout_s=ENOUGH_S).state is State.ACCEPTED


def test_an_unverified_site_is_seen_beforehand(shop: Sandbox, bing: Bing) -> None:
    shop.bing.add_site(SITE, verified=False)
    survey = bing.survey(timeout_s=ENOUGH_S)
    with pytest.raises(NotAuthorized) as caught:
        bing.preflight(sitemap_call("bing", SITE, SITEMAP).action, survey)
    assert caught.value.cause == "site-unverified"
    with pytest.raises(NotAuthorized) as caught:
        bing.send(sitemap_call("bing", SITE, SITEMAP), timeout_s=ENOUGH_S)
    assert caught.value.cause == "site-unverified"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("internal", OutcomeUnknown),
        ("unknown", OutcomeUnknown),
        ("empty-body", OutcomeUnknown),
        ("gateway", OutcomeUnknown),
        ("site-throttled", NotReady),
        ("blocked", NotAuthorized),
        ("invalid-url", Refused),
    ],
)
def test_reported_answers_are_understood(
    shop: Sandbox, bing: Bing, answer: str, kind: type[EngineError]
) -> None:
    shop.bing.faults.add("answer", answer=answer)
    assert type(failure(bing, *pages(2))) is kind
    assert shop.bing.left(SITE) == 10


@pytest.mark.parametrize("fault", ["reset", "close", "cut", "garbage"])
def test_a_batch_whose_answer_is_lost_is_unknown_although_it_was_taken(
    shop: Sandbox, bing: Bing, fault: str
) -> None:
    shop.bing.faults.add(fault, after=True, call="SubmitUrlBatch")
    assert isinstance(failure(bing, *pages(3)), OutcomeUnknown)
    assert shop.bing.left(SITE) == 7


def test_a_lost_reading_is_asked_for_again(shop: Sandbox, bing: Bing) -> None:
    shop.bing.faults.add("reset", call="GetFeeds")
    with pytest.raises(EngineUnavailable):
        bing.checks(SITE, [SITEMAP], timeout_s=ENOUGH_S)
    assert bing.checks(SITE, [SITEMAP], timeout_s=ENOUGH_S) == []
