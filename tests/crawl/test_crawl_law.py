"""A line counts once: however its files are cut, packed, renamed, overlapped, ordered and read
again, the ledger is the same.

Equal lines count as often as they stand in one file at most. So pieces are cut here where no equal
lines are parted, which is where a server cuts them but for one second in a day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest
from crawl_samples import (
    CHROME,
    GOOGLE,
    GOOGLEBOT,
    GPTBOT,
    OPENAI,
    SHOP,
    STRANGER,
    WWW,
    everything,
    line,
    list_pages,
    read,
    text,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.core.crawl import tally
from submitter.core.crawl.lines import LineReader
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.places import SitePages
from submitter.core.crawl.seen import Hour, first_state, marker, packed, unpacked
from submitter.core.crawl.verdicts import Judge
from submitter.core.sections import Sorter
from submitter.ledger import crawls, open_ledger
from submitter.ledger.ledger import SqlLedger

HOST = "shop.example.com"
WIPE = (
    "DELETE FROM crawl_day",
    "DELETE FROM crawl_page",
    "DELETE FROM crawl_site",
    "DELETE FROM crawl_hour",
    "DELETE FROM crawler",
)

TIMES = st.builds(
    lambda day, hour, second: f"{day:02}/Nov/2026:{hour:02}:00:{second:02} +0000",
    st.integers(28, 29),
    st.integers(9, 11),
    st.integers(0, 2),
)
LINES = st.builds(
    lambda path, whose, at, host, status: line(
        path, whose[0], address=whose[1], at=at, host=host, status=status
    ),
    st.sampled_from(["/p/1", "/p/2", "/new/1", "/p/1?a=1", "/robots.txt", "/other"]),
    st.sampled_from(
        [(GOOGLEBOT, GOOGLE), (GPTBOT, OPENAI), (CHROME, STRANGER), (GOOGLEBOT, STRANGER)]
    ),
    TIMES,
    st.sampled_from(["shop.example.com", "www.example.com"]),
    st.sampled_from([200, 404]),
)
LOGS = st.lists(LINES, max_size=30)


Numbers = dict[str, list[tuple[object, ...]]]
After = Callable[..., Numbers]


@pytest.fixture(scope="module")
def after() -> Iterator[After]:
    """The ledger after some readings, each of some files; it knows of nothing else. Of one of its
    two sites pages are listed."""
    ledger = open_ledger("sqlite:///:memory:")
    list_pages(ledger, ["/p/1", "/new/1", "/p/3"])
    list_pages(ledger, [], site=WWW)

    def after(*readings: Sequence[bytes], gz: bool = False) -> Numbers:
        with ledger._database.transaction() as tx:
            for statement in WIPE:
                tx.connection.exec_driver_sql(statement)
        for files in readings:
            read(ledger, *files, sites=(SHOP, WWW), gz=gz)
        return numbers_of(ledger)

    yield after
    ledger.close()


def numbers_of(ledger: SqlLedger) -> Numbers:
    """All but the order in which bots got their numbers."""
    found = everything(ledger)
    with ledger._database.reading() as tx:
        names = dict(tx.connection.exec_driver_sql("SELECT id, name FROM crawler").all())
    place = {"crawl_day": 3, "crawl_page": 2}
    for table, at in place.items():
        found[table] = sorted((*row[:at], names[row[at]], *row[at + 1 :]) for row in found[table])
    return found


def pieces(lines: Sequence[bytes], cuts: Sequence[int]) -> list[list[bytes]]:
    """Cut where no equal lines are parted."""
    found, start = [], 0
    for cut in sorted({*cuts, len(lines)}):
        if cut <= len(lines) and not set(lines[start:cut]) & set(lines[cut:]):
            found.append(list(lines[start:cut]))
            start = cut
    return found


@given(LOGS, st.lists(st.integers(0, 30), max_size=4), st.data())
@settings(max_examples=60)
def test_the_ledger_is_that_of_the_lines_however_files_are_made_of_them(
    after: After, lines: list[bytes], cuts: list[int], data: st.DataObject
) -> None:
    whole = after([text(lines)])
    parts = pieces(lines, cuts)
    order = data.draw(st.permutations(parts))
    one_by_one = [[text(part)] for part in order]
    assert after(*one_by_one) == whole
    assert after([text(part) for part in order], gz=True) == whole
    again = data.draw(st.lists(st.sampled_from(order), max_size=3)) if order else []
    assert after(*one_by_one, *[[text(part)] for part in again], [text(lines)]) == whole


@given(LOGS, st.integers(0, 30), st.integers(0, 30))
@settings(max_examples=60)
def test_a_log_that_grows_and_files_that_overlap_count_once(
    after: After, lines: list[bytes], one: int, other: int
) -> None:
    first, last = min(one, other), max(one, other)
    whole = after([text(lines)])
    assert after([text(lines[:first])], [text(lines[:last])], [text(lines)]) == whole
    part = lines[first:last]
    overlapping = [[text(part)], [text(lines)]]
    assert after(*overlapping) == whole


@given(LOGS, st.permutations(range(30)))
@settings(max_examples=40)
def test_the_order_of_lines_means_nothing(
    after: After, lines: list[bytes], order: Sequence[int]
) -> None:
    shuffled = [lines[at] for at in order if at < len(lines)]
    assert after([text(shuffled)]) == after([text(lines)])


@given(LOGS)
@settings(max_examples=40)
def test_the_numbers_are_those_of_counting(after: After, lines: list[bytes]) -> None:
    """Against the simplest count there is: of one file."""
    found = after([text(lines)])
    bots = [one for one in lines if b"Chrome" not in one]
    assert sum(int(row[4]) for row in found["crawl_day"]) == len(bots)
    pages = Counter(
        (b"shop." in one, b"GPTBot" in one, re.search(rb"GET (\S+)", one)[1])
        for one in bots
        if STRANGER.encode() not in one
    )
    assert sorted(int(row[3]) for row in found["crawl_page"]) == sorted(pages.values())


def test_equal_lines_of_one_file_all_count(after: After) -> None:
    assert sum(int(row[4]) for row in after([text([line(host=HOST)] * 500)])["crawl_day"]) == 500


def test_lines_with_another_end_are_the_same_lines(after: After) -> None:
    """Whatever stands before them, so whichever way they are read."""
    lines = [line(f"/p/{n}", host=HOST) for n in range(4)]
    ends = text(lines).replace(b"\n", b"\r\n")
    other_format = b'{"time": "2026-11-29T10:00:00Z", "request_uri": "/", "status": 200}\r\n'
    assert after([text(lines)], [ends], [other_format + ends]) == after([text(lines)])


def test_equal_lines_of_two_files_count_as_often_as_in_the_one_with_more(after: After) -> None:
    found = after(*([text([line(host=HOST)] * count)] for count in (2, 5, 3)))
    assert sum(int(row[4]) for row in found["crawl_day"]) == 5


@given(LOGS, st.lists(st.integers(0, 30), max_size=3))
@settings(max_examples=25)
def test_what_is_stored_on_the_way_changes_nothing(
    after: After, lines: list[bytes], cuts: list[int]
) -> None:
    parts = [text(part) for part in pieces(lines, cuts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "MOST_VISITS", 1)
        patch.setattr(tally, "MOST_PAGES", 2)
        patch.setattr(crawls, "PART", 3)
        often = after(parts)
    assert often == after([text(lines)])


def test_lines_that_were_counted_before_fill_the_memory_no_more_than_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tally, "MOST_LINES", 3)
    lines = [line(f"/p/{n}", host=HOST) for n in range(4)]
    marks = packed(marker(b"salt")(lines))
    work = tally.Tally(Judge({}), marker(b"salt"), lambda *_: [unpacked(marks)])
    pages = SitePages("https://" + HOST, Sorter(()), Listing(), len)
    work.add([(*found, pages, b"/p") for found in LineReader().read(lines)])
    assert (work.new, work.known, work.is_full) == (0, 4, True)
    assert work.take() == []
    work.stored()
    assert not work.is_full


def test_memory_is_bounded_and_far_equal_lines_then_count_once(
    after: After, monkeypatch: pytest.MonkeyPatch
) -> None:
    hour = Hour([])
    for mark in range(1_000):
        assert hour.is_fresh(mark, 1)
    assert len(hour.states) == 1_000
    monkeypatch.setattr(tally, "MOST_REMEMBERED", 0)
    monkeypatch.setattr(tally, "MOST_VISITS", 0)
    lines = [line(f"/p/{n}", host=HOST) for n in range(5_000)]
    found = after([text([*lines, *lines[:10]])])
    assert 5_000 <= sum(int(row[4]) for row in found["crawl_day"]) <= 5_010


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 2)), max_size=40))
def test_an_hour_counts_each_mark_as_often_as_the_richest_file(
    met: list[tuple[int, int]],
) -> None:
    hour, in_file, most = Hour([]), Counter(), Counter()
    for mark, file in sorted(met, key=lambda one: one[1]):
        in_file[mark, file] += 1
        expected = in_file[mark, file] > most[mark]
        most[mark] = max(most[mark], in_file[mark, file])
        assert hour.is_fresh(mark, file) is expected
    assert len(hour.fresh) == most.total()
    again = Hour([unpacked(packed(hour.fresh))])
    for mark, file in met:
        assert not again.is_fresh(mark, file)


def test_marks_need_the_salt_and_are_the_same_on_every_machine() -> None:
    assert marker(b"one")([b"line"]) != marker(b"two")([b"line"])
    assert packed([2, 1]) == b"\1" + b"\0" * 7 + b"\2" + b"\0" * 7
    assert list(unpacked(packed([2, 1]))) == [1, 2]
    assert first_state(3) >> 48 == 3
