"""Killed at any statement, a ledger opens, is whole, and the next run finishes the work."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger_processes import finish, start
from ledger_samples import NOW, open_ledger
from ledger_story import LATER, Story, check_ended, check_honest, check_whole

TELL = """
import sys
from pathlib import Path
import ledger_processes as processes
from ledger_samples import open_ledger
from ledger_story import Story
processes.Mortal.left = int(sys.argv[3])
ledger = open_ledger(sys.argv[1], connect=processes.mortal(sys.argv[1]))
Story(ledger, Path(sys.argv[2])).tell()
print(processes.statements_left())
ledger.close()
"""
ENOUGH = 10_000


def tell_and_die(url: str, book: Path, statement: int) -> int:
    """How many statements the child had left, or -1 when it was killed."""
    code, out = finish(start(TELL, url, book, statement))
    return int(out) if code == 0 else -1


def check_after_death(url: str, book: Path) -> None:
    ledger = open_ledger(url)
    check_whole(ledger)
    check_honest(ledger, book)
    Story(ledger, book, now=NOW + LATER).tell()
    check_whole(ledger)
    check_ended(ledger, book, deaths=1)
    ledger.close()


@pytest.fixture(scope="module")
def length(tmp_path_factory: pytest.TempPathFactory) -> int:
    """Statements in the whole story."""
    folder = tmp_path_factory.mktemp("whole")
    url = f"sqlite:///{folder}/ledger.db"
    open_ledger(url).close()
    return ENOUGH - tell_and_die(url, folder / "book", ENOUGH)


@pytest.mark.parametrize("part", range(1, 15))
def test_a_run_that_is_killed_is_finished_by_the_next(
    file_url: str, tmp_path: Path, length: int, part: int
) -> None:
    open_ledger(file_url).close()
    book = tmp_path / "book"
    assert tell_and_die(file_url, book, part * (length - 1) // 15) == -1
    check_after_death(file_url, book)


@pytest.mark.parametrize("statement", [25, 120, 260])
def test_a_run_on_a_server_that_is_killed_is_finished_by_the_next(
    server_url: str, tmp_path: Path, statement: int
) -> None:
    book = tmp_path / "book"
    assert tell_and_die(server_url, book, statement) == -1
    check_after_death(server_url, book)


@pytest.mark.long
def test_a_run_may_be_killed_at_every_fifth_statement(tmp_path: Path, length: int) -> None:
    for statement in range(14, length, 5):
        folder = tmp_path / str(statement)
        folder.mkdir()
        url, book = f"sqlite:///{folder}/ledger.db", folder / "book"
        open_ledger(url).close()
        tell_and_die(url, book, statement)
        check_after_death(url, book)


def test_the_story_itself_ends_well(shared_url: str, tmp_path: Path) -> None:
    ledger = open_ledger(shared_url)
    Story(ledger, tmp_path / "book").tell()
    check_whole(ledger)
    check_honest(ledger, tmp_path / "book")
    check_ended(ledger, tmp_path / "book", deaths=0)
    ledger.close()


CLAIM_AND_DIE = """
import os, signal, sys
from ledger_samples import MAP, NOW, claim, look_at, open_ledger, page, pages_action
ledger = open_ledger(sys.argv[1])
lease = ledger.acquire("run", "child", ttl_s=60, now=NOW)
look_at(ledger, lease, {MAP: [page("a"), page("b")]})
claim(ledger, lease, pages_action(ledger, ["a"]))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_intent_is_stored_when_claim_returns(shared_url: str) -> None:
    code, _ = finish(start(CLAIM_AND_DIE, shared_url))
    assert code == -9
    ledger = open_ledger(shared_url)
    lease = ledger.acquire("run", "next", ttl_s=60, now=NOW + LATER)
    assert ledger.recover(lease, now=NOW + LATER, not_before={}) == 1
    ledger.close()


def test_intents_and_outcomes_survive_a_power_cut_by_being_synchronised(
    file_url: str, tmp_path: Path
) -> None:
    ledger = open_ledger(file_url)
    Story(ledger, tmp_path / "book").tell()
    with ledger._database.transaction() as tx:
        assert tx.connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    ledger.close()
