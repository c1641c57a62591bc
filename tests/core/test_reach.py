"""Pages that an account may tell, where its engine binds that to a place at the site."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_plan import HUB, NOW, SITE, Kind, look

from submitter.core.fleet import Account, Target
from submitter.core.plan import make_plan
from submitter.core.planned import Plan, TargetInput
from submitter.core.reach import is_within, reach_of
from submitter.core.standing import Candidate, PageStanding

KEYED = replace(HUB, reach_option="key_location")
ORIGIN = SITE.origin


def account(location: str | None) -> Account:
    return Account("hub", "hub", None, settings={"key_location": location} if location else {})


@pytest.mark.parametrize(
    ("location", "reach"),
    [
        (None, None),
        ("https://{host}/blog/{key}.txt", "shop.example.com/blog/"),
        ("https://{host}/{key}.txt", "shop.example.com/"),
        ("https://{host}/a/./b/../key.txt?v=/1", "shop.example.com/a/"),
        ("https://keys.example.com/blog/{key}.txt", None),
        ("https://{host}/{key}/{key}.txt", None),
        ("nonsense", None),
    ],
)
def test_the_directory_of_the_key_file_bounds_what_may_be_told(
    location: str | None, reach: str | None
) -> None:
    assert reach_of(account(location), SITE, KEYED) == reach
    assert reach_of(account(location), SITE, HUB) is None


@pytest.mark.parametrize(
    ("loc", "inside"),
    [
        (f"{ORIGIN}/blog/1", True),
        ("http://SHOP.example.com/blog/", True),
        (f"{ORIGIN}/blog", False),
        (f"{ORIGIN}/Blog/1", False),
        (f"{ORIGIN}/blog/../1", False),
        ("not an address", True),
    ],
)
def test_an_address_is_judged_in_its_normal_form(loc: str, inside: bool) -> None:
    assert is_within("shop.example.com/blog/")(loc) is inside
    assert is_within(None)(loc)


def planned(*paths: str, waiting: int | None = None) -> Plan:
    pages = [Candidate(n, ORIGIN + path, "new") for n, path in enumerate(paths)]
    count = len(pages) if waiting is None else waiting
    given = TargetInput(
        target=Target(SITE, account("https://{host}/blog/{key}.txt")),
        traits=KEYED,
        property=SITE.host,
        look=look(listed=count),
        pages=PageStanding(waiting={Kind.URLS: count}),
        candidates={Kind.URLS: pages},
    )
    return make_plan([given], now=NOW)


def test_pages_outside_are_left_out_with_a_reason_and_stop_nobody() -> None:
    plan = planned("/x1", "/blog/1", "/blog/2", "/x2", "/blog/3")
    [action] = plan.actions
    assert (action.pages, action.target) == ((1, 2, 4), f"{ORIGIN}/blog/1")
    [skip] = plan.skips
    assert (skip.reason, skip.count, skip.column) == ("key-outside-scope", 2, "skipped")
    [note] = plan.findings
    assert (note.id, note.severity, note.count) == ("key-outside-scope", "warning", 2)
    assert note.examples == (f"{ORIGIN}/x1", f"{ORIGIN}/x2")


def test_the_sum_of_what_was_found_still_adds_up() -> None:
    plan = planned("/x1", *(f"/blog/{n}" for n in range(30)), waiting=40)
    assert sum(action.size for action in plan.actions) == 25
    assert {skip.reason: skip.count for skip in plan.skips} == {
        "key-outside-scope": 1,
        "run-limit": 14,
    }
