"""Baidu's fast lane: the best pages go there, each page goes once, and only when asked for."""

from __future__ import annotations

import pytest

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
    with fleet.ledger() as ledger:
        spent = {key[1]: one.spent for key, one in ledger.allowances().items()}
    assert spent == {"shop.whole.test&type=daily": 5, "shop.whole.test": 7}
    prove_books_agree(fleet)
    prove_ledger_is_whole(fleet.ledger_path)


@pytest.mark.parametrize(("daily", "fast"), [(3, 3), (1, 1)])
def test_what_the_engine_has_left_counts_and_not_what_was_hoped_for(
    fleet: World, daily: int, fast: int
) -> None:
    """Its first call holds one page, so nothing is passed over without a word."""
    fleet_of(fleet, pages=12, quota=20, daily=daily, wanted=10)
    ran = proven(fleet)
    assert lanes(ran)[True] == fast
    assert {row.state for row in ran.calls} == {"accepted"}
    assert lanes(proven(fleet)) == {True: 0, False: 10 - fast}, "the others go the common way"


def test_where_the_site_has_none_the_one_page_counts_as_pushed_the_common_way(
    fleet: World,
) -> None:
    fleet_of(fleet, pages=6, quota=20, daily=None, wanted=3)
    assert lanes(proven(fleet)) == {True: 1, False: 3}
    assert lanes(proven(fleet)) == {True: 0, False: 2}


def test_the_next_day_it_is_open_again(fleet: World) -> None:
    fleet_of(fleet, pages=30, quota=5, daily=2, wanted=2)
    assert lanes(proven(fleet)) == {True: 2, False: 5}
    fleet.next_day()
    assert lanes(proven(fleet)) == {True: 2, False: 5}
