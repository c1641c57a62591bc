"""Lines of logs, logs in memory, and a way to read them into a ledger."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from submitter.accesslogs.files import LogFile
from submitter.accesslogs.snapshot import load_lists
from submitter.core.crawl.lines import LineReader
from submitter.core.crawl.verdicts import AskNames, Judge
from submitter.core.fleet import Section, Site
from submitter.core.looks import DocumentKind, PageRow, Validators
from submitter.core.sections import Sorter
from submitter.kit.progress import NoProgress
from submitter.ledger.ledger import SqlLedger
from submitter.ports import CrawlIntake, DocumentResult
from submitter.ports.accesslogs import LogStream
from submitter.stories.crawling import CrawlReading, CrawlRequest, CrawlTools, read_crawls

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SITE = "https://shop.example.com"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36"
GOOGLE, OPENAI, STRANGER = "66.249.66.1", "52.230.152.7", "203.0.113.9"

SECTIONS = (Section("new", "/new/*", priority=10), Section("products", "/p/*"))
SHOP = Site("shop.example.com", sections=SECTIONS)
WWW = Site("www.example.com")


def line(
    path: str = "/p/1",
    agent: str = GOOGLEBOT,
    *,
    address: str = GOOGLE,
    at: str = "29/Nov/2026:10:00:00 +0000",
    status: int = 200,
    size: int = 1000,
    host: str = "",
) -> bytes:
    """A combined line."""
    head = f"{host} {address}" if host else address
    request = f"GET {path} HTTP/1.1"
    return f'{head} - - [{at}] "{request}" {status} {size} "-" "{agent}"'.encode()


def text(lines: Sequence[bytes]) -> bytes:
    return b"".join(one + b"\n" for one in lines)


class Logs:
    """`ports.AccessLogs` over bytes."""

    total_bytes = None

    def __init__(self, *files: bytes, gz: bool = False) -> None:
        self._files = [gzip.compress(one) if gz else one for one in files]

    def streams(self) -> Iterator[AbstractContextManager[LogStream]]:
        for number, content in enumerate(self._files):
            yield nullcontext(LogFile(f"log-{number}", io.BytesIO(content)))


class StillClock:
    """It is always NOW, or what is set."""

    def __init__(self, now: datetime = NOW) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nobody waits here ({seconds} s)")


def read(
    ledger: CrawlIntake,
    *files: bytes,
    sites: Sequence[Site] = (SHOP,),
    since: datetime | None = None,
    takes_any: bool = False,
    gz: bool = False,
    now: datetime = NOW,
    ask: AskNames | None = None,
    mask: str | None = None,
) -> CrawlReading:
    """Read these files in one go."""
    request = CrawlRequest(sites, "tests", takes_any=takes_any, since=since)
    tools = CrawlTools(
        ledger,
        Logs(*files, gz=gz),
        LineReader(mask),
        Judge(load_lists(), ask),
        StillClock(now),
        NoProgress(),
    )
    return read_crawls(request, tools)


def list_pages(ledger: SqlLedger, paths: Sequence[str], *, site: Site = SHOP) -> None:
    """The site lists these pages, and no others."""
    lease = ledger.acquire("run", "tests", ttl_s=3600, now=NOW)
    document = f"{site.origin}/sitemap.xml"
    sorter = Sorter(site.sections)
    rows = []
    for path in paths:
        loc = site.origin + path
        section, priority = sorter.place(loc, document)
        rows.append(PageRow(loc, loc, None, section, priority))
    look = ledger.look(lease, site.origin, tell=(), at=NOW - timedelta(days=30))
    sink = look.open(document)
    sink.add(rows)
    sink.close(DocumentResult(DocumentKind.URLSET, True, "0" * 64, "c", Validators()))
    look.finish(gone_after=1, complete=True)
    ledger.accept_look(lease, site.origin)
    ledger.release(lease)


TABLES = {
    "crawl_day": "SELECT * FROM crawl_day",
    "crawl_page": "SELECT site_id, key, crawler_id, hits, first_at, last_at, days FROM crawl_page",
    "crawl_site": "SELECT site_id, unlisted FROM crawl_site WHERE unlisted > 0",
    "crawler": "SELECT name, kind FROM crawler",
    "site": "SELECT origin FROM site",
}


def everything(ledger: SqlLedger) -> dict[str, list[tuple[object, ...]]]:
    """All that crawlers left in the ledger, sorted; without the times of reading."""
    with ledger._database.reading() as tx:
        run = tx.connection.exec_driver_sql
        found = {name: sorted(map(tuple, run(query).all())) for name, query in TABLES.items()}
        hours = run("SELECT hour, lines FROM crawl_hour").all()
    found["crawl_hour"] = sorted(
        (hour, lines[at : at + 8]) for hour, lines in hours for at in range(0, len(lines), 8)
    )
    return found


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
