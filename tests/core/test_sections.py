"""The section of a page goes by its path and query, as `urlsplit` parts them."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from submitter.core.fleet import Section
from submitter.core.sections import NO_SECTION, Sorter

ANY = [Section("any", "*")]


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


@given(
    st.sampled_from(
        ["https://a.test", "http://a", "https://", "http:/", "", "ftp://x", " https://a"]
    ),
    st.text(alphabet="htps:/?#ab. \t\n%é@[]", max_size=9),
)
@example("https://a.test", "/?")
@example("https://a.test", "?x/y")
@example("https://a.test", "/a#b?c")
def test_odd_addresses_are_sorted_as_plain_ones(start: str, end: str) -> None:
    address = start + end
    try:
        path = path_of(address)
    except ValueError:
        with pytest.raises(ValueError, match=r".*"):
            Sorter(ANY).place(address, "")
        return
    exact = path.replace("[", "[[]").replace("?", "[?]")
    assert Sorter([Section("it", exact)]).place(address, "") == ("it", 0)


def test_the_first_section_that_fits_takes_the_page() -> None:
    sorter = Sorter(
        [
            Section("new", "/p/*", document="*/new.xml", priority=5),
            Section("filtered", "/p/*[?]*"),
            Section("products", "/p/*"),
        ]
    )
    page = "https://a.test/p/1"
    assert sorter.place(page, "https://a.test/new.xml") == ("new", 5)
    assert sorter.place(page, "https://a.test/old.xml") == ("products", 0)
    assert sorter.place(f"{page}?x=1", "") == ("filtered", 0)
    assert sorter.place("https://a.test/about", "") == NO_SECTION
