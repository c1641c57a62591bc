"""What of the docs is made from the code is what the code makes now."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_pages import ROOT, read

from submitter.cli.reference import README, REFERENCE, generated
from submitter.wiring import TRAITS

AGAIN = "run scripts/reference"


@pytest.mark.parametrize("path", [REFERENCE, README], ids=str)
def test_a_generated_text_is_up_to_date(path: Path) -> None:
    assert read(str(path)) == generated(ROOT)[ROOT / path], AGAIN


def test_the_readme_has_a_place_for_the_table_of_engines() -> None:
    begin, end = read("README.md").split("<!-- engines")[1].split("<!-- /engines -->")
    rows = [line for line in begin.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(TRAITS)
    assert end


def test_every_fact_about_an_engine_is_shown_with_its_source_and_date() -> None:
    text = read("config/reference.md")
    for traits in TRAITS.values():
        assert traits.facts, traits.name
        for fact in traits.facts:
            assert f"| {fact.confidence} | <{fact.source}> | {fact.read_on} |" in text
            assert fact.confidence in ("documented", "code", "reported", "unsure")
