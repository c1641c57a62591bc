"""Seznam's manners: a key for each site, 500 pages a day; and our engine among them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import requests
from sandbox_clients import open_engine, pages_call

from submitter.core.states import State
from submitter.errors import EngineError, NotAuthorized, NotReady, OutcomeUnknown, Refused, TooFast
from submitter.ports import Engine
from submitter.sandbox import Sandbox

HOST = "shop.fleet.test"
SITE = f"http://{HOST}"
PAGE = f"{SITE}/1"
ENOUGH_S = 20.0


@pytest.fixture
def key(still: Sandbox) -> str:
    return still.seznam.add_site(HOST, quota=6)


@pytest.fixture
def seznam(still: Sandbox, key: str) -> Engine:
    return open_engine(still, "seznam", key)


def reindex(
    sandbox: Sandbox, http: requests.Session, key: str, page: str = PAGE, **options: object
) -> requests.Response:
    address = f"{sandbox.seznam.endpoint}/wm-api/web/document/reindex"
    query = {"key": key, "url": page}
    return http.request("POST", address, params=query, timeout=10, **options)  # type: ignore[arg-type]


# ---------------------------------------------------------------- its manners


def test_a_page_is_taken_and_counted(still: Sandbox, http: requests.Session, key: str) -> None:
    answer = reindex(still, http, key)
    assert (answer.status_code, answer.json()) == (200, {"status": 200})
    assert still.seznam.left(key) == 5
    (entry,) = still.seznam.book.entries("reindex", HOST)
    assert (entry.accepted, entry.account) == ((PAGE,), f"{key[:4]}…")


def test_a_key_is_for_one_site(still: Sandbox, http: requests.Session, key: str) -> None:
    assert reindex(still, http, "none").status_code == 401
    assert reindex(still, http, key, "http://www.fleet.test/1").status_code == 403
    readable = still.seznam.add_site("www.fleet.test", may_write=False)
    assert reindex(still, http, readable, "http://www.fleet.test/1").status_code == 403


def test_a_sitemap_is_not_a_page(still: Sandbox, http: requests.Session, key: str) -> None:
    for path in ("/sitemap.xml", "/robots.txt"):
        assert reindex(still, http, key, f"{SITE}{path}").status_code == 422
    assert still.seznam.left(key) == 6


def test_five_a_second_and_a_hundred_a_minute(still: Sandbox, http: requests.Session) -> None:
    key = still.seznam.add_site(HOST)
    statuses = [reindex(still, http, key).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]
    for _ in range(19):
        still.clock.advance(1)
        assert all(reindex(still, http, key).status_code == 200 for _ in range(5))
    still.clock.advance(1)
    assert reindex(still, http, key).status_code == 429
    assert still.seznam.left(key) == 400


def test_the_quota_comes_back_at_midnight_in_prague(still: Sandbox, http: requests.Session) -> None:
    still.clock.move_to(datetime(2026, 11, 30, 22, 59, 59, tzinfo=UTC))
    key = still.seznam.add_site(HOST, quota=1)
    assert [reindex(still, http, key).status_code for _ in range(2)] == [200, 429]
    still.clock.advance(1)
    assert reindex(still, http, key).status_code == 200


def test_a_get_and_a_login_are_not_how_it_is_asked(
    still: Sandbox, http: requests.Session, key: str
) -> None:
    address = f"{still.seznam.endpoint}/wm-api/web/document/reindex?key={key}&url={PAGE}"
    assert http.get(address, timeout=10).status_code == 405
    headers = {"Authorization": f"key {key}"}
    assert reindex(still, http, key, headers=headers).status_code == 400


# ---------------------------------------------------------------- our engine


def failure(seznam: Engine, page: str = PAGE) -> EngineError:
    with pytest.raises(EngineError) as caught:
        seznam.send(pages_call("seznam", SITE, page), timeout_s=ENOUGH_S)
    return caught.value


@pytest.mark.parametrize("page", [PAGE, f"{SITE}/%C4%8D?a=b&c=%2F", f"{SITE}/čau"])
def test_the_engine_asks_for_a_page_letter_by_letter(
    still: Sandbox, seznam: Engine, page: str
) -> None:
    receipt = seznam.send(pages_call("seznam", SITE, page), timeout_s=ENOUGH_S)
    assert receipt.state is State.ACCEPTED
    assert still.seznam.book.accepted("reindex") == [page]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("not-active", NotReady),
        ("key-invalid", NotAuthorized),
        ("forbidden", NotAuthorized),
        ("not-found", NotReady),
        ("not-a-page", Refused),
        ("too-many", TooFast),
        ("gateway", OutcomeUnknown),
    ],
)
def test_its_answers_are_understood(
    still: Sandbox, seznam: Engine, answer: str, kind: type[EngineError]
) -> None:
    still.seznam.faults.add("answer", answer=answer)
    assert type(failure(seznam)) is kind


def test_a_site_that_is_not_active_yet_is_asked_again_tomorrow(
    still: Sandbox, seznam: Engine
) -> None:
    still.seznam.add_site(HOST, active=False)
    error = failure(seznam)
    assert isinstance(error, NotReady)
    assert error.not_before == datetime(2026, 11, 30, 23, tzinfo=UTC)


@pytest.mark.parametrize("fault", ["reset", "cut", "garbage"])
def test_a_call_whose_answer_is_lost_is_unknown_although_it_was_taken(
    still: Sandbox, seznam: Engine, key: str, fault: str
) -> None:
    still.seznam.faults.add(fault, after=fault == "reset")
    assert isinstance(failure(seznam), OutcomeUnknown)
    assert still.seznam.left(key) == (6 if fault == "garbage" else 5)
