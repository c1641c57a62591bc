"""Our reader beside lxml in recovery mode; each difference is listed with its reason."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from random import Random

import pytest
from document_maker import make_document
from reading_support import CORPUS, NO_CORPUS, outcome
from test_reading_corpus import peeled

from submitter.core.looks import DocumentKind

etree = pytest.importorskip("lxml.etree", reason="lxml is not installed (extra: bench)")

EXTENSIONS = ("sitemap-image", "sitemap-video", "sitemap-news", "sitemap-mobile", "xhtml")

KNOWN_DIFFERENCES = {
    "crawler-commons/inline/testPartialSitemapIndicesAllowed.xml": "lxml takes an entry that was "
    "cut; we take whole entries only",
    "crawler-commons/inline/testPartialSitemapsAllowed.xml": "lxml takes a part of an address",
    "crawler-commons/inline/testSitemapXXE.xml": "we refuse every DOCTYPE with declarations",
    "crawler-commons/inline/testUrlLocUrl.xml": "an element inside an address spoils it for us",
    "scrapy/inline/test_xml_entity_expansion.xml": "we refuse every DOCTYPE with declarations",
    "sitemapjs/index-unescaped-lt.xml": "lxml guesses past a bare <; we stop before that entry",
    "sitemapjs/unescaped-lt.xml": "lxml guesses past a bare <; we stop before that entry",
}
"""By file: why the two readers differ. A difference that goes away has to leave the list."""


def theirs(data: bytes) -> list[str]:
    """Texts of the loc elements that are children of an entry, by local name."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return []
    return list(_locs(root)) if root is not None else []


def _locs(root: object) -> Iterator[str]:
    for entry in root.iter("{*}url", "{*}sitemap"):  # type: ignore[attr-defined]
        for loc in entry.iterchildren("{*}loc"):
            text = "".join(loc.itertext()).strip()
            if text and not any(name in (loc.tag or "") for name in EXTENSIONS):
                yield text


def ours(data: bytes) -> list[str]:
    found = outcome([data])
    if isinstance(found, tuple) or found.reading.kind not in (
        DocumentKind.URLSET,
        DocumentKind.INDEX,
    ):
        return []
    return found.locs


def files() -> list[str]:
    if not CORPUS.exists():
        return []
    with open(CORPUS / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        return [
            row["file"]
            for row in csv.DictReader(file)
            if row["class"] in ("sitemap", "gzip") and row["expected_kind"] != "text"
        ]


@pytest.mark.skipif(not CORPUS.exists(), reason=NO_CORPUS)
@pytest.mark.parametrize("file", files())
def test_both_readers_agree_about_real_documents_or_say_why_not(file: str) -> None:
    data, _ = peeled((CORPUS / file).read_bytes())
    mine, other = ours(data), theirs(data.lstrip(b"\xef\xbb\xbf \r\n\t"))
    agrees = mine == list(dict.fromkeys(other))
    assert agrees == (file not in KNOWN_DIFFERENCES), (mine, other)


@pytest.mark.parametrize("seed", range(60))
def test_both_readers_agree_about_every_spelling(seed: int) -> None:
    source = Random(seed)  # noqa: S311 # choices, not secrets
    document = make_document(source.choice, 12)
    if document.charset or b"GB2312" in document.data:
        pytest.skip("lxml does not know the HTTP header, nor all of GB 18030 under this name")
    assert set(ours(document.data)) <= set(theirs(document.data))
    assert {loc.strip() for loc in theirs(document.data)} == set(document.locs)
