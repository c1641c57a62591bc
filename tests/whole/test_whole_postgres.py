"""Whole runs on a PostgreSQL ledger: cut at COMMIT, restarted, stopped, killed. The book of the
sandbox's engines is the judge: nothing is told twice that could be known, nothing is forgotten."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from submitter.ledger import open_ledger
from support.pgbouncer import pooled
from support.postgres import GIVEN, Server, database, own_server, server_url
from support.postgres_proxy import Cutter, cutter
from support.whole import World, world
from support.whole_books import prove_books_agree, prove_sums, run_until_told, untold
from support.whole_forks import Child, Forks

LEDGER, BUSY, KILLED = 8, 75, -signal.SIGKILL
CLAIM, SETTLE = b"INSERT INTO attempt", b"UPDATE attempt SET"
LOOK, END = b"UPDATE look SET", b"UPDATE run SET"


def few_sites(world: World) -> None:
    """Some may push all of their pages in a day, some may not."""
    for number in range(4):
        world.add(f"s{number}", pages=5, quota=30 if number % 2 else 4)


@pytest.fixture
def shops(tmp_path: Path) -> Iterator[World]:
    """A world that remembers on a server."""
    with database(empty=True) as url, world(tmp_path) as made:
        made.ledger_url = url
        few_sites(made)
        yield made


def begin(forks: Forks, world: World, run: str = "forked", **job: object) -> Child:
    given = {"now": world.clock.now().isoformat(), "stderr": str(world.folder / "stderr")} | job
    return forks.start(inventory=str(world.write()), run=run, **given)


def printed(world: World) -> str:
    return Path(world.folder, "stderr").read_text(encoding="utf-8")


def states(world: World) -> set[str]:
    return {row.state for row in world.log()}


def prove_nothing_was_told_twice(world: World) -> None:
    assert world.sandbox.baidu.book.more_than_once("push") == {}
    assert world.sandbox.google.book.more_than_once("sitemaps.submit") == {}


# ---------------------------------------------------------------- a healthy server


def test_a_fleet_is_told_day_by_day(shops: World) -> None:
    ran = shops.run()
    prove_sums(ran)
    assert ran.exit_code == 0
    assert ran.counts("sitemaps") == {"accepted": 4}
    run_until_told(shops)
    prove_books_agree(shops)
    prove_nothing_was_told_twice(shops)
    calls = len(shops.log())
    shops.run()
    assert len(shops.log()) == calls, "a second run has nothing to tell"


def test_a_fleet_is_told_through_a_pooler(shops: World) -> None:
    with pooled(shops.ledger_url) as through:
        direct, shops.ledger_url = shops.ledger_url, through
        run_until_told(shops)
        shops.ledger_url = direct
    prove_books_agree(shops)
    prove_nothing_was_told_twice(shops)


def test_many_runs_on_an_empty_database_are_one_run(shops: World, forks: Forks) -> None:
    """Whoever wins makes the tables and sends; the others are busy."""
    children = [begin(forks, shops, f"run-{number}") for number in range(4)]
    ends = [child.ended() for child in children]
    assert 0 in ends
    assert set(ends) <= {0, BUSY}
    prove_books_agree(shops)
    prove_nothing_was_told_twice(shops)


# ---------------------------------------------------------------- cut at COMMIT


@pytest.fixture
def wire(shops: World) -> Iterator[Cutter]:
    """What stands between the world and its ledger."""
    if not server_url().partition("host=")[2].startswith("/"):
        pytest.skip(f"the server that {GIVEN} names listens on no Unix socket")
    open_ledger(shops.ledger_url).close()
    with cutter(shops.ledger_url) as (proxy, through):
        shops.ledger_url = through
        yield proxy


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("holds", "number"), [(CLAIM, 3), (SETTLE, 3), (LOOK, 2), (END, 1)])
def test_a_run_whose_commit_is_cut_goes_on_as_if_nothing_was(
    shops: World, wire: Cutter, holds: bytes, number: int, late: bool
) -> None:
    """Before or after the server had it: what was stored is not stored again, what was not is."""
    wire.cut_at(holds, number=number, late=late)
    ran = shops.run()
    assert wire.cuts == 1
    prove_sums(ran)
    assert ran.exit_code == 0
    assert states(shops) == {"accepted"}
    assert all(row.attempt == 1 for row in shops.log())
    prove_books_agree(shops)
    prove_nothing_was_told_twice(shops)
    run_until_told(shops)
    prove_books_agree(shops)
    prove_nothing_was_told_twice(shops)


# ---------------------------------------------------------------- restarted


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with own_server() as started:
        yield started


@pytest.mark.parametrize(
    ("point", "how"),
    [
        ("in-look", signal.SIGINT),
        ("in-look", signal.SIGQUIT),
        ("after-claim", signal.SIGQUIT),
        ("after-send", signal.SIGINT),
        ("before-settle", signal.SIGQUIT),
    ],
)
def test_a_server_that_restarts_in_mid_run_is_found_again(
    tmp_path: Path, forks: Forks, server: Server, point: str, how: signal.Signals
) -> None:
    with database(server.url) as url, world(tmp_path) as shops:
        shops.ledger_url = url
        few_sites(shops)
        child = begin(forks, shops, point=point, number=2, signal="STOP", workers=1)
        child.stopped()
        server.stop(how)
        server.start()
        child.send(signal.SIGCONT)
        if (point, how) == ("in-look", signal.SIGQUIT):  # documents were lost with the crash
            assert child.ended() == LEDGER
            assert "look at it again" in printed(shops)
            assert shops.log() == []
            shops.run()
        else:
            assert child.ended() == 0, printed(shops)
        assert states(shops) == {"accepted"}
        prove_books_agree(shops)
        prove_nothing_was_told_twice(shops)
        run_until_told(shops)
        prove_books_agree(shops)


# ---------------------------------------------------------------- stopped past its lease, killed


@pytest.mark.parametrize("point", ["after-claim", "after-send"])
def test_an_owner_that_slept_past_its_lease_cannot_write(
    shops: World, forks: Forks, point: str
) -> None:
    """Its call is unknown to whoever took over, and stays so, whatever it says later."""
    job = {"accounts": ["baidu"], "workers": 1}
    asleep = begin(forks, shops, point=point, number=2, signal="STOP", **job)
    asleep.stopped()
    shops.clock.advance(120)
    ran = shops.run(targets=shops.only("baidu"))
    assert ran.exit_code == 0
    before = [(row.id, row.state) for row in shops.log()]
    assert [state for _, state in before].count("unknown") == 1
    asleep.send(signal.SIGCONT)
    assert asleep.ended() == LEDGER
    assert "LeaseLost" in printed(shops)
    assert [(row.id, row.state) for row in shops.log()] == before
    run_until_told(shops)
    prove_books_agree(shops)


@pytest.mark.parametrize("point", ["in-look", "after-claim", "after-send"])
def test_runs_killed_at_one_point_are_finished_by_the_next(
    shops: World, forks: Forks, point: str
) -> None:
    """One between send and settle: what it sent is unknown, waits for a day, and is told again."""
    for number in (1, 3):
        child = begin(forks, shops, f"killed-{number}", point=point, number=number, signal="KILL")
        assert child.ended() == KILLED
        open_ledger(shops.ledger_url).close()
        prove_books_agree(shops)
        shops.next_day()
    assert untold(shops)
    run_until_told(shops)
    prove_books_agree(shops)
    with psycopg.connect(shops.ledger_url) as session:
        left = session.execute("SELECT 1 FROM attempt WHERE state = 'sending'").fetchall()
    assert left == []
