"""robots.txt: every Sitemap line is found, and nothing is taken for one that is none."""

from __future__ import annotations

import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_support import CORPUS, NO_CORPUS

from submitter.core.findings import Severity
from submitter.core.robots import MAX_BYTES, ROBOTS_IDS, Robots, parse_robots

URL = "https://h.example/robots.txt"
S = "https://h.example/Sitemap_0.XML"


def robots(data: str | bytes) -> Robots:
    return parse_robots(data.encode() if isinstance(data, str) else data, url=URL)


def ids(found: Robots) -> dict[str, int]:
    return {finding.id: finding.count for finding in found.findings}


LINES = [
    (f"Sitemap: {S}", [S]),
    (f"SITEMAP:{S}", [S]),
    (f"  sitemap : {S}  ", [S]),
    (f"\tSitemap:\t{S}\t# comment", [S]),
    (f"Site-map: {S}", [S]),
    (f"\ufeffSitemap: {S}", [S]),
    (f"User-agent: *\nDisallow: /x\nSitemap: {S}\nDisallow: /y", [S]),
    (f"Sitemap: {S}\rUser-agent: *\rSitemap: {S}2\r", [S, S + "2"]),
    (f"Sitemap: {S}\r\nSitemap: {S}\r\n", [S]),
    (f"Sitemap: {S}\nSitemap: HTTPS://H.EXAMPLE:443/Sitemap_0.XML", [S]),
    (f"Sitemap: {S}\0\n\0", [S]),
    (f"# Sitemap: {S}", []),
    (f"Not a Sitemap: {S}", []),
    ("Sitemap:", []),
    ("Sitemap: # none", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "sitemaps"), LINES)
def test_sitemap_lines_count_wherever_they_stand(text: str, sitemaps: list[str]) -> None:
    found = robots(text)
    assert list(found.sitemaps) == sitemaps
    assert not found.findings


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_the_first_line_is_found_in_every_encoding(codec: str) -> None:
    found = robots(f"Sitemap: {S}\nUser-agent: *\nDisallow: /".encode(codec))
    assert found.sitemaps == (S,)
    assert found.closes_site("Googlebot")
    assert set(ids(found)) == (set() if codec == "utf-8-sig" else {"robots-not-utf8"})


def test_a_relative_line_is_resolved_and_reported() -> None:
    found = robots("Sitemap: /a.xml\nSitemap: b.xml\nSitemap: //other.example/c.xml")
    assert found.sitemaps == (
        "https://h.example/a.xml",
        "https://h.example/b.xml",
        "https://other.example/c.xml",
    )
    assert ids(found) == {"relative-sitemap": 3}


def test_a_line_that_is_no_address_is_reported_and_not_used() -> None:
    found = robots(
        f"Sitemap: ftp://h/x\nSitemap: http://u:p@h/\nSitemap: http://[\nsitemap {S}\nSitemap: {S}"
    )
    assert found.sitemaps == (S,)
    assert ids(found) == {"bad-sitemap-line": 3, "line-without-colon": 1}
    assert found.findings[0].where == f"{URL} line 1"


def test_a_web_page_is_no_robots_txt() -> None:
    found = robots(f"\n <!DOCTYPE html><title>Oops</title>\nSitemap: {S}\nDisallow: /")
    assert found.sitemaps == ()
    assert not found.closes_site("Googlebot")
    (finding,) = found.findings
    assert (finding.id, finding.severity) == ("html-instead-of-robots", Severity.ERROR)
    assert "Oops" in finding.message


def test_500_kib_are_read_and_no_more() -> None:
    line = f"Sitemap: {S}\n"
    filler = "#" * (MAX_BYTES - len(line) - 1) + "\n"
    assert robots(filler + line).sitemaps == (S,)
    found = robots("#" + filler + line)
    assert found.sitemaps == ()
    assert ids(found) == {"robots-too-long": 1}


def test_rules_are_those_of_the_most_specific_group() -> None:
    found = robots(
        "User-agent: *\nDisallow: /private\nAllow: /private/open\n\n"
        "User-agent: Googlebot\nDisallow: /g\n"
    )
    assert found.allows("Bingbot", "https://h.example/")
    assert not found.allows("Bingbot", "https://h.example/private/x")
    assert found.allows("Bingbot", "https://h.example/private/open")
    assert found.allows("Googlebot", "https://h.example/private/x")
    assert not found.allows("Googlebot", "https://h.example/g?x")


CLOSED = [
    ("User-agent: *\nDisallow: /", True),
    ("User-agent: *\nDisallow: *", True),
    ("User-agent: *\nDisallow: /*", True),
    ("User-agent: Googlebot\nUser-agent: Bingbot\nDisallow: /", True),
    ("User-agent: *\nDisallow: /\nAllow: /robots.txt", True),
    ("User-agent: Googlebot\nDisallow: /\nUser-agent: x\nAllow: /", True),
    ("", False),
    ("User-agent: *\nDisallow:", False),
    ("User-agent: *\nDisallow: /a", False),
    ("User-agent: *\nDisallow: /?", False),
    ("User-agent: *\nDisallow: /$", False),
    ("User-agent: *\nDisallow: /\nAllow: /public/", False),
    ("User-agent: *\nDisallow: /\nAllow: /*.html$", False),
    ("User-agent: *\nDisallow: /\nAllow: /$", False),
    ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", False),
    ("User-agent: Baiduspider\nDisallow: /", False),
    ("Disallow: /", False),
]


@pytest.mark.parametrize(("text", "closed"), CLOSED)
def test_a_site_is_closed_only_when_nothing_is_open(text: str, closed: bool) -> None:
    assert robots(text).closes_site("Googlebot") is closed


@given(st.binary(max_size=300))
def test_any_bytes_are_some_robots_txt(data: bytes) -> None:
    found = robots(data)
    assert len(set(found.sitemaps)) == len(found.sitemaps)
    assert {finding.id for finding in found.findings} <= set(ROBOTS_IDS)
    found.closes_site("Googlebot")


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["User-agent: *", "Disallow: /", "# x", "", "Allow", "\ufeff"]),
            st.integers(0, 5).map(lambda n: f"Sitemap: https://h.example/{n}.xml"),
        ),
        max_size=20,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_all_lines_are_found_in_order_and_once(lines: list[str], newline: str) -> None:
    expected = dict.fromkeys(line[9:] for line in lines if line.startswith("Sitemap"))
    assert robots(newline.join(lines)).sitemaps == tuple(expected)


def corpus_rows() -> list[dict[str, str]]:
    if not CORPUS.exists():
        return []
    with open(CORPUS / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["class"] == "robots"]


@pytest.mark.skipif(not CORPUS.exists(), reason=NO_CORPUS)
@pytest.mark.parametrize("row", corpus_rows(), ids=lambda row: row["file"])
def test_real_robots_files_count_as_their_manifest_says(row: dict[str, str]) -> None:
    found = robots((CORPUS / row["file"]).read_bytes())
    distinct = re.search(r"(\d+) distinct", row["notes"])
    deduplicated = row["lenient_locs"] if "de-duplication" in row["notes"] else ""
    expected = deduplicated or (distinct[1] if distinct else row["expected_locs"])
    assert len(found.sitemaps) == int(expected)
    if row["expected_kind"] == "error":
        assert "html-instead-of-robots" in ids(found)
