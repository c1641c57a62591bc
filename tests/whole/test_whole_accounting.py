"""Found = the sum of all columns, after every run; and both books agree, whatever happens."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.sandbox import Break
from support.whole import World, world
from support.whole_books import prove_books_agree, prove_ledger_is_whole, prove_sums

SITEMAP = "/sitemap.xml"


def test_pages_that_may_not_be_told_yet_are_counted_while_the_guard_holds(fleet: World) -> None:
    """Nine of twenty are unknown until tomorrow, and then the site shrinks."""
    site = fleet.add("shop", pages=20, quota=10)
    fleet.sandbox.baidu.faults.add("reset", after=True, skip=1)
    prove_sums(fleet.run())
    site.put(SITEMAP, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>')
    site.remove_pages(12)
    site.mend(SITEMAP)
    ran = fleet.run()
    prove_sums(ran)
    assert ran.exit_code == 3


def test_a_page_that_is_told_again_is_counted_once(fleet: World) -> None:
    """With `repush_changed`, a told page waits again: it is no longer `already-told`."""
    fleet.accounts["baidu"]["repush_changed"] = True
    site = fleet.add("shop", pages=10, quota=10)
    prove_sums(fleet.run())
    site.change_pages(4)
    ran = fleet.run()
    prove_sums(ran)
    assert ran.counts("pages", site.origin, "baidu") == {"skipped": 6, "deferred": 4}
    fleet.next_day()
    ran = fleet.run()
    prove_sums(ran)
    assert ran.counts("pages", site.origin, "baidu") == {"skipped": 6, "accepted": 4}


@pytest.mark.parametrize(("first_run", "told"), [("all", 10), ("recent", 1), ("none", 0)])
def test_pages_that_a_first_run_leaves_out_are_counted(
    fleet: World, first_run: str, told: int
) -> None:
    fleet.accounts["baidu"]["first_run"] = first_run
    site = fleet.add("shop", pages=10, quota=20)
    ran = fleet.run()
    prove_sums(ran)
    skipped = ran.counts("pages", site.origin, "baidu").get("skipped", 0)
    assert (skipped == 0) is (told == 10)
    site.add_pages(3)
    ran = fleet.run()
    prove_sums(ran)
    assert ran.counts("pages", site.origin, "baidu")["accepted"] == 3


def test_pages_that_are_gone_are_counted_no_more(fleet: World) -> None:
    site = fleet.add("shop", pages=30, quota=10)
    prove_sums(fleet.run())
    site.remove_pages(6)  # some were told, some wait
    ran = fleet.run()
    prove_sums(ran)
    assert ran.target(site.origin, "baidu")["pages"] == 24


def test_sites_that_share_a_lane_share_its_allowance(fleet: World) -> None:
    """One registered site, two hosts: what the first spends, the second lacks, and no more."""
    fleet.accounts["baidu"]["daily_limit"] = 10
    fleet.add("a", pages=4, quota=10, baidu_site="a.whole.test")
    fleet.add("b", pages=20, quota=10, baidu_site="a.whole.test")
    ran = fleet.run(targets=fleet.only("baidu"))
    prove_sums(ran)
    assert sum(row.urls for row in ran.calls) == 10
    with fleet.ledger() as ledger:
        assert ledger.allowances()["baidu", "a.whole.test"].spent == 4, "foreign pages cost nothing"


# ---------------------------------------------------------------- any story


@dataclass(frozen=True)
class Edit:
    """What happens to a site between two runs."""

    site: int
    verb: str
    count: int


@dataclass(frozen=True)
class Day:
    """Edits, then faults, then some runs; `quota` is what Baidu grants from a new day on."""

    edits: list[Edit]
    google: list[str]
    baidu: list[str]
    quota: int
    runs: int
    next_day: bool


SITES = 3
EDITS = st.builds(
    Edit,
    site=st.integers(0, SITES - 1),
    verb=st.sampled_from(["add", "remove", "change", "cut", "missing", "mend"]),
    count=st.integers(1, 4),
)
GOOGLE = st.sampled_from(["reset", "lost", "garbage", "unavailable", "day-spent", "internal"])
BAIDU = st.sampled_from(["reset", "lost", "garbage", "over-quota", "internal", "site-error"])
DAYS = st.builds(
    Day,
    edits=st.lists(EDITS, max_size=3),
    google=st.lists(GOOGLE, max_size=2),
    baidu=st.lists(BAIDU, max_size=2),
    quota=st.integers(0, 12),
    runs=st.integers(1, 2),
    next_day=st.booleans(),
)
STORIES = st.lists(DAYS, min_size=1, max_size=4)


def edit(fleet: World, one: Edit) -> None:
    site = fleet.sandbox.fleet.site(f"s{one.site}.whole.test")
    match one.verb:
        case "add":
            site.add_pages(one.count)
        case "remove":
            site.remove_pages(one.count)
        case "change":
            site.change_pages(one.count)
        case "mend":
            site.mend(SITEMAP)
        case how:
            site.break_document(SITEMAP, Break(how))


def strike(fleet: World, day: Day) -> None:
    """Every fault hits one call, the second that could be hit."""
    for name in day.google:
        rules = {"reset": {}, "lost": {"after": True}, "garbage": {"after": True}}.get(name)
        kind = "answer" if rules is None else name.replace("lost", "reset")
        more = {"answer": name} if rules is None else rules
        fleet.sandbox.google.faults.add(kind, call="sitemaps.submit", skip=1, **more)
    for name in day.baidu:
        rules = {"reset": {}, "lost": {"after": True}, "garbage": {"after": True}}.get(name)
        kind = "answer" if rules is None else name.replace("lost", "reset")
        more = {"answer": name} if rules is None else rules
        fleet.sandbox.baidu.faults.add(kind, skip=1, **more)


def tell_story(story: list[Day], folder: Path) -> None:
    with world(folder) as fleet:
        for number in range(SITES):
            fleet.add(f"s{number}", pages=4 + number, quota=0)
        new_day = True
        for day in story:
            for one in day.edits:
                edit(fleet, one)
            if new_day:
                for number in range(SITES):
                    fleet.grant(f"s{number}.whole.test", day.quota)
            strike(fleet, day)
            for _ in range(day.runs):
                prove_sums(fleet.run())
                prove_books_agree(fleet)
            new_day = day.next_day
            if new_day:
                fleet.next_day()
        prove_ledger_is_whole(fleet.ledger_path)


@settings(max_examples=12)
@given(story=STORIES)
def test_every_story_adds_up_and_both_books_agree(story: list[Day]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tell_story(story, Path(folder))


@pytest.mark.long
@settings(max_examples=400)
@given(story=STORIES)
def test_many_stories_add_up_and_both_books_agree(story: list[Day]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tell_story(story, Path(folder))
