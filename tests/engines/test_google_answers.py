"""Every answer of Search Console's that is documented or was reported, and what it means.

Section 2.2 of the fact sheet on Google; bodies shortened from the public issues named there,
read 2026-11-30.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from engine_rows import NOW

from submitter.core.calls import Check
from submitter.core.states import State
from submitter.engines._http import EngineResponse
from submitter.engines.google_answers import (
    MINUTE_RETRY_S,
    Asked,
    check_of,
    error_of,
    listed_properties,
    read_list,
    receipt,
)
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
)

PROPERTY = "sc-domain:example.com"
ASKED = Asked(NOW, PROPERTY, "robot@project.iam.gserviceaccount.com")
INFO = "type.googleapis.com/google.rpc.ErrorInfo"
RETRY = "type.googleapis.com/google.rpc.RetryInfo"


def answer(
    body: object, status: int = 200, *, read: bool = False, **headers: str
) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return EngineResponse(status, headers, raw, "PUT https://searchconsole.googleapis.com/x", read)


def legacy(code: int, reason: str, message: str = "", **more: str) -> EngineResponse:
    row = {"domain": "global", "reason": reason, "message": message, **more}
    return answer({"error": {"errors": [row], "code": code, "message": message}}, code)


def modern(
    code: int, status: str, reason: str = "", message: str = "", **meta: str
) -> EngineResponse:
    details = [{"@type": INFO, "reason": reason, "domain": "googleapis.com", "metadata": meta}]
    error = {
        "code": code,
        "message": message,
        "status": status,
        "details": details if reason else [],
    }
    return answer({"error": error}, code)


def describe(error: EngineError) -> tuple[str, object, object]:
    return type(error).__name__, getattr(error, "scope", None), getattr(error, "cause", None)


BAD_SITE = "'http://sc-domain:e.example' is not a valid Search Console site URL."
NO_ACCESS = "User does not have sufficient permission for site 'sc-domain:example.com'."
API_OFF = "Google Search Console API has not been used in project 123456 before or it is disabled."
PER_MINUTE = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'"
PER_SECONDS = "Quota exceeded for limit 'Queries per 100 seconds per user'"
PER_DAY = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 's'"


def closed(scope: str, cause: str) -> tuple[str, object, object]:
    return "NotAuthorized", scope, cause


ACCOUNT, PROP = "account", "property"
UNAVAILABLE = ("EngineUnavailable", None, None)
TOO_FAST = ("TooFast", None, None)
QUOTA = ("QuotaExhausted", None, None)
UNKNOWN = ("OutcomeUnknown", None, None)
REFUSED = ("Refused", None, None)
BARE_403 = {"error": {"code": 403}}

VERDICTS: dict[str, tuple[EngineResponse, tuple[str, object, object]]] = {
    "bad site": (
        legacy(400, "invalidParameter", BAD_SITE, location="siteUrl"),
        closed(PROP, "property-invalid"),
    ),
    "bad sitemap": (legacy(400, "invalidParameter", "bad", location="feedpath"), REFUSED),
    "bad request": (modern(400, "INVALID_ARGUMENT"), REFUSED),
    "login required": (
        legacy(401, "required", "Login Required"),
        closed(ACCOUNT, "token-refused"),
    ),
    "unauthenticated": (
        modern(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED"),
        closed(ACCOUNT, "token-refused"),
    ),
    "no access": (legacy(403, "forbidden", NO_ACCESS), closed(PROP, "property-forbidden")),
    "no access, new": (
        modern(403, "PERMISSION_DENIED", "", NO_ACCESS),
        closed(PROP, "property-forbidden"),
    ),
    "403 of few words": (answer(BARE_403, 403), closed(PROP, "property-forbidden")),
    "scope, old": (
        legacy(403, "insufficientPermissions", "Insufficient Permission"),
        closed(ACCOUNT, "scope-missing"),
    ),
    "scope, new": (
        modern(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
        closed(ACCOUNT, "scope-missing"),
    ),
    "API off, old": (
        legacy(403, "accessNotConfigured", API_OFF),
        closed(ACCOUNT, "api-disabled"),
    ),
    "API off, new": (
        modern(403, "PERMISSION_DENIED", "SERVICE_DISABLED", API_OFF, consumer="projects/123456"),
        closed(ACCOUNT, "api-disabled"),
    ),
    "quota project": (
        modern(403, "PERMISSION_DENIED", "USER_PROJECT_DENIED"),
        closed(ACCOUNT, "quota-project-denied"),
    ),
    "billing": (
        modern(403, "PERMISSION_DENIED", "BILLING_DISABLED"),
        closed(ACCOUNT, "project-unusable"),
    ),
    "quota as 403": (legacy(403, "quotaExceeded", "Quota Exceeded"), QUOTA),
    "daily limit as 403": (legacy(403, "dailyLimitExceeded", "Daily Limit Exceeded"), QUOTA),
    "rate as 403": (legacy(403, "rateLimitExceeded", "Rate Limit Exceeded"), TOO_FAST),
    "user rate as 403": (legacy(403, "userRateLimitExceeded"), TOO_FAST),
    "rate as 403, new": (
        modern(403, "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", PER_MINUTE),
        TOO_FAST,
    ),
    "rate as 429": (legacy(429, "rateLimitExceeded", "Rate Limit Exceeded"), TOO_FAST),
    "rate as 429, new": (modern(429, "RESOURCE_EXHAUSTED", "", PER_MINUTE), TOO_FAST),
    "429 of few words": (answer({"error": {"code": 429}}, 429), TOO_FAST),
    "quota by the minute": (legacy(403, "quotaExceeded", PER_MINUTE), TOO_FAST),
    "quota by seconds": (legacy(403, "quotaExceeded", PER_SECONDS), TOO_FAST),
    "day spent": (modern(429, "RESOURCE_EXHAUSTED", "", PER_DAY), QUOTA),
    "day spent, as rate": (
        modern(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", PER_DAY),
        QUOTA,
    ),
    "day spent, by metadata": (
        modern(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", quota_limit="QueriesPerDay"),
        QUOTA,
    ),
    "day spent, by unit": (
        modern(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", quota_unit="1/d/{project}"),
        QUOTA,
    ),
    "404 in Google's words": (
        modern(404, "NOT_FOUND"),
        closed(PROP, "property-missing"),
    ),
    "404 of the front end": (
        answer(b"<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>", 404),
        closed(ACCOUNT, "endpoint-gone"),
    ),
    "backend error": (legacy(500, "backendError", "Backend Error"), UNAVAILABLE),
    "internal": (modern(500, "INTERNAL", "", "Internal error encountered."), UNAVAILABLE),
    "not implemented": (modern(501, "UNIMPLEMENTED"), UNAVAILABLE),
    "unavailable": (modern(503, "UNAVAILABLE"), UNAVAILABLE),
    "503 of a gateway": (answer(b"", 503), UNAVAILABLE),
    "500 of a gateway": (answer(b"<html>", 500), UNKNOWN),
    "502 of a gateway": (answer(b"<html>Error 502 (Server Error)!!1", 502), UNKNOWN),
    "502 in Google's words": (modern(502, "UNAVAILABLE"), UNKNOWN),
    "504 in Google's words": (modern(504, "DEADLINE_EXCEEDED"), UNKNOWN),
    "200 with HTML": (answer(b"<html>Please log in</html>"), UNKNOWN),
    "200 with a list": (answer([]), UNKNOWN),
    "200 with text": (answer(b"ok"), UNKNOWN),
    "200 with an error": (
        answer({"error": {"code": 403, "errors": [{"reason": "forbidden"}]}}),
        closed(PROP, "property-forbidden"),
    ),
    "200 with half an error": (answer({"error": {"message": "no"}}), UNKNOWN),
    "an error in a list": (
        answer([{"error": {"code": 403, "status": "PERMISSION_DENIED"}}], 403),
        closed(PROP, "property-forbidden"),
    ),
    "a list of other things": (answer(["no"], 403), closed(ACCOUNT, "credential-refused")),
    "an error as text": (
        answer({"error": "invalid_token", "error_description": "no"}, 401),
        closed(ACCOUNT, "token-refused"),
    ),
    "layers of the wrong kind": (
        answer({"error": {"errors": {"reason": 1}, "details": "x", "status": 7}}, 403),
        closed(PROP, "property-forbidden"),
    ),
    "a redirect": (answer(b"", 302), closed(ACCOUNT, "endpoint-redirects")),
    "too large": (answer(b"", 413), REFUSED),
}


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_a_refusal_is_understood(name: str) -> None:
    response, expected = VERDICTS[name]
    with pytest.raises(EngineError) as caught:
        receipt(response, ASKED)
    assert describe(caught.value) == expected
    assert "HTTP " in str(caught.value)


@pytest.mark.parametrize(
    "response",
    [answer(b"", 204), answer(b"", 200), answer(b"", 202), answer(b" \n"), answer({})],
    ids=["204", "200", "202", "blank", "object"],
)
def test_any_success_is_queued_with_its_number(response: EngineResponse) -> None:
    got = receipt(response, ASKED)
    assert (got.state, got.http_status) == (State.ACCEPTED, response.status)
    assert got.message == "queued"


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (legacy(403, "forbidden", NO_ACCESS), "forbidden"),
        (modern(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"), "RATE_LIMIT_EXCEEDED"),
        (modern(503, "UNAVAILABLE"), "UNAVAILABLE"),
    ],
)
def test_the_engines_own_code_is_kept(response: EngineResponse, code: str) -> None:
    assert error_of(response, ASKED).code == code


# ---------------------------------------------------------------- waits


@pytest.mark.parametrize(
    ("response", "wait"),
    [
        (legacy(429, "rateLimitExceeded"), None),
        (modern(429, "RESOURCE_EXHAUSTED", "", PER_MINUTE), MINUTE_RETRY_S),
        (answer({"error": {"code": 429}}, 429, **{"retry-after": "30"}), 30.0),
        (answer({"error": {"code": 503}}, 503, **{"retry-after": "0"}), 0.0),
        (
            answer(
                {"error": {"code": 429, "details": [{"@type": RETRY, "retryDelay": "12.5s"}]}}, 429
            ),
            12.5,
        ),
        (answer({"error": {"code": 429, "details": [{"retryDelay": "soon"}]}}, 429), None),
    ],
)
def test_a_wait_is_taken_from_where_it_stands(response: EngineResponse, wait: float | None) -> None:
    error = error_of(response, ASKED)
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == wait


@pytest.mark.parametrize(
    ("now", "midnight"),
    [
        (datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 7, 2, 7, tzinfo=UTC)),
        (datetime(2026, 11, 30, 7, 59, tzinfo=UTC), datetime(2026, 11, 30, 8, tzinfo=UTC)),
        (datetime(2026, 11, 1, 6, 30, tzinfo=UTC), datetime(2026, 11, 1, 7, tzinfo=UTC)),
        (datetime(2026, 11, 1, 7, 30, tzinfo=UTC), datetime(2026, 11, 2, 8, tzinfo=UTC)),
    ],
)
def test_a_spent_day_ends_at_midnight_pacific(now: datetime, midnight: datetime) -> None:
    error = error_of(legacy(403, "dailyLimitExceeded"), Asked(now, PROPERTY))
    assert isinstance(error, QuotaExhausted)
    assert error.resets_at == midnight


# ---------------------------------------------------------------- words for people


def test_a_disabled_api_names_its_project() -> None:
    for response in (VERDICTS["API off, old"][0], VERDICTS["API off, new"][0]):
        error = error_of(response, ASKED)
        assert isinstance(error, NotAuthorized)
        assert "123456" in error.next_step


def test_a_missing_scope_is_named() -> None:
    error = error_of(VERDICTS["scope, new"][0], ASKED)
    assert isinstance(error, NotAuthorized)
    assert "https://www.googleapis.com/auth/webmasters" in error.next_step


def test_a_forbidden_property_says_whom_to_add_where() -> None:
    error = error_of(VERDICTS["no access"][0], ASKED)
    assert isinstance(error, NotAuthorized)
    assert ASKED.who in error.next_step
    assert PROPERTY in error.next_step


def test_words_are_cut() -> None:
    assert len(str(error_of(legacy(400, "x", "y" * 5_000), ASKED))) < 400


@pytest.mark.parametrize("code", [403, 404])
def test_without_a_property_the_account_is_meant(code: int) -> None:
    error = error_of(legacy(code, "forbidden"), Asked(NOW))
    assert describe(error) == closed(ACCOUNT, "account-forbidden")


# ---------------------------------------------------------------- lists


def test_an_empty_list_is_left_out_by_google() -> None:
    assert read_list(answer({}, read=True), "siteEntry", Asked(NOW)) == []


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b'{"siteEntry": [{"site'], ids=repr
)
def test_a_list_that_is_none_may_be_asked_for_again(body: bytes) -> None:
    with pytest.raises(EngineUnavailable):
        read_list(answer(body, read=True), "siteEntry", Asked(NOW))


def test_rows_of_the_wrong_kind_are_passed_over() -> None:
    body = {"sitemap": [None, 3, "x", {}, {"path": "a"}]}
    assert read_list(answer(body), "sitemap", ASKED) == [{"path": "a"}]


ROLES = [
    ("siteOwner", "siteOwner", True),
    ("SITE_OWNER", "siteOwner", True),
    ("siteFullUser", "siteFullUser", None),
    ("SITE_FULL_USER", "siteFullUser", None),
    ("siteRestrictedUser", "siteRestrictedUser", False),
    ("SITE_RESTRICTED_USER", "siteRestrictedUser", False),
    ("siteUnverifiedUser", "siteUnverifiedUser", False),
    ("SITE_UNVERIFIED_USER", "siteUnverifiedUser", False),
    ("siteSomethingNew", "siteSomethingNew", None),
    ("", "", None),
]


@pytest.mark.parametrize(("written", "role", "may"), ROLES)
def test_a_role_is_known_in_both_spellings(written: str, role: str, may: bool | None) -> None:
    (found,) = listed_properties([{"siteUrl": PROPERTY, "permissionLevel": written}])
    assert (found.name, found.role, found.may_submit) == (PROPERTY, role, may)


def test_properties_are_sorted_and_nameless_ones_dropped() -> None:
    names = [
        each.name for each in listed_properties([{"siteUrl": "b"}, {"x": 1}, {"siteUrl": "a"}])
    ]
    assert names == ["a", "b"]


# ---------------------------------------------------------------- checks

SITEMAP = "https://shop.example.com/sitemap.xml"


def check(**row: object) -> Check:
    return check_of(row, property=PROPERTY, sitemap=SITEMAP)


def test_a_sitemap_is_read_in_full() -> None:
    got = check(
        path=SITEMAP,
        lastSubmitted="2026-06-08T15:34:02.325Z",
        lastDownloaded="2026-06-09T01:02:03Z",
        isPending=False,
        isSitemapsIndex=True,
        type="sitemap",
        warnings="2",
        errors="1",
        contents=[
            {"type": "web", "submitted": "1000", "indexed": "0"},
            {"type": "image", "submitted": "7"},
            {"type": "WEB", "submitted": "24"},
        ],
    )
    assert got == Check(
        property=PROPERTY,
        sitemap=SITEMAP,
        last_submitted=datetime(2026, 6, 8, 15, 34, 2, 325_000, tzinfo=UTC),
        last_downloaded=datetime(2026, 6, 9, 1, 2, 3, tzinfo=UTC),
        is_pending=False,
        is_index=True,
        errors=1,
        warnings=2,
        urls_submitted=1024,
        kind="sitemap",
    )


def test_what_is_absent_is_none() -> None:
    assert check() == Check(PROPERTY, SITEMAP)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("0", 0),
        (0, 0),
        ("12", 12),
        *((junk, None) for junk in ("-1", "", "1.5", "9" * 30, True, None, [], {})),
    ],
)
def test_a_count_is_a_number_or_nothing(value: object, count: int | None) -> None:
    assert check(errors=value).errors == count


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-06-08", datetime(2026, 6, 8, tzinfo=UTC)),
        ("2026-06-08T15:34:02.123456789Z", datetime(2026, 6, 8, 15, 34, 2, 123_456, tzinfo=UTC)),
        ("2026-06-08T17:34:02+02:00", datetime(2026, 6, 8, 15, 34, 2, tzinfo=UTC)),
        ("yesterday", None),
        ("", None),
        (1749396842, None),
    ],
)
def test_a_moment_is_utc_or_nothing(value: object, moment: datetime | None) -> None:
    assert check(lastDownloaded=value).last_downloaded == moment


@pytest.mark.parametrize(
    ("written", "kind"),
    [("rssFeed", "rssFeed"), ("RSS_FEED", "rssFeed"), ("SITEMAP", "sitemap"), ("new", "new")],
)
def test_a_kind_is_known_in_both_spellings(written: str, kind: str) -> None:
    assert check(type=written).kind == kind


def test_contents_without_pages_count_none() -> None:
    assert check(contents=[{"type": "image", "submitted": "7"}]).urls_submitted is None
    assert check(contents=[{"type": "web"}]).urls_submitted is None


def test_unknown_and_refused_stay_apart() -> None:
    assert isinstance(error_of(answer(b"<html>", 500), ASKED), OutcomeUnknown)
    assert isinstance(error_of(legacy(400, "invalidParameter"), ASKED), Refused)
