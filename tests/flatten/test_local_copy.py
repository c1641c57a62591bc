"""A file is read once and walked as if its site had sent it, under its own name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from paper import PaperSource, index, urlset

from submitter.core.fleet import Site
from submitter.core.looks import SiteLook
from submitter.errors import FetchError
from submitter.looking.flatten import flatten, judge_flat
from submitter.looking.local_copy import NOWHERE, local_copy
from submitter.looking.walk import Surroundings
from support.twins import NOON, HandClock

S = "https://shop.example"
NAME = "sitemap.xml"


def read(
    body: bytes, others: Mapping[str, bytes] | None = None, *, cut: bool = False
) -> tuple[str, SiteLook]:
    """The origin found in the file, and what a walk over it saw."""
    source = PaperSource({NAME: body, **(others or {})}, frozenset({NAME} if cut else ()))
    with local_copy(NAME, files=source, site=Site(""), now=NOON) as copy:
        site = Site(copy.origin.partition("://")[2], sitemaps=(copy.address,))
        around = Surroundings(source=copy, clock=HandClock())
        look = copy.named(flatten(site, around))
    assert source.fetched.count(NAME) == 1
    return copy.origin, look


def test_a_file_keeps_its_name_and_has_no_status() -> None:
    origin, look = read(urlset(f"{S}/1", f"{S}/2"))
    (reading,) = look.readings
    assert origin == S
    assert (reading.url, reading.final_url, reading.http_status) == (NAME, NAME, None)
    assert (reading.complete, look.listed) == (True, 2)


def test_the_children_of_an_index_are_fetched_from_their_site() -> None:
    _, look = read(index(f"{S}/a.xml"), {f"{S}/a.xml": urlset(f"{S}/1")})
    assert [one.url for one in look.readings] == [NAME, f"{S}/a.xml"]
    assert look.readings[1].http_status == 200
    assert look.listed == 1


@pytest.mark.parametrize("body", [b"<html></html>", b"", b"not a sitemap at all"])
def test_a_file_that_lists_nothing_lies_nowhere_and_is_an_error(body: bytes) -> None:
    origin, look = read(body)
    assert origin == NOWHERE
    assert judge_flat(look) == 5
    assert all(NOWHERE not in one.where + one.message for one in look.readings[0].findings)
    assert look.readings[0].findings


def test_a_file_that_breaks_off_shows_what_was_read() -> None:
    _, look = read(urlset(*(f"{S}/{at}" for at in range(50))), cut=True)
    assert look.listed > 0
    assert judge_flat(look) == 4


def test_a_file_that_is_not_there_is_an_error_of_its_own() -> None:
    with (
        pytest.raises(FetchError) as raised,
        local_copy("gone.xml", files=PaperSource({}), site=Site(""), now=NOON),
    ):
        pass
    assert raised.value.url == "gone.xml"
