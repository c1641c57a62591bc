"""The guard: what looks like an accident is held, and an accident seen twice still is one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from submitter.core.fleet import GuardRule
from submitter.core.guard import closed_to, judge
from submitter.core.looks import Delta, RootLook, SiteLook

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ROOT = RootLook("https://a.example/s.xml", True, "c", NOW, 1, False)


def look(**facts: object) -> SiteLook:
    base: dict[str, object] = {"first": False, "roots": (ROOT,), "listed": 50}
    return SiteLook("https://a.example", NOW, **{**base, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "held"),
    [
        ({"baseline": 10, "since_baseline": Delta(gone=3)}, []),
        ({"baseline": 10, "since_baseline": Delta(gone=4)}, ["guard-gone"]),
        ({"baseline": 9, "since_baseline": Delta(gone=9)}, []),
        ({"baseline": 100, "since_baseline": Delta(new=100)}, []),
        ({"baseline": 100, "since_baseline": Delta(new=101)}, ["guard-new"]),
        ({"baseline": 99, "since_baseline": Delta(new=5000)}, []),
        ({"baseline": 0, "since_baseline": Delta(new=5000), "first": True}, []),
        ({"listed": 0}, ["guard-empty"]),
        ({"listed": 0, "first": True}, ["guard-empty"]),
        ({"listed": 0, "foreign": 7}, ["guard-foreign"]),
        ({"listed": 3, "foreign": 7}, []),
        ({"listed": 0, "roots": (RootLook("s", False, "", None, 0, False, "404"),)}, []),
        ({"listed": 0, "unfinished": True}, []),
    ],
)
def test_what_looks_like_an_accident_is_held(facts: dict[str, object], held: list[str]) -> None:
    assert [finding.id for finding in judge(look(**facts), GuardRule())] == held


def test_thresholds_are_the_sites_own() -> None:
    seen = look(baseline=10, since_baseline=Delta(gone=4))
    assert not judge(seen, GuardRule(max_gone=0.5))


def test_the_reason_says_share_limit_and_counts() -> None:
    [finding] = judge(look(baseline=10, since_baseline=Delta(gone=4)), GuardRule())
    assert finding.message == "4 of 10 known pages are gone (40%; the guard allows 30%)"


def test_only_the_engine_that_is_shut_out_is_held() -> None:
    seen = look(closed_to=frozenset({"Baiduspider"}))
    assert [finding.id for finding in closed_to(seen, "Baiduspider")] == ["robots-closed"]
    assert not closed_to(seen, "Googlebot")
