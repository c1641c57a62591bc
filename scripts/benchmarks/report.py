"""The report of a large fleet with a year of log, on a ledger that is made here.

Every site has a Google and an IndexNow target. Its sitemap is submitted each week and after each
look that found pages, and asked about as often; a tenth of its pages are there from the start and
the others come through the year, each told and, mostly, crawled some days later by two crawlers.
Rows are put into the tables as a ledger would have them. Measured is what `submitter report`,
`report --alerts` and `report --prometheus` do, from the open ledger to the printed text.

    python -m scripts.benchmarks.report [--sites 5000] [--pages 200] [--keep FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from submitter.core.fleet import Account, Fleet, Site
from submitter.ledger import open_ledger
from submitter.ledger.crawldays import pack
from submitter.render.prometheus import metrics_text
from submitter.render.report_documents import alert_docs, overview_doc
from submitter.render.report_text import alerts_text, overview_text
from submitter.render.screen import Screen
from submitter.stories.alerting import evidence_of, find_alerts
from submitter.stories.metrics import gather_metrics
from submitter.stories.overview import Wish, gather_overview
from submitter.wiring import TRAITS

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YEAR_DAYS = 365
LOOKS = 60
"""Looks at a site in the year that found something."""
DAY_US = 86_400_000_000
START_US = int((NOW - timedelta(days=YEAR_DAYS)).timestamp()) * 1_000_000
EPOCH_DAY = date(1970, 1, 1)
SECTIONS = ("", "new", "help")
CRAWLERS = ("Googlebot", "bingbot")
ACCEPTED = 2

Rows = Iterator[tuple[Any, ...]]


class Maker:
    """The rows of all tables, site by site; the same ones for the same numbers. Calls and pages are
    numbered in the order of time, as they come in a ledger."""

    def __init__(self, sites: int, pages: int) -> None:
        self.sites, self.pages = sites, pages
        self.chance = random.Random(7)  # noqa: S311 # the same ledger every time
        self.call = self.page = self.check = 0
        self.rows: dict[str, list[tuple[Any, ...]]] = {}

    def add(self, table: str, *values: Any) -> None:
        self.rows.setdefault(table, []).append(values)

    def batches(self) -> Iterator[dict[str, list[tuple[Any, ...]]]]:
        for number in range(1, self.sites + 1):
            self._site(number)
            if number % 200 == 0 or number == self.sites:
                yield self.rows
                self.rows = {}

    def _site(self, site: int) -> None:
        origin = f"https://s{site}.example.com"
        self.add("site", site, origin, LOOKS, LOOKS, self.pages, self.pages, self.pages, 0, 0, 0)
        google, indexnow = 2 * site - 1, 2 * site
        self.add("target", google, site, "gsc", "google", f"{origin}/", None, None)
        self.add("target", indexnow, site, "indexnow", "indexnow", origin, LOOKS, LOOKS)
        first = max(1, self.pages // 10)
        each = (self.pages - first) / (LOOKS - 1)
        listed = 0
        for look in range(1, LOOKS + 1):
            total = first + round(each * (look - 1))
            at = START_US + (look - 1) * YEAR_DAYS * DAY_US // LOOKS
            new = total - listed
            self.page = self.sites * listed + (site - 1) * new
            self.call = 2 * ((look - 1) * self.sites + site - 1)
            listed = total
            self.add("look", site, look, at, 0, 1, 1, 1, listed, new, new // 3, 0)
            self._told(site, origin, look, at, new)
        self._crawled_days(site)

    def _told(self, site: int, origin: str, look: int, at: int, new: int) -> None:
        google, indexnow = 2 * site - 1, 2 * site
        sitemap, sent = f"{origin}/sitemap.xml", at + 60_000_000
        self._call(google, "google", "sitemap", sitemap, sent, 0)
        read = sent + self.chance.randrange(3 * DAY_US)
        self.check += 1
        self.add("sitemap_check", self.check, google, sitemap, origin, read, read, sent, read)
        if look == LOOKS:
            told = ("accepted", sent, sent, self.check)
            self.add("sitemap", google, sitemap, *told)
            self.add("root", site, sitemap, self.pages)
        if new:
            call = self._call(indexnow, "indexnow", "urls", origin, sent, new)
            for _ in range(new):
                self._page(site, look, call, indexnow, sent)

    def _call(self, target: int, engine: str, kind: str, about: str, sent: int, urls: int) -> int:
        self.call += 1
        pages = bytes(8 * urls) if urls else None
        self.add(
            "attempt", self.call, f"run-{sent // DAY_US}", f"{self.call:016x}", 1, "run", 1,
            target, engine, "p", kind, about, "new", "c" * 64, urls, pages, 0, "accepted",
            sent, sent + 400_000, urls or 1, 0, 200, "x" * 40,
        )  # fmt: skip
        return self.call

    def _page(self, site: int, look: int, call: int, target: int, sent: int) -> None:
        self.page += 1
        key = self.chance.getrandbits(63)
        section = 1 + self.page % len(SECTIONS)
        self.add("page", self.page, site, f"/p/{self.page}-some-name", section, 1, look)
        self.add("page_key", site, key, self.page)
        self.add("telling", self.page, target, call, ACCEPTED, 0)
        for crawler in (1, 2):
            if self.chance.random() < 0.8:
                wait = int(self.chance.expovariate(1 / (crawler * 2 * DAY_US)))
                first = sent + wait
                days = pack([first // DAY_US, first // DAY_US + 20])
                self.add("crawl_page", site, key, crawler, 2, first, first + 20 * DAY_US, days)

    def _crawled_days(self, site: int) -> None:
        today = (NOW.date() - EPOCH_DAY).days
        days = range(today - YEAR_DAYS + 1, today)
        self.add("crawl_site", site, days[0] * 24 + 7, days[-1] * 24 + 7, pack(days))
        for back in range(1, YEAR_DAYS):
            day = (NOW - timedelta(days=back)).date()
            hour = (day - EPOCH_DAY).days * 24 + 7
            self.add("crawl_hour", site, hour, 0, None, hour * 3_600_000_000)
            for section in SECTIONS:
                for crawler in (1, 2):
                    self.add("crawl_day", site, day.isoformat(), section, crawler, 9, 3, 9)


COLUMNS = {
    "site": "id, origin, look, baseline_look, baseline, listed, known, new_since, changed_since,"
    " gone_since",
    "target": "id, site_id, account, engine, property, told_by_look, seeded_look",
    "look": "site_id, number, at, by_hand, finished, complete, looks, listed, new, changed, gone",
    "sitemap_check": "id, target_id, sitemap, property, first_at, checked_at, last_submitted,"
    " last_downloaded",
    "sitemap": "target_id, url, state, at, told_at, check_id",
    "root": "site_id, sitemap, pages, readable, content, is_index, problem, position",
    "attempt": "id, run, action, number, lease, fence, target_id, engine, property, kind, target,"
    " reason, content, urls, pages, cost, state, sent_at, settled_at, accepted, rejected,"
    " http_status, message",
    "page": "id, site_id, loc, section_id, place, first_look",
    "page_key": "site_id, key, page_id",
    "telling": "page_id, target_id, attempt_id, state, removal",
    "crawl_page": "site_id, key, crawler_id, hits, first_at, last_at, days",
    "crawl_site": "site_id, read_from, read_until, read_days",
    "crawl_hour": "site_id, hour, part, lines, read_at",
    "crawl_day": "site_id, day, section, crawler_id, hits, pages, claimed",
}
FIXED = {"root": (1, "", 0, "", 0)}
"""Values that are the same in every row of a table, after those that are made."""


def fill(path: Path, sites: int, pages: int) -> None:
    open_ledger(f"sqlite:///{path}").close()
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous=OFF")
    database.execute("BEGIN")
    for id, name in enumerate(SECTIONS, 1):
        database.execute("INSERT INTO section VALUES (?, ?, 0)", (id, name))
    for id, name in enumerate(CRAWLERS, 1):
        database.execute("INSERT INTO crawler VALUES (?, ?, 'search')", (id, name))
    run = ("r1", START_US, int(NOW.timestamp()) * 1_000_000, "ok", 0)
    database.execute(
        "INSERT INTO run (id, started_at, finished_at, outcome, exit_code, inventory_sha256)"
        " VALUES (?, ?, ?, ?, ?, '')",
        run,
    )
    for tables in Maker(sites, pages).batches():
        for table, rows in tables.items():
            more = FIXED.get(table, ())
            marks = ", ".join("?" * (len(rows[0]) + len(more)))
            insert = f"INSERT INTO {table} ({COLUMNS[table]}) VALUES ({marks})"  # noqa: S608 # ours
            database.executemany(insert, [(*row, *more) for row in sorted(rows, key=_order)])
    database.execute("COMMIT")
    database.close()


def _order(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[:2]


# ---------------------------------------------------------------- measuring


def fleet_of(sites: int) -> Fleet:
    accounts = {
        "gsc": Account("gsc", "google", None),
        "indexnow": Account("indexnow", "indexnow", None),
    }
    hosts = (f"s{number}.example.com" for number in range(1, sites + 1))
    return Fleet(
        "bench", "", accounts, tuple(Site(host, accounts=tuple(accounts)) for host in hosts)
    )


def steps(fleet: Fleet, ledger: Any) -> dict[str, Callable[[], str]]:
    screen = Screen()

    def overview(days: int) -> str:
        wish = Wish(
            fleet,
            TRAITS,
            property_of=lambda target: target.site.origin,
            since=NOW - timedelta(days=days),
        )
        document = overview_doc(gather_overview(ledger, wish, now=NOW))
        return "\n".join(overview_text(document, NOW, screen))

    def alarms() -> str:
        found = find_alerts(fleet, evidence_of(ledger), TRAITS, now=NOW)
        return "\n".join(alerts_text(alert_docs(found), NOW, screen))

    return {
        "report, 90 days": lambda: overview(90),
        "report, a year": lambda: overview(366),
        "report --alerts": alarms,
        "report --prometheus": lambda: metrics_text(gather_metrics(fleet, ledger, TRAITS, now=NOW)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sites", type=int, default=5_000)
    parser.add_argument("--pages", type=int, default=200, help="of each site")
    parser.add_argument("--keep", type=Path, help="make the ledger there, or use the one there")
    parser.add_argument("--show", action="store_true", help="print the reports, too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-report-") as folder:
        path = options.keep or Path(folder, "ledger.db")
        if not path.exists():
            fill(path, options.sites, options.pages)
        measure(path, options.sites, show=options.show, as_json=options.json)


def measure(path: Path, sites: int, *, show: bool, as_json: bool) -> None:
    ledger, fleet = open_ledger(f"sqlite:///{path}"), fleet_of(sites)
    seconds: dict[str, float] = {}
    for name, step in steps(fleet, ledger).items():
        before = time.process_time()
        text = step()
        seconds[name] = round(time.process_time() - before, 2)
        if show:
            print(text)
    ledger.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    facts = {"sites": sites, "megabytes": path.stat().st_size // 2**20, "peak_mb": round(peak)}
    if as_json:
        print(json.dumps(facts | {"cpu_s": seconds}))
        return
    print(", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in facts.items()))
    for name, value in seconds.items():
        print(f"{name:24}{value:8.2f} CPU s")


if __name__ == "__main__":
    main()
