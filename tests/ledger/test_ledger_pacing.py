"""A page that was told a moment ago is not told again before its engine wants to hear of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ledger_samples import ACCOUNT, MAP, NOW, NOW_S, SITE, look_at, page, tell, waiting

from submitter.core.fleet import FirstRun
from submitter.core.looks import TellRule
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease

PAUSE = timedelta(minutes=10)
RULE = TellRule(ACCOUNT, FirstRun.ALL, 30, True, True, repeat_after_s=600)


def told_then_changed(ledger: SqlLedger, lease: Lease, state: State = State.ACCEPTED) -> None:
    """Told at NOW; five minutes later it has a newer date, and a neighbour is new."""
    look_at(ledger, lease, {MAP: [page("a", NOW_S - 60)]}, tell=[RULE])
    tell(ledger, lease, state=state)
    listed = {MAP: [page("a", NOW_S + 60), page("b")]}
    look_at(ledger, lease, listed, tell=[RULE], at=NOW + PAUSE / 2)


def next_pages(ledger: SqlLedger, kind: Kind, minutes: int) -> list[str]:
    now = NOW + timedelta(minutes=minutes)
    return [one.loc[-1] for one in ledger.candidates(SITE, ACCOUNT, kind, now=now, limit=10)]


@pytest.mark.parametrize(("minutes", "expected"), [(5, ["b"]), (9, ["b"]), (10, ["a", "b"])])
def test_a_changed_page_waits_until_its_pause_is_over(
    ledger: SqlLedger, lease: Lease, minutes: int, expected: list[str]
) -> None:
    told_then_changed(ledger, lease)
    assert next_pages(ledger, Kind.URLS, minutes) == expected


def test_it_says_that_it_was_told_a_moment_ago(ledger: SqlLedger, lease: Lease) -> None:
    told_then_changed(ledger, lease)
    standing = ledger.page_standings(NOW + PAUSE / 2)[SITE, ACCOUNT]
    assert standing.held == {(Kind.URLS, "too-soon"): 1}
    assert standing.waiting == {Kind.URLS: 1}


def test_a_page_that_went_at_once_is_told_as_gone_after_the_pause(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: [page("a")]}, tell=[RULE])
    tell(ledger, lease)
    look_at(ledger, lease, {MAP: []}, tell=[RULE], at=NOW + PAUSE / 2)
    assert next_pages(ledger, Kind.REMOVAL, 9) == []
    assert next_pages(ledger, Kind.REMOVAL, 10) == ["a"]


def test_a_call_that_was_not_carried_out_holds_nothing(ledger: SqlLedger, lease: Lease) -> None:
    told_then_changed(ledger, lease, State.FAILED)
    assert next_pages(ledger, Kind.URLS, 5) == ["a", "b"]


def test_other_engines_are_told_at_once(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a", NOW_S - 60)]})
    tell(ledger, lease)
    look_at(ledger, lease, {MAP: [page("a", NOW_S + 60)]}, at=NOW + PAUSE / 2)
    assert waiting(ledger) == ["a"]
