"""The guard's story over days: held, still held, forced or well again; others go on."""

from __future__ import annotations

from typing import Any

import pytest

from submitter.sandbox.fleet_site import FleetSite
from support.whole import Ran, World
from support.whole_books import prove_books_agree, prove_sums

SITEMAP = "/sitemap.xml"


@pytest.fixture
def shop(fleet: World) -> FleetSite:
    """A shop of twenty pages that is known, beside a site that only ever grows."""
    site = fleet.add("shop", pages=20, quota=100)
    fleet.add("other", pages=5, quota=100)
    run(fleet)
    return site


def run(fleet: World, **request: Any) -> Ran:
    fleet.sandbox.fleet.site("other.whole.test").add_pages(1)
    fleet.clock.advance(3600)
    ran = fleet.run(**request)
    prove_sums(ran)
    prove_books_agree(fleet)
    return ran


def lose_most_pages(site: FleetSite) -> list[str]:
    """The shop's sitemap lists six pages of the twenty, and one that is new."""
    kept = [*list(site.urls())[:6], f"{site.origin}/brand-new"]
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in kept)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    site.put(SITEMAP, f'<urlset xmlns="{namespace}">{entries}</urlset>')
    return kept


def of_shop(ran: Ran, shop: FleetSite) -> tuple[dict[str, int], dict[str, int]]:
    return (
        ran.counts("sitemaps", shop.origin, "google"),
        ran.counts("pages", shop.origin, "baidu"),
    )


def others_went_on(ran: Ran) -> bool:
    other = "http://other.whole.test"
    return (
        ran.counts("sitemaps", other, "google") == {"accepted": 1}
        and ran.counts("pages", other, "baidu")["accepted"] == 1
    )


def test_a_site_that_lost_its_pages_is_held_for_as_long_as_it_takes(
    fleet: World, shop: FleetSite
) -> None:
    lose_most_pages(shop)
    for _ in range(3):
        ran = run(fleet)
        assert (ran.exit_code, ran.summary["outcome"]) == (3, "held")
        assert ran.findings(shop.origin) == {"guard-gone"}
        assert of_shop(ran, shop) == ({"skipped": 1}, {"skipped": 7})
        assert ran.skips(shop.origin)["guard"] == 1
        assert others_went_on(ran)
        fleet.next_day()


def test_a_reason_lets_it_through_and_is_stored(fleet: World, shop: FleetSite) -> None:
    lose_most_pages(shop)
    run(fleet)
    ran = run(fleet, forced="half the range was sold")
    assert ran.exit_code == 0
    assert of_shop(ran, shop) == ({"accepted": 1}, {"accepted": 1, "skipped": 6})
    assert fleet.run_rows()[0].forced == "half the range was sold"
    after = run(fleet)
    assert after.exit_code == 0, "what was forced is what the next look is compared with"
    assert of_shop(after, shop) == ({"skipped": 1}, {"skipped": 7})


def test_a_site_that_is_well_again_goes_on_by_itself(fleet: World, shop: FleetSite) -> None:
    lose_most_pages(shop)
    assert run(fleet).exit_code == 3
    shop.mend(SITEMAP)
    shop.add_pages(2)
    ran = run(fleet)
    assert ran.exit_code == 0
    assert of_shop(ran, shop) == ({"accepted": 1}, {"accepted": 2, "skipped": 20})


def test_an_accident_in_small_steps_is_still_one(fleet: World, shop: FleetSite) -> None:
    """Each look compares with the last one that passed, and what is held does not pass."""
    shop.remove_pages(5)
    assert run(fleet).exit_code == 0
    shop.remove_pages(5)
    assert run(fleet).exit_code == 3
    shop.add_pages(1)
    assert run(fleet).exit_code == 3


def test_a_flood_of_new_pages_is_held(fleet: World) -> None:
    site = fleet.add("big", pages=120, quota=1_000)
    fleet.add("other", pages=5, quota=100)
    run(fleet)
    site.add_pages(121)
    ran = run(fleet)
    assert ran.exit_code == 3
    assert ran.findings(site.origin) == {"guard-new"}
    assert ran.counts("pages", site.origin, "baidu") == {"skipped": 241}
    assert run(fleet, forced="the archive went online").exit_code == 0
    assert set(fleet.page_states().values()) == {"accepted"}


def test_a_robots_txt_that_closes_the_site_holds_it_until_it_opens(
    fleet: World, shop: FleetSite
) -> None:
    shop.add_pages(1)
    open_again = shop.robots
    shop.close()
    ran = run(fleet)
    assert ran.exit_code == 3
    assert ran.findings(shop.origin) == {"robots-closed"}
    assert others_went_on(ran)
    shop.robots = open_again
    ran = run(fleet)
    assert ran.exit_code == 0
    assert of_shop(ran, shop) == ({"accepted": 1}, {"accepted": 1, "skipped": 20})


def test_a_plan_shows_what_the_guard_will_hold(fleet: World, shop: FleetSite) -> None:
    lose_most_pages(shop)
    plan = fleet.plan().plan
    assert {finding.id for finding in plan.findings} == {"guard-gone"}
    assert {action.site for action in plan.actions} <= {"http://other.whole.test"}
    assert run(fleet).exit_code == 3, "and looking does not wear it off"
