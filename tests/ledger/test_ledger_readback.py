"""What people and dashboards read back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from ledger_samples import (
    ACCOUNT,
    DAY,
    MAP,
    NOW,
    NOW_S,
    OTHER_MAP,
    SITE,
    claim,
    look_at,
    page,
    rule,
    settle,
    sitemap_action,
    tell,
)

from submitter.core.calls import Check, Property, Survey
from submitter.core.fleet import FirstRun
from submitter.core.looks import RootLook
from submitter.core.records import LogRow, RunRow
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.errors import LedgerError
from submitter.ledger import logs
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

HOUR = timedelta(hours=1)
CHECK = Check("sc-domain:example.com", MAP, NOW, NOW + HOUR, False, True, 1, 2, 300, "sitemap")


def told_sitemaps(ledger: SqlLedger, lease: Lease, count: int) -> None:
    for number in range(count):
        action = sitemap_action(f"{SITE}/{number}.xml")
        at = NOW + number * HOUR
        attempt = claim(ledger, lease, action, run=f"r{number % 2}", at=at)
        settle(ledger, lease, attempt, action, (State.ACCEPTED, State.FAILED)[number % 2], at=at)


# ---------------------------------------------------------------- the log


def test_a_log_row_says_everything_about_a_call(ledger: SqlLedger, lease: Lease) -> None:
    action = sitemap_action()
    attempt = claim(ledger, lease, action)
    settle(ledger, lease, attempt, action, at=NOW + HOUR, http_status=204, message="ok")
    assert list(ledger.log(LogFilter())) == [
        LogRow(
            id=attempt,
            run="r1",
            action=action.key,
            attempt=1,
            sent_at=NOW,
            settled_at=NOW + HOUR,
            site=SITE,
            account="gsc",
            engine="google",
            property="sc-domain:example.com",
            kind="sitemap",
            target=MAP,
            urls=0,
            accepted=1,
            rejected=0,
            state="accepted",
            http_status=204,
            message="ok",
        )
    ]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        (LogFilter(), [0, 1, 2, 3, 4]),
        (LogFilter(since=NOW + 2 * HOUR), [2, 3, 4]),
        (LogFilter(states=("failed",)), [1, 3]),
        (LogFilter(states=("failed", "accepted")), [0, 1, 2, 3, 4]),
        (LogFilter(run="r0"), [0, 2, 4]),
        (LogFilter(limit=2), [3, 4]),
        (LogFilter(limit=0), []),
        (LogFilter(limit=2, states=("accepted",)), [2, 4]),
        (LogFilter(targets=frozenset({(SITE, "gsc")})), [0, 1, 2, 3, 4]),
        (LogFilter(targets=frozenset({(SITE, "other")})), []),
        (LogFilter(targets=frozenset()), []),
    ],
)
def test_the_log_is_filtered_and_oldest_first(
    ledger: SqlLedger, lease: Lease, which: LogFilter, expected: list[int]
) -> None:
    told_sitemaps(ledger, lease, 5)
    found = [int(row.target.removeprefix(f"{SITE}/")[:-4]) for row in ledger.log(which)]
    assert found == expected


def test_a_long_log_is_read_in_pieces_without_holding_the_ledger(
    ledger: SqlLedger, lease: Lease
) -> None:
    told_sitemaps(ledger, lease, 5)
    rows = logs.calls(ledger._database, LogFilter(), piece=2)
    first = next(rows)
    told_sitemaps(ledger, lease, 1)
    assert [first.id, *(row.id for row in rows)] == [1, 2, 3, 4, 5, 6]
    newest = logs.calls(ledger._database, LogFilter(limit=3), piece=2)
    assert [row.id for row in newest] == [4, 5, 6]


def test_the_page_log_has_one_row_for_a_page_and_target(ledger: SqlLedger, lease: Lease) -> None:
    rules = [rule(), rule("baidu")]
    look_at(ledger, lease, {MAP: [page("a", NOW_S), page("b")]}, tell=rules)
    tell(ledger, lease, state=State.FAILED)
    tell(ledger, lease, ["a"])
    tell(ledger, lease, ["b"], account="baidu", rejected={f"{SITE}/b": "not_valid"})
    found = [
        (row.loc[-1], row.account, row.state, row.reason, row.attempt_id, row.at)
        for row in ledger.page_log(LogFilter())
    ]
    assert found == [
        ("b", ACCOUNT, "failed", "", 1, NOW),
        ("a", ACCOUNT, "accepted", "", 2, NOW),
        ("b", "baidu", "rejected", "not_valid", 3, NOW),
    ]
    assert [row.attempt_id for row in ledger.page_log(LogFilter(states=("accepted",)))] == [2]
    assert [row.attempt_id for row in ledger.page_log(LogFilter(limit=2))] == [2, 3]


def test_recent_sends_are_those_of_one_account_oldest_first(
    ledger: SqlLedger, lease: Lease
) -> None:
    told_sitemaps(ledger, lease, 3)
    claim(ledger, lease, sitemap_action(account="gsc2"))
    assert ledger.recent_sends("gsc", since=NOW + HOUR) == [NOW + HOUR, NOW + 2 * HOUR]


# ---------------------------------------------------------------- checks and status


def test_a_status_joins_what_we_told_what_the_engine_says_and_what_we_count(
    ledger: SqlLedger, lease: Lease
) -> None:
    action = sitemap_action()
    settle(ledger, lease, claim(ledger, lease, action), action)
    ledger.defer(lease, sitemap_action(OTHER_MAP), not_before=None, reason="deadline")
    checked = replace(CHECK, sitemap=f"{SITE}/unknown-to-us.xml")
    ledger.record_checks(lease, SITE, "gsc", [CHECK, checked], at=NOW + DAY)
    ledger.record_roots(lease, SITE, [RootLook(MAP, True, "c", NOW, 299, True)])
    by_sitemap = {one.sitemap: one for one in ledger.statuses()}
    assert list(by_sitemap) == sorted(by_sitemap)
    ours, planned, theirs = by_sitemap[MAP], by_sitemap[OTHER_MAP], by_sitemap[checked.sitemap]
    assert (ours.site, ours.account) == (SITE, "gsc")
    assert ours.standing == ledger.sitemap_standings()[SITE, "gsc"][MAP]
    assert (ours.check, ours.checked_at, ours.urls_ours) == (CHECK, NOW + DAY, 299)
    assert (planned.check, planned.checked_at, planned.urls_ours) == (None, None, None)
    assert (theirs.standing, theirs.check, theirs.urls_ours) == (None, checked, None)
    assert ledger.statuses(["https://nobody.example"]) == []
    assert len(ledger.statuses([SITE])) == 3


def test_only_a_check_that_says_something_new_adds_to_the_history(
    ledger: SqlLedger, lease: Lease
) -> None:
    for day, errors in enumerate((0, 0, 1, 0)):
        answer = replace(CHECK, errors=errors)
        ledger.record_checks(lease, SITE, "gsc", [answer], at=NOW + day * DAY)
    [status] = ledger.statuses()
    assert status.check is not None
    assert (status.check.errors, status.checked_at) == (0, NOW + 3 * DAY)
    with ledger._database.reading() as tx:
        rows = tx.connection.exec_driver_sql("SELECT errors FROM sitemap_check ORDER BY id").all()
    assert [row[0] for row in rows] == [0, 1, 0]


def test_an_engines_numbers_may_be_absurd(ledger: SqlLedger, lease: Lease) -> None:
    answer = Check("p\0", MAP, urls_submitted=10**40, errors=-(10**40), kind="\ud800")
    ledger.record_checks(lease, SITE, "gsc", [answer], at=NOW)
    ledger.record_checks(lease, SITE, "gsc", [answer], at=NOW)
    [status] = ledger.statuses()
    assert status.check is not None
    assert status.check.urls_submitted == 2**63 - 1


def test_the_newest_survey_of_each_account_is_remembered(ledger: SqlLedger) -> None:
    properties = (
        Property("sc-domain:example.com", "siteOwner", True),
        Property("https://x.example/", "siteUnverifiedUser", None),
    )
    first, second = Survey("gsc", (), "old"), Survey("gsc", properties, "bot@example.com")
    ledger.save_survey(first, at=NOW)
    ledger.save_survey(second, at=NOW + HOUR)
    assert ledger.surveys() == {"gsc": (second, NOW + HOUR)}


# ---------------------------------------------------------------- runs


def test_a_run_is_started_once(ledger: SqlLedger) -> None:
    assert ledger.start_run("r1", inventory_sha256="abc", at=NOW, forced="moved") is None
    again = ledger.start_run("r1", inventory_sha256="other", at=NOW + DAY)
    assert again == RunRow("r1", NOW, None, "abc", None, None, "moved", None)
    ledger.finish_run("r1", at=NOW + HOUR, outcome="ok", exit_code=0, summary={"n": 1, "at": NOW})
    assert ledger.start_run("r1", inventory_sha256="abc", at=NOW) == RunRow(
        "r1", NOW, NOW + HOUR, "abc", "ok", 0, "moved", {"n": 1, "at": str(NOW)}
    )


def test_runs_are_read_newest_first(ledger: SqlLedger) -> None:
    for name in ("b", "a", "c"):
        ledger.start_run(name, inventory_sha256="", at=NOW)
    assert [run.id for run in ledger.runs(limit=2)] == ["c", "a"]


def test_a_run_that_never_started_cannot_finish(ledger: SqlLedger) -> None:
    with pytest.raises(LedgerError, match="'r9' was never started"):
        ledger.finish_run("r9", at=NOW, outcome="ok", exit_code=0, summary={})


def test_a_ledger_belongs_to_one_inventory(ledger: SqlLedger) -> None:
    ledger.bind("fleet")
    ledger.bind("fleet")
    with pytest.raises(LedgerError, match="belongs to the inventory 'fleet', not to 'other'"):
        ledger.bind("other")


# ---------------------------------------------------------------- explain


def test_a_page_is_explained_whole(ledger: SqlLedger, lease: Lease) -> None:
    rules = [rule(), rule("baidu", changed=False), rule("yandex", FirstRun.NONE)]
    listed = [page("a", NOW_S, "news", 3)]
    look_at(ledger, lease, {MAP: listed, OTHER_MAP: [*listed, page("b")]}, tell=rules)
    tell(ledger, lease, ["a"], state=State.FAILED)
    tell(ledger, lease, ["a"])
    ledger.defer(
        lease,
        replace(sitemap_action(), kind=Kind.URLS, account="baidu", pages=(1,)),
        not_before=NOW + HOUR,
        reason="quota",
    )
    look_at(ledger, lease, {}, keep=[MAP, OTHER_MAP], tell=rules, at=NOW + DAY)
    [found] = ledger.explain(f"{SITE}/a")
    assert (found.loc, found.site, found.section) == (f"{SITE}/a", SITE, "news")
    assert found.documents == tuple(sorted((MAP, OTHER_MAP)))
    assert (found.first_seen, found.last_seen, found.gone_at) == (NOW, NOW + DAY, None)
    assert found.lastmod == NOW
    baidu, indexnow, yandex = (one for one in found.targets if one.account != "gsc")
    assert (indexnow.state, indexnow.at, indexnow.not_before) == ("accepted", NOW, None)
    assert [row.state for row in indexnow.attempts] == ["failed", "accepted"]
    assert (baidu.state, baidu.reason, baidu.not_before) == ("deferred", "quota", NOW + HOUR)
    assert (yandex.state, yandex.attempts) == ("never", ())


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (State.UNKNOWN, ("unknown", "unknown", NOW + HOUR)),
        (State.REJECTED, ("rejected", "", None)),
        (State.DEFERRED, ("deferred", "deferred", NOW + HOUR)),
    ],
)
def test_an_explanation_says_how_the_page_was_last_told(
    ledger: SqlLedger, lease: Lease, state: State, expected: tuple[object, ...]
) -> None:
    look_at(ledger, lease, {MAP: [page("a")]})
    tell(ledger, lease, state=state, not_before=NOW + HOUR)
    [found] = ledger.explain(f"{SITE}/a")
    [target] = found.targets
    assert (target.state, target.reason, target.not_before) == expected


def test_a_page_that_changed_waits_although_it_was_told(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a", 5)]})
    assert ledger.explain(f"{SITE}/a")[0].targets[0].state == "waiting"
    tell(ledger, lease)
    look_at(ledger, lease, {MAP: [page("a", 6)]})
    [target] = ledger.explain(f"{SITE}/a")[0].targets
    assert (target.state, target.reason, len(target.attempts)) == ("waiting", "changed", 1)


def test_a_gone_page_is_explained_too(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a")]})
    look_at(ledger, lease, {MAP: []}, at=NOW + DAY)
    look_at(ledger, lease, {MAP: []}, at=NOW + 2 * DAY)
    [found] = ledger.explain(f"{SITE}/a")
    assert found.documents == ()
    assert (found.last_seen, found.gone_at) == (NOW, NOW + DAY)


def test_every_site_that_lists_a_page_explains_it_and_nobody_else(
    ledger: SqlLedger, lease: Lease
) -> None:
    for site in (SITE, "https://www.example.com"):
        look_at(ledger, lease, {MAP: [page("a")]}, site=site)
    assert [one.site for one in ledger.explain(f"{SITE}/a")] == [SITE, "https://www.example.com"]
    assert ledger.explain(f"{SITE}/b") == []


def test_a_page_that_only_shares_a_key_is_not_explained_as_the_other(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: [page("a")]})
    [key] = ledger._marker.keys([f"{SITE}/b"])
    with ledger._database.transaction() as tx:
        tx.connection.exec_driver_sql(f"UPDATE page_key SET key = {key}")  # noqa: S608
    assert ledger.explain(f"{SITE}/b") == []


def test_a_page_named_by_hand_is_in_no_document(ledger: SqlLedger, lease: Lease) -> None:
    ledger.adopt_pages(lease, SITE, account=ACCOUNT, pages=[page("a")], at=NOW)
    [found] = ledger.explain(f"{SITE}/a")
    assert (found.documents, found.first_seen, found.last_seen) == ((), NOW, None)


def test_documents_that_were_never_read_are_not_remembered(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: []}, unreadable=[OTHER_MAP])
    assert [one.url for one in ledger.documents_of(SITE)] == [MAP]
