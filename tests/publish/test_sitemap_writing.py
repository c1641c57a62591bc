"""One entry, one line: escaped once, dated honestly, read back by a stranger."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from submitter.core.building.extensions import EXTENDED_ROOT
from submitter.core.readback import Lines, ReadBack, read_back
from submitter.core.sitemap_xml import (
    DECLARATION,
    END,
    NAMESPACE,
    ROOT,
    escape,
    loc_of,
    read_head,
    render_page,
    writable_lastmod,
)
from submitter.errors import PublishError

URL = "https://a.example/p"
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1)
XML_TEXTS = TEXTS.filter(lambda text: not set("\ufffe\uffff") & set(text))


def file_of(*lines: bytes) -> bytes:
    return b"".join((DECLARATION, ROOT, *lines, END))


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("a=1&b=2", "a=1&amp;b=2"),
        ("&amp;", "&amp;amp;"),
        ("<>\"'", "&lt;&gt;&quot;&apos;"),
    ],
)
def test_what_xml_reserves_is_escaped_once(text: str, written: str) -> None:
    assert escape(text) == written


def test_an_entry_is_one_line() -> None:
    assert render_page(f"{URL}?a=1&b=2", "2026-11-30") == (
        b"<url><loc>https://a.example/p?a=1&amp;b=2</loc><lastmod>2026-11-30</lastmod></url>\n"
    )
    assert render_page(URL) == b"<url><loc>https://a.example/p</loc></url>\n"


@given(XML_TEXTS)
@example("&lt;")
@example("&amp;lt;")
def test_a_stranger_and_we_read_back_what_was_written(text: str) -> None:
    line = render_page(text)
    tree = ElementTree.fromstring(file_of(line))  # noqa: S314 - written by us just now
    assert tree.findtext(f"{{{NAMESPACE}}}url/{{{NAMESPACE}}}loc") == text
    assert loc_of(line) == text


@given(st.lists(XML_TEXTS, max_size=20), st.integers(1, 400))
@example(["&lt;", "&amp;lt;", "]]>"], 50)
def test_reading_back_in_any_pieces_gives_the_addresses_in_order(
    texts: list[str], size: int
) -> None:
    lines = [render_page(text, "2026-11-30") for text in texts]
    assert read_back(chunks(file_of(*lines), size), "x.xml") == summed(*lines)


def summed(*lines: bytes) -> ReadBack:
    meant = Lines()
    for line in lines:
        meant.add(line)
    return meant.sum()


MEDIA = (
    "<image:image><image:loc>https://a.example/i?a&amp;b</image:loc></image:image>"
    '<xhtml:link rel="alternate" hreflang="de" href="https://a.example/?a&amp;b=&apos;"/>'
)


@given(st.lists(st.tuples(XML_TEXTS, st.booleans(), st.booleans()), max_size=12))
def test_entries_of_all_kinds_are_read_back_in_any_order(
    entries: list[tuple[str, bool, bool]],
) -> None:
    lines = [
        render_page(text, "2026-11-30" if dated else "").replace(
            b"</url>", f"{MEDIA if more else ''}</url>".encode()
        )
        for text, dated, more in entries
    ]
    data = b"".join((DECLARATION, EXTENDED_ROOT, *lines, END))
    assert read_back(chunks(data, 100), "x.xml") == summed(*lines)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("?a&amp;b</image:loc>", "?a&amp;amp;b</image:loc"),
        ("&apos;", "'"),
        ("<image:loc>", "<image:loc>x<![CDATA[y]]>"),
        ("hreflang", "lang"),
    ],
)
def test_what_is_not_as_we_write_it_is_seen(right: str, wrong: str) -> None:
    line = render_page(URL, "2026-11-30").replace(b"</url>", f"{MEDIA}</url>".encode())
    assert right.encode() in line
    data = b"".join((DECLARATION, EXTENDED_ROOT, line.replace(right.encode(), wrong.encode()), END))
    try:
        found = read_back([data], "x.xml")
    except PublishError:
        return
    assert found != summed(line)


@pytest.mark.parametrize(
    "lines",
    [
        [render_page(f"{URL}2"), render_page(f"{URL}1")],
        [render_page(f"{URL}1")],
        [render_page(f"{URL}1"), render_page(f"{URL}2"), render_page(f"{URL}2")],
        [render_page(f"{URL}1"), render_page(f"{URL}2 ")],
    ],
)
def test_another_order_number_or_spelling_is_seen(lines: list[bytes]) -> None:
    meant = summed(render_page(f"{URL}1"), render_page(f"{URL}2"))
    assert read_back([file_of(*lines)], "x.xml") != meant


def test_a_broken_file_cannot_be_read_back() -> None:
    with pytest.raises(PublishError, match=r"x\.xml: cannot be read back"):
        read_back([file_of(b"<url><loc>https://a.example/?a&b</loc></url>\n")], "x.xml")


@pytest.mark.parametrize(
    ("given_text", "written"),
    [
        ("2026-11-30", "2026-11-30"),
        (" 2026-11-30\n", "2026-11-30"),
        ("2026-11-30T08:00:00Z", "2026-11-30T08:00:00Z"),
        ("2026-11-30T08:00+08:00", "2026-11-30T08:00+08:00"),
        ("2026-11-30T08:00:00.123-05:30", "2026-11-30T08:00:00.123-05:30"),
        ("2024-02-29", "2024-02-29"),
        ("2026-02-29", ""),
        ("2026-13-01", ""),
        ("2026-11-30T08:00:00", ""),
        ("2026-11-30T24:00:00Z", ""),
        ("2026-11-30 08:00:00Z", ""),
        ("2026-11-30T08:00:00+99:00", ""),
        ("2026-11", ""),
        ("2026", ""),
        ("yesterday", ""),
        ("٢٠٢٦-11-30", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_a_date_is_written_as_given_or_not_at_all(given_text: str | None, written: str) -> None:
    assert writable_lastmod(given_text) == written


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"<url>\n",
        b"  <url><loc>https://a.example/</loc></url>\n",
        b"<url><loc>https://a.example/</loc></url>",
        b"<url><loc>https://a.example/</url>\n",
        b"<url><loc>\xff</loc></url>\n",
    ],
)
def test_a_line_we_did_not_write_has_no_address(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        loc_of(line)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ([], 1),
        ([b"\xef\xbb\xbf" + DECLARATION, ROOT], 1),
        ([b'<?xml version="1.0"?>\n', ROOT], 1),
        ([DECLARATION], 2),
        ([DECLARATION, b"<urlset>\n"], 2),
        ([DECLARATION, b"<sitemapindex>\n"], 2),
    ],
)
def test_a_head_we_did_not_write_is_refused_with_its_line(head: list[bytes], line: int) -> None:
    with pytest.raises(PublishError, match=rf"x\.xml: line {line} was not written by this program"):
        read_head(iter(head), "x.xml")


def test_a_root_with_more_namespaces_is_ours() -> None:
    root = ROOT[:-2] + b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
    assert read_head(iter([DECLARATION, root]), "x.xml") == root
