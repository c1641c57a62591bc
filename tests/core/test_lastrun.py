"""What the newest run said of a target, read back from its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from submitter.core.lastrun import NO_RUN, LastRun, last_runs
from submitter.core.records import RunRow, SitemapStatus
from submitter.core.standing import SitemapStanding
from submitter.core.states import TOLD, State
from submitter.core.status import LastTry, last_try
from submitter.core.summary import Json
from submitter.core.traits import Kind, Traits

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
SITE, OTHER = "https://a.example", "https://b.example"
MAP = f"{SITE}/sitemap.xml"
GOOGLE = Traits("google", "Google", frozenset({Kind.SITEMAP}), "x", "UTC", crawler="Googlebot")
HUB = Traits("hub", "Hub", frozenset({Kind.URLS}), "x", "UTC", crawler="bingbot")


def finding(id: str, where: str = SITE, message: str = "m", severity: str = "error") -> Json:
    return {
        "id": id,
        "severity": severity,
        "where": where,
        "message": message,
        "count": 1,
        "examples": [],
    }


def skip(reason: str, kind: str = "sitemap", until: str | None = None, count: int = 1) -> Json:
    return {
        "site": SITE,
        "account": "acc",
        "kind": kind,
        "reason": reason,
        "count": count,
        "until": until,
    }


def problem(kind: str, target: str, *, calls: int = 0, cause: str = "property-missing") -> Json:
    return {
        "site": SITE,
        "account": "acc",
        "engine": "google",
        "kind": kind,
        "target": target,
        "state": "failed",
        "cause": cause,
        "code": None,
        "message": "said",
        "meaning": "Means",
        "next_step": "Do it.",
        "count": 1,
        "calls": calls,
        "pages": 0,
    }


def run(
    id: str, *sites: str, skips: list[Json] | None = None, problems: list[Json] | None = None,
    findings: list[Json] | None = None, ended: bool = True,
) -> RunRow:  # fmt: skip
    targets = [{"site": one, "account": "acc", "findings": findings or []} for one in sites]
    summary: Mapping[str, object] = {
        "targets": targets, "skips": skips or [], "problems": problems or [],
    }  # fmt: skip
    return RunRow(id, NOW, NOW if ended else None, "", "ok", 0, None, summary if ended else None)


def of(row: RunRow) -> LastRun:
    return last_runs([row])[SITE, "acc"]


def test_each_target_has_the_word_of_the_newest_run_that_had_it() -> None:
    runs = [run("4", SITE, ended=False), run("3", OTHER), run("2", SITE), run("1", SITE, OTHER)]
    found = last_runs(runs)
    assert {site: one.run for (site, _), one in found.items()} == {OTHER: "3", SITE: "2"}


def test_a_run_of_what_a_person_named_counts_where_no_other_is() -> None:
    """It says nothing of the rest of a target, so a hold stays known."""
    whole, named = run("1", SITE, skips=[skip("guard")]), run("2", SITE, OTHER)
    named = replace(named, summary={**(named.summary or {}), "partial": True})
    found = last_runs([named, whole])
    assert {key[0]: said.run for key, said in found.items()} == {SITE: "1", OTHER: "2"}


def test_a_later_call_shows_that_nothing_is_in_the_way_any_more() -> None:
    skips = [skip("guard"), skip("quota", "urls"), skip("quota", "sitemap")]
    said = of(
        run("1", SITE, skips=skips, problems=[problem("urls", SITE), problem("sitemap", MAP)])
    )
    later = said.without(Kind.URLS)
    assert [one.kind for one in later.problems] == [Kind.SITEMAP]
    assert [(one.reason, one.kind) for one in later.skips] == [
        ("guard", Kind.SITEMAP),
        ("quota", Kind.SITEMAP),
    ]


def test_a_run_that_was_refused_says_nothing_of_any_target() -> None:
    refused = RunRow("1", NOW, NOW, "", "held", 3, None, {"run": "1", "problem": "digest"})
    assert last_runs([refused]) == {}


def test_what_was_called_is_in_the_log_and_not_given_up() -> None:
    called = of(run("1", SITE, problems=[problem("sitemap", MAP, calls=1)]))
    assert called.given_up(Kind.SITEMAP) is None
    given_up = of(run("1", SITE, problems=[problem("sitemap", MAP)]))
    assert given_up.given_up(Kind.URLS) is None
    assert given_up.given_up(Kind.SITEMAP, f"{SITE}/other.xml") is None
    assert given_up.given_up(Kind.SITEMAP, MAP) is not None
    old = {key: value for key, value in problem("sitemap", MAP).items() if key != "calls"}
    assert of(run("1", SITE, problems=[old])).given_up(Kind.SITEMAP) is None


def test_what_was_put_off_counts_until_its_moment() -> None:
    skips = [skip("quota", "urls", "2026-11-30T13:00:00Z", 3), skip("guard", "urls", count=9)]
    said = of(run("1", SITE, skips=skips))
    found = said.put_off(Kind.URLS, NOW)
    assert found is not None
    assert (found.reason, found.until) == ("quota", NOW + HOUR)
    assert said.put_off(Kind.URLS, NOW + HOUR) is None
    assert said.put_off(Kind.SITEMAP, NOW) is None


def test_a_hold_is_told_apart_by_its_rule_its_site_and_its_crawler() -> None:
    findings = [
        finding("guard-gone"),
        finding("robots-closed", message="robots.txt closes the whole site to Googlebot"),
        finding("robots-closed", message="robots.txt closes the whole site to bingbot"),
        finding("audit-errors"),
        finding("http-404", MAP),
        finding("nested-index", severity="warning"),
    ]
    said = of(run("1", SITE, skips=[skip("guard"), skip("audit")], findings=findings))
    held = said.held_by("guard", SITE, "Googlebot")
    assert [(one.id, one.message[-9:]) for one in held] == [
        ("guard-gone", "m"),
        ("robots-closed", "Googlebot"),
    ]
    assert [one.id for one in said.held_by("audit", SITE, "Googlebot")] == ["audit-errors"]
    assert of(run("1", SITE, findings=findings)).held_by("guard", SITE, "Googlebot") == ()


# ---------------------------------------------------------------- what status makes of it


def known(state: State, reason: str = "") -> SitemapStatus:
    standing = SitemapStanding(MAP, state, "", NOW, None, None, reason=reason)
    return SitemapStatus(SITE, "acc", MAP, standing, None, None, None)


GUARDED = run("1", SITE, skips=[skip("guard")], findings=[finding("guard-empty")])
UNREADABLE = run("1", SITE, skips=[skip("unreadable")], findings=[finding("http-404", MAP)])
PAGES = run("1", SITE, problems=[problem("urls", SITE, cause="key-file-missing")])
LOST = run("1", SITE, problems=[problem("sitemap", MAP)])


@pytest.mark.parametrize(
    ("row", "item", "traits", "state", "id"),
    [
        (GUARDED, None, GOOGLE, "skipped", "guard-empty"),
        (UNREADABLE, None, GOOGLE, "skipped", "http-404"),
        (LOST, known(State.FAILED, "property-missing"), GOOGLE, "failed", "property-missing"),
        (LOST, known(State.FAILED), GOOGLE, "failed", None),
        (GUARDED, known(State.UNKNOWN), GOOGLE, "unknown", None),
        (PAGES, None, HUB, "failed", "key-file-missing"),
        (PAGES, None, GOOGLE, None, None),
        (run("1", SITE, skips=[skip("unreadable")]), None, GOOGLE, None, None),
        (run("1", SITE, skips=[skip("first-run", "urls")]), None, HUB, None, None),
    ],
)
def test_status_says_how_the_last_run_ended(
    row: RunRow, item: SitemapStatus | None, traits: Traits, state: str | None, id: str | None
) -> None:
    found = last_try(MAP, item, traits, SITE, of(row))
    assert (found.state, found.why and found.why.id) == (state, id)


@pytest.mark.parametrize("state", sorted(TOLD))
def test_nothing_is_open_about_what_an_engine_has(state: State) -> None:
    assert last_try(MAP, known(state), GOOGLE, SITE, of(GUARDED)) == LastTry()
    assert last_try(None, None, GOOGLE, SITE, NO_RUN) == LastTry()
