"""Which pages a sample holds: the newest, then others in turn, the same for everybody who asks."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.inspection import (
    Drawn,
    Earlier,
    Group,
    IndexState,
    Inspected,
    Inspection,
    ListedPage,
    Sampler,
    counts,
    in_turns,
    reasons,
    recall,
)

SITE = "https://www.example.com"
GROUP = Group("gsc", "sc-domain:example.com", "products")
DAY = date(2026, 11, 30)
ZONE = "America/Los_Angeles"
NOW = datetime(2026, 11, 30, 21, 0, tzinfo=UTC)

pages = st.lists(
    st.builds(
        lambda n, seen, lastmod: ListedPage(SITE, f"{SITE}/{n}", "products", seen, lastmod),
        st.integers(0, 10_000),
        st.integers(0, 50),
        st.none() | st.integers(0, 50),
    ),
    unique_by=lambda page: page.loc,
    max_size=60,
)


def draw(
    listed: list[ListedPage],
    size: int,
    day: date = DAY,
    last_asked: Mapping[str, date] | None = None,
) -> tuple[ListedPage, ...]:
    sampler = Sampler(size, day, last_asked)
    for page in listed:
        sampler.offer(GROUP, page)
    drawn = sampler.drawn()
    return drawn[GROUP].pages if drawn else ()


def listed(count: int, seen: int = 0) -> list[ListedPage]:
    return [ListedPage(SITE, f"{SITE}/{n}", "products", seen) for n in range(count)]


# ---------------------------------------------------------------- laws


@given(pages, st.integers(1, 12), st.randoms(use_true_random=False))
def test_a_sample_does_not_depend_on_the_order(
    found: list[ListedPage], size: int, dice: random.Random
) -> None:
    shuffled = list(found)
    dice.shuffle(shuffled)
    assert draw(found, size) == draw(shuffled, size)


@given(pages, st.integers(1, 12))
def test_a_sample_holds_as_many_distinct_pages_as_there_are_up_to_its_size(
    found: list[ListedPage], size: int
) -> None:
    sample = draw(found, size)
    assert len(sample) == len(set(sample)) == min(size, len(found))
    assert set(sample) <= set(found)


@given(pages, st.integers(1, 12))
def test_the_first_half_is_the_newest_pages(found: list[ListedPage], size: int) -> None:
    def age(page: ListedPage) -> tuple[int, int]:
        return page.first_seen, -1 if page.lastmod is None else page.lastmod

    half = draw(found, size)[: (size + 1) // 2]
    rest = [page for page in found if page not in half]
    assert [age(page) for page in half] == sorted(map(age, half), reverse=True)
    assert all(age(page) >= age(other) for page in half for other in rest)


@given(st.integers(2, 60), st.integers(2, 12))
def test_every_page_has_its_turn_before_any_has_a_second_one(count: int, size: int) -> None:
    """But for the newest, which are asked about every day."""
    found, last_asked = listed(count), dict[str, date]()
    rest = size - (size + 1) // 2
    for n in range(1 + count // rest):
        day = DAY + timedelta(days=n)
        last_asked |= {page.loc: day for page in draw(found, size, day, last_asked)}
    assert set(last_asked) == {page.loc for page in found}


def test_the_rest_differs_from_day_to_day_and_from_section_to_section() -> None:
    found = [ListedPage(SITE, f"{SITE}/{n}", "", 0) for n in range(1_000)]
    sampler = Sampler(10, DAY)
    for page in found:
        sampler.offer(GROUP, page)
        sampler.offer(GROUP._replace(section="help"), page)
    products, other = (one.pages[5:] for one in sampler.drawn().values())
    assert set(products) != set(other)
    assert set(draw(found, 10)[5:]) != set(draw(found, 10, DAY + timedelta(days=1))[5:])


def test_a_page_whose_date_is_not_known_is_older_than_any_dated_one() -> None:
    undated = ListedPage(SITE, f"{SITE}/a", "", 7)
    dated = ListedPage(SITE, f"{SITE}/b", "", 7, 0)
    assert draw([undated, dated], 1) == (dated,)


def test_a_sampler_counts_all_that_it_was_offered() -> None:
    sampler = Sampler(3, DAY)
    for page in listed(100):
        sampler.offer(GROUP, page)
    assert sampler.drawn()[GROUP].listed == 100


def test_groups_take_turns_so_that_each_has_a_part_when_quota_ends() -> None:
    one, two = GROUP, GROUP._replace(section="help")
    few, many = listed(1), listed(3)
    turns = in_turns({one: Drawn(tuple(few), 1), two: Drawn(tuple(many), 3)})
    assert [(group.section, page.loc[-1]) for group, page in turns] == [
        ("products", "0"),
        ("help", "0"),
        ("help", "1"),
        ("help", "2"),
    ]


# ---------------------------------------------------------------- what it comes to


def inspection(state: IndexState, reason: str = "", url: str = SITE) -> Inspection:
    return Inspection(GROUP.property, url, state, reason)


def test_every_state_is_counted_also_those_that_are_not_there() -> None:
    found = [inspection(IndexState.INDEXED), inspection(IndexState.UNKNOWN)]
    assert counts(found) == {
        IndexState.INDEXED: 1,
        IndexState.CRAWLED: 0,
        IndexState.KNOWN: 0,
        IndexState.UNKNOWN: 1,
        IndexState.UNCLEAR: 0,
    }


def test_reasons_are_those_of_pages_that_are_not_indexed_the_commonest_first() -> None:
    found = [
        inspection(IndexState.INDEXED, "Submitted and indexed"),
        inspection(IndexState.CRAWLED, "Soft 404"),
        *[inspection(IndexState.CRAWLED, "Page with redirect")] * 2,
    ]
    assert reasons(found) == [("Page with redirect", 2), ("Soft 404", 1)]


def at(day: int, hour: int = 20) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([(28, True), (28, False), (29, True)], Earlier(date(2026, 11, 29), 1, 1)),
        ([(28, True), (28, False), (30, True)], Earlier(date(2026, 11, 28), 2, 1)),
        ([(30, True)], None),
    ],
)
def test_what_came_before_is_the_last_day_before_today(
    days: list[tuple[int, bool]], expected: Earlier | None
) -> None:
    rows = [
        Inspected(
            SITE,
            GROUP.account,
            GROUP.section,
            at(day),
            inspection(IndexState.INDEXED if good else IndexState.CRAWLED),
        )
        for day, good in days
    ]
    assert recall(rows, ZONE, NOW).earlier.get(GROUP) == expected


def test_days_are_the_engines_own() -> None:
    late = Inspected(SITE, "gsc", "products", at(30, hour=7), inspection(IndexState.INDEXED))
    recalled = recall([late], ZONE, NOW)
    assert recalled.earlier[GROUP].day == recalled.last_asked[SITE] == date(2026, 11, 29)
    assert not recalled.today


def test_what_was_asked_today_is_known_and_counts_for_no_earlier_day() -> None:
    today = Inspected(SITE, "gsc", "products", at(30), inspection(IndexState.CRAWLED))
    recalled = recall([today], ZONE, NOW)
    assert recalled.today == {(GROUP.property, SITE): today.inspection}
    assert not recalled.last_asked


def test_answers_of_the_last_minutes_count_in_the_limit_by_the_minute() -> None:
    moments = [NOW - timedelta(seconds=ago) for ago in (3_600, 90, 10)]
    rows = [
        Inspected(SITE, "gsc", "products", moment, inspection(IndexState.INDEXED))
        for moment in moments
    ]
    assert recall(rows, ZONE, NOW).recent == {GROUP.property: moments[1:]}
