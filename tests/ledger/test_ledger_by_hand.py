"""Pages that a person named: told once, and never gone because no document lists them."""

from __future__ import annotations

from datetime import timedelta

from ledger_samples import (
    ACCOUNT,
    MAP,
    NOW,
    SITE,
    claim,
    look_at,
    page,
    pages_action,
    rule,
    settle,
    tell,
    waiting,
)

from submitter.core.looks import Delta, PageRow
from submitter.core.standing import PageStanding
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease


def adopt(ledger: SqlLedger, lease: Lease, *names: str, account: str = ACCOUNT) -> None:
    pages: list[PageRow] = [page(name) for name in names]
    ledger.adopt_pages(lease, SITE, account=account, pages=pages, at=NOW)


def test_pages_named_by_hand_wait_for_their_account_alone(ledger: SqlLedger, lease: Lease) -> None:
    adopt(ledger, lease, "b", "a", "b")
    assert waiting(ledger) == ["b", "a"]
    assert waiting(ledger, "baidu") == []


def test_no_look_makes_them_gone(ledger: SqlLedger, lease: Lease) -> None:
    adopt(ledger, lease, "a")
    result = look_at(ledger, lease, {MAP: [page("b")]})
    assert (result.listed, result.delta) == (1, Delta(new=1))
    assert waiting(ledger) == ["a", "b"]


def test_a_page_that_was_told_before_does_not_wait_again(ledger: SqlLedger, lease: Lease) -> None:
    adopt(ledger, lease, "a", "b")
    tell(ledger, lease, ["a"])
    tell(ledger, lease, ["b"], state=State.REJECTED)
    adopt(ledger, lease, "a", "b", "c")
    assert waiting(ledger) == ["c"]


def test_a_known_page_that_no_rule_told_may_be_named_by_hand(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: [page("a")]}, tell=[])
    adopt(ledger, lease, "a")
    assert waiting(ledger) == ["a"]


def test_when_a_document_lists_it_the_page_is_new_to_all_but_who_heard_of_it(
    ledger: SqlLedger, lease: Lease
) -> None:
    adopt(ledger, lease, "a")
    tell(ledger, lease)
    result = look_at(ledger, lease, {MAP: [page("a")]})
    assert (result.listed, result.delta) == (1, Delta(new=1))
    assert waiting(ledger) == []
    assert look_at(ledger, lease, {MAP: []}).delta == Delta(gone=1)


def test_a_gone_page_may_be_named_again(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a")]})
    look_at(ledger, lease, {MAP: []})
    assert waiting(ledger) == []
    adopt(ledger, lease, "a")
    assert waiting(ledger) == ["a"]
    assert look_at(ledger, lease, {MAP: [page("a")]}).delta == Delta()


def test_named_candidates_are_those_and_in_that_order(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page(name) for name in "abcdef"]})
    tell(ledger, lease, ["a"])
    tell(ledger, lease, ["b"], state=State.UNKNOWN, not_before=NOW + timedelta(hours=1))
    tell(ledger, lease, ["c"], state=State.DEFERRED, not_before=NOW + timedelta(hours=1))
    tell(ledger, lease, ["d"], state=State.FAILED)
    named = [f"{SITE}/{name}" for name in ("f", "d", "c", "b", "a", "f", "nowhere")]
    found, standing = ledger.named_candidates(SITE, ACCOUNT, named, now=NOW)
    assert [(one.loc[-1], one.why) for one in found] == [("f", "new"), ("d", "failed")]
    assert standing == PageStanding(
        waiting={Kind.URLS: 2},
        held={(Kind.URLS, "unknown"): 1, (Kind.URLS, "not-before"): 1},
        counts={State.ACCEPTED: 1, State.UNKNOWN: 1, State.DEFERRED: 1, State.FAILED: 1},
    )
    assert ledger.named_candidates("https://x.example", "y", named, now=NOW)[0] == []


def test_a_page_named_by_hand_is_counted_once_told(ledger: SqlLedger, lease: Lease) -> None:
    adopt(ledger, lease, "a")
    action = pages_action(ledger)
    settle(ledger, lease, claim(ledger, lease, action), action)
    standing = ledger.page_standings(NOW)[SITE, ACCOUNT]
    assert dict(standing.counts) == {State.ACCEPTED: 1}


def test_an_account_that_was_told_by_hand_is_not_told_again_by_its_first_run(
    ledger: SqlLedger, lease: Lease
) -> None:
    adopt(ledger, lease, "a", account="baidu")
    tell(ledger, lease, account="baidu")
    look_at(ledger, lease, {MAP: [page("a"), page("b")]})
    look_at(ledger, lease, {}, keep=[MAP], tell=[rule(), rule("baidu")])
    assert waiting(ledger, "baidu") == ["b"]
