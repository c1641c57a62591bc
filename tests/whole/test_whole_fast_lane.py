"""Baidu's fast lane: the best pages go there, each page goes once, and only when asked for."""

from __future__ import annotations

import pytest

from submitter.stories.overview import Wish, gather_overview
from submitter.wiring import TRAITS
from support.whole import Ran, World
from support.whole_books import prove_books_agree, prove_ledger_is_whole, prove_sums

FAST = "&type=daily"


def lanes(ran: Ran) -> dict[bool, int]:
    """Pages told, by whether they went into the fast lane."""
    told = {True: 0, False: 0}
    for row in ran.calls:
        told[row.property.endswith(FAST)] += row.accepted
    return told


def fleet_of(fleet: World, pages: int, quota: int, daily: int | None, wanted: int | None) -> str:
    if wanted is not None:
        fleet.accounts["baidu"]["daily"] = wanted
    site = fleet.add("shop", pages=pages, quota=quota)
    fleet.sandbox.baidu.set_daily("shop.whole.test", daily)
    return site.origin


def spent_by_lane(fleet: World) -> dict[str, int]:
    with fleet.ledger() as ledger:
        return {key[1]: one.spent for key, one in ledger.allowances().items()}


def proven(fleet: World) -> Ran:
    ran = fleet.run(targets=fleet.only("baidu"))
    prove_sums(ran)
    return ran


def test_it_is_off_unless_a_number_is_given(fleet: World) -> None:
    fleet_of(fleet, pages=10, quota=20, daily=5, wanted=None)
    assert lanes(proven(fleet)) == {True: 0, False: 10}


def test_pages_fill_it_first_and_the_rest_goes_the_common_way(fleet: World) -> None:
    fleet_of(fleet, pages=12, quota=20, daily=5, wanted=5)
    assert lanes(proven(fleet)) == {True: 5, False: 7}
    assert lanes(proven(fleet)) == {True: 0, False: 0}, "nothing is told twice"
    assert spent_by_lane(fleet) == {"shop.whole.test&type=daily": 5, "shop.whole.test": 7}
    prove_books_agree(fleet)
    prove_ledger_is_whole(fleet.ledger_path)


@pytest.mark.parametrize(("daily", "fast"), [(3, 3), (1, 1)])
def test_what_the_engine_has_left_counts_and_not_what_was_hoped_for(
    fleet: World, daily: int, fast: int
) -> None:
    """Its first call holds one page, so nothing is passed over without a word."""
    fleet_of(fleet, pages=12, quota=20, daily=daily, wanted=10)
    ran = proven(fleet)
    assert lanes(ran) == {True: fast, False: 12 - fast}, "the others go the common way"
    assert {row.state for row in ran.calls} == {"accepted"}


def test_where_the_site_has_none_the_one_page_counts_as_pushed_the_common_way(
    fleet: World,
) -> None:
    fleet_of(fleet, pages=6, quota=20, daily=None, wanted=3)
    assert lanes(proven(fleet)) == {True: 1, False: 5}
    assert spent_by_lane(fleet) == {"shop.whole.test&type=daily": 0, "shop.whole.test": 6}
    prove_books_agree(fleet)


@pytest.mark.parametrize("first_batch", [1, 5, 50])
@pytest.mark.parametrize(("daily", "wanted"), [(None, 10), (None, 40), (4, 10), (0, 5)])
def test_both_lanes_together_spend_a_day_to_the_page_and_never_one_more(
    fleet: World, daily: int | None, wanted: int, first_batch: int
) -> None:
    """A push without the right to the fast lane spends the common quota, whose next batch would
    be one page too large, and a batch that is too large is refused whole."""
    quota = max(20, first_batch)
    fleet.accounts["baidu"]["first_batch"] = first_batch
    fleet_of(fleet, pages=80, quota=quota, daily=daily, wanted=wanted)
    ran = proven(fleet)
    assert {row.state for row in ran.calls} == {"accepted"} | ({"unknown"} if daily == 0 else set())
    assert fleet.sandbox.baidu.left("shop.whole.test") == 0
    assert lanes(ran)[True] == (1 if daily is None else daily)
    fleet.next_day()
    assert sum(lanes(proven(fleet)).values()) > 0


def test_the_best_pages_do_not_wait_for_a_fast_lane_that_is_not_there(fleet: World) -> None:
    fleet_of(fleet, pages=30, quota=12, daily=None, wanted=10)
    newest = fleet.sandbox.fleet.site("shop.whole.test").change_pages(10)
    proven(fleet)
    assert set(fleet.sandbox.baidu.book.accepted()) >= set(newest)


def test_a_lost_push_into_it_counts_as_spent_in_both_lanes(fleet: World) -> None:
    """Nobody knows whether the site has a fast lane, so nobody knows which of them has paid."""
    fleet.sandbox.baidu.faults.add("reset", after=True, times=1)
    fleet_of(fleet, pages=30, quota=12, daily=None, wanted=3)
    ran = proven(fleet)
    assert {row.state for row in ran.calls} <= {"unknown", "accepted"}
    assert spent_by_lane(fleet)["shop.whole.test"] >= 1
    assert fleet.sandbox.baidu.left("shop.whole.test") >= 0


def test_a_site_that_may_not_push_is_asked_once_for_both_lanes(fleet: World) -> None:
    fleet.sandbox.baidu.faults.add("answer", answer="site-error", times=None)
    fleet_of(fleet, pages=30, quota=12, daily=None, wanted=3)
    assert len(proven(fleet).calls) == 1


def test_the_next_day_it_is_open_again(fleet: World) -> None:
    fleet_of(fleet, pages=30, quota=5, daily=2, wanted=2)
    assert lanes(proven(fleet)) == {True: 2, False: 5}
    fleet.next_day()
    assert lanes(proven(fleet)) == {True: 2, False: 5}


def test_the_report_shows_both_lanes(fleet: World) -> None:
    fleet_of(fleet, pages=12, quota=6, daily=5, wanted=5)
    proven(fleet)
    with fleet.wired() as wiring:
        now = fleet.clock.now()
        wish = Wish(wiring.fleet, TRAITS, lambda target: wiring.property_of(target, None), now)
        found = gather_overview(wiring.ledger, wish, now=now).lanes
    shown = {one.allowance.property: (one.allowance.spent, one.waiting) for one in found}
    assert shown == {"shop.whole.test": (6, 1), f"shop.whole.test{FAST}": (5, 0)}
