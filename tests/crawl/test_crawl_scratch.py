"""Where nothing is kept, the same lines give the same numbers as a ledger gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from crawl_samples import GPTBOT, NOW, OPENAI, SHOP, SITE, STRANGER, WWW, line, read, text
from hypothesis import given, settings
from hypothesis import strategies as st
from test_crawl_law import LINES, WIPE

from submitter.core.crawl import tally
from submitter.core.crawl.lines import LineReader
from submitter.core.crawl.records import CrawlDay
from submitter.errors import LedgerError
from submitter.ledger import open_ledger, scratch
from submitter.ledger.scratch import ScratchCrawls
from submitter.ports import CrawlIntake
from submitter.stories.crawling import report_crawls

EVER = {"since": date(2026, 1, 1), "until": date(2026, 12, 31)}
Emptied = Callable[[], CrawlIntake]


@pytest.fixture(scope="module")
def emptied() -> Iterator[Emptied]:
    """A ledger that knows of nothing, each time anew."""
    ledger = open_ledger("sqlite:///:memory:")

    def empty() -> CrawlIntake:
        with ledger._database.transaction() as tx:
            for statement in WIPE:
                tx.connection.exec_driver_sql(statement)
        return ledger

    yield empty
    ledger.close()


def outcome(into: CrawlIntake, files: Sequence[bytes], **named: bool) -> tuple[object, ...]:
    found = read(into, *files, sites=() if named else (SHOP, WWW), **named)
    days = into.crawl_days(None, **EVER)
    return days, found.new, found.known, dict(found.left_out), found.days, found.sites


@given(st.lists(st.lists(LINES, max_size=20), max_size=3), st.booleans(), st.booleans())
@settings(max_examples=80)
def test_the_numbers_are_those_of_a_ledger(
    emptied: Emptied, files: list[list[bytes]], takes_any: bool, stores_often: bool
) -> None:
    named = {"takes_any": True} if takes_any else {}
    logs = [text(lines) for lines in files]
    with ScratchCrawls() as into, pytest.MonkeyPatch.context() as patch:
        if stores_often:
            patch.setattr(tally, "MOST_VISITS", 1)
            patch.setattr(tally, "MOST_REMEMBERED", 0)
        assert outcome(into, logs, **named) == outcome(emptied(), logs, **named)


def one(into: CrawlIntake) -> CrawlDay:
    (found,) = into.crawl_days([SITE], **EVER)
    return found


def test_equal_lines_count_as_often_as_in_the_file_with_more_of_them() -> None:
    with ScratchCrawls() as into:
        found = read(into, *[text([line()] * count) for count in (2, 5, 3)])
        assert (found.new, found.known, one(into).hits) == (5, 5, 5)


def test_lines_with_another_end_are_the_same_lines() -> None:
    log = text([line("/p/1"), line("/p/2")])
    with ScratchCrawls() as into:
        assert read(into, log, log.replace(b"\n", b"\r\n")).known == 2


def test_a_page_read_on_several_days_counts_on_each_of_them() -> None:
    """In whichever order the days come."""
    times = [f"{day}/Nov/2026:10:00:00 +0000" for day in (28, 1, 28, 15)]
    lines = [line(f"/p/{n}", at=at) for at in times for n in range(3)]
    with ScratchCrawls() as into:
        for part in (lines[:3], lines[3:]):
            read(into, text(part))
        found = {day.day.day: day.pages for day in into.crawl_days(None, **EVER)}
    assert found == {1: 3, 15: 3, 28: 3}


def test_pages_beyond_what_memory_has_room_for_are_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scratch, "MOST_BITS", 3 * (scratch.PAGE_BITS + 1))
    lines = [line(f"/p/{n}") for n in range(5)] + [line("/new/1", GPTBOT, address=OPENAI)]
    with ScratchCrawls() as into:
        read(into, text([*lines, line("/p/fake", address=STRANGER), line("/p/0", status=304)]))
        days = {day.crawler: day for day in into.crawl_days(None, **EVER)}
    google = days["Googlebot"]
    assert google.at_least or days["GPTBot"].at_least
    assert google.hits + days["GPTBot"].hits == 8
    assert google.pages + days["GPTBot"].pages == 3


def test_a_row_without_a_page_left_out_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "MOST_BITS", 5 * (scratch.PAGE_BITS + 1))
    with ScratchCrawls() as into:
        read(into, text([line(f"/p/{n}") for n in range(5)]))
        assert (one(into).pages, one(into).at_least) == (5, False)


def test_a_report_says_nothing_of_what_is_listed() -> None:
    with ScratchCrawls() as into:
        read(into, text([line()]))
        found = report_crawls(into, sites=None, since=EVER["since"], until=EVER["until"])
    assert [day.listed for day in found.days] == [None]
    assert (found.coverage, found.never) == ([], {})


def test_a_full_disk_is_said() -> None:
    with ScratchCrawls() as into:
        into._lines._file.execute("PRAGMA max_page_count=4")
        log = text([line(f"/p/{n}") for n in range(4_000)])
        with pytest.raises(LedgerError, match="temporary files: database or disk is full"):
            read(into, log)


def test_reading_without_an_inventory_loads_no_database(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(text([line(host="shop.example.com")]))
    script = (
        "import sys; from submitter.cli.exits import run;"
        "code = run(['crawlers', sys.argv[1]]);"
        "assert 'sqlalchemy' not in sys.modules; sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(log)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Googlebot" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["access.log"]


def test_times_are_those_of_genuine_hits() -> None:
    lines = [line(at=f"29/Nov/2026:10:00:0{second} +0000") for second in (5, 2, 8)]
    fake = line(address=STRANGER, at="29/Nov/2026:09:00:00 +0000")
    with ScratchCrawls() as into:
        read(into, text([*lines, fake]), now=NOW)
        row = one(into)
    assert row.first_at == datetime(2026, 11, 29, 10, 0, 2, tzinfo=UTC)
    assert row.last_at == datetime(2026, 11, 29, 10, 0, 8, tzinfo=UTC)
    assert (row.hits, row.contradicted) == (4, 1)


def test_a_head_too_short_for_a_time_is_looked_at_closer() -> None:
    """Lines without any head, of persons and of bots, are no requests."""
    reader = LineReader()
    bare = b'"GET / HTTP/1.1" 200 5 "-" "'
    assert reader.read([line(), bare + b'Chrome"', bare + b'Googlebot"', bare + b'Chrome"'])
    assert (reader.reading.lines, reader.reading.rejected.total()) == (4, 3)
