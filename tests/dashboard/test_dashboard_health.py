"""The one word for a target, and what stands beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Check
from submitter.core.health import (
    BEATS,
    NO_BEAT,
    Health,
    SitemapFacts,
    TargetFacts,
    beat_of,
    days_until_told,
    health_of,
    worse_beat,
)
from submitter.core.records import LogRow, SitemapStatus
from submitter.core.standing import Allowance, PageStanding, SitemapStanding
from submitter.core.states import State
from submitter.core.status import SitemapState
from submitter.core.traits import Kind

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MAP = "https://shop.example.com/sitemap.xml"


def call(state: str, *, kind: str = "urls", target: str = MAP, message: str = "") -> LogRow:
    return LogRow(
        1, "r", "a", 1, NOW - HOUR, NOW - HOUR, "https://shop.example.com", "gsc", "google", "p",
        kind, target, 1, 0, 0, state, message=message,
    )  # fmt: skip


def sitemap(
    state: SitemapState,
    standing: State = State.ACCEPTED,
    read: datetime | None = None,
    reason: str = "",
) -> SitemapFacts:
    told = NOW - 2 * HOUR
    known = SitemapStanding(MAP, standing, "c", told, told, "c", reason=reason)
    check = Check("p", MAP, last_downloaded=read, errors=3)
    status = SitemapStatus("https://shop.example.com", "gsc", MAP, known, check, NOW, 10)
    return SitemapFacts(status, state)


def waits(pages: int) -> PageStanding:
    return PageStanding(waiting={Kind.URLS: pages})


SHUT = Allowance("baidu", "p", NOW.date(), closed_until=NOW + HOUR, closed_reason="over quota")
FETCHED, QUEUED = SitemapState.FETCHED, SitemapState.QUEUED
CASES = {
    "nothing was ever told": (TargetFacts(), Health.NEVER),
    "pages wait and nothing was told": (TargetFacts(pages=waits(3)), Health.NEVER),
    "a call failed": (TargetFacts("google", call("failed")), Health.FAILING),
    "a batch was taken in part": (TargetFacts("google", call("partial")), Health.PARTIAL),
    "an answer was lost": (TargetFacts("google", call("unknown")), Health.UNKNOWN),
    "taken, nobody knows more": (TargetFacts("google", call("accepted")), Health.ACCEPTED),
    "not confirmed": (TargetFacts("google", call("received")), Health.RECEIVED),
    "told and not read": (
        TargetFacts("google", call("accepted"), [sitemap(QUEUED)]),
        Health.ACCEPTED,
    ),
    "read by its own word": (
        TargetFacts("google", call("accepted"), [sitemap(FETCHED, read=NOW)]),
        Health.READ,
    ),
    "one of two read": (
        TargetFacts("google", call("accepted"), [sitemap(FETCHED, read=NOW), sitemap(QUEUED)]),
        Health.ACCEPTED,
    ),
    "read with errors": (
        TargetFacts(sitemaps=[sitemap(SitemapState.FETCHED_WITH_ERRORS, read=NOW)]),
        Health.ERRORS,
    ),
    "taken long ago": (TargetFacts(sitemaps=[sitemap(SitemapState.STUCK)]), Health.LATE),
    "an old failure of a sitemap that went well since": (
        TargetFacts("google", call("failed", kind="sitemap"), [sitemap(QUEUED)]),
        Health.ACCEPTED,
    ),
    "one sitemap failed, another went well": (
        TargetFacts("google", call("accepted"), [sitemap(QUEUED, State.FAILED), sitemap(QUEUED)]),
        Health.FAILING,
    ),
    "waits for its turn": (TargetFacts("google", call("accepted"), pages=waits(3)), Health.WAITING),
    "waits for the day": (
        TargetFacts("google", call("accepted"), pages=waits(3), lanes=[SHUT]),
        Health.PAUSED,
    ),
    "a closed lane with nothing to tell": (
        TargetFacts("google", call("accepted"), lanes=[SHUT]),
        Health.ACCEPTED,
    ),
    "one lane of two is closed": (
        TargetFacts(
            "google",
            call("accepted"),
            pages=waits(3),
            lanes=[SHUT, replace(SHUT, closed_until=None)],
        ),
        Health.WAITING,
    ),
    "a person has to act first, and the run called it a failure": (
        TargetFacts(
            "google",
            call("failed", kind="sitemap"),
            [sitemap(QUEUED, State.FAILED, reason="role-restricted")],
        ),
        Health.BLOCKED,
    ),
    "a person has to act first": (
        TargetFacts("google", None, [sitemap(QUEUED, State.DEFERRED, reason="role-restricted")]),
        Health.BLOCKED,
    ),
    "waits, and waiting is all there is to do": (
        TargetFacts("google", call("accepted"), [sitemap(QUEUED, State.DEFERRED, reason="quota")]),
        Health.WAITING,
    ),
    "the guard holds a site that was never told": (TargetFacts(held="guard"), Health.HELD),
    "the guard holds a site that was read": (
        TargetFacts("google", call("accepted"), [sitemap(FETCHED, read=NOW)], held="guard"),
        Health.HELD,
    ),
    "not in the inventory": (TargetFacts("google", call("failed"), retired=True), Health.RETIRED),
}


@pytest.mark.parametrize("name", CASES)
def test_a_target_is_said_to_be_no_better_than_is_known(name: str) -> None:
    facts, expected = CASES[name]
    assert health_of(facts, NOW).health is expected


def test_a_failure_is_told_in_the_words_of_whoever_said_it() -> None:
    verdict = health_of(TargetFacts("google", call("failed", message="no permission")), NOW)
    assert (verdict.why, verdict.at) == ("no permission", NOW - HOUR)


def test_late_counts_from_when_it_was_first_told() -> None:
    facts = replace(sitemap(SitemapState.STUCK), unread_since=NOW - 240 * HOUR)
    assert health_of(TargetFacts(sitemaps=[facts]), NOW).at == NOW - 240 * HOUR


@pytest.mark.parametrize(
    ("backlog", "left", "per_day", "days"),
    [
        (0, None, None, 0),
        (5, 10, 10, 1),
        (10, 10, 10, 1),
        (11, 10, 10, 2),
        (31, 0, 10, 5),
        (5, 0, 0, None),
        (5, None, 10, None),
        (5, 0, None, None),
    ],
)
def test_a_backlog_is_told_in_whole_days(
    backlog: int, left: int | None, per_day: int | None, days: int | None
) -> None:
    assert days_until_told(backlog, left, per_day) == days


@given(st.integers(1, 10_000), st.integers(0, 500), st.integers(1, 500))
def test_the_days_are_the_fewest_that_suffice(backlog: int, left: int, per_day: int) -> None:
    days = days_until_told(backlog, left, per_day)
    assert days is not None
    assert left + (days - 1) * per_day >= backlog
    assert days == 1 or left + (days - 2) * per_day < backlog


TODAY = date(2026, 11, 30)


def test_a_beat_has_a_letter_a_day_and_today_is_last() -> None:
    days = {TODAY: "f", TODAY - timedelta(days=2): "a", TODAY - timedelta(days=99): "r"}
    assert beat_of(days, TODAY, 4) == ".a.f"


@given(st.lists(st.sampled_from([*BEATS, "no-such-state"])))
def test_a_days_letter_is_the_worst_of_its_calls_in_any_order(states: list[str]) -> None:
    letter = NO_BEAT
    for state in states:
        letter = worse_beat(letter, state)
    order = list(dict.fromkeys((*BEATS.values(), NO_BEAT)))
    known = [BEATS[state] for state in states if state in BEATS]
    assert letter == min(known, key=order.index, default=NO_BEAT)
