"""Which property a site has, and what the account's own list shows beforehand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Survey
from submitter.core.fleet import Site
from submitter.engines.google_properties import (
    check_access,
    covers,
    property_of,
    property_with,
)
from submitter.errors import NotAuthorized

WHO = "robot@project.iam.gserviceaccount.com"
SITE = Site("a.shop.example.com", domain="example.com")
SITEMAP = "https://a.shop.example.com/sitemap.xml"


def survey(**roles: str) -> Survey:
    return Survey("gsc", tuple(property_with(name, role) for name, role in roles.items()), WHO)


def owned(*names: str) -> Survey:
    return survey(**dict.fromkeys(names, "siteOwner"))


# ---------------------------------------------------------------- what the inventory says


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("domain", "sc-domain:example.com"),
        ("host", "https://a.shop.example.com/"),
        ("sc-domain:shop.example.com", "sc-domain:shop.example.com"),
        ("https://{host}/", "https://a.shop.example.com/"),
        ("sc-domain:{domain}", "sc-domain:example.com"),
        ("http://a.shop.example.com/fr/", "http://a.shop.example.com/fr/"),
        (None, "sc-domain:example.com"),
    ],
)
def test_the_inventory_decides_whatever_the_account_has(written: str | None, name: str) -> None:
    site = Site("a.shop.example.com", domain="example.com", google_property=written)
    assert property_of(site, None) == name
    if written is not None:
        assert property_of(site, owned("sc-domain:a.shop.example.com")) == name


def test_a_host_with_port_and_scheme_is_a_prefix() -> None:
    site = Site("e.example:8443", scheme="http", domain="e.example", google_property="host")
    assert property_of(site, None) == "http://e.example:8443/"


def test_a_site_without_domain_is_its_own() -> None:
    assert property_of(Site("e.example:8443"), None) == "sc-domain:e.example"


# ---------------------------------------------------------------- what the account has


LADDER = [
    "https://a.shop.example.com/",
    "sc-domain:a.shop.example.com",
    "sc-domain:shop.example.com",
    "sc-domain:example.com",
]


@pytest.mark.parametrize("step", range(len(LADDER)))
def test_the_most_specific_property_is_found(step: int) -> None:
    strangers = ["http://a.shop.example.com/", "sc-domain:com", "https://a.shop.example.com"]
    assert property_of(SITE, owned(*reversed(LADDER[step:]), *strangers)) == LADDER[step]


@pytest.mark.parametrize("role", ["siteUnverifiedUser", "siteRestrictedUser"])
def test_a_usable_property_goes_before_a_more_specific_one(role: str) -> None:
    found = property_of(SITE, survey(**{LADDER[0]: role, LADDER[3]: "siteFullUser"}))
    assert found == LADDER[3]


def test_an_unusable_property_is_named_rather_than_none() -> None:
    assert property_of(SITE, survey(**{LADDER[1]: "siteUnverifiedUser"})) == LADDER[1]


def test_without_any_the_domain_is_named() -> None:
    assert property_of(SITE, owned("sc-domain:other.example")) == "sc-domain:example.com"


@given(st.sets(st.sampled_from([*LADDER, "http://a.shop.example.com/", "sc-domain:com"])))
def test_a_found_property_covers_the_site(names: set[str]) -> None:
    found = property_of(SITE, owned(*sorted(names)))
    assert covers(found, SITEMAP)
    assert found in names or not names & set(LADDER)


# ---------------------------------------------------------------- before a call


def refusal(name: str, known: Survey, sitemap: str = SITEMAP) -> NotAuthorized:
    with pytest.raises(NotAuthorized) as caught:
        check_access(name, sitemap, known)
    assert caught.value.scope == "property"
    assert not caught.value.sent
    return caught.value


@pytest.mark.parametrize("role", ["siteOwner", "siteFullUser", "SITE_FULL_USER", "siteNewRole"])
def test_owners_and_full_users_pass(role: str) -> None:
    check_access("sc-domain:example.com", SITEMAP, survey(**{"sc-domain:example.com": role}))


@pytest.mark.parametrize(
    ("role", "cause"),
    [("siteRestrictedUser", "role-restricted"), ("siteUnverifiedUser", "role-unverified")],
)
def test_a_role_that_may_not_submit_is_explained(role: str, cause: str) -> None:
    error = refusal("sc-domain:example.com", survey(**{"sc-domain:example.com": role}))
    assert error.cause == cause
    assert WHO in error.next_step


MISSPELT = [
    ("https://example.com", "https://example.com/"),
    ("https://example.com/", "http://example.com/"),
    ("https://example.com/", "https://www.example.com/"),
    ("https://example.com/", "sc-domain:example.com"),
    ("sc-domain:example.com", "https://example.com/"),
    ("sc-domain:www.example.com", "sc-domain:example.com"),
    ("https://example.com/", "https://example.com/fr/"),
]


@pytest.mark.parametrize(("written", "listed"), MISSPELT)
def test_another_spelling_is_shown(written: str, listed: str) -> None:
    error = refusal(written, owned(listed, "sc-domain:other.example"))
    assert error.cause == "property-spelled-differently"
    assert repr(listed) in str(error)
    assert "other.example" not in str(error)


def test_a_missing_property_names_whom_to_add() -> None:
    error = refusal("sc-domain:example.com", owned("sc-domain:other.example"))
    assert error.cause == "property-missing"
    assert WHO in error.next_step
    assert WHO in str(error)


def test_only_a_few_candidates_are_shown() -> None:
    known = owned(*(f"https://example.com/{number:03}/" for number in range(300)))
    assert len(str(refusal("https://example.com/", known))) < 400


def test_a_sitemap_outside_is_explained_without_its_query() -> None:
    outside = "https://other.example/s.xml?token=secret"
    error = refusal("sc-domain:example.com", owned("sc-domain:example.com"), outside)
    assert error.cause == "sitemap-outside-property"
    assert "https://other.example/s.xml" in str(error)
    assert "secret" not in str(error)


# ---------------------------------------------------------------- what lies under a property


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("sc-domain:example.com", "https://example.com/s.xml"),
        ("sc-domain:example.com", "http://a.b.example.com:8080/s.xml"),
        ("sc-domain:Example.com", "https://EXAMPLE.com/s.xml"),
        ("https://example.com/", "https://example.com/s.xml"),
        ("https://example.com/", "https://EXAMPLE.com/s.xml"),
        ("https://example.com/fr/", "https://example.com/fr/s.xml"),
        ("https://example.com/", "https://example.com"),
    ],
)
def test_a_sitemap_is_covered(name: str, url: str) -> None:
    assert covers(name, url)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("sc-domain:example.com", "https://notexample.com/s.xml"),
        ("sc-domain:example.com", "https://example.com.evil.example/s.xml"),
        ("sc-domain:example.com", "/s.xml"),
        ("https://example.com/", "http://example.com/s.xml"),
        ("https://example.com/", "https://www.example.com/s.xml"),
        ("https://example.com/", "https://example.com:8443/s.xml"),
        ("https://example.com/fr/", "https://example.com/s.xml"),
        ("https://example.com/FR/", "https://example.com/fr/s.xml"),
    ],
)
def test_a_sitemap_is_not_covered(name: str, url: str) -> None:
    assert not covers(name, url)
