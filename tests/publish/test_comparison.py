"""Hashes in parts, and what a list says about lines that stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from publishing_support import page

from submitter.core.buckets import Buckets
from submitter.core.comparison import Comparison, Mark

HASHES = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=40)


def buckets(hashes: list[int]) -> Buckets:
    made = Buckets()
    made.extend(hashes[:5], 0)
    for ordinal, value in enumerate(hashes[5:], 5):
        made.add(value, ordinal)
    return made


@given(HASHES)
def test_a_repeat_is_every_hash_but_the_first_of_its_kind(hashes: list[int]) -> None:
    expected = [
        (hashes.index(value), place)
        for place, value in enumerate(hashes)
        if value in hashes[:place]
    ]
    assert sorted(buckets(hashes).repeats()) == sorted(expected)


@given(HASHES, HASHES)
def test_each_of_theirs_meets_the_first_of_ours(ours: list[int], theirs: list[int]) -> None:
    expected = [(ours.index(value), place) for place, value in enumerate(theirs) if value in ours]
    assert sorted(buckets(ours).meet(buckets(theirs)), key=lambda pair: pair[1]) == expected


def test_the_first_of_several_rows_for_one_page_counts() -> None:
    standing = [page("a", "2026-01-01"), page("b")]
    listed = [page("a", "2026-02-02"), page("a", "2026-01-01"), page("c"), page("c"), page("b")]
    comparison = Comparison()
    comparison.remember(1, [hash(line) for _, line, _ in standing])
    comparison.add(listed[:2])
    comparison.add(listed[2:])
    comparison.match_lines()
    comparison.match_identities(
        (slot, standing[slot][0])
        for slot, mark in enumerate(comparison.marks(1))
        if mark == Mark.OPEN
    )
    assert list(comparison.marks(1)) == [Mark.CHANGED, Mark.SAME]
    assert comparison.row_of(0) == 0
    assert list(comparison.new_rows()) == [range(2, 3)]
    found = comparison.difference()
    assert (found.known, found.same, found.changed, found.new, found.gone) == (2, 1, 1, 1, 0)
    assert found.duplicates == {"duplicate": 2}
