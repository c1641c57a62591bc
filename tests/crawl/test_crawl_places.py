"""The page that a target in a log stands for."""

from __future__ import annotations

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from submitter.core import urls
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.places import SitePages
from submitter.core.sections import Sorter
from submitter.core.urls import BadUrl

SITE = "https://shop.example.com"
PARTS = st.sampled_from(
    [*"/.?=&%aZ1-~ é#[];:@!,'()*+$_|", "..", "%41", "%2f", "%2F", "%zz", "a" * 600, "\\"]
)


@given(st.lists(PARTS, max_size=12).map(lambda parts: "/" + "".join(parts)))
@example("/" + "a" * 999)
@example("/" + "a" * 3_000)
@example("/a/../b")
@example("/./")
def test_a_page_has_the_key_of_its_normal_form(path: str) -> None:
    identities: list[str] = []

    def key_of(identity: str) -> int:
        identities.append(identity)
        return 0

    SitePages(SITE, Sorter(()), Listing(), key_of).find(path.encode())
    try:
        assert identities == [urls.normalize(SITE + path)]
    except BadUrl:
        assert len(identities) == 1


KEYS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1]))


@given(st.dictionaries(KEYS, st.sampled_from(["", "new", "products"]), max_size=200), KEYS)
def test_a_listing_knows_its_pages_and_no_others(pages: dict[int, str], another: int) -> None:
    rows = sorted(pages.items())
    listing = Listing(rows[at : at + 7] for at in range(0, len(rows), 7))
    assert {key: listing.section_of(key) for key in pages} == pages
    assert listing.section_of(another) == pages.get(another)
    assert (len(listing), listing.counts) == (len(pages), Counter(pages.values()))
