"""Seznam's reindex call: what goes out, and every answer that is documented or was reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from engine_rows import NOW, SEZNAM_KEY, StillClock, pages_call, plain_account

from submitter.core.calls import Call
from submitter.core.fleet import Site
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.engines._http import EngineResponse
from submitter.engines.seznam import DAILY_LIMIT, TRAITS, Seznam, _receipt, open_seznam, property_of
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    Refused,
    TooFast,
)
from support.fault_server import FaultServer, ok

PATH = "/wm-api/web/document/reindex"
SITE = "https://shop.example.com"
MIDNIGHT = datetime(2026, 11, 30, 23, tzinfo=UTC)
ENOUGH_S = 20.0


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def seznam(server: FaultServer, prefix: str = "", key: str = SEZNAM_KEY) -> Seznam:
    account = plain_account("seznam", server.url(prefix))
    return open_seznam(account, MaskedSecret(key), StillClock())


def answer(body: object, status: int = 200, **headers: str) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return EngineResponse(status, headers, raw, f"POST https://reporter.seznam.cz{PATH}")


def problem(status: int, *, under: int | None = None, **headers: str) -> EngineResponse:
    body = {"status": status, "title": "Titul", "detail": "popis", "type": "about:blank"}
    return answer(body, status if under is None else under, **headers)


def error_of(response: EngineResponse) -> EngineError:
    with pytest.raises(EngineError) as caught:
        _receipt(response, NOW)
    return caught.value


# ---------------------------------------------------------------- out


def test_a_page_is_named_in_the_query_and_nothing_is_in_the_body(server: FaultServer) -> None:
    server.on(f"/seznam{PATH}", ok(b'{"status": 200}', "application/json"))
    page = f"{SITE}/%C4%8D?a=b&c=d"
    receipt = seznam(server, "/seznam").send(pages_call("seznam", SITE, page), timeout_s=ENOUGH_S)
    assert (receipt.state, receipt.spent) == (State.ACCEPTED, None)
    (request,) = server.requests
    assert request.method == "POST"
    assert request.target == (
        f"/seznam{PATH}?key={SEZNAM_KEY}"
        "&url=https%3A%2F%2Fshop.example.com%2F%25C4%258D%3Fa%3Db%26c%3Dd"
    )
    assert request.body == b""
    assert request.headers["content-length"] == "0"
    assert "authorization" not in request.headers


@pytest.mark.parametrize("urls", [(), (f"{SITE}/1", f"{SITE}/2")])
def test_a_call_is_for_one_page(server: FaultServer, urls: tuple[str, ...]) -> None:
    call = Call(pages_call("seznam", SITE).action, urls)
    with pytest.raises(Refused) as caught:
        seznam(server).send(call, timeout_s=ENOUGH_S)
    assert not caught.value.sent
    assert not server.connections


@pytest.mark.parametrize("key", ["", " ", "two words", "klíč"])
def test_what_cannot_be_a_key_is_refused_unseen(server: FaultServer, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        seznam(server, key=key)
    assert "accounts.seznam.key" in str(caught.value)
    assert not key.strip() or key not in str(caught.value)


def test_each_site_is_a_lane_of_its_own() -> None:
    assert property_of(Site("shop.example.com"), None) == SITE
    (option,) = TRAITS.options
    assert (option.name, option.default, TRAITS.daily_cap) == ("daily_limit", DAILY_LIMIT, 500)


# ---------------------------------------------------------------- back


@pytest.mark.parametrize("body", [b"", b" \n", b'{"status": 200}', b'{"status":200,"title":"OK"}'])
def test_a_page_is_taken(body: bytes) -> None:
    got = _receipt(answer(body), NOW)
    assert (got.state, got.http_status) == (State.ACCEPTED, 200)


UNREADABLE = {
    "HTML": answer(b"<html>"),
    "null": answer(b"null"),
    "an object that says nothing": answer({}),
    "a status that is none": answer({"status": "fine"}),
    "201": answer(b"", 201),
    "cut": answer(b'{"status": 2'),
    "500": answer(b"", 500),
    "500 with words": problem(500),
    "502 with a page": answer(b"<h1>Bad Gateway</h1>", 502),
    "504": answer(b"", 504),
    "200 said under 500": answer({"status": 200}, 500),
}


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_an_answer_that_does_not_fit_is_unknown(name: str) -> None:
    assert type(error_of(UNREADABLE[name])) is OutcomeUnknown


# name: (answer, class, scope, cause)
ERRORS: dict[str, tuple[EngineResponse, type[EngineError], str | None, str | None]] = {
    "no data yet": (answer(b"", 204), NotReady, "property", None),
    "no key": (problem(400), NotAuthorized, "property", "unexpected-answer"),
    "bad key": (problem(401), NotAuthorized, "property", "key-invalid"),
    "bad key without words": (answer(b"", 401), NotAuthorized, "property", "key-invalid"),
    "may not write": (problem(403), NotAuthorized, "property", "key-read-only"),
    "page not known": (problem(404), NotReady, "item", None),
    "no such path": (answer(b"<html>", 404), NotAuthorized, "account", "endpoint-gone"),
    "wrong method": (problem(405), NotAuthorized, "account", "endpoint-gone"),
    "not a page": (problem(422), Refused, None, None),
    "not a page, without words": (answer(b"", 422), Refused, None, None),
    "too fast": (problem(429), TooFast, None, None),
    "too fast, without words": (answer(b"", 429), TooFast, None, None),
    "out of order": (problem(502), EngineUnavailable, None, None),
    "out of order, too": (problem(503), EngineUnavailable, None, None),
    "said under 200": (problem(403, under=200), NotAuthorized, "property", "key-read-only"),
    "no key, said under 200": (
        *(problem(400, under=200), NotAuthorized, "property", "unexpected-answer"),
    ),
}


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_status_is_understood(name: str) -> None:
    response, kind, scope, cause = ERRORS[name]
    error = error_of(response)
    assert type(error) is kind
    assert (getattr(error, "scope", None), getattr(error, "cause", None)) == (scope, cause)


@pytest.mark.parametrize("response", [answer(b"", 204), problem(404)])
def test_what_is_not_known_yet_is_asked_for_tomorrow(response: EngineResponse) -> None:
    error = error_of(response)
    assert isinstance(error, NotReady)
    assert error.not_before == MIDNIGHT


def test_a_named_wait_is_kept() -> None:
    error = error_of(problem(429, **{"retry-after": "12"}))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 12.0
