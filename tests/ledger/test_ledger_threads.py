"""One ledger, many threads; and never one connection in two processes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from ledger_processes import finish, start
from ledger_samples import (
    ACCOUNT,
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

from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.errors import LedgerError
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

THREADS = 6


def test_threads_send_side_by_side(ledger: SqlLedger, lease: Lease) -> None:
    barrier = Barrier(THREADS)

    def send(worker: int) -> None:
        barrier.wait(timeout=60)
        for number in range(10):
            action = sitemap_action(f"{SITE}/{worker}-{number}.xml")
            settle(ledger, lease, claim(ledger, lease, action), action)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(send, range(THREADS)))
    rows = list(ledger.log(LogFilter()))
    assert len({row.target for row in rows}) == THREADS * 10
    assert {row.state for row in rows} == {"accepted"}
    assert [row.id for row in rows] == sorted(row.id for row in rows)


def test_threads_look_at_sites_side_by_side_while_others_read(
    ledger: SqlLedger, lease: Lease
) -> None:
    barrier = Barrier(THREADS)

    def look(worker: int) -> int:
        barrier.wait(timeout=60)
        site = f"https://s{worker}.example.com"
        pages = [page(f"{worker}/{number}") for number in range(50)]
        for shown in (pages[:30], pages[10:]):
            look_at(ledger, lease, {MAP: shown}, site=site)
            ledger.page_standings(NOW)
            list(ledger.log(LogFilter()))
        return len(ledger.candidates(site, ACCOUNT, Kind.URLS, now=NOW, limit=99))

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(look, range(THREADS))) == [40] * THREADS
    assert kept_counts(ledger) == recount(ledger)


def test_a_page_is_claimed_by_one_thread_only(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a")]}, tell=[rule()])
    action = pages_action(ledger)
    barrier = Barrier(THREADS)

    def grab(_: int) -> bool:
        barrier.wait(timeout=60)
        try:
            claim(ledger, lease, action)
        except LedgerError:
            return False
        return True

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(grab, range(THREADS))) == 1
    assert dict(ledger.page_standings(NOW)[SITE, ACCOUNT].counts) == {State.SENDING: 1}


FORK = """
import os, sys
from ledger_samples import NOW, open_ledger
from submitter.errors import LedgerError
ledger = open_ledger(sys.argv[1])
child = os.fork()
if not child:
    try:
        ledger.runs(limit=1)
    except LedgerError as error:
        print(error, flush=True)
    ledger.close()
    os._exit(0)
os.waitpid(child, 0)
ledger.bind("parent")
ledger.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_may_not_use_the_ledger_of_its_parent(shared_url: str) -> None:
    code, out = finish(start(FORK, shared_url))
    assert code == 0
    assert "opened by another process; open it anew" in out
    ledger = open_ledger(shared_url)
    ledger.bind("parent")
    ledger.close()


CONTEND = """
import sys
from ledger_samples import NOW, open_ledger
from submitter.errors import LedgerBusy
ledger = open_ledger(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    ledger.acquire("run", sys.argv[2], ttl_s=60, now=NOW)
    print("mine")
except LedgerBusy:
    print("busy")
ledger.close()
"""


def test_of_many_processes_one_gets_the_lease(file_url: str) -> None:
    open_ledger(file_url).close()
    children = [start(CONTEND, file_url, number, talk=True) for number in range(4)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    said = sorted(finish(child)[1].strip() for child in children)
    assert said == ["busy", "busy", "busy", "mine"]
