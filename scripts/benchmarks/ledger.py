"""The page ledger at size, beside a plain way of doing the same in SQLite.

Makes its own pages (about 90 bytes each, 50,000 a document), looks at the site on a first day, on
a day with 1 % new, 0.5 % changed and 0.2 % gone, on a day on which every document is read but
nothing changed, and on a day on which every document answers "not modified". Each way runs in a
process of its own; only the time inside the ledger counts, not the making of pages.

    python scripts/benchmarks/ledger.py [--pages 1000000] [--first-run recent] [--only ours]
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from submitter.core.fleet import FirstRun
from submitter.core.looks import DocumentKind, PageRow, TellRule

SITE = "https://shop.example.com"
START = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
PER_DOCUMENT = 50_000
BATCH = 1_000
DAYS = ("first load", "next day", "read, nothing changed", "not modified")

Page = tuple[str, int]
"""Address and lastmod."""


class Watch:
    """Adds up the time of what it runs."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def run(self, step: Callable[..., object], *args: object, **options: object) -> object:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            return step(*args, **options)
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


def site_pages(first: int, size: int, day: int) -> Iterator[Page]:
    """The pages of one document on a day: on later days 0.2 % went, 0.5 % changed, 1 % came."""
    start = int(START.timestamp())
    for number in range(first, first + size):
        if day and number % 500 == 7:
            continue
        changed = day and number % 200 == 3
        yield _address(number), start + day if changed else start - number % 9_000_000
    if day:
        for number in range(first, first + size, 100):
            yield _address(number) + "?new", start + day


def _address(number: int) -> str:
    slug = (number * 2_654_435_761) % 4_294_967_296
    return f"{SITE}/catalogue/group-{number % 97:02d}/some-product-name-{slug:010d}-{number}.html"


def documents(pages: int) -> Iterator[tuple[str, int, int]]:
    for first in range(0, pages, PER_DOCUMENT):
        yield f"{SITE}/sitemap-{first // PER_DOCUMENT}.xml", first, min(PER_DOCUMENT, pages - first)


def batches(pages: Iterable[Page]) -> Iterator[list[PageRow]]:
    batch: list[PageRow] = []
    for url, lastmod in pages:
        batch.append(PageRow(url, url[:8] + url[8:], lastmod))
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def run_ours(folder: Path, pages: int, first_run: FirstRun) -> Iterator[tuple[Watch, object]]:
    from submitter.ledger import open_ledger
    from submitter.ports import DocumentResult

    ledger = open_ledger(f"sqlite:///{folder}/ours.db")
    lease = ledger.acquire("run", "bench", ttl_s=1e6, now=START)
    rule = TellRule("engine", first_run, 30, tells_changed=True, tells_removed=True)
    for day, name in enumerate(DAYS):
        watch, at = Watch(), START + timedelta(days=day)
        look = watch.run(ledger.look, lease, SITE, tell=[rule], at=at)
        for url, first, size in documents(pages):
            if name == "not modified":
                watch.run(look.keep, url)
                continue
            sink = watch.run(look.open, url)
            for batch in batches(site_pages(first, size, min(day, 1))):
                watch.run(sink.add, batch)
            content = f"{url} {min(day, 1)}"
            watch.run(sink.close, DocumentResult(DocumentKind.URLSET, True, content, content))
        result = watch.run(look.finish, gone_after=1, complete=True)
        watch.run(ledger.accept_look, lease, SITE)
        yield watch, result.delta
    ledger.close()


REFERENCE = """
    CREATE TABLE IF NOT EXISTS page
        (url TEXT PRIMARY KEY, lastmod INTEGER, first_seen INTEGER) WITHOUT ROWID;
    CREATE TEMP TABLE seen (url TEXT PRIMARY KEY, lastmod INTEGER) WITHOUT ROWID;
"""
NEW = "INSERT INTO page SELECT s.url, s.lastmod, ? FROM seen s LEFT JOIN page p USING (url) WHERE p.url IS NULL"
CHANGED = "UPDATE page SET lastmod = s.lastmod FROM seen s WHERE s.url = page.url AND s.lastmod > page.lastmod"
GONE = "DELETE FROM page WHERE NOT EXISTS (SELECT 1 FROM seen s WHERE s.url = page.url)"


def run_reference(folder: Path, pages: int, first_run: FirstRun) -> Iterator[tuple[Watch, object]]:
    """All of today's pages into a temporary table, then three statements over whole tables. It
    keeps no state per target and cannot tell which document a page is in."""
    del first_run
    for day, name in enumerate(DAYS):
        watch = Watch()
        database = sqlite3.connect(folder / "reference.db", isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("PRAGMA cache_size=-65536")
        database.executescript(REFERENCE)
        if name != "not modified":
            watch.run(database.execute, "BEGIN")
            for _, first, size in documents(pages):
                rows = site_pages(first, size, min(day, 1))
                for batch in batches(rows):
                    plain = [(page.identity, page.lastmod) for page in batch]
                    watch.run(database.executemany, "INSERT OR IGNORE INTO seen VALUES (?, ?)", plain)
            new = watch.run(database.execute, NEW, (day,)).rowcount
            changed = watch.run(database.execute, CHANGED).rowcount
            gone = watch.run(database.execute, GONE).rowcount
            watch.run(database.execute, "COMMIT")
            yield watch, (new, changed, gone)
        else:
            yield watch, (0, 0, 0)
        database.close()


WAYS = {"ours": run_ours, "reference": run_reference}


def measure(way: str, pages: int, first_run: FirstRun) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="bench-ledger-") as folder:
        for name, (watch, found) in zip(
            DAYS, WAYS[way](Path(folder), pages, first_run), strict=True
        ):
            rows.append({"day": name, "wall": watch.wall, "cpu": watch.cpu, "found": str(found)})
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [*rows, {"peak_mb": peak, "bytes_per_page": size / pages}]


def report(pages: int, results: dict[str, list[dict[str, object]]]) -> None:
    print(f"{pages:,} pages")
    print(f"{'day':24}{'way':12}{'wall s':>9}{'cpu s':>9}{'pages/s':>12}{'cpu ratio':>11}")
    for number, day in enumerate(DAYS):
        base = results.get("reference", results["ours"])[number]["cpu"]
        for way, rows in results.items():
            row = rows[number]
            speed = pages / row["wall"] if row["wall"] else 0
            ratio = row["cpu"] / base if base else 0
            print(
                f"{day:24}{way:12}{row['wall']:9.2f}{row['cpu']:9.2f}{speed:12,.0f}{ratio:11.2f}"
                f"   {row['found']}"
            )
    for way, rows in results.items():
        print(f"{way}: peak {rows[-1]['peak_mb']:.0f} MB, {rows[-1]['bytes_per_page']:.0f} bytes a page")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--first-run", type=FirstRun, default=FirstRun.RECENT)
    parser.add_argument("--only", choices=sorted(WAYS))
    parser.add_argument("--json", action="store_true", help="print one way's numbers only")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options.only, options.pages, options.first_run)))
        return
    results = {}
    for way in [options.only] if options.only else WAYS:
        command = [sys.executable, __file__, "--json", "--only", way]
        command += ["--pages", str(options.pages), "--first-run", options.first_run]
        results[way] = json.loads(subprocess.check_output(command))
    report(options.pages, results)


if __name__ == "__main__":
    main()
