"""IndexNow's manners: key files that are really fetched, burned keys, one host a post."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from submitter.sandbox import Break, Sandbox
from submitter.sandbox.fleet_site import FleetSite

KEY = "0f1e2d3c4b5a6978-A"
HOST = "shop.fleet.test"


@pytest.fixture
def shop(still: Sandbox) -> FleetSite:
    return still.fleet.add_site("shop")


@pytest.fixture
def live(shop: FleetSite) -> FleetSite:
    """The shop with its key file."""
    serve(shop)
    return shop


def serve(site: FleetSite, key: str = KEY, path: str = f"/{KEY}.txt") -> None:
    site.put(path, key, "text/plain")


def page(number: int = 1, host: str = HOST) -> str:
    return f"http://{host}/{number}"


def post(
    sandbox: Sandbox, http: requests.Session, *pages: str, engine: str = "hub", **fields: object
) -> requests.Response:
    body = {"host": HOST, "key": KEY, "urlList": list(pages) or [page()], **fields}
    return http.post(f"{sandbox.indexnow.base(engine)}/indexnow", json=body, timeout=10)


def code_of(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["errorCode"] if answer.text else ""


@pytest.mark.usefixtures("live")
def test_a_new_keys_first_post_is_received_and_later_ones_are_accepted(
    still: Sandbox, http: requests.Session
) -> None:
    assert [post(still, http, page(n)).status_code for n in (1, 2, 3)] == [202, 200, 200]
    assert still.indexnow.book.accepted("hub", HOST) == [page(1), page(2), page(3)]
    assert still.indexnow.book.entries()[0].account == "0f1e…"


def test_the_key_file_is_really_fetched(
    still: Sandbox, http: requests.Session, live: FleetSite
) -> None:
    post(still, http)
    (fetched,) = still.fleet.book.entries("GET", live.host)
    assert fetched.accepted == (f"/{KEY}.txt",)
    assert "bingbot" in fetched.account


def test_a_key_that_is_used_too_early_is_burned_for_good(
    still: Sandbox, http: requests.Session, shop: FleetSite
) -> None:
    assert code_of(post(still, http)) == (403, "KeyNotFound")
    serve(shop)
    for _ in range(2):
        assert code_of(post(still, http)) == (403, "UserForbiddedToAccessSite")
        still.clock.advance(86_400)
    assert still.indexnow.burned() == [("hub", HOST)]


def test_a_new_key_helps_and_so_does_another_engine(
    still: Sandbox, http: requests.Session, shop: FleetSite
) -> None:
    post(still, http)
    serve(shop)
    serve(shop, "another-key-0123", "/another-key-0123.txt")
    assert post(still, http, key="another-key-0123").status_code == 202
    assert post(still, http, engine="yandex").status_code == 202


WRONG_FILES: dict[str, Callable[[FleetSite], None]] = {
    "none": lambda site: None,
    "another key": lambda site: serve(site, "something-else"),
    "HTML": lambda site: site.put(f"/{KEY}.txt", f"<html>{KEY}", "text/html"),
    "a redirect": lambda site: site.redirect(f"/{KEY}.txt", "/key.txt"),
    "shut out": lambda site: (serve(site), site.break_document(f"/{KEY}.txt", Break.FORBIDDEN))[0],
}


@pytest.mark.parametrize("name", sorted(WRONG_FILES))
def test_only_a_right_file_verifies_a_key(
    name: str, still: Sandbox, http: requests.Session, shop: FleetSite
) -> None:
    WRONG_FILES[name](shop)
    assert code_of(post(still, http)) == (403, "KeyNotFound")
    assert still.indexnow.burned()


@pytest.mark.usefixtures("live")
def test_a_new_key_may_be_checked_for_a_while(still: Sandbox, http: requests.Session) -> None:
    still.indexnow.set_check_s(300)
    assert code_of(post(still, http)) == (403, "SiteVerificationNotCompleted")
    still.clock.advance(299)
    assert code_of(post(still, http)) == (403, "SiteVerificationNotCompleted")
    still.clock.advance(1)
    assert post(still, http).status_code == 202
    assert still.indexnow.burned() == []


@pytest.mark.usefixtures("live")
def test_pages_of_several_hosts_are_refused_together(
    still: Sandbox, http: requests.Session
) -> None:
    answer = post(still, http, page(), page(host="www.fleet.test"))
    assert code_of(answer) == (403, "UserForbiddedToAccessSite")
    assert still.indexnow.book.accepted() == []
    assert post(still, http).status_code == 202


@pytest.mark.usefixtures("live")
@pytest.mark.parametrize("host", ["www.fleet.test", "shop.fleet.test:8080"])
def test_pages_of_another_host_are_unprocessable(
    host: str, still: Sandbox, http: requests.Session
) -> None:
    assert post(still, http, page(host=host)).status_code == 422


def test_a_key_file_speaks_for_its_directory_only(
    still: Sandbox, http: requests.Session, shop: FleetSite
) -> None:
    serve(shop, path="/p/key.txt")
    where = {"keyLocation": f"http://{HOST}/p/key.txt"}
    assert post(still, http, f"http://{HOST}/p/1", **where).status_code == 202
    assert post(still, http, f"http://{HOST}/q/1", **where).status_code == 422


@pytest.mark.usefixtures("live")
def test_a_page_that_is_not_wanted_spoils_its_batch(still: Sandbox, http: requests.Session) -> None:
    still.indexnow.refuse(page(2))
    assert code_of(post(still, http, page(1), page(2))) == (422, "InvalidRequestParameters")
    assert post(still, http, page(1)).status_code == 202


@pytest.mark.usefixtures("live")
def test_ten_thousand_pages_and_not_one_more(still: Sandbox, http: requests.Session) -> None:
    pages = [page(number) for number in range(10_001)]
    assert post(still, http, *pages).status_code == 422
    assert post(still, http, *pages[1:]).status_code == 202


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"key": ""}, 400),
        ({"host": ""}, 400),
        ({"urlList": []}, 400),
        ({"urlList": "http://shop.fleet.test/"}, 400),
        ({"urlList": ["/relative"]}, 400),
        ({"key": "short"}, 422),
        ({"key": "with_underscore"}, 422),
        ({"key": "k" * 129}, 422),
    ],
)
@pytest.mark.usefixtures("live")
def test_a_call_of_the_wrong_form(
    fields: dict[str, object], status: int, still: Sandbox, http: requests.Session
) -> None:
    assert post(still, http, **fields).status_code == status
    assert still.indexnow.burned() == []


@pytest.mark.usefixtures("live")
def test_a_body_that_is_no_json_or_is_not_called_so(still: Sandbox, http: requests.Session) -> None:
    address = f"{still.indexnow.endpoint}/indexnow"
    assert http.post(address, data=b"{", timeout=10).status_code == 400
    as_text = {"Content-Type": "text/plain"}
    body = f'{{"host": "{HOST}", "key": "{KEY}", "urlList": ["{page()}"]}}'
    assert http.post(address, data=body, headers=as_text, timeout=10).status_code == 400


@pytest.mark.usefixtures("live")
def test_a_single_page_may_be_told_by_get(still: Sandbox, http: requests.Session) -> None:
    address = f"{still.indexnow.endpoint}/indexnow"
    assert http.get(address, params={"url": page(), "key": KEY}, timeout=10).status_code == 202
    assert http.put(address, timeout=10).status_code == 405
    assert http.post(f"{still.indexnow.endpoint}/nowhere", timeout=10).status_code == 400


@pytest.mark.usefixtures("live")
def test_each_engine_speaks_its_own_words(still: Sandbox, http: requests.Session) -> None:
    assert post(still, http).text == ""
    assert post(still, http, engine="yandex").json() == {"success": True}
    refused = post(still, http, key="short", engine="yandex").json()
    assert refused == {"success": False, "message": "Key must consist of a-Z0-9 or '-'"}


@pytest.mark.usefixtures("live")
def test_a_throttled_engine_says_so_without_a_time_and_another_one_does_not(
    still: Sandbox, http: requests.Session
) -> None:
    still.indexnow.set_throttle("hub", 2, 60.0)
    answers = [post(still, http, page(n)) for n in range(3)]
    assert [answer.status_code for answer in answers] == [202, 200, 429]
    assert "Retry-After" not in answers[2].headers
    assert post(still, http, page(3), engine="bing").status_code == 202
    still.clock.advance(60)
    assert post(still, http, page(4)).status_code == 200


@pytest.mark.usefixtures("live")
def test_a_page_told_again_within_ten_minutes_is_counted_at_whichever_engine(
    still: Sandbox, http: requests.Session
) -> None:
    post(still, http, page(1), page(2))
    still.clock.advance(599)
    post(still, http, page(1), engine="bing")
    assert still.indexnow.hasty() == {page(1): 1}
    still.clock.advance(600)
    post(still, http, page(1), page(2))
    assert still.indexnow.hasty() == {page(1): 1}


@pytest.mark.usefixtures("live")
@pytest.mark.parametrize(
    ("name", "status"),
    [("odd-success", 203), ("gateway", 502), ("unavailable", 503), ("yandex-forbidden", 403)],
)
def test_reported_indexnow_answers_can_be_asked_for_by_name(
    name: str, status: int, still: Sandbox, http: requests.Session
) -> None:
    still.indexnow.faults.add("answer", answer=name, call="hub")
    assert post(still, http).status_code == status
    assert still.indexnow.book.accepted() == []
    assert post(still, http).status_code == 202
