"""The views that dashboards read: documented columns, and rows that add up."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ledger_samples import (
    DAY,
    MAP,
    NOW,
    NOW_S,
    SITE,
    allowance,
    ask,
    claim,
    look_at,
    open_ledger,
    page,
    settle,
    sitemap_action,
    tell,
)

from submitter.core.calls import Check
from submitter.core.looks import RootLook
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.ledger import views
from submitter.ledger.ledger import SqlLedger

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("name", views.NAMES)
def test_a_view_has_exactly_the_columns_that_are_documented(ledger: SqlLedger, name: str) -> None:
    with ledger._database.reading() as tx:
        found = tx.connection.exec_driver_sql(f"SELECT * FROM {name}").keys()  # noqa: S608
    assert list(found) == [column.name for column in views.COLUMNS[name]]
    assert all(column.doc for column in views.COLUMNS[name])


def test_every_call_is_a_submission_with_times_for_people_and_machines(shared_url: str) -> None:
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    action = sitemap_action()
    settle(ledger, lease, claim(ledger, lease, action), action, http_status=204)
    claim(ledger, lease, sitemap_action(f"{SITE}/b.xml"))
    ledger.close()
    assert ask(
        shared_url,
        "SELECT site, account, engine, kind, target, state, http_status, sent_at, sent_at_epoch,"
        " settled_at_epoch FROM v_submission ORDER BY id",
    ) == [
        (SITE, "gsc", "google", "sitemap", MAP, "accepted", 204,
         "2026-11-30T12:00:00Z", NOW_S, NOW_S),
        (SITE, "gsc", "google", "sitemap", f"{SITE}/b.xml", "sending", None,
         "2026-11-30T12:00:00Z", NOW_S, None),
    ]  # fmt: skip


def test_a_sitemaps_status_stands_in_one_row(shared_url: str) -> None:
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    action = sitemap_action()
    settle(ledger, lease, claim(ledger, lease, action), action, State.ACCEPTED)
    check = Check("p", MAP, NOW, None, True, False, 0, 3, 10)
    ledger.record_checks(lease, SITE, "gsc", [check], at=NOW + DAY)
    ledger.record_roots(lease, SITE, [RootLook(MAP, True, "", NOW, 12, False)])
    ledger.close()
    assert ask(
        shared_url,
        "SELECT sitemap, state, told_at_epoch, last_submitted, last_downloaded, is_pending,"
        " is_index, warnings, urls_submitted, urls_ours, checked_at FROM v_sitemap_status",
    ) == [
        (MAP, "accepted", NOW_S, "2026-11-30T12:00:00Z", None, 1, 0, 3, 10, 12,
         "2026-12-01T12:00:00Z"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "spent", "reported", "since", "left"),
    [
        (100, 40, None, 0, 60),
        (100, 40, 20, 5, 15),
        (100, 90, 50, 0, 10),
        (None, 40, 20, 5, 15),
        (None, 40, None, 0, None),
        (10, 40, None, 0, 0),
        (10, 0, 3, 9, 0),
    ],
)
def test_an_allowance_shows_what_is_left(
    shared_url: str,
    limit: int | None,
    spent: int,
    reported: int | None,
    since: int,
    left: int | None,
) -> None:
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    ledger.save_allowance(lease, allowance(1, day=NOW.date() - DAY))
    today = Allowance("baidu", SITE, NOW.date(), limit, spent, reported, since)
    ledger.save_allowance(lease, today)
    ledger.close()
    rows = ask(shared_url, 'SELECT day, is_newest, "left" FROM v_allowance ORDER BY day')
    assert rows == [("2026-11-29", 0, 99), ("2026-11-30", 1, left)]


def test_pages_are_counted_by_day(shared_url: str) -> None:
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    ledger.adopt_pages(lease, SITE, account="a", pages=[page("hand")], at=NOW)
    look_at(ledger, lease, {MAP: [page("a", 5), page("b")]})
    look_at(ledger, lease, {MAP: [page("a", 6), page("c"), page("d")]})
    look_at(ledger, lease, {MAP: [page("a", 6)]}, at=NOW + DAY)
    tell(ledger, lease)
    ledger.close()
    assert ask(
        shared_url,
        "SELECT day, site, looks, listed, new, changed, gone, day_epoch / 86400"
        " FROM v_page_daily ORDER BY day",
    ) == [
        ("2026-11-30", SITE, 2, 3, 4, 1, 1, NOW_S // 86_400),
        ("2026-12-01", SITE, 1, 1, 0, 0, 2, NOW_S // 86_400 + 1),
    ]


def test_quiet_looks_of_a_day_are_one_row_and_still_counted(shared_url: str) -> None:
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(ledger, lease, {MAP: [page("a"), page("b")]})
    for hours in range(1, 30):
        look_at(ledger, lease, {}, keep=[MAP], at=NOW + hours * HOUR)
    look_at(ledger, lease, {MAP: [page("a")]}, at=NOW + 30 * HOUR)
    [explained] = ledger.explain(f"{SITE}/b")
    ledger.close()
    assert ask(shared_url, "SELECT day, looks, listed, gone FROM v_page_daily ORDER BY day") == [
        ("2026-11-30", 12, 2, 0),
        ("2026-12-01", 19, 1, 1),
    ]
    assert ask(shared_url, "SELECT count(*) FROM look") == [(4,)]
    assert (explained.first_seen, explained.last_seen) == (NOW, NOW + 29 * HOUR)
