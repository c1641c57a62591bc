"""`plan` and `run` agree to the letter, and `plan` sends nothing."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain

import pytest

from submitter.core.planned import Plan
from submitter.core.traits import Kind
from submitter.errors import UnsafePlan
from support.whole import World
from support.whole_books import prove_books_agree, prove_sums


@pytest.fixture
def shops(fleet: World) -> World:
    """Three sites, of which two have more pages than a day's quota."""
    for number in range(3):
        fleet.add(f"shop{number}", pages=5 + number, quota=6)
    return fleet


def planned_pages(world: World, plan: Plan, site: str) -> list[str]:
    """Addresses of a site's planned pages, in sending order."""
    ids = chain.from_iterable(
        one.pages for one in plan.actions if one.site == site and one.kind is Kind.URLS
    )
    with world.ledger() as ledger:
        return ledger.urls(site, list(ids))


def prove_as_planned(world: World, plan: Plan) -> None:
    """What the engines got is a part of the plan, in the plan's order, from its beginning."""
    for entry in world.entries.values():
        site = f"http://{entry['host']}"
        taken = world.sandbox.baidu.book.accepted("push", str(entry["host"]))
        assert taken == planned_pages(world, plan, site)[: len(taken)], site
    sitemaps = {one.target for one in plan.actions if one.kind is Kind.SITEMAP}
    assert set(world.sandbox.google.book.accepted("sitemaps.submit")) <= sitemaps


def test_planning_asks_no_engine_anything(shops: World) -> None:
    seen = shops.plan()
    assert seen.observed
    assert len(seen.plan.actions) > 3
    assert shops.sandbox.google.book.entries() == []
    assert shops.sandbox.baidu.book.entries() == []
    assert shops.log() == []


def test_a_run_sends_what_was_planned_and_nothing_else(shops: World) -> None:
    plan = shops.plan().plan
    ran = shops.run(only_plan=plan.digest)
    assert ran.summary["digest"] == plan.digest
    assert ran.exit_code == 0
    prove_as_planned(shops, plan)
    assert len(shops.sandbox.google.book.accepted("sitemaps.submit")) == 3
    assert len(shops.sandbox.baidu.book.accepted("push")) == 5 + 6 + 6
    prove_books_agree(shops)


def test_planning_leaves_no_trace_in_what_a_run_counts(shops: World) -> None:
    """The same run, with plans before it and without."""
    for _ in range(3):
        shops.plan()
    ran = shops.run()
    assert ran.counts("sitemaps") == {"accepted": 3}
    assert ran.counts("pages") == {"accepted": 17, "deferred": 1}
    prove_sums(ran)


def test_equal_input_makes_an_equal_plan(shops: World) -> None:
    first, second = shops.plan().plan, shops.plan().plan
    assert (first.digest, first.actions, first.skips) == (
        second.digest,
        second.actions,
        second.skips,
    )


def test_plans_and_runs_agree_on_every_day(shops: World) -> None:
    for day in range(4):
        shops.sandbox.fleet.site("shop0.whole.test").add_pages(day)
        plan = shops.plan().plan
        before = len(shops.sandbox.baidu.book.accepted("push"))
        ran = shops.run(only_plan=plan.digest)
        assert len(shops.sandbox.baidu.book.accepted("push")) - before == sum(
            row.urls for row in ran.calls
        )
        prove_sums(ran)
        shops.next_day()
    prove_books_agree(shops)


def test_another_plan_than_the_agreed_one_sends_nothing(shops: World) -> None:
    agreed = shops.plan().plan.digest
    shops.sandbox.fleet.site("shop1.whole.test").add_pages(1)
    with pytest.raises(UnsafePlan, match=agreed):
        shops.run(only_plan=agreed)
    assert shops.sandbox.google.book.entries() == []
    assert shops.sandbox.baidu.book.entries() == []
    assert shops.log() == []
    assert shops.run(only_plan=shops.plan().plan.digest).exit_code == 0


def test_a_plan_made_beside_a_run_comes_from_memory(shops: World) -> None:
    """Another run holds the ledger: the plan says that nobody looked, and takes nothing."""
    shops.run()
    with shops.ledger() as ledger:
        ledger.acquire("run", "somebody else", ttl_s=600, now=shops.clock.now())
        fetches = shops.sandbox.fleet.book.count()
        seen = shops.plan()
        assert not seen.observed
        assert shops.sandbox.fleet.book.count() == fetches


def test_a_plan_for_tomorrow_uses_tomorrows_quota(shops: World) -> None:
    shops.run()
    now = shops.plan().plan
    assert [one for one in now.actions if one.kind is Kind.URLS] == []
    seen = shops.plan(ahead=timedelta(hours=12))
    assert sum(one.size for one in seen.plan.actions) == 1


def test_a_run_that_is_asked_for_twice_happens_once(shops: World) -> None:
    """A function's event that is delivered again finds the first one's report."""
    first = shops.run(run="event-1")
    calls = len(shops.log())
    again = shops.run(run="event-1")
    assert len(shops.log()) == calls
    assert again.summary == first.summary
