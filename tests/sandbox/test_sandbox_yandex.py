"""Yandex's manners: ids to look up, cursors, two kinds of 429; and our engine among them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
import requests
from sandbox_clients import open_engine, pages_call, sitemap_call

from submitter.core.calls import Property, QuotaReading
from submitter.core.fleet import Site
from submitter.core.states import State
from submitter.engines.yandex import Yandex
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

HOST = "http:shop.fleet.test:80"
SITEMAP = "http://shop.fleet.test/sitemap-index.xml"
PAGE = "http://shop.fleet.test/1"
SHOP = Site("shop.fleet.test", scheme="http")
ENOUGH_S = 20.0
MIDNIGHT = datetime(2026, 11, 30, 21, tzinfo=UTC)


@pytest.fixture
def shop(still: Sandbox) -> Sandbox:
    assert still.yandex.add_host("http://shop.fleet.test", quota=3) == HOST
    return still


def ask(
    sandbox: Sandbox,
    http: requests.Session,
    path: str,
    url: str | None = None,
    *,
    token: str = "",
    user: int = 4711,
) -> requests.Response:
    """A path below the host's; with `url` it is posted."""
    address = f"{sandbox.yandex.endpoint}/v4/user/{user}/hosts/{quote(HOST, safe='')}/{path}"
    headers = {"Authorization": f"OAuth {token or sandbox.yandex.token}"}
    if url is None:
        return http.get(address, headers=headers, timeout=10)
    return http.post(address, headers=headers, json={"url": url}, timeout=10)


def some_sitemaps(sandbox: Sandbox, count: int) -> list[str]:
    """So many sitemaps of one page each, which the robot can read."""
    sandbox.fleet.add_site("shop", Section("pages", count, per_document=1))
    index = sandbox.fleet.fetch(SITEMAP)
    assert index is not None
    return re.findall("<loc>(.*?)</loc>", index.decode())


def code_of(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("error_code", "")


# ---------------------------------------------------------------- its manners


def test_a_page_is_put_into_the_queue_once_until_the_robot_comes(
    shop: Sandbox, http: requests.Session
) -> None:
    answer = ask(shop, http, "recrawl/queue", PAGE)
    assert (answer.status_code, answer.json()["quota_remainder"]) == (202, 2)
    assert code_of(ask(shop, http, "recrawl/queue", PAGE)) == (409, "URL_ALREADY_ADDED")
    assert shop.yandex.left(HOST) == 2
    (task,) = ask(shop, http, "recrawl/queue").json()["tasks"]
    assert (task["url"], task["state"]) == (PAGE, "IN_PROGRESS")
    shop.yandex.advance()
    assert ask(shop, http, "recrawl/queue", PAGE).json()["quota_remainder"] == 1


def test_both_kinds_of_429(shop: Sandbox, http: requests.Session) -> None:
    shop.yandex.spend(HOST, 3)
    assert code_of(ask(shop, http, "recrawl/queue", PAGE)) == (429, "QUOTA_EXCEEDED")
    shop.yandex.throttle = Window(1, 1.0)
    answers = [ask(shop, http, "recrawl/quota") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert answers[1].json()["error_code"] == "TOO_MANY_REQUESTS_ERROR"
    shop.clock.advance(1)
    assert ask(shop, http, "recrawl/quota").json() == {"daily_quota": 3, "quota_remainder": 0}


def test_the_quota_comes_back_at_midnight_in_moscow_and_not_before(
    shop: Sandbox, http: requests.Session
) -> None:
    shop.yandex.spend(HOST, 3)
    shop.clock.move_to(datetime(2026, 11, 30, 20, 59, 59, tzinfo=UTC))
    assert ask(shop, http, "recrawl/queue", PAGE).status_code == 429
    shop.clock.advance(1)
    assert ask(shop, http, "recrawl/queue", PAGE).json()["quota_remainder"] == 2


def test_a_sitemap_is_added_once(shop: Sandbox, http: requests.Session) -> None:
    answer = ask(shop, http, "user-added-sitemaps", SITEMAP)
    assert (answer.status_code, answer.json()) == (201, {"sitemap_id": "c7-fe:80-1"})
    again = ask(shop, http, "user-added-sitemaps", SITEMAP)
    assert code_of(again) == (409, "SITEMAP_ALREADY_ADDED")


def test_lists_have_cursors_and_different_page_sizes(shop: Sandbox, http: requests.Session) -> None:
    sitemaps = some_sitemaps(shop, 12)
    for sitemap in sitemaps:
        ask(shop, http, "user-added-sitemaps", sitemap)
    assert shop.yandex.advance() == 12
    added = ask(shop, http, "user-added-sitemaps").json()
    assert (len(added["sitemaps"]), added["count"]) == (12, 12)
    detected = ask(shop, http, "sitemaps").json()["sitemaps"]
    assert len(detected) == 10
    rest = ask(shop, http, f"sitemaps?from={detected[-1]['sitemap_id']}").json()["sitemaps"]
    assert [row["sitemap_url"] for row in rest] == sitemaps[10:]
    assert len(ask(shop, http, "user-added-sitemaps?limit=5").json()["sitemaps"]) == 5


def test_dates_come_in_both_shapes(shop: Sandbox, http: requests.Session) -> None:
    shop.fleet.add_site("shop", Section("pages", 12))
    ask(shop, http, "user-added-sitemaps", SITEMAP)
    assert ask(shop, http, "sitemaps").json() == {"sitemaps": []}
    assert shop.yandex.advance() == 1
    (added,) = ask(shop, http, "user-added-sitemaps").json()["sitemaps"]
    (detected,) = ask(shop, http, "sitemaps").json()["sitemaps"]
    assert added["added_date"] == "2026-11-30T15:00:00,000+0300"
    assert detected["last_access_date"] == "2026-11-30T15:00:00.000+03:00"
    assert (detected["urls_count"], detected["sitemap_type"]) == (12, "INDEX_SITEMAP")


def test_rights_are_told_by_the_code_alone(shop: Sandbox, http: requests.Session) -> None:
    quota = "recrawl/quota"
    assert code_of(ask(shop, http, quota, token="x")) == (403, "INVALID_OAUTH_TOKEN")
    wrong = ask(shop, http, quota, user=5)
    assert code_of(wrong) == (403, "INVALID_USER_ID")
    assert wrong.json()["available_user_id"] == 4711
    shop.yandex.scopes = frozenset({"webmaster:hostinfo"})
    assert code_of(ask(shop, http, quota)) == (403, "ACCESS_FORBIDDEN")
    shop.yandex.scopes = frozenset({"webmaster:hostinfo", "webmaster:verify"})
    shop.yandex.add_host("http://shop.fleet.test", verified=False)
    assert code_of(ask(shop, http, quota)) == (404, "HOST_NOT_VERIFIED")
    assert code_of(ask(shop, http, "nothing")) == (404, "RESOURCE_NOT_FOUND")


@pytest.mark.parametrize("url", ["", "ftp://shop.fleet.test/", "http://www.fleet.test/1"])
def test_what_is_no_page_of_the_host_is_refused(
    shop: Sandbox, http: requests.Session, url: str
) -> None:
    assert ask(shop, http, "recrawl/queue", url).status_code == 400
    assert shop.yandex.left(HOST) == 3


# ---------------------------------------------------------------- our engine


@pytest.fixture
def yandex(shop: Sandbox) -> Yandex:
    engine = open_engine(shop, "yandex", shop.yandex.token)
    assert isinstance(engine, Yandex)
    return engine


def failure(yandex: Yandex, url: str = PAGE) -> EngineError:
    with pytest.raises(EngineError) as caught:
        yandex.send(pages_call("yandex", HOST, url), timeout_s=ENOUGH_S)
    return caught.value


def test_the_engine_adds_and_asks_what_became_of_it(shop: Sandbox, yandex: Yandex) -> None:
    shop.fleet.add_site("shop", Section("pages", 12))
    survey = yandex.survey(timeout_s=ENOUGH_S)
    assert survey.principal == "user 4711"
    assert survey.properties == (Property(HOST, "verified", True, "http://shop.fleet.test/"),)
    name = yandex.property_of(SHOP, survey)
    call = sitemap_call("yandex", name, SITEMAP)
    yandex.preflight(call.action, survey)
    assert yandex.send(call, timeout_s=ENOUGH_S).state is State.ACCEPTED
    assert yandex.send(call, timeout_s=ENOUGH_S).state is State.ALREADY
    (check,) = yandex.checks(name, [SITEMAP], timeout_s=ENOUGH_S)
    assert (check.is_pending, check.last_downloaded) == (True, None)
    shop.clock.advance(60)
    shop.yandex.advance()
    (check,) = yandex.checks(name, [SITEMAP], timeout_s=ENOUGH_S)
    assert (check.is_pending, check.is_index, check.urls_submitted) == (False, True, 12)
    assert check.last_downloaded == shop.clock.now()
    assert check.last_submitted == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert shop.yandex.book.count(call="user") == 1


def test_the_engine_reads_lists_to_their_end(shop: Sandbox, yandex: Yandex) -> None:
    sitemaps = some_sitemaps(shop, 230)
    for sitemap in sitemaps:
        yandex.send(sitemap_call("yandex", HOST, sitemap), timeout_s=ENOUGH_S)
    shop.yandex.advance()
    asked = [*sitemaps, "http://shop.fleet.test/other.xml"]
    checks = yandex.checks(HOST, asked, timeout_s=ENOUGH_S)
    assert [check.sitemap for check in checks] == sitemaps
    assert not any(check.is_pending for check in checks)
    assert shop.yandex.book.count(call="sitemaps.list") == 3


def test_the_engine_spends_what_it_is_given(shop: Sandbox, yandex: Yandex) -> None:
    assert yandex.read_quota(HOST, timeout_s=ENOUGH_S) == QuotaReading(3, 3)
    left = []
    for number in range(3):
        call = pages_call("yandex", HOST, f"http://shop.fleet.test/{number}")
        left.append(yandex.send(call, timeout_s=ENOUGH_S).quota_left)
    assert left == [2, 1, 0]
    again = yandex.send(pages_call("yandex", HOST, PAGE), timeout_s=ENOUGH_S)
    assert (again.state, again.spent) == (State.ALREADY, 0)
    error = failure(yandex, "http://shop.fleet.test/9")
    assert isinstance(error, QuotaExhausted)
    assert error.resets_at == MIDNIGHT
    shop.clock.move_to(MIDNIGHT)
    assert yandex.read_quota(HOST, timeout_s=ENOUGH_S) == QuotaReading(3, 3)


def test_a_host_that_is_not_loaded_is_asked_again_tomorrow(shop: Sandbox, yandex: Yandex) -> None:
    shop.yandex.set_loaded(HOST, False)
    call = sitemap_call("yandex", HOST, SITEMAP)
    with pytest.raises(NotReady) as caught:
        yandex.send(call, timeout_s=ENOUGH_S)
    assert caught.value.not_before == MIDNIGHT
    shop.yandex.set_loaded(HOST)
    assert yandex.send(call, timeout_s=ENOUGH_S).state is State.ACCEPTED


def test_haste_is_not_a_spent_quota(shop: Sandbox, yandex: Yandex) -> None:
    shop.yandex.throttle = Window(2, 1.0)
    yandex.survey(timeout_s=ENOUGH_S)
    assert isinstance(failure(yandex), TooFast)
    shop.clock.advance(1)
    assert yandex.send(pages_call("yandex", HOST, PAGE), timeout_s=ENOUGH_S)


def test_a_token_for_the_list_alone_is_explained(shop: Sandbox, yandex: Yandex) -> None:
    shop.yandex.scopes = frozenset({"webmaster:hostinfo"})
    assert yandex.survey(timeout_s=ENOUGH_S).properties
    error = failure(yandex)
    assert isinstance(error, NotAuthorized)
    assert (error.scope, error.cause) == ("account", "scope-missing")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("internal", OutcomeUnknown),
        ("empty-body", OutcomeUnknown),
        ("gateway", OutcomeUnknown),
        ("url-invalid", Refused),
        ("host-unverified", NotAuthorized),
        ("user-invalid", EngineUnavailable),
    ],
)
def test_reported_answers_are_understood(
    shop: Sandbox, yandex: Yandex, answer: str, kind: type[EngineError]
) -> None:
    shop.yandex.faults.add("answer", answer=answer, call="recrawl.post")
    assert type(failure(yandex)) is kind
    assert yandex.send(pages_call("yandex", HOST, PAGE), timeout_s=ENOUGH_S)


@pytest.mark.parametrize("fault", ["reset", "close", "cut", "garbage"])
def test_a_write_whose_answer_is_lost_is_unknown_although_it_was_taken(
    shop: Sandbox, yandex: Yandex, fault: str
) -> None:
    shop.yandex.faults.add(fault, after=True, call="recrawl.post")
    assert isinstance(failure(yandex), OutcomeUnknown)
    assert shop.yandex.left(HOST) == 2


def test_a_lost_reading_is_asked_for_again(shop: Sandbox, yandex: Yandex) -> None:
    shop.yandex.faults.add("reset", call="sitemaps.list")
    with pytest.raises(EngineUnavailable):
        yandex.checks(HOST, [SITEMAP], timeout_s=ENOUGH_S)
    assert yandex.checks(HOST, [SITEMAP], timeout_s=ENOUGH_S) == []
