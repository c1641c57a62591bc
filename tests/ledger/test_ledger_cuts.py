"""A connection that is cut at any statement costs nothing: what was stored stands and is not
repeated, what was not is taken again. The story beside the ledger is told without a second try."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ledger_samples import NOW, SITE, claim, open_ledger, settle, sitemap_action
from ledger_story import Story, check_ended, check_honest, check_whole

from submitter.core.inspection import IndexState, Inspected, Inspection
from submitter.errors import LeaseLost
from submitter.ledger.ledger import SqlLedger
from submitter.ports import LogFilter
from support.postgres import database

COMMIT = b"COMMIT"


class Cuts:
    """Cuts the connection at the n-th statement that counts: before it leaves or after its answer
    came. The server does not know that it was on purpose."""

    def __init__(self, number: int, *, late: bool, only: bytes = b"") -> None:
        self.left, self.late, self.only = number, late, only
        self.meanwhile: Callable[[], object] = lambda: None
        """Happens before every further connection."""

    def connect(self, **options: Any) -> psycopg.Connection[Any]:
        cuts = self

        class Cursor(psycopg.Cursor[Any]):
            def execute(self, query: Any, *args: Any, **options: Any) -> Any:
                return cuts.passed(self.connection, query, super().execute, query, *args, **options)

            def copy(self, statement: Any, *args: Any, **options: Any) -> Any:
                return cuts.passed(self.connection, statement, super().copy, statement, *args)

        self.meanwhile()
        return psycopg.connect(**options, cursor_factory=Cursor)

    def passed(self, session: Any, query: Any, run: Any, *args: Any, **options: Any) -> Any:
        if self.only in (b"", query):
            self.left -= 1
        if self.left or (self.only and query != self.only):
            return run(*args, **options)
        self.left -= 1
        if not self.late:
            cut(session)
            return run(*args, **options)
        run(*args, **options)
        session.close()
        raise psycopg.OperationalError("the connection was cut after the answer")


def cut(session: psycopg.Connection[Any]) -> None:
    with socket.socket(fileno=os.dup(session.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


def opened(url: str, cuts: Cuts) -> SqlLedger:
    """Cuts count from here on."""
    number, cuts.left = cuts.left, -1
    ledger = open_ledger(url, connect=cuts.connect)
    cuts.left = number
    return ledger


def tell_with_a_cut(folder: Path, cuts: Cuts) -> bool:
    """False: the story has fewer such statements."""
    folder.mkdir()
    book = folder / "book"
    with database() as url:
        ledger = opened(url, cuts)
        Story(ledger, book).tell()
        was_cut, cuts.left = cuts.left < 0, -1
        check_whole(ledger)
        check_honest(ledger, book)
        check_ended(ledger, book, deaths=0)
        ledger.close()
    return was_cut


@pytest.mark.parametrize("late", [False, True])
def test_a_story_is_told_once_whichever_commit_is_cut(tmp_path: Path, late: bool) -> None:
    for number in range(1, 60, 8):
        cuts = Cuts(number, late=late, only=COMMIT)
        if not tell_with_a_cut(tmp_path / str(number), cuts):
            assert number > 20
            return
    pytest.fail("the story has more commits than were cut")


@pytest.mark.parametrize("late", [False, True])
def test_a_story_is_told_once_whichever_statement_is_cut(tmp_path: Path, late: bool) -> None:
    for number in range(5, 300, 59):
        assert tell_with_a_cut(tmp_path / str(number), Cuts(number, late=late))


@pytest.mark.long
@pytest.mark.parametrize("late", [False, True])
def test_every_statement_of_the_story_may_be_cut(tmp_path: Path, late: bool) -> None:
    number = 1
    while tell_with_a_cut(tmp_path / str(number), Cuts(number, late=late)):
        number += 1
    assert number > 200


@pytest.mark.parametrize("late", [False, True])
def test_a_claim_whose_commit_was_cut_is_there_once(server_url: str, late: bool) -> None:
    cuts = Cuts(2, late=late, only=COMMIT)
    ledger = opened(server_url, cuts)
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    action = sitemap_action()
    attempt = claim(ledger, lease, action)
    assert cuts.left < 0
    assert [(row.id, row.state) for row in ledger.log(LogFilter())] == [(attempt, "sending")]
    settle(ledger, lease, attempt, action)
    ledger.close()


@pytest.mark.parametrize("late", [False, True])
def test_what_only_adds_rows_is_not_added_twice(server_url: str, late: bool) -> None:
    cuts = Cuts(2, late=late, only=COMMIT)
    ledger = opened(server_url, cuts)
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    inspection = Inspection("p", f"{SITE}/a", IndexState.INDEXED)
    ledger.record_inspections(lease, [Inspected(SITE, "gsc", "", NOW, inspection)])
    assert cuts.left < 0
    assert len(ledger.inspections("gsc", since=NOW)) == 1
    ledger.close()


def test_a_lease_that_was_taken_meanwhile_is_lost_to_a_step_that_is_taken_again(
    server_url: str,
) -> None:
    """The commit is cut; before the step comes again, somebody else has the lease."""
    cuts = Cuts(2, late=False, only=COMMIT)
    ledger, other = opened(server_url, cuts), open_ledger(server_url)
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    cuts.meanwhile = lambda: other.acquire("run", "a", ttl_s=60, now=NOW)
    with pytest.raises(LeaseLost):
        claim(ledger, lease, sitemap_action())
    assert list(ledger.log(LogFilter())) == []
    ledger.close()
    other.close()
