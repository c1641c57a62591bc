"""What goes wrong around jobs: how a worker takes it, and what its end says."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from workers_support import DRAIN, PATIENCE_S, Yard, wait_until

from submitter.core.accounting import ExitCode
from submitter.core.jobs import Errand
from submitter.core.selection import Selection
from submitter.errors import ConfigError, LeaseLost, LedgerError
from submitter.sending.channels import RunRules
from submitter.workers import queue
from submitter.workers.calling import run_worker
from submitter.workers.queue import LOOK, SEND, VERIFY, Work
from support.postgres import administer

ERRAND = Errand("errand-1")
SHOP = "http://shop.whole.test"
LANE = Work(SEND, ERRAND, "baidu", "shop.whole.test")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_queue_is_wherever_the_ledger_is(scheme: str) -> None:
    options = queue.options_of(f"{scheme}://me@db.example:6432/fleet")
    found = {name: options[name] for name in ("host", "port", "user", "dbname")}
    assert found == {"host": "db.example", "port": "6432", "user": "me", "dbname": "fleet"}
    assert options["prepare_threshold"] is None
    assert options["tcp_user_timeout"] == "30000"


@pytest.mark.parametrize("url", ["sqlite:///ledger.db", "s3://bucket/ledger.db", "postgresql:db"])
def test_other_ledgers_have_no_queue(url: str) -> None:
    with pytest.raises(ConfigError, match="workers need a ledger on PostgreSQL"):
        queue.options_of(url)


def test_a_server_that_does_not_answer_ends_the_worker_at_once(yard: Yard) -> None:
    yard.world.add("shop")
    url = "postgresql://me@127.0.0.1:1/fleet"
    place = replace(yard.place(), ledger=url)
    with pytest.raises(LedgerError, match="the server cannot be reached"):
        run_worker(place, url, DRAIN)


@pytest.mark.parametrize("work", [Work(LOOK, ERRAND, name=SHOP), Work(VERIFY, ERRAND, "google")])
def test_a_job_that_was_stopped_comes_again(yard: Yard, work: Work) -> None:
    yard.world.add("shop", pages=3, quota=10)
    place = yard.place()
    place.stop.set()
    assert yard.hands(place).do(work) == [work]


def test_a_look_that_was_cut_off_does_not_keep_its_lane_busy(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    hands = yard.hands()
    hands.do(Work(LOOK, ERRAND, name=SHOP))
    stopped = yard.place()
    stopped.stop.set()
    yard.hands(stopped).do(Work(LOOK, ERRAND, name=SHOP))
    assert hands.do(LANE) == []


def test_a_job_that_loses_its_lease_is_not_the_end_of_its_worker(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    yard.world.sandbox.baidu.faults.add("delay", after=True, seconds=2.0)
    place = replace(yard.place(), rules=RunRules(beat_s=0.05))
    hands = yard.hands(place)
    hands.do(Work(LOOK, ERRAND, name=SHOP))
    with ThreadPoolExecutor(1) as pool, yard.ledger() as ledger:
        job = pool.submit(hands.do, LANE)
        wait_until(lambda: bool(yard.pushed()))
        later = datetime.now(UTC) + timedelta(hours=1)
        ledger.acquire(f"run/{LANE.lock}", "another", ttl_s=60, now=later)
        with pytest.raises(LeaseLost, match=r"another run \('another'\) took it"):
            job.result(60)
    assert not place.stop.is_set()


def test_a_worker_that_others_took_for_dead_begins_anew(yard: Yard) -> None:
    site = yard.world.add("shop", pages=3, quota=10)
    yard.enqueue("first", selection=Selection(accounts=("google",)))
    with yard.process("--jobs", "1") as worker:
        wait_until(lambda: bool(yard.submitted()))
        administer(yard.url, "DELETE FROM procrastinate_workers")
        yard.enqueue("second")
        wait_until(lambda: len(yard.pushed()) == 3)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE_S) == 143
    assert sorted(yard.pushed()) == sorted(site.urls())


def test_an_inventory_that_cannot_be_read_leaves_the_last_one_in_force(
    yard: Yard, caplog: pytest.LogCaptureFixture
) -> None:
    yard.world.add("shop")
    hands = yard.hands()
    assert [site.host for site in hands.fleet.sites] == ["shop.whole.test"]
    path = yard.world.folder / "inventory.yaml"
    path.write_text("sites: [", encoding="utf-8")
    for _ in range(3):
        assert [site.host for site in hands.fleet.sites] == ["shop.whole.test"]
    path.unlink()
    assert [site.host for site in hands.fleet.sites] == ["shop.whole.test"]
    yard.world.add("blog")
    yard.world.write()
    assert [site.host for site in hands.fleet.sites] == ["shop.whole.test", "blog.whole.test"]
    said = [line for line in caplog.messages if "as it was before its last change" in line]
    assert len(said) == 1


def test_an_inventory_that_never_could_be_read_is_a_fault(yard: Yard) -> None:
    yard.world.add("shop")
    place = yard.place()
    place.inventory.unlink()
    with pytest.raises(ConfigError):
        yard.hands(place).check()


def test_a_missing_secret_concerns_its_own_lane(
    yard: Yard, caplog: pytest.LogCaptureFixture
) -> None:
    site = yard.world.add("shop", pages=3, quota=10)
    yard.world.accounts["other"] = yard.world.accounts["baidu"] | {"token": "env:NOT_THERE"}
    yard.world.entries["shop"]["accounts"] = ["google", "baidu", "other"]
    yard.enqueue()
    with caplog.at_level(logging.ERROR):
        assert yard.drain() == ExitCode.PARTIAL
    assert sorted(yard.pushed()) == sorted(site.urls())
    said = {message for message in caplog.messages if "NOT_THERE" in message}
    problem = "env:NOT_THERE: the environment variable is not set"
    assert said == {f"send other shop.whole.test cannot be done: {problem}"}
    assert not any(record.exc_info for record in caplog.records)


def test_a_store_of_secrets_that_is_away_is_asked_again(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    yard.world.add("shop", pages=3, quota=10)
    yard.world.accounts["baidu"]["token"] = "aws-secret:token"
    settings = {"ENDPOINT_URL": "http://127.0.0.1:1", "DEFAULT_REGION": "us-east-1"}
    keys = {"ACCESS_KEY_ID": "id", "SECRET_ACCESS_KEY": "key", "MAX_ATTEMPTS": "1"}
    for name, value in (settings | keys).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    yard.enqueue()
    with caplog.at_level(logging.WARNING):
        yard.drain()
    assert "send baidu shop.whole.test is tried again: aws-secret:token" in caplog.text
    assert "cannot be done" not in caplog.text
    with psycopg.connect(yard.url) as session:
        waiting = session.execute(
            "SELECT args->>'tries' FROM procrastinate_jobs WHERE status = 'todo'"
        ).fetchall()
    assert waiting == [("1",)]


def removed_pages(yard: Yard) -> None:
    site = yard.world.add("shop", pages=20, quota=30)
    yard.enqueue("before")
    assert yard.drain() == ExitCode.OK
    site.remove_pages(15)
    site.add_pages(1)


def no_sitemap(yard: Yard) -> None:
    yard.world.add("shop", sitemaps=["http://shop.whole.test/none.xml"], quota=30)


def refused_push(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10, baidu_site="http://other.whole.test")


@pytest.mark.parametrize(
    ("trouble", "exit_code"),
    [
        (removed_pages, ExitCode.HELD),
        (no_sitemap, ExitCode.PARTIAL),
        (refused_push, ExitCode.PARTIAL),
    ],
)
def test_the_end_of_a_drain_says_what_its_jobs_came_to(
    yard: Yard, trouble: Callable[[Yard], None], exit_code: ExitCode
) -> None:
    trouble(yard)
    yard.enqueue()
    assert yard.drain() == exit_code
