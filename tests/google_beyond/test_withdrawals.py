"""Withdrawing sitemaps: only ours unless adopted, each call remembered, nothing claimed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from submitter.core.accounting import Done, ExitCode
from submitter.core.calls import Action, Outcome
from submitter.core.records import LogRow
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.errors import ConfigError, LedgerBusy
from submitter.kit.owners import this_owner
from submitter.ports import Ledger, LogFilter
from submitter.render.screen import Screen
from submitter.render.withdrawal_report import withdraw_doc, withdraw_text
from submitter.sandbox import Role
from submitter.stories.withdrawals import (
    Kept,
    KeptReason,
    WithdrawalPlan,
    WithdrawalRequest,
    judge_withdrawals,
    plan_withdrawals,
    withdraw,
)
from submitter.wiring import TRAITS, Wiring
from support.whole import DOMAIN, EMAIL, World, world

PROPERTY = f"sc-domain:{DOMAIN}"
DELETE, SUBMIT = "sitemaps.delete", "sitemaps.submit"
OLD = f"http://old.{DOMAIN}/sitemap.xml"


def sitemap(name: str) -> str:
    return f"http://{name}.{DOMAIN}/sitemap.xml"


@dataclass
class Desk:
    """A world whose sitemaps were submitted."""

    world: World
    wiring: Wiring

    @property
    def ledger(self) -> Ledger:
        return self.wiring.ledger

    def request(self, *sitemaps: str, **more: Any) -> WithdrawalRequest:
        given = {"run": "withdrawal-1", "owner": this_owner()} | more
        return WithdrawalRequest(fleet=self.wiring.fleet, sitemaps=sitemaps, **given)

    def plan(self, *sitemaps: str, **more: Any) -> WithdrawalPlan:
        return plan_withdrawals(self.request(*sitemaps, **more), self.ledger, TRAITS)

    def withdraw(self, *sitemaps: str, **more: Any) -> list[Done]:
        request = self.request(*sitemaps, **more)
        return withdraw(
            request, plan_withdrawals(request, self.ledger, TRAITS), self.wiring.tools()
        )

    def rows(self) -> list[LogRow]:
        found = self.ledger.log(LogFilter())
        return [row for row in found if row.kind == Kind.WITHDRAWAL]

    def deleted(self, property: str = PROPERTY) -> list[str]:
        return self.world.sandbox.google.book.accepted(DELETE, property)

    def reported(self) -> set[str]:
        """What Google's own report shows."""
        return {str(row["path"]) for row in self.world.sandbox.google.sitemaps.rows(PROPERTY)}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        there = stack.enter_context(world(tmp_path))
        for name in ("shop", "blog"):
            there.add(name)
        there.run()
        wiring = stack.enter_context(there.wired())
        yield Desk(there, wiring)


def outcomes(done: list[Done]) -> list[tuple[str, str]]:
    return [(one.action.target, one.outcome.state) for one in done]


# ---------------------------------------------------------------- ours


def test_a_sitemap_of_ours_leaves_the_report_and_the_others_stay(desk: Desk) -> None:
    done = desk.withdraw(sitemap("shop"))
    assert outcomes(done) == [(sitemap("shop"), "accepted")]
    assert desk.deleted() == [sitemap("shop")]
    assert desk.reported() == {sitemap("blog")}
    assert judge_withdrawals(done, ()) == ExitCode.OK


def test_each_call_is_a_row_of_its_own_kind_with_intent_before_and_outcome_after(
    desk: Desk,
) -> None:
    desk.withdraw(sitemap("shop"))
    (row,) = desk.rows()
    assert (row.kind, row.state, row.http_status) == ("withdrawal", "accepted", 204)
    assert (row.run, row.account, row.engine) == ("withdrawal-1", "google", "google")
    assert (row.property, row.target) == (PROPERTY, sitemap("shop"))
    assert row.settled_at is not None
    assert row.sent_at <= row.settled_at
    assert row.urls == 0


def test_a_withdrawn_sitemap_is_ours_no_more_until_it_is_submitted_again(desk: Desk) -> None:
    desk.withdraw(sitemap("shop"))
    (kept,) = desk.plan(sitemap("shop")).kept
    assert kept.reason is KeptReason.NOT_OURS
    desk.world.clock.advance(3600)
    desk.world.run()
    assert desk.reported() == {sitemap("shop"), sitemap("blog")}
    assert len(desk.plan(sitemap("shop")).wanted) == 1


def test_another_spelling_finds_the_sitemap_as_it_was_submitted(desk: Desk) -> None:
    done = desk.withdraw(f"HTTP://SHOP.{DOMAIN}:80/%73itemap.xml")
    assert outcomes(done) == [(sitemap("shop"), "accepted")]


def test_a_sitemap_named_twice_is_withdrawn_once(desk: Desk) -> None:
    assert len(desk.withdraw(sitemap("shop"), sitemap("shop") + "#top")) == 1


def test_what_the_inventory_declares_is_said_to_come_back(desk: Desk) -> None:
    (one,) = desk.plan(sitemap("shop")).wanted
    assert one.declared
    assert one.ours


def test_it_goes_to_the_property_where_it_was_submitted(desk: Desk) -> None:
    """The inventory may name another one by now."""
    prefix = f"http://shop.{DOMAIN}/"
    desk.world.sandbox.google.grant(EMAIL, prefix)
    desk.world.entries["shop"]["google_property"] = "host"
    with desk.world.wired() as changed:
        Desk(desk.world, changed).withdraw(sitemap("shop"))
    assert desk.deleted() == [sitemap("shop")]
    assert desk.deleted(prefix) == []


def test_a_sitemap_submitted_to_two_properties_leaves_both(desk: Desk) -> None:
    prefix = f"http://shop.{DOMAIN}/"
    desk.world.sandbox.google.grant(EMAIL, prefix)
    desk.world.entries["shop"]["google_property"] = "host"
    desk.world.clock.advance(3600)
    desk.world.run(forced="the property changed")
    done = desk.withdraw(sitemap("shop"))
    assert outcomes(done) == [(sitemap("shop"), "accepted")] * 2
    assert (desk.deleted(), desk.deleted(prefix)) == ([sitemap("shop")], [sitemap("shop")])


def test_a_site_that_has_left_the_inventory_can_still_be_withdrawn(desk: Desk) -> None:
    del desk.world.entries["shop"]
    with desk.world.wired() as smaller:
        later = Desk(desk.world, smaller)
        (one,) = later.plan(sitemap("shop")).wanted
        assert (one.action.property, one.declared) == (PROPERTY, False)
        assert outcomes(later.withdraw(sitemap("shop"))) == [(sitemap("shop"), "accepted")]


# ---------------------------------------------------------------- not ours


@pytest.fixture
def stray(desk: Desk) -> str:
    """A sitemap that somebody else submitted, of a site that the inventory does not know."""
    desk.world.sandbox.google.sitemaps.submit(PROPERTY, OLD)
    return OLD


def test_what_this_ledger_did_not_submit_is_kept(desk: Desk, stray: str) -> None:
    plan = desk.plan(stray, sitemap("shop"))
    assert [one.action.target for one in plan.wanted] == [sitemap("shop")]
    (kept,) = plan.kept
    assert (kept.sitemap, kept.reason) == (stray, KeptReason.NOT_OURS)
    assert "--adopt" in kept.message


def test_adopted_it_is_withdrawn_from_the_property_that_covers_it(desk: Desk, stray: str) -> None:
    done = desk.withdraw(stray, adopt=True)
    assert outcomes(done) == [(stray, "accepted")]
    assert done[0].action.property == PROPERTY
    assert stray not in desk.reported()
    assert desk.rows()[0].property == PROPERTY


def test_what_is_not_in_the_report_is_already_out_of_it(desk: Desk) -> None:
    done = desk.withdraw(OLD, adopt=True)
    assert outcomes(done) == [(OLD, "already")]
    assert done[0].outcome.http_status == 404
    assert judge_withdrawals(done, ()) == ExitCode.OK


def test_a_sitemap_outside_every_property_is_refused_before_anything_is_sent(desk: Desk) -> None:
    (one,) = desk.withdraw("http://elsewhere.test/sitemap.xml", adopt=True)
    assert (one.outcome.state, one.called) == ("failed", False)
    assert one.outcome.cause == "property-missing"
    assert desk.world.sandbox.google.book.count(call=DELETE) == 0
    assert judge_withdrawals([one], ()) == ExitCode.NOTHING_SUCCEEDED


def test_with_several_accounts_somebody_has_to_say_which(desk: Desk, stray: str) -> None:
    desk.world.accounts["second"] = desk.world.accounts["google"]
    with desk.world.wired() as two:
        later = Desk(desk.world, two)
        (kept,) = later.plan(stray, adopt=True).kept
        assert kept.reason is KeptReason.NO_ACCOUNT
        assert "google, second" in kept.message
        assert len(later.plan(stray, adopt=True, account="second").wanted) == 1
        assert len(later.plan(sitemap("shop"), account="second").kept) == 1


@pytest.mark.parametrize(
    ("sitemaps", "account", "words"),
    [
        (("shop.whole.test/sitemap.xml", "ftp://x/"), None, "not an absolute address"),
        ((sitemap("shop"),), "baidu", "no account whose engine lets sitemaps be withdrawn"),
    ],
)
def test_what_cannot_be_meant_is_a_persons_mistake(
    desk: Desk, sitemaps: tuple[str, ...], account: str | None, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        desk.plan(*sitemaps, account=account)


def test_every_wrong_address_is_named_at_once(desk: Desk) -> None:
    with pytest.raises(ConfigError) as caught:
        desk.plan("a", "b")
    assert len(caught.value.faults) == 2


# ---------------------------------------------------------------- what goes wrong


def test_a_hiccup_is_tried_again_and_both_tries_are_remembered(desk: Desk) -> None:
    desk.world.sandbox.google.faults.add("answer", call=DELETE, answer="unavailable")
    desk.withdraw(sitemap("shop"))
    assert [(row.attempt, row.state) for row in desk.rows()] == [(1, "failed"), (2, "accepted")]


def test_a_lost_answer_is_unknown_and_the_sitemap_stays_ours(desk: Desk) -> None:
    desk.world.sandbox.google.faults.add("reset", call=DELETE, after=True)
    (done,) = desk.withdraw(sitemap("shop"))
    assert done.outcome.state == "unknown"
    assert judge_withdrawals([done], ()) == ExitCode.NOTHING_SUCCEEDED
    again = desk.withdraw(sitemap("shop"), run="withdrawal-2")
    assert outcomes(again) == [(sitemap("shop"), "already")]


def test_a_role_that_may_only_look_is_told_before_anything_is_sent(desk: Desk) -> None:
    desk.world.sandbox.google.grant(EMAIL, PROPERTY, Role.RESTRICTED)
    (done,) = desk.withdraw(sitemap("shop"))
    assert (done.outcome.cause, done.called) == ("role-restricted", False)
    assert desk.world.sandbox.google.book.count(call=DELETE) == 0
    assert not desk.rows()


def test_with_no_time_left_nothing_is_sent_and_nothing_is_forgotten(desk: Desk) -> None:
    (done,) = desk.withdraw(sitemap("shop"), until=desk.wiring.clock.monotonic())
    assert judge_withdrawals([done], ()) == ExitCode.DEADLINE
    assert len(desk.plan(sitemap("shop")).wanted) == 1
    standings = desk.ledger.sitemap_standings()[f"http://shop.{DOMAIN}", "google"]
    assert standings[sitemap("shop")].state is State.ACCEPTED


def test_while_another_run_holds_the_ledger_nothing_is_sent(desk: Desk) -> None:
    clock = desk.wiring.clock
    lease = desk.ledger.acquire("run", "elsewhere", ttl_s=60, now=clock.now())
    with pytest.raises(LedgerBusy):
        desk.withdraw(sitemap("shop"))
    desk.ledger.release(lease)
    assert desk.world.sandbox.google.book.count(call=DELETE) == 0


def test_no_secret_is_shown_or_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk.world.sandbox.google.faults.add("answer", call=DELETE, status=400, body="{}")
    done = desk.withdraw(sitemap("shop"), sitemap("blog"))
    texts = [repr(done), *(repr(row) for row in desk.rows())]
    texts += [record.getMessage() for record in caplog.records]
    tokens = list(desk.world.sandbox.google.tokens._tokens)
    assert tokens
    assert not [token for token in tokens if any(token in text for text in texts)]


# ---------------------------------------------------------------- verdicts and words


def done(state: State, code: str | None = None) -> Done:
    action = Action("s", "a", "google", "p", Kind.WITHDRAWAL, "t", "r", "")
    return Done(action, Outcome(state, state, code=code))


KEPT = Kept(OLD, KeptReason.NOT_OURS, "")


@pytest.mark.parametrize(
    ("ends", "kept", "code"),
    [
        ([done(State.ACCEPTED), done(State.ALREADY)], [], ExitCode.OK),
        ([done(State.ACCEPTED)], [KEPT], ExitCode.PARTIAL),
        ([done(State.ACCEPTED), done(State.UNKNOWN)], [], ExitCode.PARTIAL),
        ([done(State.FAILED)], [], ExitCode.NOTHING_SUCCEEDED),
        ([done(State.REJECTED)], [KEPT], ExitCode.NOTHING_SUCCEEDED),
        ([done(State.ACCEPTED), done(State.DEFERRED, "deadline")], [], ExitCode.DEADLINE),
        ([], [KEPT], ExitCode.NO_MATCH),
    ],
)
def test_the_exit_code_tells_what_a_caller_may_act_on(
    ends: list[Done], kept: list[Kept], code: ExitCode
) -> None:
    assert judge_withdrawals(ends, kept) == code


def test_the_words_say_what_a_withdrawal_does_not_do(desk: Desk) -> None:
    plan = desk.plan(sitemap("shop"), OLD)
    lines = withdraw_text(withdraw_doc("r", plan, (), ExitCode.OK), Screen(80))
    words = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    for part in (
        "planned",
        "does not stop the engine from crawling",
        "the next run submits it again",
        f"Kept: {OLD}",
    ):
        assert part in words
