"""The small parts: rows on their way, pieces of bytes, and a run that uses it all."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parallel_support import (
    INDEX,
    ORIGIN,
    PATIENCE_S,
    Paper,
    PaperWeb,
    errand,
    is_running,
    pages,
    running_pool,
    urlset,
)

from submitter.core.fleet import Section, Site
from submitter.core.looks import PageRow
from submitter.core.pagebatch import PageBatch, all_begin_with, identities_of
from submitter.core.pagereader import PageReader, ReadOrder
from submitter.errors import FetchError
from submitter.looking.parallel.pool import ReaderPool
from submitter.looking.reading import (
    PIECE_BYTES,
    Done,
    Readers,
    SoleReader,
    gathered,
    read_document,
)
from support.twins import NOON
from support.whole import Ran, world

AT = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp())
TEXT = st.text(st.characters(exclude_characters="\n"), max_size=20)
ROWS = st.builds(
    PageRow,
    identity=TEXT,
    loc=TEXT,
    lastmod=st.none() | st.integers(-(2**40), 2**40),
    section=st.sampled_from(["", "new", "all"]),
    priority=st.integers(-2, 2),
    lastmod_text=st.none() | st.text("a\n ", max_size=3),
)


@given(st.lists(ROWS, min_size=1, max_size=20), st.booleans())
def test_rows_arrive_as_they_were_sent(rows: list[PageRow], one_place: bool) -> None:
    if one_place:
        rows = [row._replace(section="new", priority=7) for row in rows]
    identities, locs, lastmods, sections, priorities, texts = zip(*rows, strict=True)
    places = (("new",), (7,)) if one_place else (sections, priorities)
    sent = PageBatch(identities, locs, lastmods, *places, texts)
    arrived = pickle.loads(pickle.dumps(sent))  # noqa: S301 # made just here
    for batch in (sent, arrived, pickle.loads(pickle.dumps(arrived))):  # noqa: S301
        assert len(batch) == len(rows)
        assert list(identities_of(batch)) == list(identities_of(rows)) == list(identities)
        assert list(batch) == rows
        assert batch[0] == rows[0]
        assert batch[-2:] == rows[-2:]
        assert {type(row) for row in batch} == {PageRow}


@given(st.lists(st.text("ab", max_size=3), min_size=1), st.text("ab", max_size=2))
def test_what_all_begin_with_is_what_each_begins_with(addresses: list[str], prefix: str) -> None:
    every = all(address.startswith(prefix) for address in addresses)
    assert all_begin_with(prefix, addresses) == every


@pytest.mark.parametrize("sizes", [[], [0], [1, 2], [PIECE_BYTES] * 3, [7] * 90_000])
@pytest.mark.parametrize("breaks", [False, True])
def test_gathered_pieces_are_the_same_bytes_and_end_with_the_same_error(
    sizes: list[int], breaks: bool
) -> None:
    sent = [bytes([number % 251]) * size for number, size in enumerate(sizes)]

    def pieces() -> Iterator[bytes]:
        yield from sent
        if breaks:
            raise FetchError("https://shop.example/", "body-cut", "broken off")

    found: list[bytes] = []
    with pytest.raises(FetchError) if breaks else nullcontext():
        for piece in gathered(pieces()):
            found.append(piece)  # what came before the error counts
    assert b"".join(found) == b"".join(sent)
    assert all(len(piece) >= PIECE_BYTES for piece in found[:-1])


def test_sections_are_found_where_the_document_is_read() -> None:
    """`PageReader` gives rows that need no further work."""
    sections = (Section("new", "/new/*", priority=9), Section("all", "/*"))
    site = Site("shop.example", sections=sections)
    reader = PageReader(ReadOrder.of(site, f"{ORIGIN}/s.xml", now=NOON, charset=None))
    locs = [f"{ORIGIN}/new/1", "http://shop.example/2", "https://else.example/3"]
    rows = [*reader.feed(urlset(locs))]
    last, found = reader.finish(complete=True)
    assert [*rows, *last] == [
        PageRow(locs[0], locs[0], AT, "new", 9, "2026-11-20"),
        PageRow(locs[1], locs[1], AT, "all", 0, "2026-11-20"),
    ]
    assert (found.pages, found.foreign) == (2, 1)
    assert [finding.id for finding in found.findings] == ["foreign-host", "other-scheme"]


# ---------------------------------------------------------------- how a document ends

FIVE = pages("p", 5)


def last(paper: Paper) -> Done:
    *_, done = read_document(errand(PaperWeb({INDEX: paper}), INDEX))
    assert isinstance(done, Done)
    return done


@pytest.mark.parametrize(
    "body", [b"", b"<!doctype html><p>Wel", urlset([])[:40], b"nothing of use\n"], ids=repr
)
def test_a_body_that_broke_off_before_the_first_page_is_a_fault_of_the_connection(
    body: bytes,
) -> None:
    with pytest.raises(FetchError, match="broke"):
        last(Paper(body, cut=True))


def test_a_body_that_broke_off_later_keeps_its_pages_and_equals_no_other() -> None:
    done = last(Paper(urlset(FIVE)[:-30], cut=True, delimited=False))
    assert done.report.pages == 4
    assert not done.result.complete
    assert {"body-cut", "document-cut"} <= {finding.id for finding in done.report.findings}
    assert done.result.body_sha256 == ""


@pytest.mark.parametrize(
    ("paper", "complete"),
    [
        (Paper(urlset(FIVE)), True),
        (Paper(urlset(FIVE), delimited=False), True),
        (Paper(urlset(FIVE), delimited=False, cut=True), False),
        (Paper("\n".join(FIVE).encode()), True),
        (Paper("\n".join(FIVE).encode(), delimited=False), False),
    ],
)
def test_without_a_mark_of_its_end_a_document_is_whole_when_its_root_closed(
    paper: Paper, complete: bool
) -> None:
    assert last(paper).result.complete is complete


# ---------------------------------------------------------------- a whole run


def ran(folder: Path, readers: Readers) -> tuple[Ran, dict[str, str]]:
    folder.mkdir()
    with world(folder) as whole:
        for name in ("one", "two", "three"):
            whole.add(name, pages=40, quota=100)
        seen = whole.run(adapt=lambda tools: replace(tools, readers=readers))
        return seen, whole.page_states()


def test_a_run_reads_with_workers_and_lets_them_go_before_it_sends(tmp_path: Path) -> None:
    alone, states = ran(tmp_path / "alone", SoleReader())
    with running_pool() as pool:
        pids = pool.pids
        together, states_together = ran(tmp_path / "together", pool)
        assert not pool.pids
        assert not any(map(is_running, pids))
    assert states_together == states
    assert together.summary["counts"] == alone.summary["counts"]
    assert together.counts("pages") == {"accepted": 120}


def test_the_parts_of_a_fleet_have_readers_that_end_with_them(tmp_path: Path) -> None:
    with world(tmp_path) as whole:
        whole.add("one")
        with whole.wired() as parts:
            readers = parts.tools().readers
            assert isinstance(readers, ReaderPool)
            readers.start(wait_s=PATIENCE_S)
            pids = readers.pids
    assert not any(map(is_running, pids))
