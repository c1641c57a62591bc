"""What is alarming: by rules over facts, and from a ledger with a history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import pytest
from evidence_samples import DAY, FLEET, HOUR, MAP, NOW, SITE, History

from submitter.core.alerts import (
    ALERT_IDS,
    NEXT_STEPS,
    AlarmFacts,
    Alert,
    alerts,
)
from submitter.core.evidence import (
    LogSpan,
    LookRow,
    LyingDates,
    RunEnd,
    SectionCrawl,
    Trouble,
    Unread,
)
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import AlertRules
from submitter.core.run_shares import RunShare
from submitter.core.selection import Selection
from submitter.ledger.ledger import SqlLedger
from submitter.stories.alerting import find_alerts, news
from submitter.wiring import TRAITS

RULES = AlertRules()
RAN = RunEnd("r", NOW - 2 * HOUR, NOW - HOUR, "ok", 0)


def raised(rules: AlertRules = RULES, **facts: object) -> list[str]:
    """Ids of what is alarming in these facts."""
    given = {"sites": frozenset({SITE}), "runs": [RAN]} | facts
    return [one.id for one in alerts(AlarmFacts(**given), rules, NOW)]  # type: ignore[arg-type]


def run(ago: timedelta, outcome: str = "ok", *, ends: bool = True) -> RunEnd:
    return RunEnd("r", NOW - ago - HOUR, NOW - ago if ends else None, outcome, 0)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], ["job-silent"]),
        ([run(HOUR, ends=False)], ["job-silent"]),
        ([run(HOUR)], []),
        ([run(2 * DAY - HOUR)], []),
        ([run(2 * DAY)], ["job-silent"]),
        ([run(HOUR, ends=False), run(DAY)], []),
        ([run(HOUR, "failed"), run(DAY, "failed")], []),
        ([run(hours * HOUR, "failed") for hours in (1, 2, 3)], ["job-failing"]),
        ([run(1 * HOUR, "failed"), run(2 * HOUR, "ok"), run(3 * HOUR, "failed")], []),
    ],
)
def test_our_own_job_is_watched(runs: Sequence[RunEnd], expected: list[str]) -> None:
    assert raised(runs=runs) == expected


# ---------------------------------------------------------------- accounts

TRIES = [f"r{number}" for number in range(6)]
"""Newest first."""


def did(run: str, account: str, told: int, wrong: int, failing: int = 0, of: int = 4) -> RunShare:
    at = NOW - int(run[1:]) * HOUR - HOUR
    return RunShare(run, at, account, "indexnow", told, wrong, failing, of)


def bad(run: str, account: str = "hub") -> RunShare:
    return did(run, account, 0, 4, 4)


def good(run: str, account: str = "gsc") -> RunShare:
    return did(run, account, 3, 0)


def ended(outcome: str = "partial") -> list[RunEnd]:
    return [RunEnd(run, bad(run).started_at, NOW, outcome, 4) for run in TRIES]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([share for run in TRIES[:3] for share in (good(run), bad(run))], ["account-failing"]),
        ([share for run in TRIES[:2] for share in (good(run), bad(run))], []),
        # a run in between that did not try it is none of its own
        (
            [good("r0"), did("r0", "hub", 0, 0), *map(bad, TRIES[1:4]), *map(good, TRIES[1:4])],
            ["account-failing"],
        ),
        ([good("r0"), did("r0", "hub", 1, 4, 4), *map(bad, TRIES[1:4])], []),
        ([*map(bad, TRIES[:2]), did("r2", "hub", 9, 0), bad("r3"), *map(good, TRIES)], []),
        # one of four sites is not the account
        ([did(run, "hub", 0, 9, 1) for run in TRIES], []),
        ([did(run, "hub", 0, 9, 2) for run in TRIES], ["job-failing"]),
        # nothing but what waits for its quota
        ([did(run, "hub", 0, 0) for run in TRIES], []),
        # all that was tried failed whole: the job does, though something stands since earlier runs
        (
            [
                share
                for run in TRIES[:3]
                for share in (bad(run), bad(run, "gsc"), did(run, "baidu", 0, 0))
            ],
            ["job-failing"],
        ),
    ],
)
def test_an_account_that_fails_whole_is_alarming_and_so_is_a_job_of_such(
    shares: Sequence[RunShare], expected: list[str]
) -> None:
    shares = sorted(shares, key=lambda one: one.run)
    assert raised(runs=ended(), shares=shares) == expected


def test_the_alarm_of_an_account_names_it_and_how_many_sites() -> None:
    shares = [share for run in TRIES[:3] for share in (good(run), bad(run))]
    facts = AlarmFacts(sites=frozenset({SITE}), runs=ended(), shares=shares)
    [alarm] = alerts(facts, RULES, NOW)
    assert (alarm.about, alarm.engine, alarm.site) == ("hub", "indexnow", "")
    assert alarm.since == bad("r2").started_at
    assert alarm.numbers == {"runs": 3, "sites": 4, "failing_sites": 4}
    assert "4 of 4 sites" in alarm.message


# ---------------------------------------------------------------- looks


def looked(
    ago_days: float,
    listed: int,
    changed: int = 0,
    *,
    new: int = 0,
    baseline: int = 0,
    accepted: bool = False,
) -> LookRow:
    at = NOW - ago_days * DAY
    return LookRow(SITE, at, True, True, listed, new, changed, 0, baseline, accepted)


SECOND = 1 / 86_400


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([looked(1, 100), looked(0, 100)], []),
        ([looked(1, 100), looked(0, 71)], []),
        ([looked(1, 100), looked(0, 70)], ["sitemap-shrunk"]),
        ([looked(4, 100), looked(3, 60), looked(0, 60)], ["sitemap-shrunk"]),
        ([looked(1, 9), looked(0, 1)], []),
        ([looked(1, 50), looked(0, 100)], []),
        ([looked(1, 100), looked(0.5, 10), looked(0, 100)], []),
        # a job of once a week is never to the second, and may leave a week out
        ([looked(7 + SECOND, 100), looked(0, 60)], ["sitemap-shrunk"]),
        ([looked(14, 100), looked(0, 60)], ["sitemap-shrunk"]),
        # what went bit by bit over more than a week is no accident
        ([looked(9, 100), looked(4, 80), looked(1, 71), looked(0, 60)], []),
        # it lasts
        ([looked(9, 100), looked(8, 60), looked(0, 60)], ["sitemap-shrunk"]),
        ([looked(30, 100), *(looked(day, 60) for day in range(29, 0, -1))], ["sitemap-shrunk"]),
        ([looked(9, 100), looked(8, 60), looked(0, 85)], ["sitemap-shrunk"]),
        # until less than half of the share is missing, or a person took it
        ([looked(9, 100), looked(8, 60), looked(0, 86)], []),
        ([looked(3, 100), looked(2, 60), looked(1, 60, accepted=True), looked(0, 60)], []),
        ([looked(1, 100), looked(0, 60, accepted=True)], []),
        ([looked(3, 100), looked(2, 60, accepted=True), looked(0, 40)], ["sitemap-shrunk"]),
        # however long ago it was, while the guard holds it
        ([looked(0, 60, baseline=100)], ["sitemap-shrunk"]),
        ([looked(0, 60, baseline=60)], []),
        ([looked(0, 6, baseline=9)], []),
    ],
)
def test_a_site_that_shrinks_is_alarming_until_it_is_back_or_a_person_accepts_it(
    looks: Sequence[LookRow], expected: list[str]
) -> None:
    assert [id for id in raised(looks=looks) if id != "site-silent"] == expected


USUAL = [looked(20, 100, new=100), looked(5, 100, 2), looked(4, 100, 1), looked(3, 100, 3)]


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([*USUAL, looked(0, 100, 95)], ["lastmod-refreshed"]),
        ([*USUAL, looked(2, 100, 95), looked(0, 100, 1)], ["lastmod-refreshed"]),
        ([*USUAL, looked(0, 100, 79)], []),
        ([*(looked(day, 100, 60) for day in (5, 4, 3)), looked(0, 100, 90)], []),
        ([*USUAL, looked(9, 100, 95), looked(0, 100, 1)], []),
        ([*(looked(day, 9) for day in (5, 4, 3)), looked(0, 9, 9)], []),
        ([looked(0, 100, 100)], []),
        # nothing is usual yet: no date can move at a first look
        ([looked(9, 40, new=40), *(looked(day, 40, 40) for day in range(7))], []),
        ([looked(9, 40, new=40), looked(8, 40), looked(7, 40), looked(0, 40, 40)], []),
        # where it happens at most looks it is usual
        ([looked(day, 40, 40 * (day % 3 > 0)) for day in range(30, 0, -1)], []),
    ],
)
def test_dates_that_move_in_bulk_are_alarming_where_that_is_known_to_be_unusual(
    looks: Sequence[LookRow], expected: list[str]
) -> None:
    assert [id for id in raised(looks=looks) if id != "site-silent"] == expected


def test_a_site_that_runs_leave_out_is_alarming_but_not_when_no_run_ends() -> None:
    old = [looked(5, 100)]
    assert raised(looks=old) == ["site-silent"]
    assert raised(looks=old, runs=[run(5 * DAY)]) == ["job-silent"]
    assert raised(looks=old, sites=frozenset()) == []


def test_thresholds_are_the_inventorys() -> None:
    rules = AlertRules(silent_days=9, shrink=0.9, bulk_lastmod=0.99, unread_days=1, crawl_drop=0.9)
    looks = [looked(5, 100), looked(4, 50, 49)]
    assert raised(rules, looks=looks, runs=[run(8 * DAY)]) == []


# ---------------------------------------------------------------- documents, engines, crawlers


@pytest.mark.parametrize(
    ("reason", "read_at", "expected"),
    [
        ("http-404", NOW - HOUR, ["sitemap-gone"]),
        ("http-410", None, ["sitemap-gone"]),
        ("http-503", NOW - HOUR, []),
        ("http-503", NOW - DAY, ["sitemap-unreadable"]),
        ("dns-failure", None, []),
    ],
)
def test_a_sitemap_that_is_gone_is_alarming_at_once_and_others_after_a_day(
    reason: str, read_at: datetime | None, expected: list[str]
) -> None:
    assert raised(troubles=[Trouble(SITE, MAP, reason, read_at, 5)]) == expected


@pytest.mark.parametrize(
    ("changed_at", "pages", "expected"),
    [
        (NOW - DAY, 50, ["lastmod-refreshed"]),
        (NOW - 8 * DAY, 50, []),
        (NOW - DAY, 9, []),
    ],
)
def test_dates_that_say_nothing_are_alarming_when_the_sitemap_changed(
    changed_at: datetime, pages: int, expected: list[str]
) -> None:
    dates = [LyingDates(SITE, MAP, ("lastmod-all-equal",), pages, changed_at)]
    assert raised(dates=dates) == expected


@pytest.mark.parametrize(
    ("since", "checked_at", "expected"),
    [
        (NOW - 14 * DAY, NOW, ["sitemap-unread"]),
        (NOW - 13 * DAY, NOW, []),
        (NOW - 30 * DAY, NOW - 20 * DAY, []),
    ],
)
def test_unread_is_by_the_moment_the_engine_was_asked(
    since: datetime, checked_at: datetime, expected: list[str]
) -> None:
    unread = [Unread(SITE, "gsc", "google", MAP, since, True, checked_at)]
    assert raised(unread=unread) == expected


@pytest.mark.parametrize(
    ("crawl", "expected"),
    [
        (SectionCrawl(SITE, "new", "Googlebot", 70, 560, 7, 28), ["section-crawl-fell"]),
        (SectionCrawl(SITE, "new", "Googlebot", 71, 560, 7, 28), []),
        (SectionCrawl(SITE, "new", "Googlebot", 0, 560, 2, 28), []),
        (SectionCrawl(SITE, "new", "Googlebot", 0, 560, 7, 2), []),
        (SectionCrawl(SITE, "new", "Googlebot", 0, 76, 7, 28), []),
        (SectionCrawl(SITE, "new", "Googlebot", 0, 80, 7, 28), ["section-crawl-fell"]),
        (SectionCrawl("https://x.test", "new", "Googlebot", 0, 560, 7, 28), []),
    ],
)
def test_a_crawl_that_fell_is_judged_by_the_days_whose_logs_were_read(
    crawl: SectionCrawl, expected: list[str]
) -> None:
    assert raised(crawls=[crawl]) == expected


def test_logs_that_are_read_no_more_are_alarming() -> None:
    today = NOW.date()
    assert raised(logs=[]) == []
    assert raised(logs=[LogSpan(SITE, today - 2 * DAY)]) == []
    assert raised(logs=[LogSpan(SITE, today - 3 * DAY)]) == ["access-log-silent"]
    others = [LogSpan(SITE, today - 9 * DAY), LogSpan("https://x.test", today)]
    assert raised(logs=others) == []


def test_errors_come_first_and_each_alarm_once() -> None:
    found = raised(
        runs=[],
        logs=[LogSpan(SITE, NOW.date() - 9 * DAY)],
        troubles=[Trouble(SITE, MAP, "http-404", NOW, 5)] * 2,
    )
    assert found == ["job-silent", "sitemap-gone", "access-log-silent"]


def test_every_alarm_has_a_next_step() -> None:
    assert NEXT_STEPS.keys() == ALERT_IDS.keys()
    assert {one.severity for one in ALERT_IDS.values()} == {Severity.ERROR, Severity.WARNING}


# ---------------------------------------------------------------- from a ledger


def found(ledger: SqlLedger, selection: Selection | None = None) -> dict[str, Alert]:
    alarms = find_alerts(FLEET, ledger, TRAITS, now=NOW, selection=selection)
    assert len({one.id for one in alarms}) == len(alarms)
    return {one.id: one for one in alarms}


PAGES = [f"new/{number}" for number in range(20)]


def test_a_fleet_in_order_is_not_alarming(ledger: SqlLedger, history: History) -> None:
    history.run(NOW - HOUR)
    history.look(PAGES, NOW - 20 * DAY)
    history.tell_sitemap(NOW - 20 * DAY)
    history.check(NOW - HOUR, NOW - 2 * DAY)
    history.look(PAGES, NOW - HOUR)
    for back in range(1, 30):
        history.hits("Googlebot", "new", NOW - back * DAY, 10)
    assert found(ledger) == {}


def test_an_empty_ledger_only_misses_its_job(ledger: SqlLedger) -> None:
    assert set(found(ledger)) == {"job-silent"}


def test_a_fleet_in_trouble_says_all_of_it(ledger: SqlLedger, history: History) -> None:
    history.run(NOW - 3 * DAY)
    history.look(dict.fromkeys(PAGES, 5), NOW - 20 * DAY)
    history.tell_sitemap(NOW - 20 * DAY)
    history.check(NOW - HOUR, NOW - 15 * DAY)
    for back in (18, 12, 6):
        history.look(dict.fromkeys(PAGES, 5), NOW - back * DAY)
    history.look(dict.fromkeys(PAGES, 6), NOW - 5 * DAY)
    history.look(dict.fromkeys(PAGES[:5], 6), NOW - 4 * DAY)
    history.miss(NOW - 3 * DAY, "http-404")
    for back in range(4, 33):
        history.hits("Googlebot", "new", NOW - back * DAY, 2 if back < 8 else 10)
    alarms = found(ledger)
    assert set(alarms) == {
        "job-silent", "sitemap-gone", "sitemap-shrunk", "lastmod-refreshed", "sitemap-unread",
        "section-crawl-fell", "access-log-silent",
    }  # fmt: skip
    assert alarms["sitemap-gone"].about == MAP
    assert alarms["sitemap-gone"].numbers == {"pages": 5}
    assert alarms["sitemap-shrunk"].numbers == {"listed": 5, "listed_before": 20}
    assert alarms["lastmod-refreshed"].since == NOW - 5 * DAY
    assert (alarms["sitemap-unread"].engine, alarms["sitemap-unread"].since) == (
        "google",
        NOW - 15 * DAY,
    )
    fell = alarms["section-crawl-fell"]
    assert (fell.about, fell.engine) == ("new", "Googlebot")
    assert fell.numbers == {"hits_a_day": 2.0, "hits_a_day_before": 10.0}
    assert set(found(ledger, Selection(sites=("nowhere*",)))) == {"job-silent", "access-log-silent"}


def test_a_sitemap_never_read_is_late_since_it_was_first_told(
    ledger: SqlLedger, history: History
) -> None:
    history.run(NOW - HOUR)
    history.look(PAGES, NOW - 20 * DAY)
    for back in (20, 10, 1):
        history.tell_sitemap(NOW - back * DAY, content=str(back))
    history.check(NOW - HOUR, None)
    history.look(PAGES, NOW - HOUR)
    assert found(ledger)["sitemap-unread"].since == NOW - 20 * DAY


def test_dates_that_our_reading_calls_lies_are_alarming(
    ledger: SqlLedger, history: History
) -> None:
    history.run(NOW - HOUR)
    lie = Finding("lastmod-all-equal", Severity.WARNING, MAP, "all dates are one", 20)
    other = Finding("missing-loc", Severity.WARNING, MAP, "says lastmod-all-equal", 1)
    history.look(PAGES, NOW - 2 * DAY, findings=[other])
    history.look(PAGES[:19], NOW - HOUR, findings=[lie, other])
    assert found(ledger)["lastmod-refreshed"].about == MAP


def test_a_site_that_was_not_looked_at_for_long_still_is_known(
    ledger: SqlLedger, history: History
) -> None:
    history.look(PAGES, NOW - 90 * DAY)
    history.run(NOW - HOUR)
    assert found(ledger)["site-silent"].numbers == {"days": 90}


def test_a_held_site_is_alarming_until_a_forced_run_takes_it(
    ledger: SqlLedger, history: History
) -> None:
    history.run(NOW - HOUR)
    history.look(PAGES, NOW - 60 * DAY)
    history.look(PAGES[:10], NOW - 58 * DAY, passes=False)
    history.look(PAGES[:10], NOW - HOUR, passes=False)
    assert found(ledger)["sitemap-shrunk"].numbers == {"listed": 10, "listed_before": 20}
    history.look(PAGES[:10], NOW - HOUR / 2)
    assert found(ledger) == {}


def was_for(site: str) -> dict[str, object]:
    """The report of a run for this site, that told nothing."""
    target = {"site": site, "account": "gsc", "engine": "google", "counts": {}}
    return {"targets": [target, target | {"account": "baidu", "engine": "baidu"}]}


@pytest.mark.parametrize("later", [[], [HOUR]])
def test_a_look_of_a_forced_run_is_accepted_by_a_person(
    ledger: SqlLedger, history: History, later: Sequence[timedelta]
) -> None:
    """Also where a quiet look of the same day stands for it."""
    history.look(PAGES, NOW - 4 * DAY)
    history.look(PAGES[:10], NOW - 3 * DAY)
    history.run(NOW - 3 * DAY)
    history.look(PAGES[:10], NOW - DAY)
    assert found(ledger)["sitemap-shrunk"].since == NOW - 3 * DAY
    history.run(NOW - 2 * HOUR, forced="we sold them", summary=was_for(SITE))
    for ago in (2 * HOUR, *later):
        history.look(PAGES[:10], NOW - ago)
    assert found(ledger) == {}


@pytest.mark.parametrize("later", [[], [HOUR]])
@pytest.mark.parametrize(
    ("ends", "summary"),
    [
        (True, was_for("https://other.example.com")),
        (True, {"outcome": "held", "problem": "refused"}),
        (False, {}),
    ],
    ids=["of another site", "refused", "killed"],
)
def test_a_forced_run_accepts_no_look_of_a_site_that_it_was_not_for(
    ledger: SqlLedger,
    history: History,
    later: Sequence[timedelta],
    ends: bool,
    summary: Mapping[str, object],
) -> None:
    history.look(PAGES, NOW - 4 * DAY)
    history.look(PAGES[:10], NOW - DAY)
    history.run(NOW - 2 * HOUR, forced="the other sold them", ends=ends, summary=summary)
    history.run(NOW - HOUR)
    for ago in (2 * HOUR, *later):
        history.look(PAGES[:10], NOW - ago)
    assert found(ledger)["sitemap-shrunk"].since == NOW - DAY


def test_impostors_neither_raise_nor_hide_a_crawl_that_fell(
    ledger: SqlLedger, history: History
) -> None:
    """Steady in one section whose impostors left, falling in the other where they came."""
    history.run(NOW - HOUR)
    for back in range(1, 35):
        lately = back <= 7
        history.hits("Googlebot", "new", NOW - back * DAY, 5, impostors=0 if lately else 60)
    assert found(ledger) == {}
    for back in range(1, 35):
        lately = back <= 7
        history.hits("Baiduspider", "new", NOW - back * DAY, 2 if lately else 20,
                     impostors=60 if lately else 0)  # fmt: skip
    fell = found(ledger)["section-crawl-fell"]
    assert fell.engine == "Baiduspider"
    assert fell.numbers == {"hits_a_day": 2.0, "hits_a_day_before": 20.0}


def test_a_section_with_another_name_is_not_read_less(ledger: SqlLedger, history: History) -> None:
    history.run(NOW - HOUR)
    for back in range(1, 35):
        history.hits("Googlebot", "new" if back <= 7 else "old", NOW - back * DAY, 40)
    assert found(ledger) == {}


def test_a_section_that_another_was_cut_out_of_is_not_read_less(
    ledger: SqlLedger, history: History
) -> None:
    """For as long as it is held against days before the cut."""
    history.run(NOW - HOUR)
    for back in range(1, 35):
        history.hits("Googlebot", "new" if back <= 12 else "", NOW - back * DAY, 40)
    assert found(ledger) == {}
    for back in range(1, 35):
        history.hits("Googlebot", "", NOW - back * DAY, 1 if back <= 12 else 200)
    assert found(ledger)["section-crawl-fell"].about == ""


def target(site: str, account: str, **counts: int) -> dict[str, object]:
    side = {"accepted": 0, "failed": 0, "deferred": 0} | counts
    sides = {"sitemaps": {"accepted": 0, "rejected": 0}, "pages": side}
    return {"site": site, "account": account, "engine": account, "counts": sides}


def test_what_runs_did_for_an_account_is_read_from_their_reports(
    ledger: SqlLedger, history: History
) -> None:
    """The failures of the third run were known before any call, so the log has none of them."""
    history.look(PAGES, NOW - HOUR)
    gone = target(SITE, "gone", failed=9)
    targets = [
        target(SITE, "gsc", accepted=3),
        target(SITE, "baidu", failed=9, deferred=5),
        target("https://other.example", "baidu"),
        gone,
    ]
    for back in (4, 3, 2):
        history.run(NOW - back * HOUR, "partial", 4, summary={"targets": targets})
    history.run(NOW - HOUR, "held", 3, summary={"outcome": "held"})
    alarms = found(ledger)
    assert set(alarms) == {"account-failing"}
    assert (alarms["account-failing"].about, alarms["account-failing"].engine) == ("baidu", "baidu")
    assert alarms["account-failing"].since == NOW - 4 * HOUR
    history.run(NOW, summary={"targets": [target(SITE, "baidu", accepted=1)]})
    assert found(ledger) == {}


# ---------------------------------------------------------------- told once


def alarm(id: str, site: str = SITE, **numbers: float) -> Alert:
    return Alert(id, Severity.ERROR, site, "", "", NOW, "message", "next", numbers)


def test_an_alarm_is_news_once_and_once_more_when_it_is_over() -> None:
    gone, silent = alarm("sitemap-gone", pages=5), alarm("job-silent", "")
    assert news([gone], []).begun == (gone,)
    assert not news([alarm("sitemap-gone", pages=6)], [gone])
    fresh = news([silent], [gone])
    assert (fresh.begun, fresh.over) == ((silent,), (gone,))


def test_what_was_told_is_remembered_as_it_was(ledger: SqlLedger) -> None:
    first, second = alarm("sitemap-gone", pages=5.5), alarm("job-silent", "")
    ledger.save_alarms([second, first], at=NOW)
    assert sorted(ledger.alarms(), key=lambda one: one.id) == [second, first]
    ledger.save_alarms([first], at=NOW)
    assert ledger.alarms() == [first]
    ledger.save_alarms([], at=NOW)
    assert ledger.alarms() == []
