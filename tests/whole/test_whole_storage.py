"""Nothing is sent without memory: a ledger that fails stops the run, and the next one goes on."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from submitter.errors import LedgerError
from submitter.ports import Ledger
from submitter.stories.run_request import Tools
from support.whole import World
from support.whole_books import (
    prove_books_agree,
    prove_ledger_is_whole,
    run_until_told,
    untold,
)


class FailingLedger:
    """A ledger whose n-th call of one method fails, and every later one; `late`: after the work
    was done, as when a commit's answer is lost."""

    def __init__(self, ledger: Ledger, method: str, number: int, *, late: bool) -> None:
        self._ledger, self._method, self._left = ledger, method, number
        self._late = late
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._ledger, name)
        return self._failing(found) if name == self._method else found

    def _failing(self, method: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            with self._lock:
                self._left -= 1
                fails = self._left <= 0
            if fails and self._late:
                method(*args, **named)
            if fails:
                raise LedgerError("ledger: the disk is full")
            return method(*args, **named)

        return call


@pytest.fixture
def shops(fleet: World) -> World:
    for number in range(3):
        fleet.add(f"shop{number}", pages=5, quota=4)
    return fleet


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("method", "number"),
    [
        *(("claim", 1), ("claim", 3), ("settle", 1), ("settle", 3)),
        *(("accept_look", 1), ("save_survey", 1), ("finish_run", 1)),
    ],
)
def test_a_ledger_that_fails_stops_the_run_and_the_next_goes_on(
    shops: World, method: str, number: int, late: bool
) -> None:
    def adapt(tools: Tools) -> Tools:
        ledger: Any = FailingLedger(tools.ledger, method, number, late=late)
        return replace(tools, ledger=ledger)

    with pytest.raises(LedgerError, match="disk is full"):
        shops.run(adapt=adapt)
    prove_ledger_is_whole(shops.ledger_path)
    prove_books_agree(shops)
    run_until_told(shops)
    prove_books_agree(shops)


def test_without_a_stored_intent_nothing_is_sent(shops: World) -> None:
    def adapt(tools: Tools) -> Tools:
        ledger: Any = FailingLedger(tools.ledger, "claim", 1, late=False)
        return replace(tools, ledger=ledger)

    with pytest.raises(LedgerError):
        shops.run(adapt=adapt)
    assert shops.sandbox.baidu.book.entries("push") == []
    assert shops.sandbox.google.book.entries("sitemaps.submit") == []
    assert shops.log() == []
    assert untold(shops)
