"""Real sitemaps count as their manifest says; the corpus lies beside the repository."""

from __future__ import annotations

import csv
import zlib

import pytest
from reading_support import CORPUS, NO_CORPUS, Outcome, outcome

from submitter.core.findings import Severity

PEELED_AT_MOST = 3
WITHOUT_ADDRESS = {"missing-loc", "empty-loc", "not-an-address"}
STRICTER_THAN_LENIENT = {
    "sitemapjs/index-unescaped-lt.xml",  # a fault inside an entry costs that entry
    "sitemapjs/unescaped-lt.xml",
    "crawler-commons/inline/testPartialSitemapIndicesAllowed.xml",
}
"""Broken inside an entry: only whole entries are used, so fewer than the lenient count."""


def rows() -> list[dict[str, str]]:
    if not CORPUS.exists():
        return []
    with open(CORPUS / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["class"] in ("sitemap", "gzip")]


def peeled(data: bytes) -> tuple[bytes, bool]:
    """Without its gzip layers, and whether each of them was whole."""
    whole = True
    for _ in range(PEELED_AT_MOST):
        if not data.startswith(b"\x1f\x8b"):
            break
        inflater = zlib.decompressobj(31)
        data = inflater.decompress(data)
        whole = whole and inflater.eof
    return data, whole


def addresses_in(found: Outcome) -> tuple[int, int]:
    """How many addresses were seen, without and with those that markup spoils."""
    reading = found.reading
    skipped = sum(n for id, n in reading.skipped.items() if id not in WITHOUT_ADDRESS)
    seen = reading.entries + reading.over_limit + skipped
    return seen - reading.skipped.get("markup-in-loc", 0), seen


@pytest.mark.skipif(not CORPUS.exists(), reason=NO_CORPUS)
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"])
def test_real_documents_count_as_their_manifest_says(row: dict[str, str]) -> None:
    data, whole = peeled((CORPUS / row["file"]).read_bytes())
    found = outcome([data], transport=whole)
    expected = int(row["expected_locs"])
    lenient = int(row["lenient_locs"] or expected)
    if isinstance(found, tuple):
        assert row["expected_kind"] == "error"
        assert lenient == expected or row["file"] in STRICTER_THAN_LENIENT or not expected
        return
    fewest, most = addresses_in(found)
    if row["expected_kind"] == "error":
        assert not found.reading.complete
        assert Severity.ERROR in {finding.severity for finding in found.reading.findings}
        assert fewest <= lenient
        assert fewest == lenient or row["file"] in STRICTER_THAN_LENIENT
        return
    assert found.reading.kind == row["expected_kind"]
    assert expected in (fewest, most)
    assert found.reading.complete == (not found.reading.over_limit)


@pytest.mark.skipif(not CORPUS.exists(), reason=NO_CORPUS)
def test_the_canary_of_the_corpus_is_never_read() -> None:
    canary = (CORPUS / "crawler-commons/do-not-visit.txt").read_text(encoding="utf-8").strip()
    for row in rows():
        if row["file"].endswith("do-not-visit.txt"):
            continue
        found = outcome([peeled((CORPUS / row["file"]).read_bytes())[0]])
        if isinstance(found, Outcome):
            assert canary not in found.locs
