"""Every answer of Yandex's that is documented or was reported, and what it means.

Rows D5-D20 of the fact sheet on engines; source of the documented ones:
https://yandex.com/dev/webmaster/doc/en/reference/errors, read 2026-11-30.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from engine_rows import NOW
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Check, Property, QuotaReading
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines._http import EngineResponse
from submitter.engines.yandex_answers import (
    Asked,
    checks,
    find,
    moment,
    properties,
    quota,
    receipt,
    rows_of,
    user_id,
)
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

HOST = "https:shop.example.com:443"
MIDNIGHT = datetime(2026, 11, 30, 21, tzinfo=UTC)
SITEMAP = Asked(NOW, HOST, Kind.SITEMAP)
PAGE = Asked(NOW, HOST, Kind.URLS)
READ = Asked(NOW, HOST)


def answer(
    body: object, status: int = 200, *, read_only: bool = False, **headers: str
) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    shown = "POST https://api.webmaster.yandex.net/v4/user/1/hosts/x/recrawl/queue"
    return EngineResponse(status, headers, raw, shown, read_only)


def refusal(code: str, status: int, **more: object) -> EngineResponse:
    return answer({"error_code": code, "error_message": "some string", **more}, status)


def error_of(response: EngineResponse, asked: Asked = PAGE) -> EngineError:
    with pytest.raises(EngineError) as caught:
        receipt(response, asked)
    return caught.value


# ---------------------------------------------------------------- receipts


def test_a_page_is_taken_when_a_task_is_named() -> None:
    got = receipt(answer({"task_id": "c7fe80c0-36e3", "quota_remainder": 149}, 202), PAGE)
    assert (got.state, got.http_status) == (State.ACCEPTED, 202)
    assert (got.quota_left, got.spent) == (149, None)


def test_a_sitemap_is_taken_when_its_id_is_named() -> None:
    got = receipt(answer({"sitemap_id": "c7-fe:80-c0"}, 201), SITEMAP)
    assert (got.state, got.http_status, got.quota_left) == (State.ACCEPTED, 201, None)


@pytest.mark.parametrize(
    ("code", "more", "asked", "left"),
    [
        ("SITEMAP_ALREADY_ADDED", {"sitemap_id": "c7-fe:80-c0"}, SITEMAP, None),
        ("URL_ALREADY_ADDED", {}, PAGE, None),
        ("URL_ALREADY_ADDED", {"quota_remainder": 12}, PAGE, 12),
    ],
)
def test_what_is_there_already_spends_nothing(
    code: str, more: dict[str, object], asked: Asked, left: int | None
) -> None:
    got = receipt(refusal(code, 409, **more), asked)
    assert (got.state, got.http_status, got.code) == (State.ALREADY, 409, code)
    assert (got.spent, got.quota_left) == (0, left)


@pytest.mark.parametrize(
    ("remainder", "left"), [(0, 0), ("7", 7), (-1, 0), (None, None), (True, None)]
)
def test_what_is_left_is_a_number_or_nothing(remainder: object, left: int | None) -> None:
    got = receipt(answer({"task_id": "c7", "quota_remainder": remainder}, 202), PAGE)
    assert got.quota_left == left


UNREADABLE: dict[str, EngineResponse] = {
    "empty": answer(b"", 202),
    "HTML": answer(b"<html>"),
    "null": answer(b"null"),
    "a list": answer([{"task_id": "c7"}]),
    "cut": answer(b'{"task_id":"c7', 202),
    "nothing named": answer({}, 202),
    "a quota and no task": answer({"quota_remainder": 3}, 202),
    "an empty name": answer({"task_id": "", "sitemap_id": ""}, 202),
    "an error under 200": refusal("SOMETHING_NEW", 200),
    "500 with words": refusal("INTERNAL_ERROR", 500),
    "502": answer(b"<h1>Bad Gateway</h1>", 502),
    "504 with words": refusal("TIMEOUT", 504),
    "500 with a page": answer(b"<html>", 500),
    "a task under 500": answer({"task_id": "c7", "quota_remainder": 3}, 500),
}


@pytest.mark.parametrize("asked", [PAGE, SITEMAP])
@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_an_answer_that_does_not_fit_is_unknown(name: str, asked: Asked) -> None:
    assert type(error_of(UNREADABLE[name], asked)) is OutcomeUnknown


def test_a_page_is_not_taken_by_the_name_of_a_sitemap() -> None:
    assert isinstance(error_of(answer({"sitemap_id": "c7"}, 201), PAGE), OutcomeUnknown)
    assert isinstance(error_of(answer({"task_id": "c7"}, 202), SITEMAP), OutcomeUnknown)


# ---------------------------------------------------------------- errors

# code: (status, class, scope, cause)
ERRORS: dict[str, tuple[int, type[EngineError], str | None, str | None]] = {
    "ENTITY_VALIDATION_ERROR": (400, Refused, None, None),
    "INVALID_URL": (400, Refused, None, None),
    "FIELD_VALIDATION_ERROR": (400, NotAuthorized, "property", "unexpected-answer"),
    "INVALID_OAUTH_TOKEN": (403, NotAuthorized, "account", "token-invalid"),
    "ACCESS_FORBIDDEN": (403, NotAuthorized, "account", "scope-missing"),
    "INVALID_USER_ID": (403, EngineUnavailable, None, None),
    "RESOURCE_NOT_FOUND": (404, NotAuthorized, "account", "endpoint-gone"),
    "HOST_NOT_FOUND": (404, NotAuthorized, "property", "host-missing"),
    "HOST_NOT_VERIFIED": (404, NotAuthorized, "property", "host-unverified"),
    "HOST_NOT_LOADED": (404, NotReady, "property", None),
    "HOST_NOT_INDEXED": (404, NotReady, "property", None),
    "METHOD_NOT_ALLOWED": (405, NotAuthorized, "account", "endpoint-gone"),
    "CONTENT_TYPE_UNSUPPORTED": (406, NotAuthorized, "property", "unexpected-answer"),
    "REQUEST_ENTITY_TOO_LARGE": (413, Refused, None, None),
    "PAYLOAD_TOO_LARGE": (413, Refused, None, None),
    "CONTENT_ENCODING_UNSUPPORTED": (415, NotAuthorized, "property", "unexpected-answer"),
    "LIMITS_EXCEEDED": (403, NotAuthorized, "property", "unexpected-answer"),
    "QUOTA_EXCEEDED": (429, QuotaExhausted, None, None),
    "TOO_MANY_REQUESTS_ERROR": (429, TooFast, None, None),
    "SOMETHING_NEW": (400, NotAuthorized, "property", "unexpected-answer"),
}


@pytest.mark.parametrize("code", sorted(ERRORS))
def test_an_error_code_is_understood(code: str) -> None:
    status, kind, scope, cause = ERRORS[code]
    error = error_of(refusal(code, status))
    assert type(error) is kind
    assert (getattr(error, "scope", None), getattr(error, "cause", None)) == (scope, cause)
    assert (error.http_status, error.code) == (status, code)
    assert HOST in str(error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429])
@pytest.mark.parametrize("code", ["HOST_NOT_VERIFIED", "HOST_NOT_LOADED", "INVALID_OAUTH_TOKEN"])
def test_the_status_decides_nothing(code: str, status: int) -> None:
    assert type(error_of(refusal(code, status))) is ERRORS[code][1]


def test_the_two_kinds_of_429_are_told_apart() -> None:
    spent = error_of(refusal("QUOTA_EXCEEDED", 429))
    assert isinstance(spent, QuotaExhausted)
    assert (spent.resets_at, spent.quota_left) == (MIDNIGHT, 0)
    fast = error_of(answer({"error_code": "TOO_MANY_REQUESTS_ERROR"}, 429, **{"retry-after": "7"}))
    assert isinstance(fast, TooFast)
    assert fast.retry_after_s == 7.0


@pytest.mark.parametrize(
    ("code", "status", "kind"), [("NEW", 429, TooFast), ("NEW", 503, EngineUnavailable)]
)
def test_new_words_under_a_busy_status_are_waited_for(
    code: str, status: int, kind: type[EngineError]
) -> None:
    assert type(error_of(refusal(code, status))) is kind


@pytest.mark.parametrize(
    ("now", "midnight"),
    [
        (datetime(2026, 11, 30, 20, 59, 59, tzinfo=UTC), datetime(2026, 11, 30, 21, tzinfo=UTC)),
        (datetime(2026, 11, 30, 21, 0, 0, tzinfo=UTC), datetime(2026, 12, 1, 21, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("code", ["QUOTA_EXCEEDED", "HOST_NOT_LOADED"])
def test_a_day_is_moscows(code: str, now: datetime, midnight: datetime) -> None:
    error = error_of(refusal(code, 404), Asked(now, HOST, Kind.SITEMAP))
    when = error.resets_at if isinstance(error, QuotaExhausted) else None
    when = error.not_before if isinstance(error, NotReady) else when
    assert when == midnight


def test_a_bad_address_is_told_from_a_bad_path() -> None:
    assert isinstance(error_of(refusal("FIELD_VALIDATION_ERROR", 400, field_name="url")), Refused)


def test_a_missing_scope_is_named() -> None:
    error = error_of(refusal("ACCESS_FORBIDDEN", 403))
    assert isinstance(error, NotAuthorized)
    assert "webmaster:verify" in error.next_step


# ---------------------------------------------------------------- readings


def read(body: object) -> EngineResponse:
    return answer(body, read_only=True)


@pytest.mark.parametrize("user", [1, "1"])
def test_a_user_id_may_come_as_text(user: object) -> None:
    assert user_id(read({"user_id": user}), READ) == "1"


@pytest.mark.parametrize("body", [{}, {"user_id": None}, {"user_id": "../2"}, [], b"", b"<html>"])
def test_what_cannot_be_a_user_id_is_asked_for_again(body: object) -> None:
    with pytest.raises(EngineUnavailable):
        user_id(read(body), READ)


def test_hosts_are_read_by_id_with_the_address_they_stand_for() -> None:
    rows = [
        {"host_id": HOST, "ascii_host_url": "https://shop.example.com/", "verified": True},
        {"host_id": "http:b.example:80", "unicode_host_url": "http://b.example", "verified": False},
        {"host_id": "https:c.example:443", "ascii_host_url": "https://c.example/"},
        {"ascii_host_url": "https://no-id.example/"}, "x", None,
    ]  # fmt: skip
    assert properties(read({"hosts": rows}), READ) == (
        Property("http:b.example:80", "unverified", False, "http://b.example"),
        Property("https:c.example:443", "unverified", None, "https://c.example/"),
        Property(HOST, "verified", True, "https://shop.example.com/"),
    )


@pytest.mark.parametrize("body", [{}, {"hosts": None}, {"count": 3}, [], b"", b"null", b"<html>"])
def test_a_list_that_is_not_there_is_asked_for_again(body: object) -> None:
    with pytest.raises(EngineUnavailable):
        rows_of(read(body), "hosts", READ)


def test_a_quota_has_two_numbers() -> None:
    body = {"daily_quota": 150, "quota_remainder": 20}
    assert quota(read(body), READ) == QuotaReading(limit=150, left=20)
    assert quota(read({"quota_remainder": 20}), READ) == QuotaReading(left=20)


@pytest.mark.parametrize("body", [{}, {"daily_quota": 150}, {"quota_remainder": "?"}, b""])
def test_a_quota_without_a_rest_is_asked_for_again(body: object) -> None:
    with pytest.raises(EngineUnavailable):
        quota(read(body), READ)


def test_a_reading_is_refused_like_a_write() -> None:
    with pytest.raises(NotAuthorized):
        quota(refusal("HOST_NOT_VERIFIED", 404), READ)
    with pytest.raises(NotReady):
        rows_of(refusal("HOST_NOT_LOADED", 404), "sitemaps", READ)


MOMENTS = [
    ("2016-01-01T00:00:00,000+0300", datetime(2015, 12, 31, 21, tzinfo=UTC)),
    ("2016-01-01T00:00:00.000+03:00", datetime(2015, 12, 31, 21, tzinfo=UTC)),
    ("2019-07-18T10:20:30.123+03:00", datetime(2019, 7, 18, 7, 20, 30, 123_000, tzinfo=UTC)),
    ("2026-11-30T12:00:00Z", NOW),
    ("2026-11-30T12:00:00", None),
    ("2026-11-30", None),
    ("yesterday", None),
    ("", None),
    (None, None),
    (1480507200, None),
]


@pytest.mark.parametrize(("written", "at"), MOMENTS)
def test_a_moment_has_two_shapes(written: object, at: datetime | None) -> None:
    assert moment(written) == at


@given(st.text())
def test_no_moment_is_an_accident(written: str) -> None:
    at = moment(written)
    assert at is None or at.tzinfo is UTC


# ---------------------------------------------------------------- checks

ADDRESS = "https://shop.example.com/sitemap.xml"
HAND = {"sitemap_id": "c7", "sitemap_url": ADDRESS, "added_date": "2026-11-01T00:00:00,000+0300"}
ROBOT = {
    "sitemap_id": "c7",
    "sitemap_url": ADDRESS,
    "last_access_date": "2026-11-02T03:04:05.000+03:00",
    "errors_count": 1,
    "urls_count": 1023,
    "children_count": 0,
    "sources": ["ROBOTS_TXT", "WEBMASTER"],
    "sitemap_type": "SITEMAP",
}


def check(hand: dict[str, object] | None, robot: dict[str, object] | None) -> list[Check]:
    added = {ADDRESS: hand} if hand is not None else {}
    detected = {ADDRESS: robot} if robot is not None else {}
    return checks([ADDRESS], property=HOST, added=added, detected=detected)


def test_two_lists_make_one_check() -> None:
    assert check(HAND, ROBOT) == [
        Check(
            property=HOST,
            sitemap=ADDRESS,
            last_submitted=datetime(2026, 10, 31, 21, tzinfo=UTC),
            last_downloaded=datetime(2026, 11, 2, 0, 4, 5, tzinfo=UTC),
            is_pending=False,
            is_index=False,
            errors=1,
            urls_submitted=1023,
            kind="SITEMAP",
        )
    ]


def test_a_sitemap_that_the_robot_has_not_met_is_pending() -> None:
    (found,) = check(HAND, None)
    assert (found.is_pending, found.last_downloaded, found.is_index) == (True, None, None)


def test_a_sitemap_that_the_robot_found_by_itself_is_known() -> None:
    (found,) = check(None, ROBOT)
    assert (found.last_submitted, found.is_pending) == (None, False)


def test_a_sitemap_in_neither_list_is_left_out() -> None:
    assert check(None, None) == []


@pytest.mark.parametrize(
    ("row", "is_index"),
    [({"sitemap_type": "INDEX_SITEMAP"}, True), ({"sitemap_type": "SITEMAP"}, False),
     ({"children_count": 3}, True), ({"children_count": 0}, None), ({}, None)],
)  # fmt: skip
def test_an_index_is_known_by_type_or_children(
    row: dict[str, object], is_index: bool | None
) -> None:
    assert check(None, row)[0].is_index is is_index


def test_rows_are_found_in_another_spelling() -> None:
    rows = [{"sitemap_url": "https://a.example/%E6%96%B0.xml"}, {"sitemap_url": None}]
    assert find(rows, ["https://a.example/新.xml"]) == {"https://a.example/新.xml": rows[0]}


def test_a_list_is_read_no_further_than_needed() -> None:
    rows = iter([{"sitemap_url": "a"}, {"sitemap_url": "b"}, {"sitemap_url": "c"}])
    assert set(find(rows, ["b", "a"])) == {"a", "b"}
    assert next(rows) == {"sitemap_url": "c"}
