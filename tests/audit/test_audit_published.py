"""A publish list held against sitemaps: read, and its pages judged, as by `build`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submitter.core.audit.duplicates import Listings
from submitter.core.audit.sampling import page_key
from submitter.core.building.leaks import Parameters
from submitter.core.building.orders import BuildOrder
from submitter.core.building.publicity import Publicity
from submitter.core.findings import Finding, Severity
from submitter.core.urls import normalize
from submitter.errors import ConfigError
from submitter.looking.audit.published import PublishedPages
from submitter.publish import SitemapDirectory
from submitter.sources.publish_lists import ListFile
from submitter.stories.building import build

S = "https://shop.example"
OTHER = "https://other.example"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@contextmanager
def published(
    path: Path, text: str, *, parameters: Parameters | None = None
) -> Iterator[PublishedPages]:
    path.write_text(text, encoding="utf-8")
    wanted = ListFile(str(path), io.BytesIO())
    pages = PublishedPages.read(wanted, Publicity(parameters or Parameters()), told_at=S)
    try:
        yield pages
    finally:
        pages.close()


def listing(*paths: str, site: str = S) -> Listings:
    listings = Listings()
    keys = [page_key(normalize(f"{site}/{path}")) for path in paths]
    listings.add("a.xml", keys, [None] * len(keys))
    return listings


def by_id(findings: Iterator[Finding]) -> dict[str, Finding]:
    return {one.id: one for one in findings}


LISTS = [
    ("l.jsonl", f'{{"url": "{S}/1", "lastmod": "2026"}}\n\n{{"url": "{S}/2"}}\n'),
    ("l.csv", f"lastmod,url\n2026,{S}/1\n,{S}/2\n"),
    ("l.csv", f"\ufeffurl\n{S}/1\n\n{S}/2"),
]


@pytest.mark.parametrize(("name", "text"), LISTS)
def test_a_publish_list_is_held_against_what_is_listed(
    tmp_path: Path, name: str, text: str
) -> None:
    with published(tmp_path / name, text) as pages:
        found = by_id(pages.compare(listing("2", "3"), S))
    assert {id: (one.count, one.examples) for id, one in found.items()} == {
        "not-listed": (1, (f"{S}/1",)),
        "not-published": (1, ()),
    }


HIDDEN: list[dict[str, Any]] = [
    {"public": False},
    {"draft": True},
    {"status": "draft"},
    {"status": 410},
    {"noindex": 1},
    {"redirect_to": f"{S}/x"},
    {"canonical": f"{S}/x"},
]


@pytest.mark.parametrize("said", HIDDEN)
def test_what_must_not_be_listed_is_right_where_it_is_not_and_a_finding_where_it_is(
    tmp_path: Path, said: dict[str, Any]
) -> None:
    text = json.dumps({"url": f"{S}/a", **said}) + "\n"
    with published(tmp_path / "l.jsonl", text) as pages:
        assert list(pages.compare(listing(), S)) == []
        (one,) = pages.compare(listing("a"), S)
    assert (one.id, one.severity, one.count) == ("not-public", Severity.ERROR, 1)
    assert one.examples == (f"{S}/a",)


def test_the_reasons_why_pages_must_not_be_there_are_counted_in_one_finding(tmp_path: Path) -> None:
    rows = [{"url": f"{S}/{n}", "draft": n > 0, "public": n > 0} for n in range(3)]
    text = "".join(json.dumps(one) + "\n" for one in rows)
    with published(tmp_path / "l.jsonl", text) as pages:
        (one,) = pages.compare(listing("0", "1", "2"), S)
    assert one.message.endswith(": 2 draft, 1 private")


def test_parameters_hide_pages_as_they_do_for_build(tmp_path: Path) -> None:
    text = f'{{"url": "{S}/a?sort=price"}}\n'
    with published(tmp_path / "l.jsonl", text) as pages:
        assert set(by_id(pages.compare(listing("a?sort=price"), S))) == {"not-public"}
    with published(tmp_path / "l.jsonl", text, parameters=Parameters(["sort"])) as pages:
        assert set(by_id(pages.compare(listing(), S))) == {"not-listed"}


def test_a_page_that_one_line_publishes_is_public(tmp_path: Path) -> None:
    text = f'{{"url": "{S}/a", "draft": true}}\n{{"url": "{S}/a"}}\n{{"url": "{S}/a"}}\n'
    with published(tmp_path / "l.jsonl", text) as pages:
        assert list(pages.compare(listing("a"), S)) == []
        assert by_id(pages.compare(listing(), S))["not-listed"].count == 1


@pytest.mark.parametrize(
    "line",
    [
        *("no address", '{"url": 5}', "{", "[]", '"', "\0", '{"url": "/a"}'),
        f'{{"url":"{S}/\\ud800"}}',
        f'{{"url": "{S}/a", "public": "perhaps"}}',
        f'{{"url": "{S}/a", "status": "odd"}}',
    ],
)
def test_a_line_that_does_not_say_what_is_public_is_counted_and_not_compared(
    tmp_path: Path, line: str
) -> None:
    with published(tmp_path / "l.jsonl", f'{{"url": "{S}/1"}}\n{line}\n') as pages:
        found = by_id(pages.compare(listing("1"), S))
        elsewhere = list(pages.compare(listing(site=OTHER), OTHER))
    assert {id: one.count for id, one in found.items()} == {"bad-list-line": 1}
    assert found["bad-list-line"].examples[0].startswith("line 2: ")
    assert elsewhere == []


def test_each_site_is_compared_with_its_own_pages(tmp_path: Path) -> None:
    text = f'{{"url": "{S}/a"}}\n{{"url": "{OTHER}/b"}}\n'
    with published(tmp_path / "l.jsonl", text) as pages:
        assert by_id(pages.compare(listing(), S))["not-listed"].examples == (f"{S}/a",)
        assert list(pages.compare(listing("b", site=OTHER), OTHER)) == []


def test_a_field_that_would_hide_a_page_but_for_its_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has to be written 'draft'"):
        published(tmp_path / "l.jsonl", f'{{"url": "{S}/a", "Draft": true}}\n').__enter__()


def test_a_list_without_any_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no line is a row"):
        published(tmp_path / "l.txt", f"{S}/a\n{S}/b\n").__enter__()


ROWS = st.fixed_dictionaries(
    {"url": st.sampled_from([f"{S}/{n}" for n in range(6)] + [f"{S}/?sort=1", "nope", 7])},
    optional={
        "public": st.sampled_from([True, False, "yes", "perhaps", 1, ""]),
        "draft": st.sampled_from([True, False, None, "maybe"]),
        "status": st.sampled_from([200, 404, "published", "draft", "odd", 301]),
        "noindex": st.booleans(),
        "canonical": st.sampled_from([f"{S}/0", f"{S}/1", None]),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(ROWS, max_size=12))
def test_what_build_lists_of_a_list_is_what_audit_misses_of_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("law")
    text = f'{{"url": "{S}/there"}}\n' + "".join(json.dumps(one) + "\n" for one in rows)
    with published(folder / "l.jsonl", text) as pages:
        missing = by_id(pages.compare(listing(), S))["not-listed"].count
        exposed = by_id(pages.compare(listing(*"012345", "?sort=1", "there"), S))
    wanted = ListFile(str(folder / "l.jsonl"), io.BytesIO())
    built = build(wanted, SitemapDirectory(folder / "out"), BuildOrder(f"{S}/"), now=NOW)
    assert missing == built.pages
    assert "not-listed" not in exposed
