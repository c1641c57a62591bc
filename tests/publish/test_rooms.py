"""Which file takes a new page."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publishing_support import small

from submitter.core.rooms import (
    ENTRY_TOO_BIG,
    FILE_LIMIT,
    Fill,
    Placement,
    Rooms,
    place_all,
)
from submitter.core.shards import BAIDU, GOOGLE, Family
from submitter.errors import ConfigError

FRAME = small().frame_bytes


def place(
    sizes: Iterable[int],
    family: Family,
    files: Iterable[Fill] = (),
    waiting: Iterable[int] = (),
) -> Placement:
    places = list(accumulate(sizes, initial=0))
    runs = [range(len(places) - 1)]
    return place_all(runs, Rooms(family, places, files, waiting))


def rows(placement: Placement) -> dict[int, list[int]]:
    return {number: [row for run in runs for row in run] for number, runs in placement.runs.items()}


def full(number: int, family: Family) -> Fill:
    return Fill(number, family.profile.max_pages, FRAME + 1)


def test_pages_fill_one_file_after_the_other() -> None:
    assert rows(place([10] * 7, small(pages=3))) == {1: [0, 1, 2], 2: [3, 4, 5], 3: [6]}


def test_new_pages_go_to_the_newest_file_not_into_holes() -> None:
    files = [Fill(1, 1, FRAME + 10), Fill(2, 2, FRAME + 20)]
    assert rows(place([10] * 2, small(pages=3), files)) == {2: [0], 3: [1]}


def test_holes_are_used_oldest_first_when_no_further_file_may_be_opened() -> None:
    files = [Fill(1, 2, FRAME + 20), full(2, small()), Fill(3, 2, FRAME + 20)]
    placement = place([10] * 3, small(pages=3, files=3), files)
    assert rows(placement) == {3: [0], 1: [1]}
    assert placement.left_out == {FILE_LIMIT: 1}
    assert placement.examples == [2]


def test_a_file_that_waits_comes_before_the_newest() -> None:
    files = [Fill(3, 1, FRAME + 10)]
    assert rows(place([10] * 6, small(pages=3), files, waiting=[2, 1])) == {
        1: [0, 1, 2],
        2: [3, 4, 5],
    }


def test_files_that_wait_count_against_the_limit() -> None:
    files = [full(1, small())]
    placement = place([10] * 5, small(pages=3, files=2), files, waiting=[2])
    assert rows(placement) == {2: [0, 1, 2]}
    assert placement.left_out == {FILE_LIMIT: 2}


def test_more_files_than_allowed_are_filled_but_none_is_added() -> None:
    files = [full(1, small()), Fill(2, 2, FRAME + 20)]
    placement = place([10] * 2, small(pages=3, files=1), files)
    assert rows(placement) == {2: [0]}
    assert placement.left_out == {FILE_LIMIT: 1}


def test_a_number_is_not_given_again_while_a_higher_one_stands() -> None:
    assert rows(place([10], small(pages=3), [full(7, small())])) == {8: [0]}


def test_a_short_page_still_finds_the_hole_that_was_too_small_for_a_long_one() -> None:
    files = [Fill(1, 1, 9_950)]
    placement = place([60, 40, 60, 10], small(pages=9, files=1), files)
    assert rows(placement) == {1: [1, 3]}
    assert placement.left_out == {FILE_LIMIT: 2}


def test_an_entry_over_the_limit_of_a_file_is_left_out_with_its_own_reason() -> None:
    room = 10_000 - FRAME
    placement = place([room, room + 1, 10], small())
    assert rows(placement) == {1: [0], 2: [2]}
    assert placement.left_out == {ENTRY_TOO_BIG: 1}


@pytest.mark.parametrize(
    ("family", "sizes", "expected"),
    [
        (Family("b", BAIDU), [100] * 50_000, {1: 50_000}),
        (Family("b", BAIDU), [100] * 50_001, {1: 50_000, 2: 1}),
        (Family("b", BAIDU), [10_485_759 - FRAME - 100, 100], {1: 2}),
        (Family("b", BAIDU), [10_485_759 - FRAME - 100, 101], {1: 1, 2: 1}),
        (Family("g", GOOGLE), [52_428_800 - FRAME - 100, 100], {1: 2}),
        (Family("g", GOOGLE), [52_428_800 - FRAME - 100, 101], {1: 1, 2: 1}),
    ],
)
def test_both_limits_may_be_reached_exactly(
    family: Family, sizes: list[int], expected: dict[int, int]
) -> None:
    found = {number: len(some) for number, some in rows(place(sizes, family)).items()}
    assert found == expected


@given(
    st.lists(st.integers(40, 700), max_size=60),
    st.integers(1, 7),
    st.one_of(st.none(), st.integers(0, 5)),
    st.dictionaries(st.integers(1, 6), st.tuples(st.integers(1, 7), st.integers(40, 300))),
    st.sets(st.integers(1, 8), max_size=3),
)
def test_no_limit_is_ever_broken_and_no_row_is_lost(
    sizes: list[int],
    pages: int,
    files: int | None,
    standing: dict[int, tuple[int, int]],
    waiting: set[int],
) -> None:
    family = small(pages, FRAME + 700, files)
    fills = [
        Fill(number, min(count, pages), FRAME + size) for number, (count, size) in standing.items()
    ]
    before = {fill.number: (fill.pages, fill.bytes) for fill in fills}
    placement = place(sizes, family, fills, waiting - set(standing))
    for number, some in rows(placement).items():
        count, size = before.get(number, (0, FRAME))
        assert count + len(some) <= pages
        assert size + sum(sizes[row] for row in some) <= FRAME + 700
        assert some == sorted(some)
    placed = [row for some in rows(placement).values() for row in some]
    assert len(placed) == len(set(placed))
    assert len(placed) + sum(placement.left_out.values()) == len(sizes)
    if files is not None:
        added = set(rows(placement)) - set(standing) - waiting
        assert not added or len(set(standing) | set(rows(placement))) <= files


@pytest.mark.parametrize("prefix", ["", "a/b", "../a", "a b", ".hidden", "-a", "é", "a" * 65])
def test_a_prefix_is_a_plain_file_name(prefix: str) -> None:
    with pytest.raises(ConfigError, match="no name for a file"):
        Family(prefix, BAIDU)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("map-1.xml", 1),
        ("map-200.xml", 200),
        ("map-0.xml", None),
        ("map-01.xml", None),
        ("map-1.xml.gz", None),
        ("map-new-1.xml", None),
        ("xmap-1.xml", None),
        (".map-1.xml.new", None),
        ("map-1.xml\n", None),
        ("map-٣.xml", None),
    ],
)
def test_only_the_familys_own_names_have_a_number(name: str, number: int | None) -> None:
    assert small().number(name) == number
