"""Every answer of Baidu's that is documented or was reported, and what it means.

Rows A15-A34 of the fact sheet on engines; source of the documented ones:
https://www.iaaak.com/2312.html, read 2026-11-30.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from engine_rows import NOW
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.states import State
from submitter.engines._http import EngineResponse
from submitter.engines.baidu_answers import THROTTLE_WAITS_S, Pushed, line_of, receipt
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    MaybeTooFast,
    NotAuthorized,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
)

SITE = "https://www.example.com"
URLS = tuple(f"{SITE}/{number}" for number in range(1, 6))


def answer(body: object, status: int = 200, **headers: str) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return EngineResponse(status, headers, raw, "POST http://data.zz.baidu.com/urls")


def pushed(urls: tuple[str, ...] = URLS, *, now: datetime = NOW, throttled: int = 0) -> Pushed:
    return Pushed(SITE, urls, now, throttled)


def error_of(response: EngineResponse, **changes: int) -> EngineError:
    with pytest.raises(EngineError) as caught:
        receipt(response, pushed(**changes))
    return caught.value


# ---------------------------------------------------------------- receipts

# name: (body, state, rejected, unaccounted, spent, left)
COUNTS: dict[str, tuple[object, State, dict[str, str], int, int, int | None]] = {
    "all taken": ({"remain": 95, "success": 5}, State.ACCEPTED, {}, 0, 5, 95),
    "lists are empty": (
        {"remain": 0, "success": 5, "not_same_site": [], "not_valid": []},
        *(State.ACCEPTED, {}, 0, 5, 0),
    ),
    "one of another site, one not valid": (
        {"remain": 7, "success": 3, "not_same_site": [URLS[0]], "not_valid": [URLS[4]]},
        State.ACCEPTED,
        {URLS[0]: "not_same_site", URLS[4]: "not_valid"},
        *(0, 3, 7),
    ),
    "none taken, all listed": (
        {"remain": 10, "success": 0, "not_same_site": list(URLS)},
        *(State.REJECTED, dict.fromkeys(URLS, "not_same_site"), 0, 0, 10),
    ),
    "none taken and nothing said": ({"remain": 10, "success": 0}, State.UNKNOWN, {}, 5, 0, 10),
    "none taken, some listed": (
        {"remain": 10, "success": 0, "not_valid": [URLS[1]]},
        *(State.UNKNOWN, {URLS[1]: "not_valid"}, 4, 0, 10),
    ),
    "fewer than were pushed": ({"remain": 1, "success": 3}, State.ACCEPTED, {}, 2, 3, 1),
    "an address that we did not push": (
        {"remain": 1, "success": 4, "not_valid": ["https://other.example/"]},
        *(State.ACCEPTED, {}, 1, 4, 1),
    ),
    "a listed one is counted, too": (
        {"remain": 1, "success": 5, "not_valid": [URLS[1]]},
        *(State.ACCEPTED, {URLS[1]: "not_valid"}, 0, 5, 1),
    ),
    "numbers as text": ({"remain": "95", "success": "5"}, State.ACCEPTED, {}, 0, 5, 95),
    "nothing said about the rest": ({"success": 5}, State.ACCEPTED, {}, 0, 5, None),
    "a rest below nothing": ({"remain": -3, "success": 5}, State.ACCEPTED, {}, 0, 5, 0),
    "an old account's rest": (
        {"remain": 4_999_999, "success": 5},
        *(State.ACCEPTED, {}, 0, 5, 4_999_999),
    ),
    "a rest that is no number": ({"remain": None, "success": 5}, State.ACCEPTED, {}, 0, 5, None),
    "further fields": (
        {"remain": 9, "success": 5, "remain_daily": 1, "success_daily": 0, "x": {"y": [1]}},
        *(State.ACCEPTED, {}, 0, 5, 9),
    ),
    "an error that is none": (
        {"error": 0, "message": "", "remain": 9, "success": 5},
        *(State.ACCEPTED, {}, 0, 5, 9),
    ),
    "lists that are no lists": (
        {"remain": 9, "success": 5, "not_valid": "none", "not_same_site": {"a": 1}},
        *(State.ACCEPTED, {}, 0, 5, 9),
    ),
    "lists of other things": (
        {"remain": 9, "success": 5, "not_valid": [None, 3, {"url": "x"}]},
        *(State.ACCEPTED, {}, 0, 5, 9),
    ),
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_push_is_counted(name: str) -> None:
    body, state, rejected, unaccounted, spent, left = COUNTS[name]
    got = receipt(answer(body), pushed())
    assert (got.state, dict(got.rejected), got.unaccounted) == (state, rejected, unaccounted)
    assert (got.spent, got.quota_left, got.http_status) == (spent, left, 200)


# name: (body, state, unaccounted, spent in the fast lane, left there, spent and left in the common)
FAST_COUNTS: dict[str, tuple[object, State, int, int, int, int, int | None]] = {
    "all taken": (
        {"remain": 90, "success": 5, "success_daily": 5, "remain_daily": 3},
        *(State.ACCEPTED, 0, 5, 3, 0, 90),
    ),
    "some taken as common ones": (
        {"remain": 90, "success": 5, "success_daily": 2, "remain_daily": 0},
        *(State.ACCEPTED, 0, 2, 0, 3, 90),
    ),
    "some passed over": (
        {"remain": 90, "success": 2, "success_daily": 2, "remain_daily": 0},
        *(State.ACCEPTED, 3, 2, 0, 0, 90),
    ),
    "all passed over": (
        {"remain": 90, "success": 0, "success_daily": 0, "remain_daily": 0},
        *(State.UNKNOWN, 5, 0, 0, 0, 90),
    ),
    "the site has no fast lane": (
        {"remain": 90, "success": 5},
        *(State.ACCEPTED, 0, 0, 0, 5, 90),
    ),
    "neither a fast lane nor a rest": ({"success": 4}, State.ACCEPTED, 1, 0, 0, 5, None),
}


@pytest.mark.parametrize("name", sorted(FAST_COUNTS))
def test_a_push_into_the_fast_lane_is_counted_there(name: str) -> None:
    body, *expected = FAST_COUNTS[name]
    got = receipt(answer(body), replace(pushed(), fast=True))
    counted = [got.state, got.unaccounted, got.spent, got.quota_left]
    assert [*counted, got.common_spent, got.common_left] == expected


def test_a_byte_order_mark_is_no_obstacle() -> None:
    got = receipt(answer(b'\xef\xbb\xbf{"remain":95,"success":5}'), pushed())
    assert got.state is State.ACCEPTED


def test_the_engines_own_numbers_are_kept() -> None:
    got = receipt(answer({"remain": 7, "success": 3, "not_valid": list(URLS[:2])}), pushed())
    assert got.message == "success 3 of 5, remain 7"


SPELLINGS = [
    ("https://www.example.com/新闻/1", "https://www.example.com/%E6%96%B0%E9%97%BB/1"),
    ("https://www.example.com/%E6%96%B0%E9%97%BB/1", "https://www.example.com/新闻/1"),
    ("https://www.example.com/%e6%96%b0", "https://www.example.com/%E6%96%B0"),
    ("https://www.example.com/a", " https://www.example.com/a\r"),
    ("https://WWW.example.com:443/a", "https://www.example.com/a"),
    ("https://www.example.com/a b", "https://www.example.com/a b"),
    ("https://www.example.com/%zz", "https://www.example.com/%zz"),
]


@pytest.mark.parametrize(("sent", "listed"), SPELLINGS)
def test_a_listed_address_is_found_in_another_spelling(sent: str, listed: str) -> None:
    body = {"remain": 1, "success": 1, "not_valid": [listed]}
    got = receipt(answer(body), pushed((sent, f"{SITE}/other")))
    assert dict(got.rejected) == {sent: "not_valid"}
    assert got.unaccounted == 0


@given(
    success=st.integers(0, 5),
    foreign=st.sets(st.sampled_from(URLS)),
    invalid=st.sets(st.sampled_from(URLS)),
    strangers=st.integers(0, 3),
)
def test_no_page_is_accepted_that_the_answer_does_not_cover(
    success: int, foreign: set[str], invalid: set[str], strangers: int
) -> None:
    lists = {"not_same_site": sorted(foreign), "not_valid": sorted(invalid) + ["x"] * strangers}
    got = receipt(answer({"success": success, "remain": 1, **lists}), pushed())
    assert got.rejected.keys() == foreign | invalid
    accepted = len(URLS) - len(got.rejected) - got.unaccounted
    assert 0 <= accepted <= success
    assert got.spent == success


# ---------------------------------------------------------------- answers that say nothing

UNREADABLE: dict[str, EngineResponse] = {
    "empty": answer(b""),
    "HTML": answer(b"<html>Please log in</html>"),
    "null": answer(b"null"),
    "a list": answer([{"success": 5}]),
    "a number": answer(b"5"),
    "cut": answer(b'{"remain":95,"succ'),
    "no success": answer({"remain": 95}),
    "success is nothing": answer({"remain": 95, "success": None}),
    "success is true": answer({"remain": 95, "success": True}),
    "success is a word": answer({"remain": 95, "success": "all"}),
    "success is a fraction": answer({"remain": 95, "success": 4.5}),
    "success below nothing": answer({"remain": 95, "success": -1}),
    "more than were pushed": answer({"remain": 95, "success": 6}),
    "success under 500": answer({"remain": 95, "success": 5}, 500),
    "500 with HTML": answer(b"<html>", 500),
    "502": answer(b"", 502),
    "504": answer(b"Gateway Time-out", 504),
    "505 with HTML": answer(b"<html>", 505),
}


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_an_answer_that_does_not_fit_is_unknown(name: str) -> None:
    assert type(error_of(UNREADABLE[name])) is OutcomeUnknown


# ---------------------------------------------------------------- error objects

# name: (status, error, message, class, scope, cause)
ERRORS: dict[str, tuple[int, object, str, type[EngineError], str | None, str | None]] = {
    "site error": (400, 400, "site error", NotAuthorized, "property", "site-not-verified"),
    "site error as 401": (401, 401, "site error", NotAuthorized, "property", "site-not-verified"),
    "site init fail": (400, 400, "site init fail", NotAuthorized, "property", "site-form"),
    "empty content": (400, 400, "empty content", Refused, None, None),
    "too many": (400, 400, "only 2000 urls are allowed once", Refused, None, None),
    "over quota": (400, 400, "over quota", QuotaExhausted, None, None),
    "over quota under 200": (200, 400, "over quota", QuotaExhausted, None, None),
    "over quota in another case": (400, 400, " Over  Quota.", QuotaExhausted, None, None),
    "token": (401, 401, "token is not valid", MaybeTooFast, "account", "token-invalid"),
    "token under 200": (200, 401, "token is not valid", MaybeTooFast, "account", "token-invalid"),
    "not found": (404, 404, "not found", NotAuthorized, "account", "endpoint-gone"),
    "internal": (500, 500, "internal error, please try later", EngineUnavailable, None, None),
    "retry later": (505, 505, "please retry later", EngineUnavailable, None, None),
    "sid is empty": (400, 400, "site sid is empty", EngineUnavailable, None, None),
    "sid is empty under 200": (200, 400, "site sid is empty", EngineUnavailable, None, None),
    "number as text": (200, "400", "over quota", QuotaExhausted, None, None),
    "401 without words": (401, 401, "", MaybeTooFast, "account", "token-invalid"),
    "500 without words": (500, 500, "", EngineUnavailable, None, None),
    "new words": (400, 400, "site is asleep", NotAuthorized, "property", "unexpected-answer"),
    "new number": (200, 777, "hm", NotAuthorized, "property", "unexpected-answer"),
}


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_an_error_object_is_understood(name: str) -> None:
    status, number, message, kind, scope, cause = ERRORS[name]
    error = error_of(answer({"error": number, "message": message}, status))
    assert type(error) is kind
    assert (getattr(error, "scope", None), getattr(error, "cause", None)) == (scope, cause)
    assert error.http_status == status
    assert error.code


def test_an_error_goes_before_a_count() -> None:
    body = {"error": 400, "message": "over quota", "success": 5, "remain": 0}
    error = error_of(answer(body))
    assert isinstance(error, QuotaExhausted)
    assert error.quota_left == 0


def test_a_message_alone_is_an_error() -> None:
    assert isinstance(error_of(answer({"message": "over quota"})), QuotaExhausted)


@pytest.mark.parametrize(
    ("now", "midnight"),
    [
        (datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC), datetime(2026, 11, 30, 16, tzinfo=UTC)),
        (datetime(2026, 11, 30, 16, 0, 0, tzinfo=UTC), datetime(2026, 12, 1, 16, tzinfo=UTC)),
        (datetime(2028, 2, 28, 20, 0, 0, tzinfo=UTC), datetime(2028, 2, 29, 16, tzinfo=UTC)),
    ],
)
def test_a_spent_quota_comes_back_at_midnight_in_beijing(now: datetime, midnight: datetime) -> None:
    with pytest.raises(QuotaExhausted) as caught:
        receipt(answer({"error": 400, "message": "over quota"}, 400), pushed(now=now))
    assert caught.value.resets_at == midnight


@pytest.mark.parametrize(("before", "wait"), [(0, 3.0), (1, 8.0), (2, 20.0), (3, 20.0), (9, 20.0)])
def test_a_throttled_push_waits_longer_each_time(before: int, wait: float) -> None:
    error = error_of(answer({"error": 505, "message": "please retry later"}, 505), throttled=before)
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == wait
    assert wait in THROTTLE_WAITS_S


def test_a_named_wait_goes_before_our_own() -> None:
    body = {"error": 505, "message": "please retry later"}
    error = error_of(answer(body, 505, **{"retry-after": "40"}))
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 40.0


def test_a_wrong_site_is_shown_as_it_was_sent() -> None:
    error = error_of(answer({"error": 400, "message": "site init fail"}, 400))
    assert isinstance(error, NotAuthorized)
    assert f"site={SITE}" in str(error)
    assert "www.example.com." in error.next_step
    assert "baidu_site" in error.next_step


def test_a_wrong_token_may_also_be_haste() -> None:
    error = error_of(answer({"error": 401, "message": "token is not valid"}, 401))
    assert isinstance(error, NotAuthorized)
    assert "too often" in error.next_step


# ---------------------------------------------------------------- lines

LINES = [
    ("https://e.example/a", "https://e.example/a"),
    ("https://e.example/新", "https://e.example/%E6%96%B0"),
    ("https://e.example/%E6%96%B0", "https://e.example/%E6%96%B0"),
    ("https://e.example/%e6%96%b0?q=新", "https://e.example/%e6%96%b0?q=%E6%96%B0"),
    ("https://e.example/a b", "https://e.example/a%20b"),
    ("https://e.example/a#part", "https://e.example/a"),
    ("https://新.example/", "https://xn--efv.example/"),
    ("https://e.example/\ud800", "https://e.example/?"),
    ("https://e.example/a\nhttps://e.example/b", "https://e.example/a%0Ahttps://e.example/b"),
]


@pytest.mark.parametrize(("url", "line"), LINES)
def test_an_address_is_encoded_once(url: str, line: str) -> None:
    assert line_of(url) == line
    assert line_of(line) == line


@given(st.text(max_size=60))
def test_a_line_is_one_line_of_ascii(text: str) -> None:
    line = line_of(f"https://e.example/{text}")
    assert line.isascii()
    assert not {"\n", "\r", " "} & set(line)
    assert line_of(line) == line
