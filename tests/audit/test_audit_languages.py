"""Alternates that sitemaps write: returned within the sitemaps, named rightly, one finding each."""

from __future__ import annotations

import pytest
from audit_support import MAP, S, audit, ids, the, web
from hypothesis import given
from hypothesis import strategies as st
from paper_web import PaperWeb, document, index

from submitter.core.audit.duplicates import Listings
from submitter.core.audit.languages import SiteLinks, is_language
from submitter.core.audit.outcome import SiteAudit
from submitter.core.audit.sampling import page_key
from submitter.core.urls import normalize

XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
Links = dict[str, dict[str, str]]
"""By page, addresses by language; paths are of the site."""
LANGUAGE_IDS = "hreflang-"


def body(links: Links) -> str:
    entries = ""
    for path, named in links.items():
        marks = "".join(
            f'<xhtml:link rel="alternate" hreflang="{code}" href="{href(to)}"/>'
            for code, to in named.items()
        )
        entries += f"<url><loc>{S}/{path}</loc><lastmod>2026-11-20</lastmod>{marks}</url>\n"
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    return f"<urlset {namespace} {XHTML}>\n{entries}</urlset>"


def href(to: str) -> str:
    return f"{S}/{to}" if ":" not in to and not to.startswith("/") else to


def site_of(links: Links) -> PaperWeb:
    source = web(*links)
    source.sheets[MAP] = document(body(links))
    return source


def languages(audited: SiteAudit) -> dict[str, int]:
    return {id: count for id, count in ids(audited).items() if id.startswith(LANGUAGE_IDS)}


WHOLE = {"en": "en", "de": "de", "x-default": "en"}


def test_a_set_that_is_whole_is_no_finding() -> None:
    assert languages(audit(site_of({"en": WHOLE, "de": WHOLE}))) == {}


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({"en": WHOLE, "de": {}}, {"hreflang-not-returned": 1}),
        ({"en": WHOLE}, {"hreflang-not-listed": 1}),
        (
            {"en": {"de": "de", "x-default": "de"}, "de": WHOLE},
            {"hreflang-no-self": 1},
        ),
        (
            {"en": {"en": "en", "de": "de"}, "de": {"en": "en", "de": "de"}},
            {"hreflang-no-default": 2},
        ),
        ({"en": {**WHOLE, "en-UK": "en"}, "de": WHOLE}, {"hreflang-bad-language": 1}),
        ({"en": {**WHOLE, "fr": "/fr"}, "de": WHOLE}, {"hreflang-bad-address": 1}),
        ({"en": {**WHOLE, "EN": "de"}, "de": WHOLE}, {"hreflang-repeated": 1}),
        ({"en": {"en": "en", "x-default": "choose"}}, {}),  # a selector returns nothing
        ({"en": {**WHOLE, "fr": "https://fr.example/"}, "de": WHOLE}, {}),  # nobody knows
    ],
)
def test_each_root_cause_is_one_finding(links: Links, expected: dict[str, int]) -> None:
    assert languages(audit(site_of(links))) == expected


def test_a_link_without_return_names_its_line() -> None:
    finding = the(audit(site_of({"en": WHOLE, "de": {}})), "hreflang-not-returned")
    assert finding.examples == (f"{MAP} line 2",)


def test_wrong_languages_are_shown() -> None:
    finding = the(
        audit(site_of({"en": {**WHOLE, "en-UK": "en"}, "de": WHOLE})), "hreflang-bad-language"
    )
    assert finding.message.endswith(": en-UK")


def test_languages_may_return_each_other_across_files() -> None:
    source = web("en", "de")
    source.sheets[MAP] = document(index((f"{S}/en.xml", ""), (f"{S}/de.xml", "")))
    for name in ("en", "de"):
        source.sheets[f"{S}/{name}.xml"] = document(body({name: WHOLE}))
    assert languages(audit(source)) == {}


def test_of_a_sitemap_that_was_not_read_to_its_end_nothing_is_said_to_lack() -> None:
    source = site_of({"en": WHOLE, "de": {}})
    cut = body({"en": WHOLE, "de": WHOLE}).removesuffix("</urlset>")
    source.sheets[MAP] = document(cut)
    assert languages(audit(source)) == {"hreflang-not-judged": 1}


@pytest.mark.parametrize("text", ["en", "EN-gb", "zh-Hant", "zh-Hant-TW", "x-default", "es-419"])
def test_languages_that_engines_know(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize("text", ["", "uk-uk-uk", "jp", "en-UK", "en_GB", "english", "de-xx", "*"])
def test_what_is_no_language(text: str) -> None:
    assert not is_language(text)


# ---------------------------------------------------------------- bounded memory


def judge(pairs: set[tuple[int, int]], pages: int, most: int) -> tuple[int, SiteLinks]:
    """How many links are told to lack a return."""
    links, listings = SiteLinks(S, most), Listings()
    for one in range(pages):
        named = [("en", f"{S}/{other}") for source, other in sorted(pairs) if source == one]
        for link in named:
            links.take("a.xml", one, f"{S}/{one}", [link, ("de", f"{S}/{one}")])
    keys = [page_key(normalize(f"{S}/{one}")) for one in range(pages)]
    listings.add("a.xml", keys, [None] * pages)
    found = {one.id: one.count for one in links.findings(listings, whole=True)}
    return found.get("hreflang-not-returned", 0), links


PAIRS = st.sets(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda one: one[0] != one[1])
)


@given(PAIRS)
def test_a_link_is_returned_when_the_other_page_names_this_one(pairs: set[tuple[int, int]]) -> None:
    silent, links = judge(pairs, 10, most=1_000)
    assert silent == sum((other, one) not in pairs for one, other in pairs)
    assert links.share == 1


@given(PAIRS)
def test_beyond_the_bound_a_share_is_judged_and_never_wrongly(pairs: set[tuple[int, int]]) -> None:
    both = pairs | {(other, one) for one, other in pairs}
    silent, links = judge(both, 10, most=4)
    assert silent == 0
    assert links.held <= 4 or links.share >= 1 << 40


def test_counts_of_a_share_are_said_to_be_such() -> None:
    pairs = {(one, (one + 1) % 60) for one in range(60)}
    links, listings = SiteLinks(S, 16), Listings()
    for one, other in sorted(pairs):
        links.take("a.xml", one, f"{S}/{one}", [("en", f"{S}/{other}"), ("de", f"{S}/{one}")])
    keys = [page_key(normalize(f"{S}/{one}")) for one in range(60)]
    listings.add("a.xml", keys, [None] * 60)
    found = {one.id: one for one in links.findings(listings, whole=True)}
    assert 0 < found["hreflang-not-returned"].count <= 16
    assert f"of one in {links.share} pairs" in found["hreflang-not-returned"].message
