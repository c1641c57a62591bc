"""Whatever comes, goes and changes: a page stays in its file, and what is equal is not touched."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from publishing_support import age, bring, contents, lines_in, page, small, touched

from submitter.core.comparison import PageLine
from submitter.core.shards import Family

NAMES = st.sampled_from([f"{number}?a=1&b={'x' * (number % 5)}" for number in range(14)])
DATES = st.sampled_from(["", "2026-11-01", "2026-11-02"])
LIST = st.dictionaries(NAMES, DATES, max_size=14)
LONGEST = len(page("00?a=1&b=xxxx", "2026-11-01")[1])


@contextmanager
def a_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


def pages_of(listed: dict[str, str]) -> list[PageLine]:
    return [page(name, date) for name, date in listed.items()]


def files_of(folder: Path) -> dict[bytes, str]:
    """Where each page lives, by the line without its date."""
    return {
        line.partition(b"</loc>")[0]: name
        for name, some in lines_in(folder).items()
        for line in some
    }


def within_limits(folder: Path, family: Family) -> bool:
    profile = family.profile
    return all(
        text.count(b"<url>") <= profile.max_pages and len(text) <= profile.max_bytes
        for text in contents(folder).values()
    )


@settings(max_examples=60)
@given(st.lists(LIST, min_size=1, max_size=6), st.integers(1, 4))
def test_a_page_never_changes_its_file_and_equal_files_are_not_touched(
    lists: list[dict[str, str]], pages: int
) -> None:
    family = small(pages, small().frame_bytes + pages * LONGEST)
    with a_folder() as folder:
        for listed in lists:
            before, homes = contents(folder), files_of(folder)
            age(folder)
            bring(folder, family, pages_of(listed))
            after, new_homes = contents(folder), files_of(folder)
            assert {line for some in lines_in(folder).values() for line in some} == {
                line for _, line, _ in pages_of(listed)
            }
            assert all(new_homes[one] == homes[one] for one in homes if one in new_homes)
            assert within_limits(folder, family)
            assert touched(folder) == {name for name in after if after[name] != before.get(name)}


@settings(max_examples=60)
@given(st.lists(LIST, min_size=1, max_size=5), st.integers(1, 4), st.integers(0, 3))
def test_every_page_is_in_one_file_or_counted_as_left_out(
    lists: list[dict[str, str]], pages: int, files: int
) -> None:
    family = small(pages, small().frame_bytes + 2 * LONGEST, files)
    with a_folder() as folder:
        for listed in lists:
            change = bring(folder, family, pages_of(listed))
            lines = [line for some in lines_in(folder).values() for line in some]
            assert len(lines) == len(set(lines)) == sum(file.pages for file in change.files)
            assert set(lines) <= {line for _, line, _ in pages_of(listed)}
            assert len(lines) + sum(change.left_out.values()) == len(listed)
            assert within_limits(folder, family)
            assert len(contents(folder)) <= files


@settings(max_examples=60)
@given(LIST, LIST, st.integers(1, 4))
def test_what_is_reported_is_what_happened(
    old: dict[str, str], new: dict[str, str], pages: int
) -> None:
    with a_folder() as folder:
        bring(folder, small(pages), pages_of(old))
        found = bring(folder, small(pages), pages_of(new)).difference
    both = old.keys() & new.keys()
    assert found.known == len(old)
    assert found.same == sum(old[name] == new[name] for name in both)
    assert found.changed == len(both) - found.same
    assert found.gone == len(old) - len(both)
    assert found.new == len(new) - len(both)


@settings(max_examples=30)
@given(LIST, LIST, st.sets(st.integers(1, 4), max_size=3))
def test_registered_files_stay_valid_and_never_vanish(
    old: dict[str, str], new: dict[str, str], registered: set[int]
) -> None:
    with a_folder() as folder:
        bring(folder, small(4), pages_of(old))
        before = set(contents(folder))
        change = bring(folder, small(4), pages_of(new), registered=registered)
        kept = {small().name(number) for number in registered} & before
        assert kept <= set(contents(folder))
        assert all(lines_in(folder).values())
        assert set(change.missing) == {
            number for number in registered if small().name(number) not in contents(folder)
        }
