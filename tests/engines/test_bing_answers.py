"""Every answer of Bing's that is documented or was reported, and what it means.

Rows C3-C23 of the fact sheet on engines, read 2026-11-30.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from engine_rows import NOW
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Property, Survey
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines._http import EngineResponse
from submitter.engines.bing_answers import COOL_DOWN_S, OVER_QUOTA, SETTLING_S, Asked, receipt
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

SITE = "https://shop.example.com/"
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
FEED = Asked(NOW, SITE, Kind.SITEMAP)
BATCH = Asked(NOW, SITE, Kind.URLS, pages=100)
ONE = Asked(NOW, SITE, Kind.URLS, pages=1)


def answer(body: object, status: int = 200, **headers: str) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    shown = "POST https://ssl.bing.com/webmaster/api.svc/json/SubmitUrlBatch"
    return EngineResponse(status, headers, raw, shown)


def refusal(code: int, text: str, status: int = 400) -> EngineResponse:
    return answer({"ErrorCode": code, "Message": f"ERROR!!! {text}"}, status)


def error_of(response: EngineResponse, asked: Asked = BATCH) -> EngineError:
    with pytest.raises(EngineError) as caught:
        receipt(response, asked)
    return caught.value


# ---------------------------------------------------------------- receipts


@pytest.mark.parametrize("asked", [FEED, BATCH, ONE])
@pytest.mark.parametrize(
    "body", [b'{"d":null}', b'\xef\xbb\xbf{"d": null}\r\n', b'"{\\"d\\":null}"']
)
def test_d_null_is_a_yes(asked: Asked, body: bytes) -> None:
    got = receipt(answer(body), asked)
    assert (got.state, got.http_status, got.rejected) == (State.ACCEPTED, 200, {})
    assert (got.spent, got.quota_left) == (None, None)


@pytest.mark.parametrize(("code", "text"), [(12, "AlreadyExists"), (2, "AlreadyExists")])
def test_a_known_feed_is_already_there(code: int, text: str) -> None:
    got = receipt(refusal(code, text), FEED)
    assert (got.state, got.http_status, got.code) == (State.ALREADY, 400, text)


def test_no_page_is_already_there_for_a_code_about_a_batch() -> None:
    assert isinstance(error_of(refusal(12, "AlreadyExists")), NotAuthorized)


UNREADABLE: dict[str, EngineResponse] = {
    "empty": answer(b""),
    "blank": answer(b"  \r\n"),
    "HTML": answer(b"<html>Please log in</html>"),
    "null": answer(b"null"),
    "undefined": answer(b"undefined"),
    "no d": answer({}),
    "a list": answer([None]),
    "a number": answer(b"0"),
    "something under d": answer({"d": True}),
    "an object under d": answer({"d": {"__type": "Feed"}}),
    "cut": answer(b'{"d":nu'),
    "a string of no JSON": answer(b'"d"'),
    "no error": answer({"ErrorCode": 0, "Message": ""}),
    "d null under 500": answer({"d": None}, 500),
    "500 with a page": answer(b"<html>", 500),
    "500 of the framework": answer({"Message": "There was an error", "StackTrace": ""}, 500),
    "502": answer(b"", 502),
    "504": answer(b"Gateway Time-out", 504),
}


@pytest.mark.parametrize("asked", [FEED, BATCH])
@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_an_answer_that_does_not_fit_is_unknown(name: str, asked: Asked) -> None:
    assert type(error_of(UNREADABLE[name], asked)) is OutcomeUnknown


# ---------------------------------------------------------------- quota

# name: (code, text, pages, left, resets at)
QUOTAS: dict[str, tuple[int, str, int, int, datetime]] = {
    "nothing left": (2, "Quota remaining for today: 0, Submitted: 100", 100, 0, MIDNIGHT),
    "less left than sent": (2, "Quota remaining for today: 40, Submitted: 100", 100, 40, NOW),
    "under code 8": (8, "Quota remaining for today: 0, Submitted: 100", 100, 0, MIDNIGHT),
    "enough left, refused all the same": (
        *(2, "Quota remaining for today: 100, Submitted: 100", 100, 100, MIDNIGHT),
    ),
    "exceeded, the batch fits a day": (
        *(2, "You have exceeded your daily url submission quota : 100", 100, 0, MIDNIGHT),
    ),
    "exceeded, the batch is more than a day's": (
        *(2, "You have exceeded your daily url submission quota : 10", 100, 10, NOW),
    ),
    "exceeded under code 8": (
        *(8, "You have exceeded your daily url submission quota : 100", 100, 0, MIDNIGHT),
    ),
    "exceeded without a number": (
        *(2, "You have exceeded your daily URL submission quota.", 100, 0, MIDNIGHT),
    ),
    "one page too many": (
        *(2, "You have exceeded your daily url submission quota : 100", 1, 0, MIDNIGHT),
    ),
}


@pytest.mark.parametrize("status", [400, 200, 403])
@pytest.mark.parametrize("name", sorted(QUOTAS))
def test_both_texts_of_a_spent_quota_are_read(name: str, status: int) -> None:
    code, text, pages, left, resets_at = QUOTAS[name]
    error = error_of(refusal(code, text, status), Asked(NOW, SITE, Kind.URLS, pages))
    assert isinstance(error, QuotaExhausted)
    assert (error.quota_left, error.resets_at) == (left, resets_at)
    assert (error.http_status, error.code) == (status, OVER_QUOTA)


def test_a_quota_text_needs_no_code() -> None:
    body = {"Message": "You have exceeded your daily url submission quota : 100"}
    assert isinstance(error_of(answer(body, 403)), QuotaExhausted)


@given(left=st.integers(0, 1_000), pages=st.integers(1, 500))
def test_a_lane_stays_open_only_for_a_smaller_batch(left: int, pages: int) -> None:
    text = f"Quota remaining for today: {left}, Submitted: {pages}"
    error = error_of(refusal(2, text), Asked(NOW, SITE, Kind.URLS, pages))
    assert isinstance(error, QuotaExhausted)
    assert (error.resets_at == NOW) == (0 < left < pages)


# ---------------------------------------------------------------- other errors

# name: (code, text, asked, class, scope, cause)
ERRORS: dict[str, tuple[int, str, Asked, type[EngineError], str | None, str | None]] = {
    "internal, a batch": (1, "InternalError", BATCH, OutcomeUnknown, None, None),
    "internal, a feed": (1, "InternalError", FEED, EngineUnavailable, None, None),
    "unknown, a batch": (2, "UnknownError", BATCH, OutcomeUnknown, None, None),
    "unknown, a feed": (2, "UnknownError", FEED, EngineUnavailable, None, None),
    "key": (3, "InvalidApiKey", BATCH, NotAuthorized, "account", "api-key-invalid"),
    "throttled": (4, "ThrottleUser", BATCH, TooFast, None, None),
    "throttled, a feed": (4, "ThrottleUser", FEED, TooFast, None, None),
    "site throttled": (5, "ThrottleHost", BATCH, NotReady, "property", None),
    "blocked": (6, "UserBlocked", BATCH, NotAuthorized, "account", "user-blocked"),
    "bad feed": (7, "InvalidUrl", FEED, Refused, None, None),
    "bad page": (7, "InvalidUrl", ONE, Refused, None, None),
    "bad page in a batch": (7, "InvalidUrl", BATCH, Refused, None, None),
    "parameter, a feed": (8, "InvalidParameter", FEED, NotReady, "item", None),
    "parameter, a batch": (8, "InvalidParameter", BATCH, Refused, None, None),
    "parameter, one page": (8, "InvalidParameter", ONE, NotReady, "item", None),
    "parameter by name": (3, "InvalidParameter: bad feedUrl", FEED, NotReady, "item", None),
    "no user": (10, "UserNotFound", BATCH, NotAuthorized, "account", "user-unknown"),
    "no site": (11, "NotFound", BATCH, NotAuthorized, "property", "site-missing"),
    "not allowed": (13, "NotAllowed", BATCH, NotAuthorized, "property", "site-forbidden"),
    "not authorized": (14, "NotAuthorized", FEED, NotAuthorized, "property", "site-forbidden"),
    "state": (15, "UnexpectedState", FEED, NotAuthorized, "property", "unexpected-answer"),
    "deprecated": (16, "Deprecated", FEED, NotAuthorized, "account", "method-gone"),
    "new code": (81058, "Something else", FEED, NotAuthorized, "property", "unexpected-answer"),
    "no words": (3, "", FEED, NotAuthorized, "account", "api-key-invalid"),
}


@pytest.mark.parametrize("status", [400, 200, 500])
@pytest.mark.parametrize("name", sorted(ERRORS))
def test_an_error_body_is_understood_whatever_the_status(name: str, status: int) -> None:
    code, text, asked, kind, scope, cause = ERRORS[name]
    error = error_of(refusal(code, text, status), asked)
    assert type(error) is kind
    assert (getattr(error, "scope", None), getattr(error, "cause", None)) == (scope, cause)
    assert error.http_status == status
    assert SITE in str(error)


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        (3, "InvalidApiKey", "InvalidApiKey"),
        (3, "", "InvalidApiKey"),
        (3, "InvalidParameter: bad feedUrl", "InvalidParameter"),
        (81058, "Something else", "81058"),
    ],
)
def test_an_error_is_called_by_its_name_where_it_has_one(code: int, text: str, name: str) -> None:
    assert error_of(refusal(code, text)).code == name


def test_an_error_goes_before_a_yes() -> None:
    body = {"d": None, "ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}
    assert isinstance(error_of(answer(body)), NotAuthorized)


@pytest.mark.parametrize(
    "body",
    [
        {"d": {"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}},
        {"ErrorCode": "3", "Message": "InvalidApiKey"},
        json.dumps({"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}),
    ],
)
def test_an_error_is_found_where_it_hides(body: object) -> None:
    error = error_of(answer(body))
    assert isinstance(error, NotAuthorized)
    assert error.cause == "api-key-invalid"


def test_a_throttled_account_cools_down_for_longer_than_was_ever_seen() -> None:
    error = error_of(refusal(4, "ThrottleUser"))
    assert isinstance(error, TooFast)
    assert error.retry_after_s == COOL_DOWN_S
    assert COOL_DOWN_S > 3_600


def test_a_named_wait_goes_before_our_own() -> None:
    body = {"ErrorCode": 4, "Message": "ERROR!!! ThrottleUser"}
    error = error_of(answer(body, 400, **{"retry-after": "40"}))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 40.0


def test_a_throttled_site_closes_its_lane_only() -> None:
    error = error_of(refusal(5, "ThrottleHost"))
    assert isinstance(error, NotReady)
    assert (error.scope, error.not_before) == ("property", NOW + timedelta(seconds=COOL_DOWN_S))
    assert error.quota_left is None


def test_a_feed_of_a_fresh_site_is_asked_again_after_some_minutes() -> None:
    error = error_of(refusal(8, "InvalidParameter"), FEED)
    assert isinstance(error, NotReady)
    assert error.not_before == NOW + timedelta(seconds=SETTLING_S)


def surveyed(*listed: Property) -> Asked:
    return Asked(NOW, SITE, Kind.URLS, 100, Survey("bing", listed))


# what the account's list showed → cause, part of the next step
SEEN = [
    (surveyed(), "site-missing", "Add the site"),
    (surveyed(Property(SITE, "unverified", False)), "site-unverified", "Verify the site"),
    (
        surveyed(Property("http://shop.example.com", "verified", True)),
        *("site-spelled-differently", "`bing_site`"),
    ),
    (surveyed(Property(SITE, "verified", True)), "site-forbidden", "shows the site as verified"),
]


@pytest.mark.parametrize(("asked", "cause", "step"), SEEN)
def test_not_authorized_is_explained_by_the_accounts_own_list(
    asked: Asked, cause: str, step: str
) -> None:
    error = error_of(refusal(14, "NotAuthorized"), asked)
    assert isinstance(error, NotAuthorized)
    assert (error.scope, error.cause) == ("property", cause)
    assert step in error.next_step
    assert error.sent
