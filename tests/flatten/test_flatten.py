"""Flattening: one tree read without a memory, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest
from paper import PaperSource, index, urlset

from submitter.core.fleet import Site
from submitter.core.looks import DocumentKind, PageRow, SiteLook
from submitter.looking.flatten import Keep, Scrapbook, flatten, judge_flat
from submitter.looking.walk import Surroundings
from submitter.ports import DocumentResult
from submitter.render.shapes import flatten_doc, page_docs
from support.twins import HandClock

S = "https://shop.example"
ROOT = f"{S}/index.xml"
TREE = {
    ROOT: index(f"{S}/a.xml", f"{S}/b.xml"),
    f"{S}/a.xml": urlset(f"{S}/1", f"{S}/2"),
    f"{S}/b.xml": urlset(f"{S}/2", f"{S}/3"),
}


def read(
    documents: Mapping[str, bytes],
    *,
    sitemaps: tuple[str, ...] | None = (ROOT,),
    cut: frozenset[str] = frozenset(),
    keep: Keep | None = None,
    moved: Mapping[str, str] = MappingProxyType({}),
    fleet: frozenset[str] = frozenset(),
) -> SiteLook:
    source = PaperSource(documents, cut, moved)
    around = Surroundings(source=source, clock=HandClock(), fleet_hosts=fleet)
    return flatten(Site("shop.example", sitemaps=sitemaps), around, keep=keep)


def test_every_document_is_listed_and_a_page_counts_once() -> None:
    look = read(TREE)
    assert [(one.url, one.depth, one.kind, one.pages) for one in look.readings] == [
        (ROOT, 0, DocumentKind.INDEX, 0),
        (f"{S}/a.xml", 1, DocumentKind.URLSET, 2),
        (f"{S}/b.xml", 1, DocumentKind.URLSET, 2),
    ]
    assert look.listed == 3
    assert judge_flat(look) == 0


def test_rows_say_which_document_lists_them() -> None:
    rows: list[tuple[str, str]] = []

    def keep(document: str, pages: Sequence[PageRow]) -> None:
        rows.extend((document, page.loc) for page in pages)

    read(TREE, keep=keep)
    assert rows == [
        (f"{S}/a.xml", f"{S}/1"),
        (f"{S}/a.xml", f"{S}/2"),
        (f"{S}/b.xml", f"{S}/2"),
        (f"{S}/b.xml", f"{S}/3"),
    ]


def test_the_document_has_the_promised_shape() -> None:
    document = flatten_doc(read(TREE))
    assert document["pages"] == 3
    assert document["summary"] == {"errors": 0, "warnings": 0}
    assert document["documents"][0] == {
        "url": ROOT,
        "final_url": ROOT,
        "depth": 0,
        "kind": "index",
        "http_status": 200,
        "children": 2,
        "pages": 0,
        "over_limit": 0,
        "complete": True,
        "findings": [],
    }


def test_a_document_that_broke_off_counts_what_was_read_and_is_an_error() -> None:
    look = read(TREE, cut=frozenset({f"{S}/b.xml"}))
    assert look.listed >= 2
    assert judge_flat(look) == 4
    assert flatten_doc(look)["summary"]["errors"] >= 1


def test_a_child_that_is_not_there_is_an_error_and_the_others_are_read() -> None:
    look = read({url: body for url, body in TREE.items() if not url.endswith("a.xml")})
    assert look.listed == 2
    assert judge_flat(look) == 4


@pytest.mark.parametrize("documents", [{}, {ROOT: b"<html><body>not found</body></html>"}])
def test_nothing_that_could_be_read_is_told_apart(documents: dict[str, bytes]) -> None:
    assert judge_flat(read(documents)) == 5


def test_an_address_without_a_path_stands_for_what_robots_names() -> None:
    robots = f"Sitemap: {ROOT}\n".encode()
    look = read({**TREE, f"{S}/robots.txt": robots}, sitemaps=None)
    assert look.listed == 3


def test_a_page_counts_only_once_its_document_was_read() -> None:
    book = Scrapbook()
    sink = book.open(f"{S}/a.xml")
    sink.add([PageRow(f"{S}/1", f"{S}/1", None)])
    assert book.finish(gone_after=1, complete=True).listed == 0
    sink.close(DocumentResult(DocumentKind.URLSET, True, "", ""))
    assert book.finish(gone_after=1, complete=True).listed == 1


def test_a_lastmod_is_a_time_or_nothing() -> None:
    rows = page_docs("d", [PageRow("i", "l", 0), PageRow("i", "l", None)])
    assert [row["lastmod"] for row in rows] == ["1970-01-01T00:00:00Z", None]


# ---------------------------------------------------------------- where redirects end

AWAY = "https://other.example/b.xml"


@pytest.mark.parametrize("document", [ROOT, f"{S}/b.xml"])
def test_a_document_that_redirects_to_a_foreign_host_is_not_used(document: str) -> None:
    """As if it were listed there directly: what it lists of our pages is not ours to believe."""
    look = read(TREE, moved={document: AWAY})
    lost = next(one for one in look.readings if one.url == document)
    assert [one.id for one in lost.findings] == ["foreign-sitemap"]
    assert (lost.pages, lost.complete) == (0, False)
    assert look.listed == (0 if document == ROOT else 2)
    assert judge_flat(look) == (5 if document == ROOT else 4)


@pytest.mark.parametrize("document", [ROOT, f"{S}/b.xml"])
@pytest.mark.parametrize("how", ["same host", "fleet", "declared", "robots.txt"])
def test_a_redirect_may_end_where_the_document_could_be_listed(document: str, how: str) -> None:
    robots = {"https://other.example/robots.txt": f"Sitemap: {AWAY}".encode()}
    look = read(
        TREE | (robots if how == "robots.txt" else {}),
        sitemaps=(ROOT, "https://other.example/more.xml") if how == "declared" else (ROOT,),
        moved={document: f"{S}/moved.xml" if how == "same host" else AWAY},
        fleet=frozenset({"other.example"} if how == "fleet" else ()),
    )
    assert look.listed == 3
