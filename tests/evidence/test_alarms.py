"""What is alarming: by rules over facts, and from a ledger with a history."""

from __future__ import annotations

from collections.abc import Sequence
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


# ---------------------------------------------------------------- looks


def looked(ago_days: float, listed: int, changed: int = 0) -> LookRow:
    return LookRow(SITE, NOW - ago_days * DAY, True, True, listed, 0, changed, 0)


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([looked(1, 100), looked(0, 100)], []),
        ([looked(1, 100), looked(0, 71)], []),
        ([looked(1, 100), looked(0, 70)], ["sitemap-shrunk"]),
        ([looked(4, 100), looked(3, 60), looked(0, 60)], ["sitemap-shrunk"]),
        ([looked(9, 100), looked(8, 60), looked(0, 60)], []),
        ([looked(1, 9), looked(0, 1)], []),
        ([looked(1, 50), looked(0, 100)], []),
        ([looked(1, 100), looked(0.5, 10), looked(0, 100)], []),
    ],
)
def test_a_site_that_shrinks_is_alarming_for_a_week(
    looks: Sequence[LookRow], expected: list[str]
) -> None:
    assert raised(looks=looks) == expected


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([looked(3, 100, 2), looked(2, 100, 3), looked(0, 100, 95)], ["lastmod-refreshed"]),
        ([looked(3, 100, 2), looked(2, 100, 95), looked(0, 100, 1)], ["lastmod-refreshed"]),
        ([looked(3, 100, 2), looked(0, 100, 79)], []),
        ([looked(3, 100, 60), looked(2, 100, 70), looked(0, 100, 90)], []),
        ([looked(20, 100, 2), looked(9, 100, 95), looked(0, 100, 1)], []),
        ([looked(3, 9, 0), looked(0, 9, 9)], []),
        ([looked(0, 100, 100)], []),
    ],
)
def test_dates_that_move_in_bulk_are_alarming_where_that_is_unusual(
    looks: Sequence[LookRow], expected: list[str]
) -> None:
    assert raised(looks=looks) == expected


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
    history.look(dict.fromkeys(PAGES, 5), NOW - 6 * DAY)
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
