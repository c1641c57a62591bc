"""Every answer of IndexNow's engines that is documented or was reported, and what it means.

Rows B11-B23 of the fact sheet on engines; documented: https://www.indexnow.org/documentation and
https://yandex.ru/support/webmaster/en/indexnow/reference/get-url, read 2026-11-30.
"""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from engine_rows import NOW

from submitter.core.states import State
from submitter.engines._http import EngineResponse
from submitter.engines.indexnow_answers import Posted, receipt
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    Refused,
    TooFast,
)

POSTED = Posted("shop.example.com", NOW)


def answer(status: int, body: object = b"", **headers: str) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return EngineResponse(status, headers, raw, "POST https://api.indexnow.org/indexnow")


def bing(code: str, message: str = "", details: object = None) -> dict[str, object]:
    return {"errorCode": code, "message": message, "details": details}


def yandex(message: str) -> dict[str, object]:
    return {"success": False, "message": message}


def error_of(response: EngineResponse) -> EngineError:
    with pytest.raises(EngineError) as caught:
        receipt(response, POSTED)
    return caught.value


TAKEN: dict[str, tuple[EngineResponse, State]] = {
    "200 without a body": (answer(200), State.ACCEPTED),
    "200 with a line end": (answer(200, b"\r\n"), State.ACCEPTED),
    "200 in Yandex's words": (answer(200, {"success": True}), State.ACCEPTED),
    "200 in other words": (answer(200, b"OK"), State.ACCEPTED),
    "200 with another object": (answer(200, {"code": "SUCCESS"}), State.ACCEPTED),
    "202": (answer(202), State.RECEIVED),
    "202 in Yandex's words": (answer(202, {"success": True}), State.RECEIVED),
    "203": (answer(203), State.ACCEPTED),
    "204": (answer(204), State.ACCEPTED),
}


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_a_post_that_was_taken(name: str) -> None:
    response, state = TAKEN[name]
    got = receipt(response, POSTED)
    assert (got.state, got.http_status) == (state, response.status)
    assert (got.rejected, got.unaccounted, got.spent) == ({}, 0, None)


UNKNOWN: dict[str, EngineResponse] = {
    "200 with HTML": answer(200, b"<!doctype html><title>Log in</title>"),
    "202 with HTML after blanks": answer(202, b"\n  <html>"),
    "200 with an object that breaks off": answer(200, b'{"success": tr'),
    "200 with a list that breaks off": answer(200, b"[1,"),
    "500": answer(500, b"<h1>Oops</h1>"),
    "500 without a word": answer(500),
    "502": answer(502, b"<h1>Bad Gateway</h1>"),
    "504": answer(504),
}


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_an_answer_that_says_nothing_is_unknown(name: str) -> None:
    assert type(error_of(UNKNOWN[name])) is OutcomeUnknown


# name: (answer, class, scope, cause)
REFUSED: dict[str, tuple[EngineResponse, type[EngineError], str | None, str | None]] = {
    "400": (answer(400, bing("InvalidRequestParameters", "Invalid request")), Refused, None, None),
    "400 without a word": (answer(400), Refused, None, None),
    "422": (
        answer(422, bing("InvalidRequestParameters", "One or more URLs are not related to your")),
        *(Refused, None, None),
    ),
    "422 by Yandex for a page": (answer(422, yandex("Invalid url")), Refused, None, None),
    "422 for a page by name": (
        answer(422, bing("InvalidRequestParameters", "", [{"target": "urlList[3]"}])),
        *(Refused, None, None),
    ),
    "413": (answer(413), Refused, None, None),
    "422 by Yandex for the key's length": (
        answer(422, yandex("The key must be at least 8 characters")),
        *(NotAuthorized, "property", "key-form"),
    ),
    "422 by Yandex for the key's letters": (
        answer(422, yandex("Key must consist of a-Z0-9 or '-'")),
        *(NotAuthorized, "property", "key-form"),
    ),
    "422 by Yandex for the location": (
        answer(422, yandex("Invalid key location")),
        *(NotAuthorized, "property", "key-form"),
    ),
    "400 for the location": (
        answer(
            400,
            bing("InvalidRequestParameters", "Invalid request", [{"target": "keyLocation"}]),
        ),
        *(NotAuthorized, "property", "key-form"),
    ),
    "403 without a word": (answer(403), NotAuthorized, "property", "key-refused"),
    "403 for a burned key": (
        answer(403, bing("UserForbiddedToAccessSite", "User is unauthorized to access the site.")),
        *(NotAuthorized, "property", "key-refused"),
    ),
    "403 in an older form": (
        answer(403, {"code": "UserForbiddedToAccessSite", "message": ""}),
        *(NotAuthorized, "property", "key-refused"),
    ),
    "403 by Yandex": (answer(403, yandex("Invalid key")), NotAuthorized, "property", "key-refused"),
    "403 for a file not found": (
        answer(403, bing("KeyNotFound")),
        *(NotAuthorized, "property", "key-not-found"),
    ),
    "403 by a gateway": (
        answer(403, b"<html>Access Denied</html>"),
        *(NotAuthorized, "account", "sender-refused"),
    ),
    "405": (
        answer(405, yandex("Method not allowed")),
        *(NotAuthorized, "account", "endpoint-gone"),
    ),
    "404": (answer(404), NotAuthorized, "account", "endpoint-gone"),
    "200 that says no": (
        answer(200, yandex("Try later")),
        *(NotAuthorized, "property", "unexpected-answer"),
    ),
    "200 with an error code": (
        answer(200, bing("InternalError")),
        *(NotAuthorized, "property", "unexpected-answer"),
    ),
    "429": (answer(429), TooFast, None, None),
    "429 by Yandex": (answer(429, yandex("Too Many Requests")), TooFast, None, None),
    "503": (answer(503), EngineUnavailable, None, None),
    "500 in the engine's own words": (
        answer(500, yandex("Internal error")),
        *(EngineUnavailable, None, None),
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_post_that_was_not_taken(name: str) -> None:
    response, kind, scope, cause = REFUSED[name]
    error = error_of(response)
    assert type(error) is kind
    assert (getattr(error, "scope", None), getattr(error, "cause", None)) == (scope, cause)
    assert error.http_status == response.status
    assert scope is None or getattr(error, "next_step", "")


@pytest.mark.parametrize("field", ["errorCode", "code"])
def test_a_key_that_is_still_being_checked_is_waited_for(field: str) -> None:
    """pavois#262, Spanlens#402: the first post after a key goes live."""
    error = error_of(answer(403, {field: "SiteVerificationNotCompleted", "message": "wait"}))
    assert isinstance(error, NotReady)
    assert error.not_before == NOW + timedelta(minutes=10)
    assert error.code == "SiteVerificationNotCompleted"


def test_a_refused_key_is_told_from_a_missing_file() -> None:
    refused = error_of(answer(403, bing("UserForbiddedToAccessSite")))
    missing = error_of(answer(403, bing("KeyNotFound")))
    assert isinstance(refused, NotAuthorized)
    assert isinstance(missing, NotAuthorized)
    assert "submitter indexnow key" in refused.next_step
    assert "bot shield" in missing.next_step


def test_the_engines_own_words_and_the_host_stand_in_the_message() -> None:
    error = error_of(answer(422, bing("InvalidRequestParameters", "One or more URLs are odd")))
    assert error.problem.endswith('HTTP 422 for shop.example.com: "One or more URLs are odd"')
    assert error.code == "InvalidRequestParameters"


def test_a_long_body_is_cut() -> None:
    assert len(error_of(answer(422, b"x" * 5_000)).problem) < 320


@pytest.mark.parametrize("status", [429, 500])
def test_a_named_wait_is_kept(status: int) -> None:
    error = error_of(answer(status, yandex("later"), **{"retry-after": "40"}))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 40.0


@pytest.mark.parametrize("details", [None, "none", {"target": "key"}, [None, "key", {}], [[]]])
def test_details_of_another_shape_are_passed_over(details: object) -> None:
    assert isinstance(error_of(answer(422, bing("X", "odd", details))), Refused)
