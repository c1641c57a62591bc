"""What holds for every document: how its bytes arrive, where it is cut, how it is spelled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import pytest
from document_maker import Made, make_document
from fuzz_reader import facts
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_support import NOW, URL, Outcome, outcome, read_pieces, urlset

from submitter.core.notes import READING_IDS
from submitter.core.sitemap import Entry, ReadLimits, SitemapReader
from submitter.errors import SitemapError

T = TypeVar("T")

BLOCKS = [1, 7, 64, 1000, 5000, 131_072]

BROKEN = [
    (urlset("https://h/?a=1&b=2", "https://h/&eacute;", "https://h/x<y")).encode(),
    b"<urlset><url><loc>https://h/a</loc></url></urlset>junk",
    b"<urlset><url><loc>https://h/a</loc></url><!-- > > never closed",
    b"\n \n<html><title>x</title>",
    b"https://h/a\r\nhttps://h/b\r\rhttps://h/c",
    b"https://h/a\n" + b"x" * 200 + b"\nhttps://h/b",
    urlset("https://h/\u4ea7", "https://h/a").encode()[:-30] + b"\xe4\xba",
    urlset("https://h/a").encode("utf-16")[:-3],
    b"<rss><channel><item><link>https://h/a</link></item><item><guid>https://h/b</guid>",
]


class Drawn:
    """Choices made by Hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self._random = data.draw(st.randoms(use_true_random=False))

    def __call__(self, options: Sequence[T]) -> T:
        return self._random.choice(options)


def made(data: st.DataObject, *, padded: bool = True) -> Made:
    return make_document(Drawn(data), data.draw(st.integers(1, 12)), padded=padded)


def split(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.data())
def test_every_spelling_of_a_sitemap_gives_its_addresses(data: st.DataObject) -> None:
    document = made(data)
    found = read_pieces([document.data], charset=document.charset)
    used = {(entry.loc, entry.identity) for entry in found.entries}
    assert {loc for loc, _ in used} <= set(document.locs)
    assert len(found.entries) + found.reading.skipped.get("duplicate", 0) == len(document.locs)
    assert set(found.reading.skipped) <= {"duplicate"}
    assert found.reading.complete


@given(st.data(), st.lists(st.integers(0, 100_000), max_size=20))
def test_how_the_bytes_arrive_changes_nothing(data: st.DataObject, cuts: list[int]) -> None:
    document = made(data, padded=False)
    whole = read_pieces([document.data], charset=document.charset)
    assert read_pieces(split(document.data, cuts), charset=document.charset) == whole


@given(st.sampled_from(BROKEN), st.lists(st.integers(0, 1000), max_size=10))
def test_how_broken_bytes_arrive_changes_nothing(data: bytes, cuts: list[int]) -> None:
    assert outcome(split(data, cuts)) == outcome([data])


@pytest.mark.parametrize("data", BROKEN)
def test_one_byte_at_a_time_is_as_good_as_all_at_once(data: bytes) -> None:
    assert outcome([bytes([byte]) for byte in data]) == outcome([data])


@settings(max_examples=200)
@given(st.data())
def test_the_size_of_blocks_and_the_way_of_reading_change_nothing(data: st.DataObject) -> None:
    document = made(data)
    usual = read_pieces([document.data], charset=document.charset)
    for block in BLOCKS:
        for skim in (True, False):
            limits = ReadLimits(block=block, skim=skim)
            assert read_pieces([document.data], charset=document.charset, limits=limits) == usual, (
                block,
                skim,
            )


@settings(max_examples=200)
@given(st.data(), st.integers(0, 2**32))
def test_both_ways_of_reading_agree_about_damaged_documents(data: st.DataObject, seed: int) -> None:
    document = made(data)
    damaged = damage(document.data, random.Random(seed))  # noqa: S311 # choices, not secrets
    results = [
        facts(outcome([damaged], limits=ReadLimits(block=block, skim=skim)))
        for block, skim in ((131_072, True), (131_072, False), (64, True), (64, False))
    ]
    assert results[1:] == results[:-1]


def damage(data: bytes, source: random.Random) -> bytes:
    """One to three bytes changed, dropped or doubled, or the end cut off."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 3)):
        at = source.randrange(len(changed))
        match source.randrange(4):
            case 0:
                changed[at] = source.choice(b"<>&/;!-]['\" x\0\xff")
            case 1:
                del changed[at : at + source.randint(1, 9)]
            case 2:
                changed[at:at] = changed[at : at + source.randint(1, 40)]
            case _:
                del changed[max(at, 1) :]
    return bytes(changed) or b"<"


@settings(max_examples=50)
@given(st.data())
def test_a_cut_document_gives_a_beginning_and_is_never_complete(data: st.DataObject) -> None:
    document = made(data, padded=False)
    whole = read_pieces([document.data], charset=document.charset)
    end = document.data.rstrip(b"\n \0").rfind(b">" if b"<\0" not in document.data[:9] else b">\0")
    closing = max(0, document.data.rfind("</".encode("ascii")))
    for cut in {1, 20, end // 3, end // 2, end - 1, *range(max(1, closing - 40), end, 3)}:
        if cut > closing > 0:
            continue
        found = outcome([document.data[:cut]], charset=document.charset)
        if isinstance(found, Outcome):
            assert found.entries == whole.entries[: len(found.entries)]
            assert not found.reading.complete


def test_a_cut_at_any_byte_gives_a_beginning_and_never_a_part_of_an_address() -> None:
    data = urlset(
        "https://h/a", "<url><loc><![CDATA[https://h/b]]></loc><lastmod>2024-01-08</lastmod></url>",
        "<url><!-- > --><loc>https://h/c&amp;d</loc></url>", "https://h/产品",
    ).encode()  # fmt: skip
    whole = read_pieces([data])
    end = data.rindex(b">")
    for cut in range(end):
        found = outcome([data[:cut]])
        if isinstance(found, Outcome):
            assert found.entries == whole.entries[: len(found.entries)]
            assert not found.reading.complete
        else:
            assert found[0] in {"empty-document", "document-cut"}
    assert read_pieces([data[: end + 1]]).reading.complete


def test_a_list_cut_at_any_byte_gives_a_beginning() -> None:
    data = "https://h/a\nhttps://h/ab\r\nhttps://h/产品\n".encode()
    whole = read_pieces([data]).locs
    for cut in range(len(data)):
        found = outcome([data[:cut]], transport=False)
        if isinstance(found, Outcome):
            assert found.locs == whole[: len(found.locs)]
            assert not found.reading.complete


@given(st.one_of(st.binary(max_size=400), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    totality(data)


TOKENS = [
    "<urlset>",
    "<urlset",
    "<url>",
    "<loc>",
    "https://h/a",
    "</loc>",
    "</url>",
    "</urlset>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&",
    "&amp;",
    "&x;",
    "&#65;",
    "<lastmod>",
    "2024",
    "</lastmod>",
    "<?",
    "?>",
    "<!DOCTYPE_urlset",
    "[",
    "]>",
    ">",
    "é",
    "xmlns='x'",
    "<rss>",
    "<item>",
    "<channel>",
    "<link>",
    "</link>",
    "</item>",
    "\x00",
    "\x08",
    "'",
    '"',
    "/>",
    "<html>",
    "<?xml_version='1.0'?>",
]


@given(
    st.lists(st.sampled_from(["\n", *(token.replace("_", " ") for token in TOKENS)]), max_size=40)
)
def test_any_sequence_of_tokens_is_read_or_refused(tokens: list[str]) -> None:
    totality("".join(tokens).encode())


def totality(data: bytes) -> None:
    reader = SitemapReader(URL, now=NOW)
    given: list[Entry] = []
    refused = ""
    try:
        given += reader.feed(data)
        rest, reading = reader.close(transport_complete=True)
    except SitemapError as error:
        refused = error.reason
    if refused:
        assert refused in READING_IDS
        assert not given
        return
    assert reading.entries == len(given) + len(rest)
    assert {finding.id for finding in reading.findings} <= set(READING_IDS)
    assert set(reading.skipped) <= set(READING_IDS)
    assert all(finding.message.isprintable() for finding in reading.findings)
