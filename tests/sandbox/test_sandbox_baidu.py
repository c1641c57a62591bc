"""Baidu's manners: quota, whole batches, the literal site."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import requests
from sandbox_clients import push

from submitter.sandbox import Sandbox, Window

SITE = "shop.fleet.test"


def pages(count: int, host: str = SITE) -> list[str]:
    return [f"http://{host}/{number}" for number in range(count)]


@pytest.fixture
def shop(still: Sandbox) -> Sandbox:
    still.baidu.add_site(SITE, quota=10)
    return still


def test_a_push_says_how_many_were_taken_and_how_many_are_left(
    shop: Sandbox, http: requests.Session
) -> None:
    answer = push(shop, http, SITE, *pages(4))
    assert (answer.status_code, answer.json()) == (200, {"remain": 6, "success": 4})
    (entry,) = shop.baidu.book.entries("push", SITE)
    assert list(entry.accepted) == pages(4)
    assert entry.account == f"{shop.baidu.token[:4]}…"


def test_lists_appear_only_when_something_is_in_them(shop: Sandbox, http: requests.Session) -> None:
    foreign, invalid = "http://www.fleet.test/a", "not an address"
    answer = push(shop, http, SITE, *pages(2), foreign, invalid)
    assert answer.json() == {
        "remain": 8,
        "success": 2,
        "not_same_site": [foreign],
        "not_valid": [invalid],
    }
    (entry,) = shop.baidu.book.entries()
    assert entry.refused == {foreign: "not_same_site", invalid: "not_valid"}


def test_a_success_of_zero_is_still_a_200(shop: Sandbox, http: requests.Session) -> None:
    answer = push(shop, http, SITE, "http://www.fleet.test/a")
    assert answer.status_code == 200
    assert answer.json()["success"] == 0
    assert answer.json()["remain"] == 10


def test_a_line_that_is_no_address_shows_the_quota_and_spends_nothing(
    shop: Sandbox, http: requests.Session
) -> None:
    assert push(shop, http, SITE, "*").json() == {"remain": 10, "success": 0, "not_valid": ["*"]}
    assert shop.baidu.left(SITE) == 10


def test_a_batch_larger_than_the_rest_is_refused_whole(
    shop: Sandbox, http: requests.Session
) -> None:
    push(shop, http, SITE, *pages(4))
    answer = push(shop, http, SITE, *pages(7))
    assert (answer.status_code, answer.json()) == (400, {"error": 400, "message": "over quota"})
    assert shop.baidu.left(SITE) == 6
    assert push(shop, http, SITE, *pages(6)).json()["remain"] == 0
    refused = shop.baidu.book.entries()[1]
    assert refused.accepted == ()
    assert set(refused.refused.values()) == {"over-quota"}


def test_the_quota_comes_back_at_midnight_in_shanghai_and_not_before(
    still: Sandbox, http: requests.Session
) -> None:
    still.clock.move_to(datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC))
    still.baidu.add_site(SITE, quota=10)
    push(still, http, SITE, *pages(8))
    assert push(still, http, SITE, *pages(3)).status_code == 400
    still.clock.advance(1)
    assert push(still, http, SITE, *pages(3)).json() == {"remain": 7, "success": 3}


def test_what_was_not_used_does_not_carry_over(shop: Sandbox, http: requests.Session) -> None:
    shop.clock.move_past_midnight("Asia/Shanghai")
    assert push(shop, http, SITE, *pages(11)).status_code == 400


def test_somebody_else_may_spend_the_quota_and_baidu_may_change_it(
    shop: Sandbox, http: requests.Session
) -> None:
    shop.baidu.spend(SITE, 7)
    assert push(shop, http, SITE, "*").json()["remain"] == 3
    shop.baidu.set_quota(SITE, 5)
    assert push(shop, http, SITE, "*").json()["remain"] == 0
    shop.baidu.set_quota(SITE, 100)
    assert push(shop, http, SITE, "*").json()["remain"] == 93


def test_a_repeat_counts_as_success_and_the_book_remembers(
    shop: Sandbox, http: requests.Session
) -> None:
    push(shop, http, SITE, *pages(2))
    assert push(shop, http, SITE, *pages(3)).json() == {"remain": 5, "success": 3}
    assert list(shop.baidu.book.entries()[1].repeats) == pages(2)
    assert shop.baidu.book.more_than_once("push") == {(SITE, page): 2 for page in pages(2)}


def test_each_site_has_its_own_quota_under_one_token(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.add_site("www.fleet.test", quota=3)
    push(shop, http, SITE, *pages(10))
    assert push(shop, http, "www.fleet.test", *pages(1, "www.fleet.test")).json()["remain"] == 2


def test_a_site_that_is_encoded_is_not_understood(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.add_site("https://shop.fleet.test")
    answer = push(shop, http, "https%3A%2F%2Fshop.fleet.test", *pages(1))
    assert answer.json() == {"error": 400, "message": "site init fail"}


def test_a_site_with_a_scheme_is_taken_literally(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.add_site("https://www.fleet.test", quota=4)
    page = "https://www.fleet.test/a"
    assert push(shop, http, "https://www.fleet.test", page).json() == {"remain": 3, "success": 1}


def test_a_site_not_registered_in_this_spelling_is_an_error(
    shop: Sandbox, http: requests.Session
) -> None:
    answer = push(shop, http, f"https://{SITE}", *pages(1))
    assert (answer.status_code, answer.json()["message"]) == (400, "site error")


def test_a_site_of_another_token_is_an_error(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.add_site("www.fleet.test", token="AnotherToken1234")
    assert push(shop, http, "www.fleet.test", "*").json()["message"] == "site error"
    answer = push(shop, http, "www.fleet.test", "*", token="AnotherToken1234")
    assert answer.json()["success"] == 0


@pytest.mark.parametrize("token", ["wrong", "%20", "TOKEN"])
def test_a_wrong_token_is_a_401(token: str, shop: Sandbox, http: requests.Session) -> None:
    answer = push(shop, http, SITE, *pages(1), token=token)
    assert answer.status_code == 401
    assert answer.json() == {"error": 401, "message": "token is not valid"}


def test_a_token_is_case_sensitive(shop: Sandbox, http: requests.Session) -> None:
    answer = push(shop, http, SITE, *pages(1), token=shop.baidu.token.upper())
    assert answer.status_code == 401


def test_two_thousand_addresses_and_not_one_more(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.set_quota(SITE, 100_000)
    assert push(shop, http, SITE, *pages(2_000)).json()["success"] == 2_000
    answer = push(shop, http, SITE, *pages(2_001))
    assert answer.json() == {"error": 400, "message": "only 2000 urls are allowed once"}
    assert shop.baidu.left(SITE) == 98_000


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
def test_only_plain_text_is_read(content_type: str, shop: Sandbox, http: requests.Session) -> None:
    answer = push(shop, http, SITE, *pages(1), content_type=content_type)
    assert answer.json() == {"error": 400, "message": "empty content"}


def test_an_empty_push_has_no_content(shop: Sandbox, http: requests.Session) -> None:
    assert push(shop, http, SITE).json()["message"] == "empty content"
    assert push(shop, http, SITE, "", "  ").json()["message"] == "empty content"


def test_a_get_is_a_400(shop: Sandbox, http: requests.Session) -> None:
    address = f"{shop.baidu.endpoint}/urls?site={SITE}&token={shop.baidu.token}"
    assert http.get(address, timeout=10).status_code == 400


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/update", 400, "over quota"),
        ("/del", 400, "over quota"),
        ("/ping", 404, "not found"),
    ],
)
def test_other_paths(
    path: str, status: int, message: str, shop: Sandbox, http: requests.Session
) -> None:
    answer = http.post(
        f"{shop.baidu.endpoint}{path}?site={SITE}&token={shop.baidu.token}",
        data=b"http://shop.fleet.test/1",
        headers={"Content-Type": "text/plain"},
        timeout=10,
    )
    assert (answer.status_code, answer.json()["message"]) == (status, message)


def test_a_throttled_site_is_asked_to_come_later(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.throttle = Window(2, 3.0)
    assert [push(shop, http, SITE, "*").status_code for _ in range(3)] == [200, 200, 505]
    shop.clock.advance(3)
    assert push(shop, http, SITE, "*").status_code == 200


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("over-quota-200", 200, '{"error": 400, "message": "over quota"}'),
        ("sid-empty", 400, '{"error": 400, "message": "site sid is empty"}'),
        ("internal", 500, '{"error": 500, "message": "internal error, please try later"}'),
        ("retry-later", 505, '{"error": 505, "message": "please retry later"}'),
        ("site-error-401", 401, '{"error": 401, "message": "site error"}'),
        ("empty-body", 200, ""),
    ],
)
def test_reported_answers_can_be_asked_for_by_name(
    name: str, status: int, body: str, shop: Sandbox, http: requests.Session
) -> None:
    shop.baidu.faults.add("answer", answer=name)
    answer = push(shop, http, SITE, *pages(1))
    assert (answer.status_code, answer.text) == (status, body)
    assert shop.baidu.left(SITE) == 10
    assert shop.baidu.book.count(code="fault") == 1


def test_many_threads_never_overspend(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.set_quota(SITE, 100)
    batches = [[f"http://{SITE}/{n}/{m}" for m in range(7)] for n in range(40)]

    def send(batch: list[str]) -> int:
        with requests.Session() as session:
            session.trust_env = False
            return push(shop, session, SITE, *batch).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(send, batches))
    assert statuses.count(200) == 100 // 7
    assert len(shop.baidu.book.accepted("push")) == 98
    assert shop.baidu.left(SITE) == 2
    assert shop.baidu.book.more_than_once("push") == {}
