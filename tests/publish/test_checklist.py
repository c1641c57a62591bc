"""What a person hands in by hand: in order, within the day, remembered."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publishing_support import BookInMemory

from submitter.core.checklist import (
    BAIDU_FORM,
    Agenda,
    Form,
    FormLimits,
    Item,
    Listed,
    agenda,
    relist,
    tick,
    untick,
)
from submitter.errors import ConfigError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=3)
SITE = "https://shop.example.com"


def address(number: int) -> str:
    return f"{SITE}/baidu-{number}.xml"


def item(number: int, **facts: object) -> Item:
    made = Item("baidu", SITE, address(number), NOW, NOW)
    return replace(made, **facts)  # type: ignore[arg-type]


def addresses(items: tuple[Item, ...]) -> list[str]:
    return [one.address for one in items]


def listed(items: list[Item], *entries: Listed, now: datetime = LATER) -> list[Item]:
    """The items after the list was brought up to date."""
    changed = relist(items, entries, engine="baidu", site=SITE, form=Form.SITEMAP, now=now)
    return list({one.address: one for one in (*items, *changed)}.values())


# ---------------------------------------------------------------- the list


def test_a_new_address_is_put_on_the_list_and_only_once() -> None:
    entries = [Listed(address(1), True), Listed(address(2), True)]
    once = listed([], *entries, now=NOW)
    assert once == [item(1), item(2)]
    unchanged = [replace(entry, changed=False) for entry in entries]
    assert relist(once, unchanged, engine="baidu", site=SITE, form=Form.SITEMAP, now=LATER) == ()


def test_a_changed_file_is_remembered_as_changed_since_it_was_handed_in() -> None:
    [one] = listed([item(1, handed_in_at=NOW)], Listed(address(1), True))
    assert one == item(1, handed_in_at=NOW, changed_at=LATER)
    assert one.changed_since
    assert not item(1, handed_in_at=NOW).changed_since
    assert not item(1, changed_at=LATER).changed_since


def test_an_address_without_pages_is_retired_and_lives_again_when_it_has_some() -> None:
    [retired] = listed([item(1, handed_in_at=NOW)])
    assert retired == item(1, handed_in_at=NOW, retired_at=LATER)
    assert retired.registered
    for changed in (True, False):
        [again] = listed([retired], Listed(address(1), changed))
        assert again == item(1, handed_in_at=NOW, changed_at=LATER)


def test_a_withdrawn_address_that_lives_again_is_handed_in_anew() -> None:
    gone = item(1, handed_in_at=NOW, retired_at=NOW, withdrawn_at=NOW)
    [again] = listed([gone], Listed(address(1), True))
    assert again == item(1, first_listed_at=LATER, changed_at=LATER)
    assert agenda([again], BAIDU_FORM, now=LATER).hand_in == (again,)


def test_a_list_of_one_form_does_not_retire_the_other() -> None:
    dead = item(1, form=Form.DEAD_LINKS, address=f"{SITE}/silian-1.xml")
    assert listed([dead], Listed(address(1), True), now=NOW) == [dead, item(1)]


# ---------------------------------------------------------------- what to do today


def test_ten_a_day_are_handed_in_in_the_order_of_their_numbers() -> None:
    items = [item(number) for number in (12, 2, 10, 1, 11, 9, 8, 7, 6, 5, 4, 3)]
    to_do = agenda(items, BAIDU_FORM, now=NOW)
    assert addresses(to_do.hand_in) == [address(number) for number in range(1, 11)]
    assert (to_do.waiting, to_do.over_limit) == (2, 0)


def test_what_was_listed_first_goes_first() -> None:
    items = [item(1, first_listed_at=LATER), item(2)]
    assert addresses(agenda(items, BAIDU_FORM, now=LATER).hand_in) == [address(2), address(1)]


@pytest.mark.parametrize(
    ("handed_in_at", "now", "left"),
    [
        ("2026-11-30T15:59:59Z", "2026-11-30T15:59:59Z", 1),
        ("2026-11-30T15:59:59Z", "2026-11-30T16:00:00Z", 3),
        ("2026-11-30T16:00:00Z", "2026-12-01T15:59:59Z", 1),
        ("2026-12-02T00:00:00Z", "2026-12-01T00:00:00Z", 1),
    ],
)
def test_the_day_is_the_engines_own_and_a_clock_that_goes_back_wins_nothing(
    handed_in_at: str, now: str, left: int
) -> None:
    at = datetime.fromisoformat(handed_in_at)
    items = [item(number, handed_in_at=at) for number in (1, 2)]
    items += [item(number) for number in (3, 4, 5, 6)]
    limits = FormLimits(per_day=3, in_all=200, day_zone="Asia/Shanghai")
    to_do = agenda(items, limits, now=datetime.fromisoformat(now))
    assert len(to_do.hand_in) == left
    assert to_do.waiting == 4 - left


def test_the_console_takes_no_more_than_its_limit_in_all() -> None:
    limits = FormLimits(per_day=10, in_all=3, day_zone="Asia/Shanghai")
    items = [item(1, handed_in_at=NOW), *(item(number) for number in range(2, 6))]
    to_do = agenda(items, limits, now=LATER)
    assert addresses(to_do.hand_in) == [address(2), address(3)]
    assert (to_do.waiting, to_do.over_limit) == (0, 2)
    withdrawn = [replace(items[0], retired_at=NOW, withdrawn_at=NOW), *items[1:]]
    assert len(agenda(withdrawn, limits, now=LATER).hand_in) == 3


def test_a_new_site_may_hand_in_nothing() -> None:
    limits = FormLimits(per_day=0, in_all=1, day_zone="Asia/Shanghai")
    to_do = agenda([item(1)], limits, now=NOW)
    assert (to_do.hand_in, to_do.waiting) == ((), 1)


def test_a_retired_address_is_to_be_withdrawn_only_if_it_was_handed_in() -> None:
    items = [item(1, handed_in_at=NOW, retired_at=NOW), item(2, retired_at=NOW)]
    to_do = agenda(items, BAIDU_FORM, now=LATER)
    assert to_do == Agenda((), 0, 0, 0, (), (items[0],))


@given(
    st.lists(st.sampled_from(["new", "today", "before", "retired", "withdrawn"]), max_size=30),
    st.integers(0, 12),
    st.integers(0, 20),
)
def test_every_live_address_is_in_one_place_and_no_limit_is_broken(
    kinds: list[str], per_day: int, in_all: int
) -> None:
    facts = {
        "new": {},
        "today": {"handed_in_at": LATER},
        "before": {"handed_in_at": NOW},
        "retired": {"handed_in_at": NOW, "retired_at": NOW},
        "withdrawn": {"handed_in_at": NOW, "retired_at": NOW, "withdrawn_at": NOW},
    }
    items = [item(number, **facts[kind]) for number, kind in enumerate(kinds)]
    to_do = agenda(items, FormLimits(per_day, in_all, "Asia/Shanghai"), now=LATER)
    assert len(to_do.hand_in) + to_do.waiting + to_do.over_limit == kinds.count("new")
    assert not to_do.hand_in or len(to_do.hand_in) + kinds.count("today") <= per_day
    registered = len(to_do.handed_in) + len(to_do.withdraw)
    assert registered == sum(kind in ("today", "before", "retired") for kind in kinds)
    assert not to_do.hand_in or len(to_do.hand_in) + registered <= in_all


# ---------------------------------------------------------------- ticking off


def test_ticking_off_remembers_the_date_and_twice_changes_nothing() -> None:
    [ticked] = tick([item(1), item(2)], [address(1)], now=LATER)
    assert ticked == item(1, handed_in_at=LATER)
    assert tick([ticked], [address(1)], now=LATER + timedelta(days=1)) == ()


def test_ticking_a_retired_address_says_that_it_was_withdrawn() -> None:
    retired = item(1, handed_in_at=NOW, retired_at=NOW)
    [withdrawn] = tick([retired], [address(1)], now=LATER)
    assert withdrawn == replace(retired, withdrawn_at=LATER)
    assert not withdrawn.registered
    assert tick([withdrawn], [address(1)], now=LATER) == ()
    assert tick([item(1, retired_at=NOW)], [address(1)], now=LATER) == ()


def test_an_address_that_is_not_on_the_list_is_refused_and_nothing_is_ticked() -> None:
    with pytest.raises(ConfigError, match=r"not on it: 'https://shop\.example\.com/baidu-9\.xml'"):
        tick([item(1)], [address(1), address(9)], now=NOW)


def test_a_tick_by_mistake_can_be_taken_back() -> None:
    [ticked] = tick([item(1)], [address(1)], now=NOW)
    assert untick([ticked, item(2)], [address(1), address(2)]) == (item(1),)


# ---------------------------------------------------------------- the book


@pytest.fixture(params=[BookInMemory])
def book(request: pytest.FixtureRequest) -> BookInMemory:
    """Every implementation of `ports.ChecklistBook` adds itself to the parameters."""
    return request.param()  # type: ignore[no-any-return]


def test_a_book_gives_back_what_was_saved_for_an_engine_and_a_site(book: BookInMemory) -> None:
    other_site, other_engine = item(1, site="https://a.example"), item(1, engine="sogou")
    full = item(
        2,
        form=Form.DEAD_LINKS,
        changed_at=LATER,
        handed_in_at=NOW,
        retired_at=NOW,
        withdrawn_at=LATER,
    )
    book.save([item(1), other_site, other_engine])
    book.save([full])
    book.save([])
    assert sorted(book.items("baidu", SITE), key=lambda one: one.address) == [item(1), full]
    assert book.items("sogou", SITE) == [other_engine]
    assert book.items("baidu", "https://b.example") == []


def test_saving_again_replaces(book: BookInMemory) -> None:
    book.save([item(1), item(2)])
    book.save([item(1, handed_in_at=NOW)])
    assert sorted(book.items("baidu", SITE), key=lambda one: one.address) == [
        item(1, handed_in_at=NOW),
        item(2),
    ]
