"""No link in the docs leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_pages import NAMES, ROOT, headings, links

from submitter.render.markdown import anchor


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(name: str) -> None:
    for target in links(name):
        if target.startswith(("http://", "https://")):
            continue
        path, _, fragment = target.partition("#")
        page = (Path(name).parent / path) if path else Path(name)
        assert (ROOT / page).exists(), target
        if fragment:
            assert fragment in {anchor(title) for title in headings(str(page))}, target


@pytest.mark.parametrize("name", NAMES)
def test_no_two_headings_share_a_link(name: str) -> None:
    anchors = [anchor(title) for title in headings(name)]
    assert len(anchors) == len(set(anchors))


def test_the_pages_have_links_to_follow() -> None:
    assert len(links("README.md")) > 8
    assert len(links("config/reference.md")) > 60
