"""Redirects by rule, deliveries by header, severities by site, and what is known by baseline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.audit.delivery import Delivery, judge_asked_again, judge_delivery
from submitter.core.audit.duplicates import Listings
from submitter.core.audit.facts import page_facts
from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.listed import judge_index
from submitter.core.audit.redirects import redirect_rule
from submitter.core.audit.rules import KNOWN_IDS, RULES, found
from submitter.core.audit.sampling import Draw, Pick, page_key, spread_picks
from submitter.core.audit.signs import is_login, leads_to_login, says_missing
from submitter.core.audit.switches import baseline_of, split_known, weigh
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import AuditRule
from submitter.core.looks import DocumentKind, Validators
from submitter.errors import ConfigError
from submitter.render.audit_baseline import baseline_text, read_baseline
from support.twins import NOON

S = "https://shop.example"

REDIRECTS = [
    (f"{S}/a", f"{S}/a", None),
    (f"{S}/%61", f"{S}/a", None),
    ("http://shop.example/a", f"{S}/a", "redirect-to-https"),
    ("http://shop.example/a", f"{S}/a/", "redirect-to-https"),
    (f"{S}/a", "http://shop.example/a", "redirect-to-http"),
    (f"{S}/a", "https://www.shop.example/a", "redirect-www-added"),
    ("http://www.shop.example/a", f"{S}/a", "redirect-www-dropped"),
    (f"{S}/a", "https://other.example/a", "redirect-to-host"),
    (f"{S}/a", f"{S}/a/", "redirect-slash-added"),
    (f"{S}/a/", f"{S}/a", "redirect-slash-dropped"),
    (f"{S}/A", f"{S}/a", "redirect-case"),
    (f"{S}/a?x=1", f"{S}/a", "redirect-query"),
    (f"{S}/a", f"{S}/b", "redirect-to-page"),
    (f"{S}/a", f"{S}/", "redirect-to-home"),
    (f"{S}/a", "https://www.shop.example/", "redirect-to-home"),
    (f"{S}/", "https://www.shop.example/", "redirect-www-added"),
    (f"{S}/a", f"{S}/login?next=/a", "redirect-to-login"),
    (f"{S}/a", "https://sso.example/auth/realms", "redirect-to-login"),
    (f"{S}/login", f"{S}/login/", "redirect-slash-added"),
    (f"{S}/catalogue", f"{S}/catalogue-insign", "redirect-to-page"),
    (f"{S}/a", "nonsense", "redirect-to-page"),
]


@pytest.mark.parametrize(("url", "final_url", "rule"), REDIRECTS)
def test_a_redirect_has_one_rule(url: str, final_url: str, rule: str | None) -> None:
    assert redirect_rule(url, final_url) == rule


@given(st.sampled_from([url for pair in REDIRECTS for url in pair[:2]]), st.data())
def test_every_rule_of_redirects_is_in_the_table(url: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from([pair[1] for pair in REDIRECTS]))
    assert redirect_rule(url, other) in (None, *RULES)


# ---------------------------------------------------------------- signs

PAGES = [
    ("<title>404 Not Found</title>Oops", True, False),
    ("<title>Shop</title><h1>Seite nicht gefunden</h1>", True, False),
    ("<title>页面不存在</title>", True, False),
    (f"<title>How a 404 page works</title>{'word ' * 300}", False, False),
    ("<title>Foundry</title>not found in the text", False, False),
    ("<title>Sign in</title><input type=password>", False, True),
    ("<title>Anmelden</title><input type=password>", False, True),
    (f"<title>Log in to comment</title>{'word ' * 300}<input type=password>", False, False),
    ("<title>Blue shoe</title><input type=password>", False, False),
]


@pytest.mark.parametrize(("html", "missing", "login"), PAGES)
def test_a_page_shows_that_it_is_none(html: str, missing: bool, login: bool) -> None:
    facts = page_facts(html, url=S)
    assert (says_missing(facts, None), is_login(facts)) == (missing, login)


def test_a_page_that_looks_like_nowhere_is_not_there() -> None:
    facts = page_facts("<title>Shop</title>Nothing to see", url=S)
    assert says_missing(facts, facts.text)
    assert not says_missing(facts, Fingerprint("other", 0, 3))


def test_a_login_is_known_by_its_path() -> None:
    assert leads_to_login(f"{S}/user/login.php")
    assert not leads_to_login(f"{S}/blogging-in-style")


# ---------------------------------------------------------------- deliveries

GOOD = Delivery("u", 200, "application/xml", 10, validators=Validators('"1"'), digest="d")
DELIVERIES = [
    ({}, []),
    ({"content_type": "text/html"}, ["wrong-content-type"]),
    ({"content_type": ""}, ["wrong-content-type"]),
    ({"content_type": "application/x-gzip"}, []),
    ({"robots_tags": ("noindex",)}, ["sitemap-robots-tag"]),
    ({"cache_control": "public, max-age=604800"}, ["cached-too-long"]),
    ({"cache_control": "max-age=604800, s-maxage=60"}, []),
    ({"cache_control": "no-cache, max-age=604800"}, []),
    ({"validators": Validators()}, ["no-validators"]),
    ({"waited_s": 2.5}, ["slow-answer"]),
    ({"content_type": "", "validators": Validators(), "local": True}, []),
]


@pytest.mark.parametrize(("changes", "ids"), DELIVERIES)
def test_headers_are_judged(changes: dict[str, object], ids: list[str]) -> None:
    from dataclasses import replace

    served = replace(GOOD, **changes)  # type: ignore[arg-type]  # named by the table
    assert [one.id for one in judge_delivery(served, DocumentKind.URLSET)] == ids


ASKED_AGAIN = [
    (Delivery("u", 304, "", 0), []),
    (Delivery("u", 200, "", 0, digest="d", validators=Validators('"1"')), ["conditional-ignored"]),
    (Delivery("u", 200, "", 0, digest="d", validators=Validators('"2"')),
     ["conditional-ignored", "etag-unstable"]),
    (Delivery("u", 200, "", 0, digest="other", validators=Validators('"2"')), []),
]  # fmt: skip


@pytest.mark.parametrize(("again", "ids"), ASKED_AGAIN)
def test_a_server_that_knows_nothing_changed_says_304(again: Delivery, ids: list[str]) -> None:
    assert [one.id for one in judge_asked_again(GOOD, again)] == ids


def test_an_index_dates_each_child_by_the_newest_page_in_it() -> None:
    newest = {f"{S}/{name}.xml": 1_764_460_800 for name in "abcd"}  # 2025-11-30T00:00Z
    children = [
        (f"{S}/a.xml", "2025-11-30"),
        (f"{S}/b.xml", "2025-11-20"),
        (f"{S}/c.xml", "2025-12-05T10:00:00Z"),
        (f"{S}/d.xml", ""),
        (f"{S}/e.xml", "2020-01-01"),
    ]
    found_here = {one.id: one.examples for one in judge_index("i", children, newest, now=NOON)}
    assert found_here == {
        "index-lastmod-older": (f"{S}/b.xml",),
        "index-lastmod-newer": (f"{S}/c.xml",),
    }


# ---------------------------------------------------------------- pages over files, and samples


def test_pages_of_several_files_are_counted_by_the_files() -> None:
    listings = Listings()
    keys = [page_key(f"{S}/{n}") for n in range(100)]
    listings.add("a.xml", keys[:60], [1] * 60)
    listings.add("b.xml", keys[50:], [2] * 49 + [None])
    duplicate, contradiction = listings.findings(S)
    assert (duplicate.count, contradiction.count) == (10, 10)
    assert "10 of them in a.xml and b.xml" in duplicate.message
    assert sum(len(keys) for keys in listings.key_sets()) == 100


@given(st.lists(st.integers(0, 200), max_size=80), st.integers(1, 30), st.integers(1, 5))
def test_a_sample_is_the_same_whatever_the_order(numbers: list[int], size: int, files: int) -> None:
    def drawn(order: list[int]) -> list[Pick]:
        draws = [Draw(size) for _ in range(files)]
        for n in order:
            loc = f"{S}/{n}"
            draws[n % files].add(Pick(page_key(loc), loc, loc, None, f"{n % files}.xml"))
        return spread_picks(draws, size)

    distinct = sorted(set(numbers))
    sample = drawn(distinct)
    assert sample == drawn(distinct[::-1])
    assert len(sample) == min(size, len(distinct)) == len({pick.key for pick in sample})


def test_a_sample_has_pages_of_each_file() -> None:
    draws = []
    for name, pages in (("large", 1_000), ("small", 3)):
        draw = Draw(10)
        for n in range(pages):
            loc = f"{S}/{name}/{n}"
            draw.add(Pick(page_key(loc), loc, loc, None, name))
        draws.append(draw)
    assert sorted(pick.document for pick in spread_picks(draws, 10)).count("small") == 3


# ---------------------------------------------------------------- switches and baseline


def test_a_site_has_the_last_word_on_severities() -> None:
    findings = [
        found("page-missing", S, count=3),
        found("near-limit", S),
        found("page-noindex", S),
        Finding("lastmod-without-zone", Severity.WARNING, S, "m"),
        Finding("nested-index", Severity.WARNING, S, "m"),
    ]
    rule = AuditRule(
        off=frozenset({"page-missing"}),
        errors=frozenset({"near-limit"}),
        warnings=frozenset({"page-noindex", "nested-index"}),
    )
    weighed = weigh(findings, rule)
    assert [(one.id, str(one.severity)) for one in weighed.findings] == [
        ("near-limit", "error"),
        ("page-noindex", "warning"),
        ("lastmod-without-zone", "error"),
        ("nested-index", "warning"),
    ]
    assert weighed.off == {"page-missing": 3}


def test_what_is_known_and_has_not_grown_is_known() -> None:
    before = [found("page-missing", S, count=5), found("xsd-order", f"{S}/a.xml line 3")]
    after = [
        found("page-missing", S, count=10),
        found("xsd-order", f"{S}/a.xml line 17"),
        found("xsd-order", f"{S}/b.xml line 3"),
    ]
    baseline = read_baseline("b.json", baseline_text(baseline_of(before)))
    new, known = split_known(after, baseline)
    assert [one.where for one in new] == [f"{S}/b.xml line 3"]
    assert len(known) == 2
    grown, _ = split_known([found("page-missing", S, count=11)], baseline)
    assert grown


BASELINES = ["", "[]", "{", '{"version": 2}', '{"version": 1}', '{"version":1,"findings":[{}]}']


@pytest.mark.parametrize("text", BASELINES)
def test_a_file_that_is_no_baseline_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match=r"known\.json"):
        read_baseline("known.json", text)


def test_every_rule_says_what_to_do_now() -> None:
    for id, rule in RULES.items():
        assert rule.next_step.endswith("."), id
        assert not rule.text.endswith("."), id
    assert RULES.keys() <= KNOWN_IDS
