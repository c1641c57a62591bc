"""What keeps a ledger quick when it is large, without a clock: statements, and how they search."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
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
    allowance,
    claim,
    look_at,
    open_ledger,
    page,
    read,
    rule,
    settle,
    sitemap_action,
    tell,
)

from submitter.core.calls import Check
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import LogFilter

LARGE = re.compile(
    r"\bSCAN (page|page_key|waiting|telling|attempt|fingerprint|allowance|sitemap_check)\b"
)
FRAMES = ("PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "CREATE", "--")


class Listener:
    """Hears every statement of a ledger's connection, with its values filled in."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def connect(self, *args: object, **options: object) -> sqlite3.Connection:
        connection = sqlite3.connect(*args, **options)  # type: ignore[arg-type]
        connection.set_trace_callback(self.heard.append)
        return connection

    def count(self, step: Callable[[], object]) -> int:
        """How many statements a step takes, without those that only frame it."""
        self.heard.clear()
        step()
        return sum(not text.startswith(FRAMES) for text in self.heard)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def heard(listener: Listener) -> Iterator[SqlLedger]:
    ledger = open_ledger("sqlite:///:memory:", connect=listener.connect)
    yield ledger
    ledger.close()


def test_no_large_table_is_ever_read_whole(listener: Listener, heard: SqlLedger) -> None:
    lease = heard.acquire("run", "tests", ttl_s=60, now=NOW)
    rules = [rule(removed=True), rule("baidu")]
    pages = [page(f"p{number}", NOW_S - number, "s", number % 2) for number in range(30)]
    heard.adopt_pages(lease, SITE, account=ACCOUNT, pages=[page("hand"), pages[3]], at=NOW)
    look_at(heard, lease, {MAP: pages, OTHER_MAP: pages[:5]}, tell=rules)
    tell(heard, lease, state=State.UNKNOWN, not_before=NOW + DAY)
    tell(heard, lease, ["p1"], now=NOW + DAY)
    changed = [page("p2", NOW_S + 5), *pages[3:]]
    look_at(heard, lease, {MAP: changed}, tell=[*rules, rule("late")])
    look_at(heard, lease, {MAP: pages}, tell=rules)
    action = sitemap_action()
    settle(heard, lease, claim(heard, lease, action, allowance=allowance()), action)
    heard.record_checks(lease, SITE, "gsc", [Check("p", MAP)], at=NOW)
    heard.recover(lease, now=NOW, not_before={})
    heard.named_candidates(SITE, ACCOUNT, [f"{SITE}/p2"], now=NOW)
    heard.page_standings(NOW)
    heard.sitemap_standings()
    heard.allowances()
    heard.statuses()
    heard.explain(f"{SITE}/p2")
    assert list(heard.listed_pages([SITE]))
    assert heard.sample_pages(SITE, limit=3)
    heard.gone_pages(SITE, limit=3)
    heard.recent_sends(ACCOUNT, since=NOW)
    for which in (
        LogFilter(since=NOW),
        LogFilter(run="r1"),
        LogFilter(targets=frozenset({(SITE, "gsc")})),
        LogFilter(limit=3),
    ):
        assert [*heard.log(which), *heard.page_log(which)]
    statements = [text.strip() for text in listener.heard]
    whole = {text: plan for text in statements if (plan := whole_reads(heard, text))}
    assert whole == {}
    assert any(text.startswith("INSERT INTO waiting") and "SELECT" in text for text in statements)


def whole_reads(ledger: SqlLedger, statement: str) -> list[str]:
    """Steps of the statement's plan that read a large table from end to end. The log without a
    filter is meant to; indexes over the few rows that matter are small."""
    if statement.startswith(FRAMES):
        return []
    if "FROM attempt JOIN" in statement and "WHERE" not in statement:
        return []
    with ledger._database.reading() as tx:
        driver = tx.connection.connection.driver_connection
        assert driver is not None
        rows = driver.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
    return [row[3] for row in rows if LARGE.search(row[3]) and "ix_attempt_sending" not in row[3]]


def fill(ledger: SqlLedger, sites: int) -> None:
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    for number in range(sites):
        site = f"https://s{number}.example.com"
        action = sitemap_action(f"{site}/sitemap.xml", site=site)
        settle(ledger, lease, claim(ledger, lease, action), action)
        look_at(ledger, lease, {MAP: [page("a")]}, site=site)


def test_a_plan_asks_as_often_for_many_sites_as_for_one(
    listener: Listener, heard: SqlLedger
) -> None:
    def plan() -> None:
        heard.sitemap_standings()
        heard.page_standings(NOW)
        heard.allowances()

    fill(heard, 1)
    few = listener.count(plan)
    fill(heard, 40)
    assert listener.count(plan) == few <= 6


def test_statuses_are_asked_for_in_a_few_statements(listener: Listener, heard: SqlLedger) -> None:
    fill(heard, 20)
    assert listener.count(heard.statuses) <= 3


def test_a_kept_document_touches_no_page(listener: Listener, heard: SqlLedger) -> None:
    lease = heard.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(heard, lease, {MAP: [page("a")], OTHER_MAP: [page("b")]})
    listener.heard.clear()
    look_at(heard, lease, {}, keep=[MAP, OTHER_MAP])
    touched = [
        text for text in listener.heard if re.match(r"(UPDATE|INSERT INTO|DELETE FROM)", text)
    ]
    tables = {re.split(r"\s+", text)[1 if text.startswith("UPDATE") else 2] for text in touched}
    assert tables <= {"site", "look", "target", "page"}
    pages_touched = [text for text in touched if text.startswith("UPDATE page ")]
    assert all("place = 2" in text for text in pages_touched)
    assert not any("fingerprint" in text for text in listener.heard)


def test_an_unchanged_document_reads_no_page_row(listener: Listener, heard: SqlLedger) -> None:
    lease = heard.acquire("run", "tests", ttl_s=60, now=NOW)
    pages = [page(f"p{number}", NOW_S) for number in range(100)]
    look_at(heard, lease, {MAP: pages})
    look = heard.look(lease, SITE, tell=[rule()], at=NOW)
    listener.heard.clear()
    sink = look.open(MAP)
    sink.add(pages)
    sink.close(read("same"))
    assert not [text for text in listener.heard if re.search(r"\b(page|page_key)\b", text)]
    look.finish(gone_after=1, complete=True)


@pytest.mark.parametrize("kind", [Kind.URLS, Kind.REMOVAL])
def test_candidates_are_read_in_order_and_no_further_than_asked(
    listener: Listener, heard: SqlLedger, kind: Kind
) -> None:
    lease = heard.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(heard, lease, {MAP: [page(f"p{number}", number + 1) for number in range(50)]})
    listener.heard.clear()
    heard.candidates(SITE, ACCOUNT, kind, now=NOW + timedelta(1), limit=3)
    [statement] = [text for text in listener.heard if text.startswith("SELECT")]
    with heard._database.reading() as tx:
        driver = tx.connection.connection.driver_connection
        assert driver is not None
        plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert not any("TEMP B-TREE" in step for step in plan)
    assert "LIMIT 3" in statement
