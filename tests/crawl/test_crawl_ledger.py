"""What crawlers did is added up in the ledger, and read back."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from crawl_samples import (
    CHROME,
    GPTBOT,
    NOW,
    OPENAI,
    SHOP,
    SITE,
    STRANGER,
    WWW,
    everything,
    line,
    list_pages,
    read,
    text,
)
from sqlalchemy import select

from submitter.core.crawl.records import FILES, CrawlDay
from submitter.errors import LedgerBusy
from submitter.ledger import crawldays, crawls
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.schema import site
from submitter.ledger.schema_crawls import crawl_site
from submitter.stories.crawling import report_crawls

LATER = "29/Nov/2026:10:00:01 +0000"
NEXT_DAY = "30/Nov/2026:08:00:00 +0000"


def days(ledger: SqlLedger) -> dict[tuple[str, str, str], CrawlDay]:
    found = ledger.crawl_days(None, since=date(2026, 1, 1), until=date(2026, 12, 31))
    return {(str(day.day), day.section, day.crawler): day for day in found}


def test_hits_are_added_up_by_day_section_and_bot(ledger: SqlLedger) -> None:
    list_pages(ledger, ["/p/1", "/p/2", "/new/1", "/about"])
    lines = [
        line("/p/1"),
        line("/p/1", at=LATER, status=304, size=0),
        line("/p/2", status=404, size=10),
        line("/p/9?colour=red", status=301),
        line("/new/1", GPTBOT, address=OPENAI, status=503),
        line("/new/1", GPTBOT, address=OPENAI, status=206, at=NEXT_DAY),
        line("/about", CHROME),
        line("/robots.txt"),
        line("/sitemap.xml"),
    ]
    found = read(ledger, text(lines))
    assert (found.reading.bots, found.reading.others, found.new, found.known) == (8, 1, 8, 0)
    rows = days(ledger)
    assert {key: row.hits for key, row in rows.items()} == {
        ("2026-11-29", "products", "Googlebot"): 4,
        ("2026-11-29", FILES, "Googlebot"): 2,
        ("2026-11-29", "new", "GPTBot"): 1,
        ("2026-11-30", "new", "GPTBot"): 1,
    }
    products = rows["2026-11-29", "products", "Googlebot"]
    assert (products.ok, products.not_modified, products.redirected) == (1, 1, 1)
    assert (products.client_errors, products.server_errors, products.other) == (1, 0, 0)
    assert (products.bytes, products.verified, products.kind) == (2010, 4, "search")
    assert (products.pages, products.listed_pages, products.listed) == (3, 2, 2)
    assert (products.listed_hits, products.unlisted_hits, products.parameter_hits) == (3, 1, 1)
    assert products.first_at == datetime(2026, 11, 29, 10, tzinfo=UTC)
    assert products.last_at == datetime(2026, 11, 29, 10, 0, 1, tzinfo=UTC)
    files = rows["2026-11-29", FILES, "Googlebot"]
    assert (files.unlisted_hits, files.parameter_hits, files.pages) == (0, 0, 2)
    assert rows["2026-11-30", "new", "GPTBot"].other == 1


def test_hits_by_somebody_else_say_nothing_of_pages(ledger: SqlLedger) -> None:
    list_pages(ledger, ["/p/1"])
    read(ledger, text([line("/p/1", address=STRANGER), line("/p/1", address="10.0.0.7")]))
    row = days(ledger)["2026-11-29", "products", "Googlebot"]
    assert (row.hits, row.contradicted, row.unverifiable, row.verified) == (2, 1, 1, 0)
    assert (row.pages, row.listed_hits, row.unlisted_hits, row.ok) == (1, 1, 0, 2)
    page = f"{SITE}/p/1"
    assert ledger.crawls_of(SITE, [page])[page][0].hits == 1


def test_some_of_what_is_read_and_not_listed_is_named_without_its_query(memory: SqlLedger) -> None:
    list_pages(memory, ["/p/1"])
    lines = [line("/p/1"), line("/p/x?token=1"), line("/p/x?token=2"), line("/robots.txt")]
    lines += [line(f"/old/{n}") for n in range(30)] + [line("/fake", address=STRANGER)]
    (some,) = read(memory, text(lines)).unlisted.values()
    assert some == [f"{SITE}/p/x?...", *(f"{SITE}/old/{n}" for n in range(9))]


def test_what_is_listed_and_was_never_read_is_known(ledger: SqlLedger) -> None:
    list_pages(ledger, [f"/p/{n}" for n in range(10)] + ["/new/1"])
    read(ledger, text([line(f"/p/{n}") for n in range(4)] + [line("/p/0", GPTBOT, address=OPENAI)]))
    found = {(one.section, one.crawler): one for one in ledger.coverage(SITE)}
    assert (found["products", ""].listed, found["products", ""].crawled) == (10, 4)
    assert (found["products", "Googlebot"].crawled, found["products", "GPTBot"].crawled) == (4, 1)
    assert (found["new", ""].never, found["new", ""].hits, found["new", ""].last_at) == (1, 0, None)
    never = ledger.never_crawled(SITE, limit=100)
    assert sorted(never) == [f"{SITE}/new/1", *(f"{SITE}/p/{n}" for n in range(4, 10))]
    assert len(ledger.never_crawled(SITE, limit=2)) == 2
    after = datetime(2026, 11, 30, tzinfo=UTC)
    assert all(one.crawled == 0 for one in ledger.coverage(SITE, since=after))


def test_where_no_log_was_read_nobody_knows_what_was_never_read(ledger: SqlLedger) -> None:
    list_pages(ledger, ["/p/1", "/p/2"])
    [unknown] = ledger.coverage(SITE)
    assert (unknown.listed, unknown.crawled, unknown.never, unknown.hits) == (2, None, None, None)
    assert ledger.never_crawled(SITE, limit=9) == []
    read(ledger, text([line("/p/1", CHROME)]))
    [known] = ledger.coverage(SITE)
    assert (known.listed, known.crawled, known.never, known.hits) == (2, 0, 2, 0)
    assert len(ledger.never_crawled(SITE, limit=9)) == 2


def test_what_is_not_listed_is_known_where_something_is(memory: SqlLedger) -> None:
    read(memory, text([line("/p/1"), line("/robots.txt")]))
    found = {section: day.unlisted_hits for (_, section, _), day in days(memory).items()}
    assert found == {"products": None, FILES: 0}
    list_pages(memory, ["/p/2"])
    read(memory, text([line("/p/1", at=LATER)]))
    assert days(memory)["2026-11-29", "products", "Googlebot"].unlisted_hits == 2


def test_the_host_that_is_no_site_is_the_one_that_was_asked_for(memory: SqlLedger) -> None:
    lines = [line("http://elsewhere.test/abs", host="shop.example.com"), line(host="x.test")]
    found = read(memory, text(lines), sites=(SHOP, WWW))
    assert found.examples == {"unknown-host": ["elsewhere.test", "x.test"]}


def test_a_page_listed_after_it_was_read_counts_as_read(ledger: SqlLedger) -> None:
    read(ledger, text([line("/p/1")]))
    assert days(ledger)["2026-11-29", "products", "Googlebot"].listed is None
    list_pages(ledger, ["/p/1"])
    assert ledger.never_crawled(SITE, limit=5) == []


def test_what_a_bot_did_with_a_page_is_known_to_the_day(ledger: SqlLedger) -> None:
    page = f"{SITE}/p/1"
    for at in ("28/Nov/2026:23:59:59 +0000", "01/Jan/2026:00:00:00 +0000", NEXT_DAY):
        read(ledger, text([line("/p/1", at=at)]))
    (crawl,) = ledger.crawls_of(SITE, [page, f"{SITE}/p/2"])[page]
    assert (crawl.crawler, crawl.hits) == ("Googlebot", 3)
    assert crawl.first_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert crawl.days == (date(2026, 1, 1), date(2026, 11, 28), date(2026, 11, 30))


def test_a_day_is_a_day_in_utc(memory: SqlLedger) -> None:
    read(memory, text([line(at="30/Nov/2026:01:30:00 +0200")]))
    assert set(days(memory)) == {("2026-11-29", "products", "Googlebot")}


def test_lines_of_two_sites_do_not_mix(memory: SqlLedger) -> None:
    lines = [line(host="shop.example.com:443"), line(host="WWW.example.com."), line(host="x.test")]
    found = read(memory, text([*lines, line()]), sites=(SHOP, WWW))
    assert {day.site: day.hits for day in days(memory).values()} == {SHOP.origin: 1, WWW.origin: 1}
    assert dict(found.left_out) == {"unknown-host": 1, "no-host": 1}
    assert found.examples == {"unknown-host": ["x.test"], "no-host": []}


def test_unlisted_pages_are_told_apart_up_to_a_limit(
    memory: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawls, "MOST_UNLISTED", 3)
    list_pages(memory, ["/p/1"])
    read(memory, text([line(f"/p/x{n}") for n in range(5)] + [line("/p/1")]))
    row = days(memory)["2026-11-29", "products", "Googlebot"]
    assert (row.hits, row.pages, row.at_least, row.listed_pages) == (6, 4, True, 1)


def test_a_closed_hour_takes_no_line_and_keeps_its_numbers(ledger: SqlLedger) -> None:
    read(ledger, text([line()]))
    before = days(ledger)
    long_after = NOW + crawls.CLOSED_AFTER + timedelta(days=1)
    read(ledger, text([line(at=NEXT_DAY)]), now=long_after)
    found = read(ledger, text([line(), line("/p/7")]), now=long_after)
    assert dict(found.left_out) == {"closed-hour": 2}
    assert days(ledger).items() >= before.items()


def test_lines_before_since_and_from_another_time_are_left_out(memory: SqlLedger) -> None:
    lines = [
        line(at="28/Nov/2026:00:00:00 +0000"),
        line(),
        line(at="02/Dec/2026:00:00:00 +0000"),
        line(at="01/Jan/1999:00:00:00 +0000"),
    ]
    found = read(memory, text(lines), since=datetime(2026, 11, 29, tzinfo=UTC))
    assert (found.new, dict(found.left_out)) == (1, {"before-since": 1, "time-ahead": 2})


def test_somebody_else_who_reads_logs_into_the_ledger_is_not_disturbed(memory: SqlLedger) -> None:
    memory.acquire("crawlers", "another", ttl_s=60, now=NOW)
    with pytest.raises(LedgerBusy):
        read(memory, text([line()]))
    assert days(memory) == {}


def test_a_run_may_hold_the_ledger_meanwhile(memory: SqlLedger) -> None:
    memory.acquire("run", "another", ttl_s=60, now=NOW)
    assert read(memory, text([line()])).new == 1


def test_a_report_is_of_the_days_sites_and_bots_asked_for(memory: SqlLedger) -> None:
    list_pages(memory, ["/p/1", "/p/2"])
    read(memory, text([line("/p/1"), line("/p/1", GPTBOT, address=OPENAI, at=NEXT_DAY)]))
    found = report_crawls(
        memory,
        sites=[SITE],
        since=date(2026, 11, 29),
        until=date(2026, 11, 30),
        crawlers=frozenset({"GPTBot"}),
    )
    assert [(str(day.day), day.crawler) for day in found.days] == [("2026-11-30", "GPTBot")]
    assert {one.crawler for one in found.coverage} == {"", "GPTBot"}
    assert found.never == {SITE: [f"{SITE}/p/2"]}


def test_reading_again_writes_nothing(ledger: SqlLedger) -> None:
    list_pages(ledger, ["/p/1"])
    log = text([line(), line(), line("/p/2"), line(address=STRANGER)])
    assert read(ledger, log).new == 4
    before = everything(ledger)
    again = read(ledger, log, now=NOW + timedelta(days=3))
    assert (again.new, again.known) == (0, 4)
    assert everything(ledger) == before


# ---------------------------------------------------------------- which logs were read


def hours_read(ledger: SqlLedger) -> dict[str, tuple[int, int, set[int]]]:
    """By site: first and last hour of a day, and its days of November."""
    with ledger._database.reading() as tx:
        rows = tx.rows(
            select(site.c.origin, crawl_site).join(crawl_site, crawl_site.c.site_id == site.c.id)
        )
    first = (date(2026, 11, 1) - date(1970, 1, 1)).days - 1
    return {
        row.origin: (
            row.read_from % 24,
            row.read_until % 24,
            {day - first for day in crawldays.unpack(row.read_days)},
        )
        for row in rows
    }


def test_a_log_without_a_bot_is_read_all_the_same(ledger: SqlLedger) -> None:
    times = (
        "27/Nov/2026:07:59:59 +0000",
        "28/Nov/2026:12:00:00 +0000",
        "29/Nov/2026:09:00:00 +0000",
    )
    read(ledger, text([line(agent=CHROME, at=at) for at in times]))
    assert days(ledger) == {}
    assert hours_read(ledger) == {SITE: (7, 9, {27, 29})}  # the first line and the last
    read(ledger, text([line(at="28/Nov/2026:12:00:00 +0000")]))
    assert hours_read(ledger) == {SITE: (7, 9, {27, 28, 29})}


def test_lines_of_persons_are_looked_at_by_samples(memory: SqlLedger) -> None:
    lines = [
        line(agent=CHROME, host="www.example.com" if n % 3 else "shop.example.com", at=NEXT_DAY)
        for n in range(2_000)
    ]
    strangers = [line(agent=CHROME, host=f"host-{n}.test") for n in range(300)]
    found = read(memory, text([*lines, *strangers]), sites=(SHOP, WWW))
    assert hours_read(memory) == {one.origin: (8, 8, {30}) for one in (SHOP, WWW)}
    assert (found.new, dict(found.left_out)) == (0, {})


def test_lines_of_another_time_than_is_asked_for_do_not_count_as_read(memory: SqlLedger) -> None:
    lines = [line(agent=CHROME, at="20/Nov/2026:10:00:00 +0000"), line(agent=CHROME)]
    lines.append(line(agent=CHROME, at="20/Dec/2026:10:00:00 +0000"))
    read(memory, text(lines[:2]), since=datetime(2026, 11, 29, tzinfo=UTC))
    read(memory, text(lines[1:]))
    assert hours_read(memory) == {SITE: (10, 10, {29})}
