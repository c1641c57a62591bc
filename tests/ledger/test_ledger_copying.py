"""A ledger moves between kinds of database whole, or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from ledger_samples import (
    DAY,
    MAP,
    NOW,
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
    waiting,
)
from ledger_story import Story

from submitter.core.calls import Check
from submitter.errors import LeaseLost, LedgerBusy, LedgerError
from submitter.ledger import schema
from submitter.ledger.copying import LedgerCount, copy_ledger, count_ledger
from submitter.ledger.views import NAMES
from submitter.ports import LogFilter
from support.postgres import administer, database


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A SQLite ledger in which a little of everything happened."""
    url = f"sqlite:///{tmp_path}/source.db"
    ledger = open_ledger(url)
    Story(ledger, tmp_path / "book").tell()
    lease = ledger.acquire("run", "b", ttl_s=60, now=NOW + DAY)
    ledger.bind("fleet")
    ledger.save_allowance(lease, allowance(7))
    ledger.adopt_pages(lease, SITE, account="a", pages=[page("ü\x01 'x'\t\\", 5)], at=NOW)
    ledger.record_checks(lease, SITE, "gsc", [Check("p", MAP, NOW, None, True, False)], at=NOW)
    ledger.finish_run(_run(ledger), at=NOW, outcome="ok", exit_code=0, summary={})
    ledger.release(lease)
    ledger.close()
    return url


def _run(ledger: object) -> str:
    ledger.start_run("r1", inventory_sha256="", at=NOW)  # type: ignore[attr-defined]
    return "r1"


@pytest.fixture
def empty_url() -> Iterator[str]:
    with database(empty=True) as url:
        yield url


def copied(source: str, target: str) -> tuple[LedgerCount, LedgerCount]:
    return copy_ledger(source, target, owner="us", now=NOW + DAY, is_dead=lambda owner: False)


def dump(url: str) -> list[str]:
    """Everything in a SQLite ledger, but who took its lease to copy it."""
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        return [
            line for line in connection.iterdump() if not line.startswith('INSERT INTO "lease"')
        ]
    finally:
        connection.close()


def test_there_and_back_again_a_ledger_is_the_same(
    source: str, empty_url: str, tmp_path: Path
) -> None:
    back = f"sqlite:///{tmp_path}/back.db"
    before = dump(source)
    there, here = copied(source, empty_url)
    assert there.tables == here.tables
    assert there.rows > 40
    assert copied(empty_url, back)[1].tables == here.tables
    assert dump(back) == before == dump(source)


def test_dashboards_read_the_same_in_both(source: str, empty_url: str) -> None:
    copied(source, empty_url)
    for view in NAMES:
        query = f"SELECT * FROM {view}"  # noqa: S608
        theirs, ours = ask(empty_url, query), ask(source, query)
        assert sorted(theirs, key=repr) == sorted(ours, key=repr), view
        assert ours or view == "v_crawl_daily"


def test_the_server_knows_at_once_how_full_the_tables_are(source: str, empty_url: str) -> None:
    """Before it counts by itself, it would plan for empty tables and read them over and over."""
    _, here = copied(source, empty_url)
    known = dict(ask(empty_url, "SELECT relname, reltuples::bigint FROM pg_class"))
    told = {
        one.name: one.rows for one in here.tables if one.name != "counter"
    }  # has rows of its own
    assert {name: known[name] for name in told} == told


def test_a_copied_ledger_goes_on_where_the_first_one_was(source: str, empty_url: str) -> None:
    """New rows get numbers of their own, what was told stays told, nobody holds it."""
    copied(source, empty_url)
    first, second = open_ledger(source), open_ledger(empty_url)
    second.bind("fleet")
    lease = second.acquire("run", "c", ttl_s=60, now=NOW)
    assert lease.fence == first.acquire("run", "c", ttl_s=60, now=NOW).fence > 2
    assert [row.id for row in second.log(LogFilter())] == [row.id for row in first.log(LogFilter())]
    newest = max(row.id for row in second.log(LogFilter()))
    action = sitemap_action(f"{SITE}/new.xml")
    attempt = claim(second, lease, action)
    assert attempt == newest + 1
    settle(second, lease, attempt, action)
    look_at(second, lease, {MAP: [page("a"), page("new")]}, site="https://other.example.com")
    tell(second, lease, account="a")
    assert waiting(second) == waiting(first)
    first.close()
    second.close()


def test_a_place_that_holds_something_is_refused_and_left_as_it_is(
    source: str, tmp_path: Path
) -> None:
    target = f"sqlite:///{tmp_path}/target.db"
    ledger = open_ledger(target)
    ledger.acquire("run", "a", ttl_s=60, now=NOW)
    ledger.close()
    before = dump(target)
    with pytest.raises(LedgerError, match=r"holds something already \(in lease\)"):
        copied(source, target)
    assert dump(target) == before


def test_a_bound_ledger_is_no_empty_one(source: str, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/target.db"
    ledger = open_ledger(target)
    ledger.bind("another fleet")
    ledger.close()
    with pytest.raises(LedgerError, match=r"holds something already \(in meta\)"):
        copied(source, target)


@pytest.mark.parametrize("kind", ["file", "server"])
def test_what_is_not_there_is_not_copied_and_not_made(
    tmp_path: Path, empty_url: str, kind: str
) -> None:
    missing = f"sqlite:///{tmp_path}/missing.db" if kind == "file" else empty_url
    with pytest.raises(LedgerError, match="there is none"):
        copied(missing, f"sqlite:///{tmp_path}/target.db")
    assert list(tmp_path.iterdir()) == []
    with psycopg.connect(empty_url) as session:
        assert session.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").rowcount == 0


def test_a_ledger_that_a_run_holds_is_not_copied(source: str, empty_url: str) -> None:
    ledger = open_ledger(source)
    ledger.acquire("run", "a run", ttl_s=3_600, now=NOW + DAY)
    with pytest.raises(LedgerBusy, match=r"\('a run'\) holds the lease"):
        copied(source, empty_url)
    ledger.close()


def test_no_run_begins_while_a_ledger_is_copied(source: str, empty_url: str) -> None:
    """And one that slept all the while has lost its lease."""
    ledger = open_ledger(source)
    asleep = ledger.acquire("run", "asleep", ttl_s=60, now=NOW)
    copied(source, empty_url)
    with pytest.raises(LeaseLost):
        claim(ledger, asleep, sitemap_action())
    ledger.close()


def test_a_copy_that_fails_leaves_an_empty_ledger(source: str, empty_url: str) -> None:
    """The server lacks room for what comes last."""
    open_ledger(empty_url).close()
    administer(empty_url, "ALTER TABLE sitemap ADD CHECK (url = '')")
    with pytest.raises(LedgerError, match="violates check constraint"):
        copied(source, empty_url)
    found = count_ledger(empty_url, is_dead=lambda owner: False)
    assert {one.name: one.rows for one in found.tables if one.rows} == {"meta": 1, "counter": 1}
    administer(empty_url, "ALTER TABLE sitemap DROP CONSTRAINT sitemap_url_check")
    copied(source, empty_url)


def test_a_ledger_is_counted(source: str) -> None:
    found = count_ledger(source, is_dead=lambda owner: False)
    rows = {one.name: one.rows for one in found.tables}
    assert rows["page"] == rows["page_key"] == 7
    assert found.version == schema.HEAD
    assert found.name == source.removeprefix("sqlite:///")
