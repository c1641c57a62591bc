"""Real logs of the shared corpus: each counts as its row of the manifest says."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from submitter.core.crawl.lines import LineReader

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


def rows() -> list[tuple[str, int, int]]:
    """File, lines, and lines that cannot be read."""
    if not CORPUS.exists():
        return []
    with (CORPUS / "MANIFEST.csv").open(encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["class"] == "log"]
    counts = [re.search(r"(\d+) lines, (\d+) unparsable", row["notes"]) for row in found]
    return [
        (row["file"], int(count[1]), int(count[2]))
        for row, count in zip(found, counts, strict=True)
        if count
    ]


@pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpus is not beside the repository")
def test_every_log_of_the_corpus_counts_as_the_manifest_says() -> None:
    assert rows()
    for name, lines, unreadable in rows():
        reader = LineReader()
        reader.read((CORPUS / name).read_bytes().split(b"\n"))
        found = reader.reading
        assert (found.lines, found.rejected.total()) == (lines, unreadable), name
