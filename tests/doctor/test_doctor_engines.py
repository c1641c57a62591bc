"""A healthy shop at every engine: what the doctor can see there, and what it leaves open."""

from __future__ import annotations

import pytest
from ward import HOST, ORIGIN, Ward

from support.whole import START


def test_a_healthy_shop_is_well_at_every_engine(ward: Ward) -> None:
    ward.admit("google", "baidu", "bing", "yandex", "indexnow", "seznam")
    found = ward.examine()
    assert found.states() == {
        "google": "ok",
        "baidu": "unchecked",
        "bing": "ok",
        "yandex": "ok",
        "indexnow": "unchecked",
        "seznam": "unchecked",
    }
    assert found.exit_code == 0
    assert found.checkup.findings == ()


def test_nothing_is_told_and_no_quota_is_spent(ward: Ward) -> None:
    ward.admit("google", "baidu", "bing", "yandex", "indexnow", "seznam")
    ward.examine()
    sandbox = ward.world.sandbox
    assert sandbox.baidu.book.count() == sandbox.indexnow.book.count() == 0
    assert sandbox.seznam.book.count() == 0
    assert sandbox.google.book.accepted("sitemaps.submit") == []
    assert sandbox.baidu.left(HOST) == 9
    assert sandbox.bing.left(f"{ORIGIN}/") == 100
    assert ward.world.log() == []


def test_what_is_well_is_said(ward: Ward) -> None:
    ward.admit("google", "bing", "yandex", "indexnow")
    said = ward.examine().messages()
    assert said["google"] == "1 sitemap read; Googlebot is shown the same"
    assert "a quota of 100 pages" in said["bing"]
    assert "150 of 150 pages left today" in said["yandex"]
    assert "the key file is there and right" in said["indexnow"]


def test_a_spent_quota_is_said_and_is_no_fault(ward: Ward) -> None:
    ward.admit("bing")
    ward.world.sandbox.bing.spend(f"{ORIGIN}/", 100)
    found = ward.examine()
    assert found.states() == {"bing": "ok"}
    assert "a quota of 0 pages" in found.messages()["bing"]
    assert found.exit_code == 0


def test_one_crawler_that_is_shut_out_concerns_its_engine_only(ward: Ward) -> None:
    ward.admit("google", "bing", "baidu")
    ward.shop.shut_out("bingbot")
    found = ward.examine()
    assert found.states() == {"google": "ok", "baidu": "unchecked", "bing": "failed"}
    assert found.target.diagnosis.cause == "crawler-blocked"
    assert [one.where for one in found.findings("crawler-sees-otherwise")] == [
        f"{ORIGIN}/sitemap.xml"
    ]


@pytest.mark.parametrize(
    ("issued", "severity", "exit_code"),
    [("2026-11-01", None, 0), ("2026-06-15", "warning", 0), ("2026-01-01", "error", 4)],
)
def test_a_token_that_ends_soon_is_warned_about(
    ward: Ward, issued: str, severity: str | None, exit_code: int
) -> None:
    assert START.date().isoformat() == "2026-11-30"
    ward.admit("yandex")
    ward.world.accounts["yandex"]["token_issued"] = issued
    found = ward.examine()
    assert [one.severity for one in found.findings("token-ends")] == (
        [severity] if severity else []
    )
    assert found.exit_code == exit_code


def test_faults_of_robots_txt_are_findings(ward: Ward) -> None:
    ward.admit("google")
    ward.shop.put("/robots.txt", "Sitemap: /sitemap.xml\n", "text/plain")
    found = ward.examine()
    assert found.states() == {"google": "ok"}
    assert len(found.findings("relative-sitemap")) == 1
