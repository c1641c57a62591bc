"""Engine days: what crosses midnight, what a missed week means, and a clock that goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from submitter.core.calls import Call, Receipt
from submitter.sending.channels import Channel
from submitter.stories.run_request import Tools
from support.whole import Ran, World
from support.whole_books import prove_books_agree, prove_sums, untold


@dataclass
class SlowEngine:
    """An engine whose first call takes so long that something happens on the way there."""

    engine: Any
    happens: Callable[[], object]
    calls: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        self.calls += 1
        if self.calls == 1:
            self.happens()
        receipt: Receipt = self.engine.send(call, timeout_s=timeout_s)
        return receipt


def slowly(happens: Callable[[], object]) -> Callable[[Tools], Tools]:
    def adapt(tools: Tools) -> Tools:
        def open_channels(names: Iterable[str]) -> Mapping[str, Channel]:
            return {
                name: replace(channel, engine=SlowEngine(channel.engine, happens))
                for name, channel in tools.open_channels(names).items()
            }

        return replace(tools, open_channels=open_channels)

    return adapt


def run_baidu(world: World, **request: Any) -> Ran:
    ran = world.run(targets=world.only("baidu"), **request)
    prove_sums(ran)
    prove_books_agree(world)
    return ran


def test_a_call_lost_over_midnight_touches_both_days(fleet: World) -> None:
    """Begun yesterday, taken today, never answered: those pages are today's, and wait for
    tomorrow."""
    fleet.accounts["baidu"]["daily_limit"] = 10
    site = fleet.add("shop", pages=20, quota=10)
    fleet.sandbox.baidu.faults.add("reset", after=True)
    ran = run_baidu(fleet, adapt=slowly(fleet.next_day))
    assert ran.counts("pages", site.origin, "baidu") == {"unknown": 10, "deferred": 10}
    assert fleet.sandbox.baidu.left(site.host) == 0
    with fleet.ledger() as ledger:
        assert ledger.allowances()["baidu", site.host].spent == 10
    assert run_baidu(fleet).calls == []
    fleet.next_day()
    assert run_baidu(fleet).counts("pages", site.origin, "baidu")["accepted"] == 10
    fleet.next_day()
    run_baidu(fleet)
    assert untold(fleet) == {f"{site.origin}/sitemap.xml"}  # Google was left out


def test_a_call_answered_after_midnight_is_yesterdays(fleet: World) -> None:
    fleet.accounts["baidu"]["daily_limit"] = 10
    site = fleet.add("shop", pages=20, quota=10)
    ran = run_baidu(fleet, adapt=slowly(fleet.next_day))
    counts = ran.counts("pages", site.origin, "baidu")
    assert counts["accepted"] == 10
    assert len(fleet.sandbox.baidu.book.accepted("push")) == 10


def test_a_missed_week_gives_one_days_quota(fleet: World) -> None:
    site = fleet.add("shop", pages=50, quota=5)
    run_baidu(fleet)
    for _ in range(7):
        fleet.next_day()
    ran = run_baidu(fleet)
    assert ran.counts("pages", site.origin, "baidu") == {
        "accepted": 5,
        "skipped": 5,
        "deferred": 40,
    }


def test_a_clock_that_goes_back_wins_no_quota(fleet: World) -> None:
    site = fleet.add("shop", pages=20, quota=5)
    fleet.next_day()
    run_baidu(fleet)
    fleet.clock.advance(-86_400)
    ran = run_baidu(fleet)
    assert ran.calls == []
    assert ran.counts("pages", site.origin, "baidu") == {"deferred": 15, "skipped": 5}


def test_pages_go_out_in_their_order_over_the_days(fleet: World) -> None:
    """By priority of their section, then by date; whatever the day, what is new does not push
    ahead of what is more important."""
    sections = [{"name": "p", "match": "/*1", "priority": 10}]
    site = fleet.add("shop", pages=12, quota=4, sections=sections)
    important = [loc for loc in site.urls() if loc.endswith("1")]
    run_baidu(fleet)
    site.add_pages(1)
    for _ in range(3):
        fleet.next_day()
        run_baidu(fleet)
    taken = fleet.sandbox.baidu.book.accepted("push")
    assert sorted(taken[: len(important)]) == sorted(important)
    assert len(taken) == len(set(taken)) == 13
