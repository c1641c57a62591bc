"""The rule of the page: every number leads to the rows that it sums, and they do give it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from browsing import chromium, visiting
from painted_ledger import NOW, Painted

from submitter.core.loop import Goal, Latency, Period, Reached, Sent, Way, latencies
from submitter.core.report import Report
from submitter.core.summary import timestamp
from submitter.core.traits import Kind
from submitter.render.html import tables
from submitter.render.html.page import report_page
from submitter.render.html.table import Cell, Column, Frame, Table, Value

NUMBERS = ("count", "span", "signed", "share")
LISTINGS = frozenset({"log", "documents", "looks", "waits", "site_crawls", "pages"})
"""Of single records: what stands in their rows is summed elsewhere and sums nothing."""
OF_RECORDS = frozenset({"log", "pages"})
"""Of these a page in one file holds a part, or nothing."""


@dataclass(frozen=True)
class Place:
    """Where a link leads: a table and what it asks of it."""

    table: Table
    query: Mapping[str, str]

    @property
    def rows(self) -> list[dict[str, Value]]:
        names = [column.name for column in self.table.columns]
        rows = [dict(zip(names, row, strict=True)) for row in self.table.rows]
        asked = {name: text for name, text in self.query.items() if name not in _ABOUT}
        return [row for row in rows if all(_fits(row, *one) for one in asked.items())]

    @property
    def total(self) -> int:
        if summed := self.query.get("sum"):
            return sum(int(row[summed] or 0) for row in self.rows)  # type: ignore[arg-type]
        if each := self.query.get("each"):
            return len({tuple(row[name] for name in each.split(",")) for row in self.rows})
        return len(self.rows)


_ABOUT = ("of", "sum", "each")


def _fits(row: Mapping[str, Value], name: str, wanted: str) -> bool:
    when = row.get("sent_at") or row.get("at")
    if name == "since":
        return timestamp(when) >= _whole(wanted)  # type: ignore[arg-type]
    if name == "day" and "day" not in row:
        return timestamp(when).startswith(wanted)  # type: ignore[arg-type]
    value = row[name]  # a link to a column that is not there is a fault
    if wanted == "nonzero":
        return bool(value)
    if isinstance(value, int):
        if wanted.endswith("-"):
            return value >= int(wanted[:-1])
        return value <= int(wanted[1:]) if wanted.startswith("-") else value == int(wanted)
    return (value or "") in {wanted, *wanted.split(",")}


def _whole(moment: str) -> str:
    return moment if "T" in moment else f"{moment}T00:00:00Z"


def place_of(href: str, known: Mapping[str, Table]) -> Place:
    assert href.startswith("#/"), href
    name, _, query = href[2:].partition("?")
    return Place(known[name], dict(parse_qsl(query, keep_blank_values=True)))


@pytest.fixture(scope="module")
def report(painted: Painted) -> Report:
    """With waits of pages by section beside those of sitemaps."""
    found = painted.report()
    return replace(found, latencies=(*found.latencies, *_waits_of_pages()))


@pytest.fixture(scope="module")
def known(report: Report) -> dict[str, Table]:
    return {table.id: table for table in tables.all_tables(report)}


def _waits_of_pages() -> list[Latency]:
    way = Way("google", Kind.SITEMAP, ("Googlebot",))
    reached = [Reached("new", bucket, 1 + bucket % 3) for bucket in range(0, 2_000, 7)]
    reached += [Reached("new", None, 4), Reached("", 8, 1)]
    sent = [Sent("new", 9_999, 9), Sent("help, and more", 3), Sent("", 2)]
    return latencies(way, Goal.CRAWL, Period("all", NOW, NOW), sent, reached)


# ---------------------------------------------------------------- every cell of every table


def numbers(table: Table) -> Iterator[tuple[Column, Value, dict[str, Value]]]:
    names = [column.name for column in table.columns]
    for row in table.rows:
        for column, value in zip(table.columns, row, strict=True):
            if column.kind in NUMBERS and value:
                yield column, value, dict(zip(names, row, strict=True))


def test_each_number_of_a_table_is_what_its_rows_give(known: dict[str, Table]) -> None:
    """Zero sums nothing and leads nowhere."""
    faults, seen = [], 0
    for table in known.values():
        for column, value, row in numbers(table):
            if table.id in LISTINGS and not column.link:
                continue
            seen += 1
            if fault := _fault(table, column, value, row, known):
                faults.append(fault)
    assert faults == []
    assert seen > 1_300


def _fault(
    table: Table, column: Column, value: Value, row: dict[str, Value], known: dict[str, Table]
) -> str:
    name = f"{table.id}.{column.name}={value}"
    if not column.link:
        return f"{name} leads nowhere"
    place = place_of(Frame(NOW).href(column.link, row), known)
    if place.table.id == "pages":
        return "" if place.query["of"] == str(value) else f"{name}: another number in its link"
    if "of" not in place.query:
        return "" if _is_quantile(place, value) else f"{name} is not where its rows end"
    if place.query["of"] != str(value):
        return f"{name}: its link says {place.query['of']}"
    whole = place.total == value or (place.table.id == "log" and _is_old(place))
    return "" if whole else f"{name}: its rows give {place.total}"


def _is_quantile(place: Place, value: Value) -> bool:
    """A wait: that of the last of the rows it leads to."""
    return bool(place.rows) and max(row["within"] for row in place.rows) == value  # type: ignore[type-var]


def _is_old(place: Place) -> bool:
    """Of calls the newest of each target are in the file; here some of a sum are older."""
    assert place.table.note
    return place.total < int(place.query["of"])


def test_lists_of_single_records_have_a_bound_and_say_it(known: dict[str, Table]) -> None:
    for id in LISTINGS - {"waits"}:
        assert known[id].note, id
        assert known[id].command, id


def test_a_quantile_parts_the_waits_at_its_share() -> None:
    for one in _waits_of_pages():
        assert sum(step.things for step in one.steps) == one.reached
        for share, wait in ((0.5, one.median_s), (0.9, one.p90_s)):
            if wait is None:
                continue
            within = [step for step in one.steps if step.within_s <= wait]
            assert within[-1].within_s == wait
            assert sum(step.things for step in within) >= share * one.reached


# ---------------------------------------------------------------- the page as it is written


class _Numbers(HTMLParser):
    """Numbers of the page with the link they stand in."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.found: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "input", "br", "hr"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not re.fullmatch(r"[+-]?\d[\d,]*( %| (s|min|h|d))?", data.strip()) or self._is_no_sum():
            return
        links = [found.get("href") for tag, found in self.open if tag == "a"]
        self.found.append((data.strip(), links[-1] if links else None))

    def _is_no_sum(self) -> bool:
        """Scripts, headings, moments, the scale of a chart, and ids that are texts."""
        classes = " ".join(str(found.get("class")) for _, found in self.open)
        tags = {tag for tag, _ in self.open}
        return bool(tags & {"script", "style", "time", "title", "thead"}) or bool(
            re.search(r"\b(scale|k-text|k-words|nil)\b", classes)
        )


def test_no_number_of_the_page_stands_alone(page: str, known: dict[str, Table]) -> None:
    reader = _Numbers()
    reader.feed(page)
    alone = [number for number, href in reader.found if href is None and number[:1] != "0"]
    assert alone == []
    assert len(reader.found) > 150
    for number, href in reader.found:
        if href is None or href == "#/" or href.startswith(("#/pages", "#/log")):
            continue
        place = place_of(href, known)
        if place.query.get("of") is not None and "%" not in number and number[-1].isdigit():
            assert place.total == int(number.replace(",", "")), (number, href)


def test_bars_and_links_of_a_live_page_lead_to_tables_it_holds(painted: Painted) -> None:
    live = report_page(painted.report(), version="0.0", live=True)
    ids = {table["id"] for table in _facts(live)["tables"]}
    found = re.findall(r'href="/?#/(\w+)', live)
    assert len(found) > 300
    assert set(found) <= ids


def _facts(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


# ---------------------------------------------------------------- in a browser, and live


WALK = """async (links) => {
  const heard = () => new Promise((done) => addEventListener('hashchange', done, { once: true }));
  const words = [];
  for (const link of links) {
    const next = heard();
    location.hash = link;
    await next;
    const note = document.querySelector('#view .note');
    const status = document.querySelector('#view [role=status]');
    words.push([note ? note.textContent : '', status ? status.textContent : '']);
  }
  return words;
}"""


def test_a_browser_finds_the_same_rows(
    report: Report, tmp_path: Path, known: dict[str, Table]
) -> None:
    """One link of each column, and where rows are cut it says so and names a command."""
    links: dict[tuple[str, str], str] = {}
    for table in known.values():
        for column, _, row in numbers(table):
            if column.link:
                links.setdefault((table.id, column.name), Frame(NOW).href(column.link, row))
    file = tmp_path / "page.html"
    file.write_text(report_page(report, version="0.0"), encoding="utf-8")
    with chromium() as browser, visiting(browser, file.as_uri()) as visit:
        said = visit.page.evaluate(WALK, list(links.values()))
        assert visit.complaints == []
    for (name, href), (note, status) in zip(links.items(), said, strict=True):
        place = place_of(href, known)
        rows = int((re.search(r"of ([\d,]+)", status) or [0, "0"])[1].replace(",", ""))
        assert rows == len(place.rows), name
        if "sum" in place.query:
            assert f": {place.total:,} in all" in note, name
        if place.total < int(place.query.get("of", 0)):
            assert f"{place.total:,} of {int(place.query['of']):,}" in note, name
            assert "submitter" in note, name


def test_a_live_log_adds_up_to_the_number_that_led_to_it(
    painted: Painted, report: Report, live: Callable[[str], str]
) -> None:
    for one in [*report.lanes[:6], *report.lanes[-6:]]:
        since = timestamp(one.resets_at - timedelta(days=1))
        body = live(f"/log?account={one.account}&property={one.property}&since={since}")
        assert f", {one.spent:,} spent," in body
    for cause in report.causes:
        body = live(
            f"/log?state={cause.state}&account={cause.account}&cause={cause.cause or ''}"
            f"&code={cause.code or ''}&since={report.since.date()}"
        )
        assert f"{cause.calls:,} calls" in body
        assert f", {cause.targets:,} targets." in body


@pytest.fixture(scope="module")
def live(painted: Painted) -> Callable[[str], str]:
    desk = painted.desk()

    def ask(address: str) -> str:
        path, _, query = address.partition("?")
        answer = desk.answer(path, dict(parse_qsl(query, keep_blank_values=True)))
        assert answer.status == 200, address
        return answer.body

    return ask


def test_one_call_is_a_place_of_its_own(live: Callable[[str], str]) -> None:
    assert "1 calls" in live("/log?id=17")


def test_cells_of_the_matrix_hold_no_number(known: dict[str, Table]) -> None:
    assert any(isinstance(value, Cell) for row in known["fleet"].rows for value in row)
