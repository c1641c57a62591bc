"""Which site an address on the command line belongs to, and what that site allows."""

from __future__ import annotations

import pytest

from submitter.cli.places import Extra, _site_at
from submitter.core.fleet import Fleet, Site

PRIVATE = ("10.0.0.0/8",)
SITE = Site("shop.example", sitemaps=("https://files.example/s.xml",), allow_private=PRIVATE)


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("https://shop.example/s.xml", PRIVATE),
        ("https://shop.example:8443/s.xml", PRIVATE),
        ("http://shop.example/s.xml", PRIVATE),
        ("https://files.example/s.xml", PRIVATE),
        ("https://files.example/other.xml", ()),
        ("https://other.example/s.xml", ()),
    ],
)
def test_an_address_may_live_where_a_run_would_let_it(
    address: str, networks: tuple[str, ...]
) -> None:
    fleet = Fleet("f", "", {}, (SITE,))
    assert _site_at(address, fleet, Extra()).allow_private == networks
