"""A run that ends at its deadline stores where it was, claims nothing false, and is continued."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from submitter.ports import Fetched
from submitter.sandbox import Section
from submitter.sandbox.fleet_site import FleetSite
from submitter.sources.web import WebSource
from support.whole import DOMAIN, Ran, SandboxTime, World
from support.whole_books import prove_books_agree, prove_sums

STEP_S = 10.0
"""What every fetch takes."""


class SlowSource:
    """The web, where every fetch takes ten seconds."""

    def __init__(self, world: World, web: WebSource) -> None:
        self._world, self._web = world, web

    @contextmanager
    def fetch(self, url: str, **named: Any) -> Iterator[Fetched]:
        self._world.clock.advance(STEP_S)
        with self._web.fetch(url, **named) as fetched:
            yield fetched


@pytest.fixture
def tree(fleet: World) -> FleetSite:
    """A site whose index lists six documents of three pages."""
    fleet.add("tree", sitemaps=["http://{host}/sitemap-index.xml"])
    sections = [Section(f"part{number}", 3) for number in range(6)]
    return fleet.sandbox.fleet.add_site(f"tree.{DOMAIN}", *sections)


def run_slowly(world: World, *, seconds: float | None = None) -> Ran:
    """A run that has so much time, of which half may be spent on looking."""
    web = WebSource(SandboxTime(world.clock))
    until = math.inf if seconds is None else world.clock.monotonic() + seconds
    try:
        ran = world.run(parts={"source": SlowSource(world, web)}, until=until)
    finally:
        web.close_all()
    prove_books_agree(world)
    return ran


def test_a_look_that_was_cut_off_is_no_change(fleet: World, tree: FleetSite) -> None:
    """Nothing changed, and there is no time to see all of it: Google is told nothing."""
    assert run_slowly(fleet).counts("sitemaps") == {"accepted": 1}
    fleet.clock.advance(3600)
    ran = run_slowly(fleet, seconds=100)
    assert ran.exit_code == 6
    assert ran.calls == []
    assert run_slowly(fleet).calls == []


def test_what_was_seen_before_the_deadline_is_told(fleet: World, tree: FleetSite) -> None:
    run_slowly(fleet)
    fleet.clock.advance(3600)
    tree.add_pages(1, "part0")
    ran = run_slowly(fleet, seconds=100)
    assert ran.exit_code == 6
    assert [row.state for row in ran.calls] == ["accepted"]
    assert run_slowly(fleet).calls == [], "the rest was as it had been"


def test_sites_that_were_not_reached_are_done_by_the_next_run(fleet: World) -> None:
    for number in range(30):
        fleet.add(f"s{number}", pages=2, quota=5, fetch={"timeout_s": 600})
    ran = run_slowly(fleet, seconds=200)
    assert ran.exit_code == 6
    told = ran.counts("sitemaps")["accepted"]
    assert 0 < told < 30
    again = run_slowly(fleet)
    assert again.exit_code == 0
    prove_sums(again)
    assert again.counts("sitemaps") == {"accepted": 30 - told, "skipped": told}


def test_no_time_at_all_does_nothing_and_says_so(fleet: World) -> None:
    fleet.add("shop", quota=5)
    ran = run_slowly(fleet, seconds=0)
    assert ran.exit_code == 6
    assert ran.calls == []
    assert run_slowly(fleet).exit_code == 0
