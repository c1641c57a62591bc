"""Behind PgBouncer in transaction mode, where every transaction may get another session."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from ledger_releases import RELEASES, make_release
from ledger_samples import (
    MAP,
    NOW,
    SITE,
    claim,
    kept_counts,
    look_at,
    open_ledger,
    page,
    pages_action,
    recount,
    rule,
    settle,
    sitemap_action,
)
from ledger_story import Story, check_ended, check_honest, check_whole

from submitter.errors import LeaseLost, LedgerBusy
from submitter.ledger.copying import copy_ledger
from submitter.ledger.database import Transaction
from submitter.ledger.ledger import SqlLedger
from submitter.ports import LogFilter
from support.pgbouncer import pooled
from support.postgres import database

CLIENTS = 4


@pytest.fixture
def pooled_url() -> Iterator[str]:
    with database() as url, pooled(url) as through:
        yield through


@pytest.fixture
def ledgers(pooled_url: str) -> Iterator[list[SqlLedger]]:
    """More than the pooler has sessions."""
    with ExitStack() as closing:
        opened = [open_ledger(pooled_url) for _ in range(CLIENTS)]
        for ledger in opened:
            closing.callback(ledger.close)
        yield opened


def session_of(tx: Transaction) -> int:
    return int(tx.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())


def test_a_ledgers_transactions_get_different_sessions(ledgers: list[SqlLedger]) -> None:
    """Otherwise the tests below would prove nothing."""
    first, second, *_ = ledgers
    before = first._database.read(session_of)
    with second._database.reading() as tx:
        taken = session_of(tx)
        after = first._database.read(session_of)
    assert taken != after
    assert {taken, after} >= {before}


def test_a_whole_story_is_told(pooled_url: str, tmp_path: Path) -> None:
    ledger = open_ledger(pooled_url)
    Story(ledger, tmp_path / "book").tell()
    check_whole(ledger)
    check_honest(ledger, tmp_path / "book")
    check_ended(ledger, tmp_path / "book", deaths=0)
    ledger.close()


def test_leases_keep_others_out(ledgers: list[SqlLedger]) -> None:
    first, second, *_ = ledgers
    lease = first.acquire("run", "a", ttl_s=60, now=NOW)
    with pytest.raises(LedgerBusy):
        second.acquire("run", "b", ttl_s=60, now=NOW)
    first.release(lease)
    second.acquire("run", "b", ttl_s=60, now=NOW)
    with pytest.raises(LeaseLost):
        claim(first, lease, sitemap_action())


def test_workers_share_the_sessions(ledgers: list[SqlLedger]) -> None:
    def work(worker: int) -> None:
        ledger, site = ledgers[worker], f"https://s{worker}.example.com"
        lease = ledger.acquire(f"worker {worker}", "a", ttl_s=60, now=NOW)
        for turn in range(5):
            pages = [page(f"{worker}-{turn}-{n}") for n in range(30)]
            look_at(ledger, lease, {MAP: pages}, site=site, tell=[rule(removed=True)])
            action = sitemap_action(f"{SITE}/{worker}-{turn}.xml")
            settle(ledger, lease, claim(ledger, lease, action), action)

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, range(CLIENTS)))
    assert kept_counts(ledgers[0]) == recount(ledgers[0])
    calls = list(ledgers[0].log(LogFilter()))
    assert len(calls) == 5 * CLIENTS
    assert {row.state for row in calls} == {"accepted"}


def test_many_pages_are_stored_and_told(ledgers: list[SqlLedger]) -> None:
    ledger = ledgers[0]
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    look_at(ledger, lease, {MAP: [page(f"p{n}", n + 1) for n in range(2_000)]})
    action = pages_action(ledger)
    settle(ledger, lease, claim(ledger, lease, action), action)
    assert len(list(ledger.page_log(LogFilter()))) == 2_000


def test_a_ledger_is_migrated_and_copied(tmp_path: Path) -> None:
    with database(empty=True) as url, pooled(url) as through:
        make_release(url.replace("postgresql:", "postgresql+psycopg:"), RELEASES[0])
        open_ledger(through).close()
        target = f"sqlite:///{tmp_path}/copy.db"
        there, here = copy_ledger(through, target, owner="us", now=NOW, is_dead=lambda owner: False)
        assert there.tables == here.tables
