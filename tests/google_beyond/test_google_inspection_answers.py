"""What URL Inspection's answers mean: shapes documented and reported, read 2026-11-30."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from submitter.core.inspection import IndexState, Inspection
from submitter.engines._http import EngineResponse
from submitter.engines.google_answers import Asked
from submitter.engines.google_inspection import inspection
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    QuotaExhausted,
    Refused,
    TooFast,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PROPERTY = "sc-domain:example.com"
PAGE = "https://www.example.com/p/1"
ASKED = Asked(NOW, PROPERTY, "robot@project.iam.gserviceaccount.com")
CRAWLED = "2026-11-20T04:12:33Z"


def answer(body: object, status: int = 200) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    shown = "POST https://searchconsole.googleapis.com/v1/urlInspection/index:inspect"
    return EngineResponse(status, {}, raw, shown, read_only=True)


def status_of(**fields: object) -> EngineResponse:
    return answer({"inspectionResult": {"inspectionResultLink": "x", "indexStatusResult": fields}})


def read(response: EngineResponse) -> Inspection:
    return inspection(response, PAGE, ASKED)


# ---------------------------------------------------------------- verdicts

STATES = [
    ("PASS", "Submitted and indexed", CRAWLED, IndexState.INDEXED),
    ("PASS", "Indexed, not submitted in sitemap", CRAWLED, IndexState.INDEXED),
    ("PASS", "Eingereicht und indexiert", CRAWLED, IndexState.INDEXED),
    ("NEUTRAL", "Indexed, though blocked by robots.txt", None, IndexState.INDEXED),
    ("NEUTRAL", "Crawled - currently not indexed", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "Crawled – currently not indexed", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "Excluded by ‘noindex’ tag", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "Page with redirect", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "Alternate page with proper canonical tag", CRAWLED, IndexState.CRAWLED),
    ("FAIL", "Server error (5xx)", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "Discovered - currently not indexed", None, IndexState.KNOWN),
    ("NEUTRAL", "Blocked by robots.txt", None, IndexState.KNOWN),
    ("NEUTRAL", "URL is unknown to Google", None, IndexState.UNKNOWN),
    ("NEUTRAL", "A sentence of next year", CRAWLED, IndexState.CRAWLED),
    ("NEUTRAL", "A sentence of next year", None, IndexState.KNOWN),
    ("VERDICT_UNSPECIFIED", "", None, IndexState.UNCLEAR),
    (None, None, None, IndexState.UNCLEAR),
]


@pytest.mark.parametrize(("verdict", "sentence", "crawled", "state"), STATES)
def test_a_state_goes_by_verdict_sentence_and_crawl(
    verdict: str | None, sentence: str | None, crawled: str | None, state: IndexState
) -> None:
    fields = {"verdict": verdict, "coverageState": sentence, "lastCrawlTime": crawled}
    found = read(status_of(**{name: value for name, value in fields.items() if value is not None}))
    assert (found.state, found.reason) == (state, sentence or "")


def test_every_field_that_says_something_is_kept() -> None:
    found = read(
        status_of(
            verdict="NEUTRAL",
            coverageState="Duplicate, Google chose different canonical than user",
            robotsTxtState="ALLOWED",
            indexingState="INDEXING_ALLOWED",
            lastCrawlTime="2026-11-20T04:12:33.5Z",
            pageFetchState="SUCCESSFUL",
            googleCanonical="https://www.example.com/p/",
            userCanonical=PAGE,
            crawledAs="MOBILE",
            sitemap=["https://www.example.com/sitemap.xml"],
        )
    )
    assert found == Inspection(
        property=PROPERTY,
        url=PAGE,
        state=IndexState.CRAWLED,
        reason="Duplicate, Google chose different canonical than user",
        verdict="NEUTRAL",
        last_crawled=datetime(2026, 11, 20, 4, 12, 33, 500_000, tzinfo=UTC),
        robots_txt="ALLOWED",
        indexing="INDEXING_ALLOWED",
        fetch="SUCCESSFUL",
        engine_canonical="https://www.example.com/p/",
        page_canonical=PAGE,
    )


def test_what_google_left_unspecified_is_not_known() -> None:
    found = read(
        status_of(
            verdict="NEUTRAL",
            coverageState="URL is unknown to Google",
            robotsTxtState="ROBOTS_TXT_STATE_UNSPECIFIED",
            indexingState="INDEXING_STATE_UNSPECIFIED",
            pageFetchState="PAGE_FETCH_STATE_UNSPECIFIED",
        )
    )
    assert (found.robots_txt, found.indexing, found.fetch) == (None, None, None)
    assert (found.last_crawled, found.engine_canonical) == (None, None)


def test_a_sentence_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in read(status_of(verdict="PASS", coverageState="\x1b[2Jindexed")).reason


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"inspectionResult": {}}',
        b'{"inspectionResult": {"indexStatusResult": null}}',
        b'{"inspectionResult": {"indexStatusResult": ',
    ],
)
def test_an_answer_without_an_inspection_may_be_asked_for_again(body: bytes) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        read(answer(body))
    assert caught.value.http_status == 200


# ---------------------------------------------------------------- errors


def modern(code: int, status: str, message: str = "") -> EngineResponse:
    return answer({"error": {"code": code, "message": message, "status": status}}, code)


NOT_OWN = "You do not own this site, or the inspected URL is not part of this property."
OF_PROPERTY = f"Quota exceeded for {PROPERTY}."
PER_MINUTE = "Quota exceeded for quota metric 'Inspections' and limit 'Inspections per minute'"
PER_DAY = "Quota exceeded for quota metric 'Inspections' and limit 'Inspections per day'"

ERRORS: dict[str, tuple[EngineResponse, type[EngineError], object]] = {
    "not own": (modern(403, "PERMISSION_DENIED", NOT_OWN), NotAuthorized, "property-forbidden"),
    "API off": (modern(403, "SERVICE_DISABLED"), NotAuthorized, "api-disabled"),
    "login gone": (modern(401, "UNAUTHENTICATED"), NotAuthorized, "token-refused"),
    "bad address": (modern(400, "INVALID_ARGUMENT"), Refused, None),
    "of the property": (modern(429, "RESOURCE_EXHAUSTED", OF_PROPERTY), QuotaExhausted, None),
    "per minute": (modern(429, "RESOURCE_EXHAUSTED", PER_MINUTE), TooFast, None),
    "per day": (modern(429, "RESOURCE_EXHAUSTED", PER_DAY), QuotaExhausted, None),
    "no words": (answer(b"", 429), TooFast, None),
    "broken": (modern(500, "INTERNAL"), EngineUnavailable, None),
    "overloaded": (modern(503, "UNAVAILABLE"), EngineUnavailable, None),
    "gateway": (answer(b"<html>", 502), EngineUnavailable, None),
    "front end": (answer(b"<html>", 404), NotAuthorized, "endpoint-gone"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_every_refusal_is_told_apart(name: str) -> None:
    response, kind, cause = ERRORS[name]
    with pytest.raises(EngineError) as caught:
        read(response)
    assert type(caught.value) is kind
    assert getattr(caught.value, "cause", None) == cause
    assert caught.value.http_status == response.status


def test_a_quota_that_names_no_period_ends_the_pacific_day() -> None:
    with pytest.raises(QuotaExhausted) as caught:
        read(ERRORS["of the property"][0])
    assert caught.value.resets_at == datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


def test_a_quota_that_names_another_property_is_no_word_about_ours() -> None:
    response = modern(429, "RESOURCE_EXHAUSTED", "Quota exceeded for sc-domain:other.example.")
    with pytest.raises(TooFast):
        read(response)
