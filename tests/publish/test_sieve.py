"""Which rows become pages, and why the others do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from submitter.core.shards import BAIDU, GOOGLE
from submitter.core.sieve import PageSieve
from submitter.core.sitemap_xml import loc_of

SITE = "https://shop.example.com"


def sift(*rows: str | tuple[str, str | None], profile=BAIDU) -> tuple[list[bytes], PageSieve]:  # type: ignore[no-untyped-def]
    sieve = PageSieve(SITE, profile)
    full = [row if isinstance(row, tuple) else (row, None) for row in rows]
    return [line for _, line, _ in sieve.sift(full)], sieve


@pytest.mark.parametrize(
    ("loc", "sent"),
    [
        (f"{SITE}/a", f"{SITE}/a"),
        ("http://shop.example.com/a", "http://shop.example.com/a"),
        ("HTTPS://Shop.Example.com/a", "HTTPS://Shop.Example.com/a"),
        (f"{SITE}/産品", f"{SITE}/%E7%94%A3%E5%93%81"),
        (f"{SITE}/%e7%94%a3", f"{SITE}/%e7%94%a3"),
        (f"{SITE}/a?x=1&y=2", f"{SITE}/a?x=1&y=2"),
        (f"{SITE}/a b", f"{SITE}/a%20b"),
        (f"{SITE}/a#top", f"{SITE}/a"),
    ],
)
def test_a_page_is_written_as_the_site_spells_it_encoded_once(loc: str, sent: str) -> None:
    [line], _ = sift(loc)
    assert loc_of(line) == sent


@pytest.mark.parametrize(
    ("loc", "reason"),
    [
        ("/relative", "bad-address"),
        ("ftp://shop.example.com/", "bad-address"),
        ("https://user@shop.example.com/", "bad-address"),
        (f"{SITE}/%zz", "bad-address"),
        ("https://example.com/", "foreign-host"),
        ("https://shop.example.com.evil.example/", "foreign-host"),
        ("https://shop.example.com:8443/", "foreign-host"),
        (f"{SITE}/" + "a" * 232, "loc-too-long"),
        (f"{SITE}/" + "産" * 26, "loc-too-long"),
        (f"{SITE}/" + "a" * 3_000, "loc-too-long"),
    ],
)
def test_a_row_that_is_no_page_of_the_site_has_one_reason(loc: str, reason: str) -> None:
    lines, sieve = sift(loc)
    assert lines == []
    assert sieve.dropped == {reason: 1}
    [finding] = sieve.findings()
    assert (finding.id, finding.count, len(finding.examples)) == (reason, 1, 1)


@pytest.mark.parametrize("tail", ["a" * 231, "産" * 25 + "a" * 6, "%E7" * 77])
def test_an_address_of_256_bytes_passes(tail: str) -> None:
    [line], _ = sift(f"{SITE}/{tail}")
    assert len(loc_of(line)) == 256


def test_google_takes_longer_addresses() -> None:
    lines, _ = sift(f"{SITE}/" + "a" * 1_000, profile=GOOGLE)
    assert len(lines) == 1


def test_a_port_belongs_to_the_host() -> None:
    sieve = PageSieve("https://shop.example.com:8443", BAIDU)
    rows = [("https://shop.example.com:8443/a", None), ("https://shop.example.com/a", None)]
    assert len(list(sieve.sift(rows))) == 1
    assert sieve.dropped == {"foreign-host": 1}


def test_a_date_that_may_not_be_written_is_left_out_and_counted() -> None:
    lines, sieve = sift(
        (f"{SITE}/a", "2026-11-30"),
        (f"{SITE}/b", "2026-11-30T08:00:00"),
        (f"{SITE}/c", "2026-11-30T08:00:00"),
        (f"{SITE}/d", None),
        (f"{SITE}/e", ""),
    )
    assert [b"<lastmod>" in line for line in lines] == [True, False, False, False, False]
    [finding] = sieve.findings()
    assert (finding.id, finding.count) == ("lastmod-left-out", 2)
    assert finding.examples == ("2026-11-30T08:00:00", "2026-11-30T08:00:00")


def test_examples_are_few_and_hold_no_query() -> None:
    _, sieve = sift(*[f"https://other.example/{number}?secret=1" for number in range(20)])
    [finding] = sieve.findings()
    assert finding.count == 20
    assert len(finding.examples) == 5
    assert "secret" not in "".join(finding.examples)


def test_limits_come_from_the_profile() -> None:
    lines, _ = sift(f"{SITE}/a", profile=replace(BAIDU, max_loc_bytes=25))
    assert lines == []
