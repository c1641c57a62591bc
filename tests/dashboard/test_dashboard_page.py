"""The page without a browser: it holds what the report says, escapes everything, loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from painted_ledger import HOSTILE, NOW, Painted, Painting

from submitter.core.health import BEATS, Health
from submitter.core.selection import Selection
from submitter.core.states import PARTIAL, State
from submitter.core.status import SitemapState
from submitter.render.html import tables
from submitter.render.html.markup import element, json_block, text
from submitter.render.html.table import BEAT_LOOKS, Column, Frame, beat_words
from submitter.render.html.words import CALLS, HEALTH, SITEMAPS

TEXTS = st.text() | st.just(HOSTILE) | st.just("</script><!--") | st.just("' onclick=x ")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(markup: str) -> _Reader:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader


def facts_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


# ---------------------------------------------------------------- foreign text


@given(TEXTS, TEXTS)
def test_foreign_text_makes_no_element_and_no_attribute(inside: str, attribute: str) -> None:
    found = read(element("p", inside, title=attribute)).tags
    assert [(tag, set(attributes)) for tag, attributes in found] == [("p", {"title"})]


@given(TEXTS)
def test_data_cannot_end_their_element(value: str) -> None:
    block = json_block("facts", {"x": value})
    assert block.count("</") == 1
    assert "<!--" not in block
    assert facts_of(block) == {"x": value}


def test_what_steers_a_reader_is_made_visible() -> None:
    assert text("a\u202eb\u2066c\x00") == "a\\u202eb\\u2066c\\x00"


def test_what_engines_say_is_shown_and_harmless(page: str) -> None:
    assert any("<script>alert('x')</script>" in one for one in facts_of(page)["pool"])
    assert "\u202e" not in page
    scripts = [attributes for tag, attributes in read(page).tags if tag == "script"]
    assert len(scripts) == 2
    assert not any(name.startswith("on") for _, found in read(page).tags for name in found)


@given(TEXTS, TEXTS)
def test_a_link_keeps_its_filters_apart(site: str, account: str) -> None:
    column = Column("calls", "", "count", "log?site={site}&account={account}")
    for live in (True, False):
        frame = Frame(datetime(2026, 11, 30, tzinfo=UTC), live)
        href = frame.href(column.link, {"site": site.replace("{", ""), "account": account})
        assert href.count("&") == 1
        assert not set(href.partition("?")[2]) & set("<>\"' #")


# ---------------------------------------------------------------- one file


def test_the_page_loads_nothing(page: str) -> None:
    for tag, attributes in read(page).tags:
        assert tag not in {"img", "iframe", "object", "embed", "form", "base"}
        if tag == "link":
            assert attributes == {"rel": "icon", "href": "data:,"}
        for name in ("src", "srcset", "action", "style"):
            assert name not in attributes
        href = attributes.get("href") or "#"
        assert tag == "link" or href.startswith("#"), href


def test_the_policy_lets_only_this_script_and_this_style_run(page: str) -> None:
    policies = [found["content"] or "" for tag, found in read(page).tags if "http-equiv" in found]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none';")
    for kind, pattern in (
        ("script", r"<script>(.*?)</script>"),
        ("style", r"<style>(.*?)</style>"),
    ):
        body = re.findall(pattern, page, re.S)
        digest = base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode()
        assert len(body) == 1
        assert f"{kind}-src 'sha256-{digest}'" in policies[0]


def test_every_link_to_a_view_leads_to_a_table_of_the_page(page: str) -> None:
    known = {table["id"] for table in facts_of(page)["tables"]}
    for tag, attributes in read(page).tags:
        href = attributes.get("href") or ""
        if tag == "a" and href.startswith("#/") and href != "#/":
            assert href[2:].partition("?")[0].partition("/")[0] in {*known, "site"}


def test_the_file_says_what_it_holds_of_a_long_log(painted: Painted) -> None:
    report = painted.report()
    log = tables.log(report.calls, report)
    assert len(report.calls) <= report.calls_each * len(report.targets)
    assert f"newest {report.calls_each} calls of each target" in log.note


def test_the_first_rows_are_there_without_a_script(page: str) -> None:
    before = page.partition('<script type="application/json"')[0]
    words = "".join(read(before).texts)
    for expected in ("docs1.example.com", "failing", "read, errors", "no-permission"):
        assert expected in words


def test_a_selection_narrows_everything(painted: Painted) -> None:
    report = painted.report(Selection(sites=("news.example.com",), engines=("google",)))
    assert {(one.site, one.engine) for one in report.targets} == {
        ("https://news.example.com", "google")
    }
    assert {one.account for one in report.days} == {"gsc"}
    assert {one.site for one in report.sitemaps} == {"https://news.example.com"}


def test_impostors_are_counted_beside_fetches_and_in_none_of_them(painted: Painted) -> None:
    since = (NOW - timedelta(days=27)).date()
    with painted.ledger._database.reading() as tx:
        every, false = tx.connection.exec_driver_sql(
            "SELECT sum(hits), sum(contradicted) FROM v_crawl_daily WHERE day >= ?",
            (since.isoformat(),),
        ).one()
    assert false
    report = painted.report()
    for table in (tables.crawl_days(report), tables.crawls(report), tables.site_crawls(report)):
        names = [column.name for column in table.columns]
        sums = [
            sum(row[names.index(name)] for row in table.rows) for name in ("hits", "contradicted")
        ]
        assert sums == [every - false, false]


def test_an_empty_ledger_has_a_page(tmp_path: Any) -> None:
    ledger, fleet = Painting(sites=0, days=0, crawls=False).paint(tmp_path / "l.db")
    try:
        page = Painted(ledger, fleet, datetime(2026, 11, 30, tzinfo=UTC)).page()
    finally:
        ledger.close()
    assert "No site is told to any engine yet." in page
    assert "no run was made yet" in page


# ---------------------------------------------------------------- words


def test_every_state_has_a_word_and_a_shape() -> None:
    assert set(HEALTH) == set(Health)
    assert set(CALLS) == {*State, PARTIAL} - {State.PLANNED}
    assert set(SITEMAPS) == set(SitemapState)
    for looks in (HEALTH, CALLS, SITEMAPS):
        assert all(look.word and look.icon for look in looks.values())


def test_every_state_of_the_matrix_has_a_shape_of_its_own() -> None:
    assert len({look.icon for look in HEALTH.values()}) == len(HEALTH)


def test_every_shape_is_drawn() -> None:
    from submitter.render.html.page import asset

    drawn = set(re.findall(r'id="i-(\w+)"', asset("page.svg")))
    looks = [*HEALTH.values(), *CALLS.values(), *SITEMAPS.values()]
    assert {look.icon for look in looks} <= drawn


def test_the_script_knows_the_letters_of_the_heartbeat() -> None:
    from submitter.render.html.page import asset

    found = re.search(r"const BEATS = \{(.*?)\}", asset("page.js"))
    assert found is not None
    letters = dict(re.findall(r"(\w): '(\w+)'", found[1]))
    assert letters == {
        letter: next(state for state, look in CALLS.items() if look is BEAT_LOOKS[letter])
        for letter in dict.fromkeys(BEATS.values())
    }


def test_the_script_tells_lengths_as_we_do() -> None:
    from math import inf

    from submitter.render.html.page import asset
    from submitter.render.times import _STEPS

    found = re.search(r"const SPANS = \[(.*?),\s*\];", asset("page.js"), re.S)
    assert found is not None
    steps = json.loads("[" + found[1].replace("'", '"') + "]")
    assert [tuple(step) for step in steps] == [
        (None if end == inf else end, *rest) for end, *rest in _STEPS
    ]


def test_a_heartbeat_is_said_in_words() -> None:
    assert beat_words("aa.fa") == "5 days: 3 accepted, 1 failed, 1 without calls"


@pytest.mark.parametrize("name", ["page.css", "page.js", "page.svg"])
def test_no_asset_ends_its_own_element(name: str) -> None:
    from submitter.render.html.page import asset

    assert not re.search(r"</(script|style)|https?://(?!www\.w3\.org/2000/svg)", asset(name))
