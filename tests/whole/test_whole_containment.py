"""Faults stay where they happen: whatever is wrong with some sites, the others are done."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from submitter.sandbox import Break, Role
from submitter.sandbox.fleet_site import FleetSite
from support.whole import EMAIL, Ran, World
from support.whole_books import prove_books_agree, prove_sums

SITEMAP = "/sitemap.xml"
HEALTHY = [f"healthy{number}" for number in range(10)]


def document(*locs: str) -> str:
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def index_of(*locs: str) -> str:
    entries = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<sitemapindex xmlns="{namespace}">{entries}</sitemapindex>'


def bomb() -> bytes:
    return gzip.compress(b"<urlset>" + b" " * 5_000_000)


Spoil = Callable[[World, FleetSite], object]


def breaks(how: Break) -> Spoil:
    return lambda world, site: site.break_document(SITEMAP, how)


def puts(body: Callable[[FleetSite], str | bytes]) -> Spoil:
    return lambda world, site: site.put(SITEMAP, body(site))


def redirects(*addresses: str) -> Spoil:
    def spoil(world: World, site: FleetSite) -> None:
        for start, end in zip((SITEMAP, *addresses), addresses, strict=False):
            site.redirect(start, end)

    return spoil


def strikes(kind: str) -> Spoil:
    return lambda world, site: world.sandbox.fleet.faults.add(
        kind, key=site.host, times=None, seconds=600
    )


def takes_from_google(role: Role | None) -> Spoil:
    def spoil(world: World, site: FleetSite) -> None:
        world.sandbox.google.revoke(EMAIL, f"{site.origin}/")
        if role is not None:
            world.sandbox.google.grant(EMAIL, f"{site.origin}/", role)

    return spoil


@dataclass(frozen=True)
class Trouble:
    """What is done to a site, and what has to be said about it afterwards."""

    spoil: Spoil
    finding: str = ""
    cause: str = ""
    """Of a problem at an engine."""
    google: str = "skipped"
    """Where its sitemap is counted."""
    baidu: str = ""
    """Where its pages are counted; empty: none was found."""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """Of the inventory, and `property`."""


OWN = {"property": "host"}
TROUBLES = {
    "missing": Trouble(breaks(Break.MISSING), "http-404"),
    "gone": Trouble(breaks(Break.GONE), "http-410"),
    "forbidden": Trouble(breaks(Break.FORBIDDEN), "http-403"),
    "failing": Trouble(breaks(Break.ERROR), "http-500"),
    "html": Trouble(breaks(Break.HTML), "html-instead-of-sitemap"),
    "hollow": Trouble(breaks(Break.EMPTY), "empty-document"),
    "cut": Trouble(breaks(Break.CUT), "document-cut", baidu="accepted"),
    "bad-xml": Trouble(breaks(Break.BAD_XML), "bare-ampersand", "", "accepted", "accepted"),
    "always-304": Trouble(breaks(Break.ALWAYS_304), "unexpected-304"),
    "bomb": Trouble(puts(lambda site: bomb()), "too-large", keys={"fetch": {"max_bytes": 99_999}}),
    "noise": Trouble(puts(lambda site: bytes(range(256)) * 20), "not-text"),
    "loop": Trouble(redirects("/b.xml", SITEMAP), "redirect-loop"),
    "inside": Trouble(redirects("http://10.1.2.3/sitemap.xml"), "private-address"),
    "metadata": Trouble(redirects("http://169.254.169.254/latest"), "private-address"),
    "pageless": Trouble(puts(lambda site: document()), "guard-empty"),
    "foreign": Trouble(puts(lambda site: document("http://elsewhere.test/a")), "guard-foreign"),
    "itself": Trouble(puts(lambda site: index_of(site.origin + SITEMAP)), "index-self-reference"),
    "closed": Trouble(lambda world, site: site.close(), "robots-closed", baidu="skipped"),
    "hanging": Trouble(strikes("hang"), "timeout", keys={"fetch": {"timeout_s": 1}}),
    "resetting": Trouble(strikes("reset"), "connect-reset"),
    "not-ours": Trouble(takes_from_google(None), "", "property-missing", "failed", "accepted", OWN),
    "looking-only": Trouble(
        takes_from_google(Role.RESTRICTED), "", "role-restricted", "failed", "accepted", OWN
    ),
    "unregistered": Trouble(
        lambda world, site: world.sandbox.baidu._sites.pop(site.host),
        *("", "site-not-verified", "accepted", "failed"),
    ),
}


@pytest.fixture
def spoiled(fleet: World) -> World:
    """Healthy and troubled sites side by side, in no order."""
    for number, (name, trouble) in enumerate(TROUBLES.items()):
        if number < len(HEALTHY):
            fleet.add(HEALTHY[number], pages=4, quota=9)
        site = fleet.add(name, pages=4, quota=9, **trouble.keys)
        trouble.spoil(fleet, site)
    return fleet


def is_told_of(ran: Ran, name: str, trouble: Trouble) -> None:
    """The report says at the site what was wrong, and counts what it could not use."""
    site = f"http://{name}.whole.test"
    if trouble.finding:
        assert trouble.finding in ran.findings(site), name
    causes = {one["cause"] for one in ran.summary["problems"] if one["site"] == site}
    assert causes == ({trouble.cause} if trouble.cause else set()), name


def test_healthy_sites_are_done_whatever_is_wrong_with_the_others(spoiled: World) -> None:
    ran = spoiled.run()
    assert (ran.exit_code, ran.summary["outcome"]) == (4, "partial")
    prove_sums(ran)
    for name in HEALTHY:
        site = f"http://{name}.whole.test"
        assert ran.counts("sitemaps", site, "google") == {"accepted": 1}, name
        assert ran.counts("pages", site, "baidu") == {"accepted": 4}, name
        assert ran.findings(site) == set(), name
    for name, trouble in TROUBLES.items():
        site = f"http://{name}.whole.test"
        is_told_of(ran, name, trouble)
        assert set(ran.counts("sitemaps", site, "google")) == {trouble.google}, name
        assert set(ran.counts("pages", site, "baidu")) == {trouble.baidu} - {""}, name

    again = spoiled.run()
    assert again.exit_code == 4, "what is still wrong is still said"
    prove_sums(again)
    for name, trouble in TROUBLES.items():
        is_told_of(again, name, trouble)
    spoiled.sandbox.fleet.faults.clear()


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [("cut", 4), ("bad-xml", 4), ("missing", 4), ("closed", 3), ("not-ours", 4), ("hanging", 4)],
)
def test_the_exit_code_says_what_kind_of_trouble_there_was(
    fleet: World, name: str, exit_code: int
) -> None:
    """Beside one healthy site, on the first run and on every later one."""
    trouble = TROUBLES[name]
    fleet.add("healthy", pages=4, quota=9)
    trouble.spoil(fleet, fleet.add(name, pages=4, quota=9, **trouble.keys))
    assert [fleet.run().exit_code for _ in range(2)] == [exit_code] * 2
    fleet.sandbox.fleet.faults.clear()


def test_a_mended_site_is_told_by_the_next_run(fleet: World) -> None:
    site = fleet.add("cut", pages=6, quota=9)
    site.break_document(SITEMAP, Break.CUT)
    fleet.run()
    site.mend(SITEMAP)
    ran = fleet.run()
    assert ran.exit_code == 0
    assert ran.counts("sitemaps") == {"accepted": 1}
    assert set(fleet.page_states().values()) == {"accepted"}
    prove_books_agree(fleet)


def test_a_cut_document_never_makes_pages_gone(fleet: World) -> None:
    site = fleet.add("cut", pages=20, quota=30)
    fleet.run()
    site.break_document(SITEMAP, Break.CUT)
    ran = fleet.run()
    assert ran.target(site.origin, "google")["delta"] == {"new": 0, "changed": 0, "gone": 0}
    assert ran.target(site.origin, "google")["pages"] == 20
    assert ran.exit_code == 4
    assert ran.calls == []
