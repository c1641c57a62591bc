"""The page ledger at size, beside a plain way of doing the same in SQLite.

Makes its own pages (about 90 bytes each, 50,000 a document) and looks at the site on four days:
the first; one with 1 % new, 0.5 % changed and 0.2 % gone; one on which every document is read but
nothing changed; and one on which every document answers "not modified". Each way runs in a process
of its own. Only the time inside the ledger counts, not the making of pages; speeds and
ratios are by CPU, because disks and neighbours are noisy. Found = new, changed, gone.

With --postgres, the same on a PostgreSQL server of its own, beside COPY with an anti-join; what
the server uses of processors is counted, too.

    scripts/bench ledger [--pages 1000000] [--first-run recent] [--only ours] [--postgres]
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from submitter.core.fleet import FirstRun
from submitter.core.looks import DocumentKind, PageRow, TellRule

SITE = "https://shop.example.com"
START = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
PER_DOCUMENT = 50_000
BATCH = 1_000
DAYS = ("first load", "next day", "read, nothing changed", "not modified")
Days = Iterator[tuple["Watch", object]]


class Watch:
    """Adds up the time of what it runs."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def run(self, step: Callable[..., Any], *args: object, **options: object) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            return step(*args, **options)
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


# ---------------------------------------------------------------- the site


def documents(pages: int, later: bool) -> Iterator[tuple[str, Iterator[list[PageRow]]]]:
    """The documents of a day, each with its pages in batches."""
    for first in range(0, pages, PER_DOCUMENT):
        size = min(PER_DOCUMENT, pages - first)
        yield f"{SITE}/sitemap-{first // PER_DOCUMENT}.xml", _batches(_listed(first, size, later))


def _listed(first: int, size: int, later: bool) -> Iterator[tuple[str, int]]:
    """Address and lastmod. Later, 0.2 % went, 0.5 % changed, and 1 % came."""
    start = int(START.timestamp())
    for number in range(first, first + size):
        if later and number % 500 == 7:
            continue
        changed = later and number % 200 == 3
        yield _address(number), start + 1 if changed else start - number % 9_000_000
    for number in range(first, first + size, 100) if later else ():
        yield f"{_address(number)}?new", start + 1


def _address(number: int) -> str:
    slug = (number * 2_654_435_761) % 4_294_967_296
    return f"{SITE}/catalogue/group-{number % 97:02d}/some-product-name-{slug:010d}-{number}.html"


def _batches(listed: Iterable[tuple[str, int]]) -> Iterator[list[PageRow]]:
    batch: list[PageRow] = []
    for url, lastmod in listed:
        batch.append(PageRow(url, url[:8] + url[8:], lastmod))
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


# ---------------------------------------------------------------- two ways


def run_ours(folder: Path, pages: int, first_run: FirstRun) -> Days:
    return look_daily(f"sqlite:///{folder}/ours.db", pages, first_run)


def look_daily(url: str, pages: int, first_run: FirstRun) -> Days:
    from submitter.ledger import open_ledger

    ledger = open_ledger(url)
    lease = ledger.acquire("run", "bench", ttl_s=1e6, now=START)
    rule = TellRule("engine", first_run, 30, tells_changed=True, tells_removed=True)
    for day, name in enumerate(DAYS):
        watch, at = Watch(), START + timedelta(days=day)
        look = watch.run(ledger.look, lease, SITE, tell=[rule], at=at)
        for url, batches in documents(pages, later=day > 0):
            if name == "not modified":
                watch.run(look.keep, url)
            else:
                _read(watch, look, url, batches)
        result = watch.run(look.finish, gone_after=1, complete=True)
        watch.run(ledger.accept_look, lease, SITE)
        yield watch, (result.delta.new, result.delta.changed, result.delta.gone)
    ledger.close()


def _read(watch: Watch, look: Any, url: str, batches: Iterable[list[PageRow]]) -> None:
    from submitter.ports import DocumentResult

    sink = watch.run(look.open, url)
    for batch in batches:
        watch.run(sink.add, batch)
    watch.run(sink.close, DocumentResult(DocumentKind.URLSET, True, url, url))


TABLES = """
    CREATE TABLE IF NOT EXISTS page
        (url TEXT PRIMARY KEY, lastmod INTEGER, first_seen INTEGER) WITHOUT ROWID;
    CREATE TEMP TABLE seen (url TEXT PRIMARY KEY, lastmod INTEGER) WITHOUT ROWID;
"""
ADD_SEEN = "INSERT OR IGNORE INTO seen VALUES (?, ?)"
NEW = """
    INSERT INTO page SELECT seen.url, seen.lastmod, ? FROM seen
    LEFT JOIN page USING (url) WHERE page.url IS NULL
"""
CHANGED = """
    UPDATE page SET lastmod = seen.lastmod FROM seen
    WHERE seen.url = page.url AND seen.lastmod > page.lastmod
"""
GONE = "DELETE FROM page WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.url = page.url)"


def run_reference(folder: Path, pages: int, first_run: FirstRun) -> Days:
    """All of today's pages into a temporary table, then three statements over whole tables. Keeps
    no state per target, and does not know which document a page is in."""
    del first_run
    for day, name in enumerate(DAYS):
        watch, found = Watch(), (0, 0, 0)
        database = _reference_database(folder)
        if name != "not modified":
            watch.run(database.execute, "BEGIN")
            for _, batches in documents(pages, later=day > 0):
                for batch in batches:
                    rows = [(page.identity, page.lastmod) for page in batch]
                    watch.run(database.executemany, ADD_SEEN, rows)
            new = watch.run(database.execute, NEW, (day,)).rowcount
            changed = watch.run(database.execute, CHANGED).rowcount
            found = new, changed, watch.run(database.execute, GONE).rowcount
            watch.run(database.execute, "COMMIT")
        database.close()
        yield watch, found


def _reference_database(folder: Path) -> sqlite3.Connection:
    database = sqlite3.connect(folder / "reference.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("PRAGMA cache_size=-65536")
    database.executescript(TABLES)
    return database


WAYS = {"ours": run_ours, "reference": run_reference}
ON_SERVER = ("postgres", "copy+anti-join")
"""Those of `ledger_postgres`."""

# ---------------------------------------------------------------- measuring


def measure(way: str, pages: int, first_run: FirstRun) -> dict[str, Any]:
    if way not in WAYS:
        days, size = _measure_on_server(way, pages, first_run)
    else:
        with tempfile.TemporaryDirectory(prefix="bench-ledger-") as folder:
            days = [
                {"wall": watch.wall, "cpu": watch.cpu, "found": found}
                for watch, found in WAYS[way](Path(folder), pages, first_run)
            ]
            size = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"days": days, "peak_mb": peak, "bytes_per_page": size / pages}


def _measure_on_server(
    way: str, pages: int, first_run: FirstRun
) -> tuple[list[dict[str, Any]], int]:
    from scripts.benchmarks import ledger_postgres

    days = []
    with ledger_postgres.bench_server() as (url, used_s, size_of):
        before = used_s()
        for watch, found in ledger_postgres.WAYS[way](url, pages, first_run):
            server, before = used_s() - before, used_s()
            cpu = watch.cpu + server
            days.append({"wall": watch.wall, "cpu": cpu, "server": server, "found": found})
        return days, size_of()


def report(pages: int, results: dict[str, dict[str, Any]], floor: str) -> None:
    """Ratios are to the `floor`. On a server, its own CPU is part of the CPU."""
    base = results.get(floor, next(iter(results.values())))
    print(f"{pages:,} pages")
    head = f"{'day':23}{'way':15}{'wall s':>8}{'CPU s':>8}{'server':>8}{'pages/CPU s':>13}"
    print(f"{head}{'ratio':>7}  found")
    for number, day in enumerate(DAYS):
        for way, result in results.items():
            row, own = result["days"][number], base["days"][number]["cpu"]
            speed = f"{pages / row['cpu']:,.0f}" if row["cpu"] > 0.01 else "-"
            ratio = f"{row['cpu'] / own:.2f}" if own > 0.01 else "-"
            server = f"{row['server']:.2f}" if "server" in row else "-"
            print(
                f"{day:23}{way:15}{row['wall']:8.2f}{row['cpu']:8.2f}{server:>8}{speed:>13}"
                f"{ratio:>7}  {row['found']}"
            )
    for way, result in results.items():
        peak, size = result["peak_mb"], result["bytes_per_page"]
        print(f"{way}: peak {peak:.0f} MB, {size:.0f} bytes a page on disk")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--first-run", type=FirstRun, default=FirstRun.RECENT)
    parser.add_argument("--only", choices=[*WAYS, *ON_SERVER])
    parser.add_argument("--postgres", action="store_true", help="on a server, too")
    parser.add_argument("--json", action="store_true", help="print one way's numbers only")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options.only or "ours", options.pages, options.first_run)))
        return
    command = [sys.executable, "-m", "scripts.benchmarks.ledger", "--json"]
    command += ["--pages", str(options.pages)]
    command += ["--first-run", options.first_run]

    def measured(ways: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {way: json.loads(subprocess.check_output([*command, "--only", way])) for way in ways}

    if options.only:
        report(options.pages, measured([options.only]), options.only)
        return
    report(options.pages, measured(list(WAYS)), "reference")
    if options.postgres:
        report(options.pages, measured(ON_SERVER), "copy+anti-join")


if __name__ == "__main__":
    main()
