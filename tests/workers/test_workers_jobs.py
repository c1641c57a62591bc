"""A fleet told by workers: everything once, in order, whoever does it and whoever dies."""

from __future__ import annotations

import signal
from datetime import UTC, datetime

import pytest
from workers_support import PATIENCE_S, Yard, wait_until

from submitter.core.accounting import ExitCode
from submitter.core.selection import Selection
from submitter.errors import LedgerBusy
from submitter.ports import LogFilter
from support.pgbouncer import pooled


def test_one_job_looks_at_each_site_and_one_sends_in_each_lane(yard: Yard) -> None:
    for number in range(3):
        yard.world.add(f"shop{number}", pages=4, quota=10)
    counts = yard.enqueue()
    assert counts["look"] == 3
    assert 3 < counts["send"] <= 6, "a lane for each of Baidu's sites, some for Google's account"


def test_what_waits_in_the_queue_is_not_put_in_twice(yard: Yard) -> None:
    yard.world.add("shop", quota=10)
    assert yard.enqueue("errand-1")["look"] == 1
    assert not any(yard.enqueue("errand-2").values())
    assert yard.enqueue("errand-3", selection=Selection(accounts=("baidu",)))["look"] == 1


def test_workers_tell_everything_once(yard: Yard) -> None:
    sites = [yard.world.add(f"shop{number}", pages=4, quota=10) for number in range(3)]
    for run in ("errand-1", "errand-2"):
        yard.enqueue(run)
        yard.drain()
    assert sorted(yard.pushed()) == sorted(url for site in sites for url in site.urls())
    assert len(yard.submitted()) == 3
    with yard.ledger() as ledger:
        rows = list(ledger.log(LogFilter()))
        assert {row.run for row in rows} == {"errand-1"}
        assert {row.state for row in rows} == {"accepted"}
        assert all(status.checked_at for status in ledger.statuses() if status.account == "google")


def test_a_selection_is_kept_by_every_job(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    yard.world.add("blog", pages=3, quota=10)
    yard.enqueue(selection=Selection(sites=("shop.*",), accounts=("baidu",)))
    yard.drain()
    assert {url.split("/")[2] for url in yard.pushed()} == {"shop.whole.test"}
    assert yard.submitted() == []


def test_what_the_guard_holds_is_held_in_the_lane_too(yard: Yard) -> None:
    site = yard.world.add("shop", pages=20, quota=30)
    yard.enqueue()
    yard.drain()
    site.remove_pages(15)
    site.add_pages(2)
    yard.enqueue("errand-2")
    yard.drain()
    assert len(yard.pushed()) == 20
    yard.enqueue("errand-3", selection=Selection(sites=("shop.*",)), forced="a smaller shop")
    yard.drain()
    assert len(yard.pushed()) == 22


def test_a_whole_run_keeps_jobs_out_and_they_come_again(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    yard.enqueue()
    with yard.ledger() as ledger:
        lease = ledger.acquire("run", "somebody else", ttl_s=600, now=datetime.now(UTC))
        yard.drain()
        assert yard.pushed() == []
        ledger.release(lease)
    assert not any(yard.enqueue("errand-2").values()), "each of them waits, for later"


def test_a_job_under_way_keeps_a_whole_run_out(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    yard.world.sandbox.baidu.faults.add("delay", after=True, seconds=3.0)
    yard.enqueue()
    with yard.process("--jobs", "1"), yard.ledger() as ledger:
        wait_until(lambda: bool(yard.pushed()))
        with pytest.raises(LedgerBusy, match="run/send baidu"):
            ledger.acquire("run", "a run", ttl_s=60, now=datetime.now(UTC))


def test_two_workers_share_the_work_and_tell_nothing_twice(yard: Yard) -> None:
    sites = [yard.world.add(f"shop{number}", pages=6, quota=10) for number in range(6)]
    yard.enqueue()
    with yard.process("--drain", "--jobs", "2") as one, yard.process("--drain") as other:
        assert (one.wait(PATIENCE_S), other.wait(PATIENCE_S)) == (0, 0)
    yard.drain()
    assert sorted(yard.pushed()) == sorted(url for site in sites for url in site.urls())
    assert len(yard.submitted()) == len(set(yard.submitted())) == 6


def test_the_jobs_of_a_killed_worker_are_taken_over_without_a_second_send(yard: Yard) -> None:
    """It dies while Baidu has the pages and the answer is on its way: they count as told, perhaps,
    and are left alone for that day; what it had not begun is done by another."""
    site = yard.world.add("shop", pages=6, quota=10)
    yard.world.sandbox.baidu.faults.add("hang", after=True, skip=1)
    yard.enqueue()
    with yard.process("--jobs", "1") as worker:
        wait_until(lambda: len(yard.pushed()) == 6)
        worker.send_signal(signal.SIGKILL)
        worker.wait(PATIENCE_S)
    yard.world.sandbox.baidu.faults.clear()

    def is_taken_over() -> bool:
        yard.drain()
        with yard.ledger() as ledger:
            return "sending" not in {row.state for row in ledger.log(LogFilter())}

    wait_until(is_taken_over)
    assert sorted(yard.pushed()) == sorted(site.urls())
    with yard.ledger() as ledger:
        states = [(row.account, row.urls, row.state) for row in ledger.log(LogFilter())]
    assert ("baidu", 5, "unknown") in states
    assert ("google", 0, "accepted") in states


def test_a_worker_that_is_told_to_stop_leaves_the_rest_to_others(yard: Yard) -> None:
    site = yard.world.add("shop", pages=6, quota=10)
    yard.world.sandbox.baidu.faults.add("delay", after=True, seconds=3.0)
    yard.enqueue()
    with yard.process("--jobs", "1") as worker:
        wait_until(lambda: bool(yard.pushed()))
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE_S) == 143
    yard.world.sandbox.baidu.faults.clear()
    yard.drain()
    assert sorted(yard.pushed()) == sorted(site.urls())


def test_a_pooler_between_workers_and_server_changes_nothing(yard: Yard) -> None:
    """Every transaction may get another of the server's two sessions."""
    sites = [yard.world.add(f"shop{number}", pages=3, quota=10) for number in range(3)]
    with pooled(yard.url) as url:
        behind = Yard(yard.world, url, yard.closing)
        behind.enqueue()
        with behind.process("--drain", "--jobs", "2") as one, behind.process("--drain") as other:
            assert (one.wait(PATIENCE_S), other.wait(PATIENCE_S)) == (0, 0)
        assert behind.drain() == ExitCode.OK
    assert sorted(yard.pushed()) == sorted(url for site in sites for url in site.urls())
    assert len(yard.submitted()) == 3
