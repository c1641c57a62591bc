"""The page ledger on a PostgreSQL server of its own, beside COPY with an anti-join."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from scripts.benchmarks.ledger import DAYS, Days, Watch, documents, look_daily
from submitter.core.fleet import FirstRun
from tests.support.postgres import Server, administer, in_database, own_server

SAFE = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB",
        "max_wal_size": "1GB", "wal_writer_delay": "200ms"}  # fmt: skip
"""As a server is run, and not as for tests."""

TICKS = 100
"""Of a processor's clock in a second, as Linux counts in /proc."""

DATABASE = "bench"


@contextmanager
def bench_server() -> Iterator[tuple[str, Callable[[], float], Callable[[], int]]]:
    """The address of an empty database, what the server has used of processors (seconds), and
    how large the database is (bytes)."""
    with own_server(in_memory=False, **SAFE) as server:
        administer(server.url, f"CREATE DATABASE {DATABASE}")
        url = in_database(server.url, DATABASE)
        yield url, lambda: used_s(server), lambda: size_of(url)


def size_of(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as session:
        session.execute("VACUUM")
        row = session.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def used_s(server: Server) -> float:
    """By the parent, its children, and those that it has buried."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    ticks = sum(sum(_ticks(int(pid))[:2]) for pid in children)
    return (ticks + sum(_ticks(server.pid))) / TICKS


def _ticks(pid: int) -> list[int]:
    """Own user and system time, then that of children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return [0, 0, 0, 0]
    return [int(field) for field in fields[11:15]]


def run_ours(url: str, pages: int, first_run: FirstRun) -> Days:
    return look_daily(url, pages, first_run)


TABLES = """
    CREATE TABLE IF NOT EXISTS page (url text PRIMARY KEY, lastmod bigint, first_seen int);
    CREATE TEMP TABLE seen (url text, lastmod bigint)
"""
NEW = """
    INSERT INTO page SELECT url, lastmod, %s FROM seen
    WHERE NOT EXISTS (SELECT 1 FROM page WHERE page.url = seen.url)
"""
CHANGED = """
    UPDATE page SET lastmod = seen.lastmod FROM seen
    WHERE seen.url = page.url AND seen.lastmod > page.lastmod
"""
GONE = "DELETE FROM page WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.url = page.url)"


def run_floor(url: str, pages: int, first_run: FirstRun) -> Days:
    """All of today's pages by COPY into a temporary table, then three statements."""
    del first_run
    for day, name in enumerate(DAYS):
        watch, found = Watch(), (0, 0, 0)
        if name != "not modified":
            with psycopg.connect(url) as session:
                session.execute(TABLES.encode())
                for _, batches in documents(pages, later=day > 0):
                    with session.cursor().copy("COPY seen FROM STDIN") as copy:
                        for batch in batches:
                            rows = [(page.identity, page.lastmod) for page in batch]
                            watch.run(_write, copy, rows)
                watch.run(session.execute, b"ANALYZE seen")
                new = watch.run(session.execute, NEW.encode(), (day,)).rowcount
                changed = watch.run(session.execute, CHANGED.encode()).rowcount
                gone = watch.run(session.execute, GONE.encode()).rowcount
                watch.run(session.commit)
                found = new, changed, gone
        yield watch, found


def _write(copy: psycopg.Copy, rows: list[tuple[str, int | None]]) -> None:
    for row in rows:
        copy.write_row(row)


WAYS = {"postgres": run_ours, "copy+anti-join": run_floor}
