"""What Bing says when it is asked: sites, feeds, quotas and its dates.

Rows C3-C10 of the fact sheet on engines, read 2026-11-30.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from engine_rows import NOW
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Check, Property, QuotaReading
from submitter.engines._http import EngineResponse
from submitter.engines.bing_answers import Asked, checks, moment, properties, quota
from submitter.errors import EngineUnavailable, NotAuthorized

SITE = "https://shop.example.com/"
READ = Asked(NOW, SITE)


def read(body: object, status: int = 200) -> EngineResponse:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    shown = "GET https://ssl.bing.com/webmaster/api.svc/json/GetFeeds"
    return EngineResponse(status, {}, raw, shown, read_only=True)


def test_sites_are_read_by_name_without_their_secrets() -> None:
    rows = [
        {"__type": "Site", "AuthenticationCode": "A", "DnsVerificationCode": "D.b.example",
         "IsVerified": False, "Url": "http://b.example"},
        {"IsVerified": True, "Url": "https://a.example/"},
        {"Url": "https://c.example/"},
        {"IsVerified": True}, {"IsVerified": True, "Url": None}, "x", None,
    ]  # fmt: skip
    assert properties(read({"d": rows}), READ) == (
        Property("http://b.example", "unverified", False),
        Property("https://a.example/", "verified", True),
        Property("https://c.example/", "unverified", None),
    )


def test_an_account_without_sites_is_none_of_an_error() -> None:
    assert properties(read({"d": []}), READ) == ()
    assert properties(read({"d": None}), READ) == ()


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"null", b'{"d":['])
def test_a_list_that_cannot_be_read_is_asked_for_again(body: bytes) -> None:
    with pytest.raises(EngineUnavailable):
        properties(read(body), READ)


@pytest.mark.parametrize(
    ("daily", "monthly", "limit"),
    [
        (10, 140, 10),
        (10_000, 300_000, 10_000),
        (100, 7, 7),
        (0, 0, 0),
        (-3, 5, 0),
        ("25", "50", 25),
    ],
)
def test_the_smaller_of_both_quotas_counts(daily: object, monthly: object, limit: int) -> None:
    body = {"d": {"__type": "UrlSubmissionQuota", "DailyQuota": daily, "MonthlyQuota": monthly}}
    assert quota(read(body), READ) == QuotaReading(limit=limit)


def test_a_month_need_not_be_named() -> None:
    assert quota(read({"d": {"DailyQuota": 10}}), READ) == QuotaReading(limit=10)


@pytest.mark.parametrize("body", [{"d": None}, {"d": {}}, {"d": []}, {"d": {"MonthlyQuota": 5}}])
def test_a_quota_that_is_not_there_is_asked_for_again(body: object) -> None:
    with pytest.raises(EngineUnavailable):
        quota(read(body), READ)


def test_a_reading_is_refused_like_a_write() -> None:
    with pytest.raises(NotAuthorized) as caught:
        quota(read({"ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}, 400), READ)
    assert caught.value.cause == "site-forbidden"
    with pytest.raises(EngineUnavailable):
        quota(read({"ErrorCode": 2, "Message": "ERROR!!! UnknownError"}, 400), READ)


MOMENTS = [
    ("/Date(1316156400000-0700)/", datetime(2011, 9, 16, 7, 0, tzinfo=UTC)),
    ("/Date(1316156400000+0530)/", datetime(2011, 9, 16, 7, 0, tzinfo=UTC)),
    ("/Date(1785624815123)/", datetime(2026, 8, 1, 22, 53, 35, 123_000, tzinfo=UTC)),
    ("/Date(-62135568000000)/", None),
    ("/Date(-11644473600000)/", None),
    ("/Date(0)/", None),
    ("/Date(999999999999999)/", None),
    ("2026-08-01T00:00:00Z", None),
    ("", None),
    (None, None),
    (1316156400000, None),
]


@pytest.mark.parametrize(("written", "at"), MOMENTS)
def test_a_moment_is_utc_whatever_its_offset_says(written: object, at: datetime | None) -> None:
    assert moment(written) == at


@given(st.one_of(st.text(), st.integers().map(lambda n: f"/Date({n})/")))
def test_no_moment_is_an_accident(written: str) -> None:
    at = moment(written)
    assert at is None or at.tzinfo is UTC


ROW = {
    "__type": "Feed:#Microsoft.Bing.Webmaster.Api",
    "Compressed": False,
    "FileSize": 1024,
    "LastCrawled": "/Date(1315781995040-0700)/",
    "Status": "Success",
    "Submitted": "/Date(1316213995040-0700)/",
    "Type": "Sitemap",
    "Url": "https://shop.example.com/sitemap.xml",
    "UrlCount": 1023,
}


def checked(**changes: object) -> Check:
    (check,) = checks(read({"d": [ROW | changes]}), [ROW["Url"]], READ)  # type: ignore[list-item]
    return check


def test_a_feed_becomes_a_check() -> None:
    assert checked() == Check(
        property=SITE,
        sitemap="https://shop.example.com/sitemap.xml",
        last_submitted=datetime(2011, 9, 16, 22, 59, 55, 40_000, tzinfo=UTC),
        last_downloaded=datetime(2011, 9, 11, 22, 59, 55, 40_000, tzinfo=UTC),
        is_pending=False,
        urls_submitted=1023,
        kind="Sitemap",
    )


@pytest.mark.parametrize(
    ("status", "pending", "errors"),
    [("Success", False, None), ("Pending", True, None), ("Processing", True, None),
     ("Submitted", True, None), ("Error", False, 1), ("Failed", False, 1), ("", False, None)],
)  # fmt: skip
def test_a_status_says_pending_or_wrong(status: str, pending: bool, errors: int | None) -> None:
    check = checked(Status=status)
    assert (check.is_pending, check.errors) == (pending, errors)


def test_a_feed_never_crawled_is_pending() -> None:
    check = checked(LastCrawled="/Date(-62135568000000)/")
    assert (check.last_downloaded, check.is_pending, check.urls_submitted) == (None, True, None)


def test_an_index_says_so_and_nothing_else_denies_it() -> None:
    assert checked(Type="SitemapIndex").is_index is True
    assert checked().is_index is None


def test_what_bing_left_out_stays_open() -> None:
    (check,) = checks(read({"d": [{"Url": ROW["Url"]}]}), [str(ROW["Url"])], READ)
    assert check == Check(SITE, str(ROW["Url"]), is_pending=True)


def test_checks_come_in_our_order_and_spelling_and_strangers_are_left_out() -> None:
    rows = [ROW | {"Url": "https://shop.example.com/%E6%96%B0.xml"}, ROW, ROW | {"Url": None}]
    asked = [
        str(ROW["Url"]),
        "https://shop.example.com/missing.xml",
        "https://shop.example.com/新.xml",
    ]
    found = checks(read({"d": rows}), asked, READ)
    assert [check.sitemap for check in found] == [asked[0], asked[2]]
