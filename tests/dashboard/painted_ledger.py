"""A ledger painted by numbers: a fleet of any size with any length of log, the same every time.

The rows are written straight into the tables, because a year of runs would take hours. What they
say is made up to show one of everything: sites in trouble, late sitemaps, drift, a full lane.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from submitter.core.fleet import Account, Fleet, Site
from submitter.core.report import Report
from submitter.core.selection import Selection
from submitter.dashboard import DashboardServer
from submitter.dashboard.desk import Desk, Tools
from submitter.dashboard.guard import Guard
from submitter.engines import ENGINES as ENGINE_KINDS
from submitter.ledger import crawldays
from submitter.ledger.columns import micros_of
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.opening import open_ledger
from submitter.render.html.page import report_page
from submitter.stories.reporting import Scope, gather
from submitter.wiring import TRAITS

NOW = datetime(2026, 11, 30, 16, 43, tzinfo=UTC)
ACCOUNTS = ("gsc", "indexnow", "baidu")
ENGINES = {"gsc": "google", "indexnow": "indexnow", "baidu": "baidu"}
HOSTILE = "<script>alert('x')</script>\" onload=\"x ‮gnp.exe"
"""What a site or an engine might say to break out of a page."""


@dataclass(frozen=True)
class Painting:
    """`every` days a target has a call."""

    sites: int = 12
    days: int = 40
    every: int = 1
    seed: int = 7
    crawls: bool = True
    now: ClassVar[datetime] = NOW

    def fleet(self, url: str) -> Fleet:
        accounts = {name: Account(name, ENGINES[name], None) for name in ACCOUNTS}
        sites = tuple(
            Site(self.host(n), domain="example.com", accounts=ACCOUNTS) for n in range(self.sites)
        )
        return Fleet("painted-fleet", url, accounts, sites, sha256="0f" * 32)

    def host(self, n: int) -> str:
        return f"{_WORDS[n % len(_WORDS)]}{n // len(_WORDS) or ''}.example.com"

    def limit(self, n: int) -> int:
        """Of a site's lane at Baidu today."""
        return 100 + n % 5 * 50

    def spent(self, n: int) -> int:
        """In the one call that a site's lane at Baidu had today, if it had any."""
        if (n + ACCOUNTS.index("baidu")) % self.every:
            return 0
        limit = self.limit(n)
        return limit if n % 4 == 1 else limit * (n % 10) // 10

    def paint(self, path: Path) -> tuple[SqlLedger, Fleet]:
        url = f"sqlite:///{path}"
        ledger = open_ledger(url)
        ledger.bind("painted-fleet")
        with sqlite3.connect(path) as raw:
            raw.execute("PRAGMA synchronous=OFF")
            _Brush(self, raw).paint()
        raw.close()
        return ledger, self.fleet(url)


_WORDS = (
    "shop", "www", "blog", "news", "help", "docs", "store", "forum", "jobs", "press",
    "指南", "status",
)  # fmt: skip


class _Brush:
    def __init__(self, painting: Painting, raw: sqlite3.Connection) -> None:
        self.painting, self.raw = painting, raw
        self.random = random.Random(painting.seed)  # noqa: S311 - the same picture every time

    def paint(self) -> None:
        for n in range(self.painting.sites):
            self._site(n)
        self._many("attempt", _ATTEMPT, self._attempts())
        self._many("run", _RUN, self._runs())
        self._allowances()
        if self.painting.crawls:
            self._crawls()

    def _many(self, table: str, columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
        marks = ",".join("?" * len(columns))
        self.raw.executemany(
            f"INSERT INTO {table} ({','.join(f'{c!r}' for c in columns)}) VALUES ({marks})",  # noqa: S608
            rows,
        )

    # -- sites

    def _site(self, n: int) -> None:
        origin, pages = f"https://{self.painting.host(n)}", 40 + (n * 37) % 900
        sitemap, at = f"{origin}/sitemap-index.xml", micros_of(NOW - timedelta(hours=2 + n % 20))
        looks = list(range(0, min(self.painting.days, 90), 3))
        self.raw.execute(
            "INSERT INTO site (id, origin, look, listed, known) VALUES (?,?,?,?,?)",
            (n + 1, origin, len(looks), pages, pages),
        )
        self.raw.executemany(
            "INSERT INTO look (site_id, number, at, finished, complete, listed, new, changed,"
            " gone) VALUES (?,?,?,1,1,?,?,?,?)",
            [
                (n + 1, len(looks) - place, at - back * _DAY, pages, 3 + back % 5, 5, n % 2)
                for place, back in enumerate(looks)
            ],
        )
        self._root(n, sitemap, pages)
        for position, account in enumerate(ACCOUNTS):
            self._target(n, position, account, origin, sitemap, pages)

    def _root(self, n: int, sitemap: str, pages: int) -> None:
        self.raw.execute(
            "INSERT INTO root (site_id, sitemap, readable, content, pages, is_index, problem,"
            " position) VALUES (?,?,1,'c',?,1,'',0)",
            (n + 1, sitemap, pages),
        )
        self._documents(n, sitemap, pages)
        if n % 11 == 5:
            self.raw.execute(
                "INSERT INTO document (site_id, url, first_look, trouble, read_at)"
                " VALUES (?,?,1,'http-503',?)",
                (n + 1, f"{sitemap}?page=2", micros_of(NOW - timedelta(days=3))),
            )

    def _documents(self, n: int, sitemap: str, pages: int) -> None:
        """An index and two documents under it."""
        under = [f"{sitemap}?page={number}" for number in (0, 1)]
        if n % 11 == 5:
            under.append(f"{sitemap}?page=2")
        read = micros_of(NOW - timedelta(hours=2))
        first = pages // 3
        for url, kind, count, children in (
            (sitemap, "index", 0, json.dumps(under)),
            (under[0], "urlset", first, None),
            (under[1], "urlset", pages - first, None),
        ):
            self.raw.execute(
                "INSERT INTO document (site_id, url, first_look, kind, complete, pages, children,"
                " read_at) VALUES (?,?,1,?,1,?,?,?)",
                (n + 1, url, kind, count, children, read),
            )

    def _target(
        self, n: int, position: int, account: str, origin: str, sitemap: str, pages: int
    ) -> None:
        id = n * 3 + position + 1
        self.raw.execute(
            "INSERT INTO target (id, site_id, account, engine, property) VALUES (?,?,?,?,?)",
            (id, n + 1, account, ENGINES[account], _property(account, origin)),
        )
        if account == "gsc":
            self._sitemap(n, id, origin, sitemap, pages)
            return
        waits = 400 + n * 10 if account == "baidu" and n % 4 == 1 else 0
        for what, count in (("accepted", pages - 3), ("rejected", n % 3), ("waiting:urls", waits)):
            if count:
                self.raw.execute("INSERT INTO tally VALUES (?,?,?)", (id, what, count))

    def _sitemap(self, n: int, id: int, origin: str, sitemap: str, pages: int) -> None:
        late = n % 7 == 3
        told = NOW - timedelta(days=9 if late else 1 + n % 2, hours=n % 13)
        read = None if late or n % 5 == 4 else micros_of(told + timedelta(minutes=7 + n * 11 % 900))
        self.raw.execute(
            "INSERT INTO sitemap_check (id, target_id, sitemap, property, first_at, checked_at,"
            " last_submitted, last_downloaded, is_pending, is_index, errors, warnings,"
            " urls_submitted) VALUES (?,?,?,?,?,?,?,?,?,1,?,?,?)",
            (
                *(id, id, sitemap, "sc-domain:example.com", micros_of(told)),
                *(micros_of(NOW - timedelta(hours=1)), micros_of(told), read, read is None),
                *(2 if n % 13 == 6 else 0, n % 4, pages - (n % 6) * 7 if read else None),
            ),
        )
        self.raw.execute(
            "INSERT INTO sitemap (target_id, url, state, content, at, told_at, told_content,"
            " check_id) VALUES (?,?,?,'c',?,?,'c',?)",
            (id, sitemap, "failed" if n % 9 == 8 else "accepted", *[micros_of(told)] * 2, id),
        )

    # -- calls

    def _attempts(self) -> Iterator[tuple[Any, ...]]:
        painting, id = self.painting, 0
        for back in range(painting.days - 1, -1, -1):
            for n in range(painting.sites):
                for position, account in enumerate(ACCOUNTS):
                    if (back + n + position) % painting.every:
                        continue
                    id += 1
                    yield self._attempt(id, back, n, position, account)

    def _attempt(self, id: int, back: int, n: int, position: int, account: str) -> tuple[Any, ...]:
        engine, origin = ENGINES[account], f"https://{self.painting.host(n)}"
        at = NOW - timedelta(days=back, minutes=40 - n % 40)
        state, status, code, message, cause, step = self._ending(n, position, account)
        urls = 0 if account == "gsc" else 5 + n % 20
        taken = (urls or 1) if state in ("accepted", "received") else 0
        cost = self.painting.spent(n) if account == "baidu" and back == 0 else urls
        target = f"{origin}/sitemap-index.xml" if account == "gsc" else f"{origin}/p/{id % 999}"
        return (
            id, f"{at:%Y%m%dT%H}0000Z-painted", f"{id:016x}", 1, "run", 1, n * 3 + position + 1,
            engine, _property(account, origin), "urls" if urls else "sitemap", target, "changed",
            "c", urls, cost, state, micros_of(at), micros_of(at) + 400_000, taken,
            (urls or 1) - taken if state == "rejected" else 0, status, code, message, cause, step,
        )  # fmt: skip

    def _ending(self, n: int, position: int, account: str) -> tuple[Any, ...]:
        draw = self.random.random()
        if n % 9 == 8 and account == "gsc":
            words = "User does not have sufficient permission for site 'https://example.com/'."
            step = "Give the account owner or full rights on the property."
            return "failed", 403, "forbidden", words, "no-permission", step
        if draw < 0.01:
            return "unknown", None, None, "connection reset while the answer was read", None, None
        if draw < 0.02:
            return "rejected", 422, "not_valid", f"address refused: {HOSTILE}", "bad-address", None
        if account == "indexnow" and draw < 0.3:
            return "received", 202, None, "Accepted", None, None
        return "accepted", 200, None, "taken", None, None

    # -- runs, lanes, crawls

    def _runs(self) -> Iterator[tuple[Any, ...]]:
        for number, back in enumerate(range(self.painting.days - 1, -1, -1), 1):
            at = NOW - timedelta(days=back, minutes=51)
            first = at + timedelta(minutes=1)
            yield (
                number, f"{first:%Y%m%dT%H}0000Z-painted", micros_of(at),
                micros_of(at) + 700_000_000, "0f" * 32, "partial" if back % 3 else "ok",
                4 if back % 3 else 0,
            )  # fmt: skip

    def _allowances(self) -> None:
        day, closed = "2026-12-01", micros_of(NOW.replace(hour=16) + timedelta(days=1))
        for n in range(self.painting.sites):
            origin = f"https://{self.painting.host(n)}"
            limit, spent = self.painting.limit(n), self.painting.spent(n)
            self.raw.execute(
                "INSERT INTO lane VALUES (?,?,?,?)",
                (n + 1, "baidu", _property("baidu", origin), day),
            )
            self.raw.execute(
                "INSERT INTO allowance VALUES (?,?,?,?,?,0,?,?)",
                (n + 1, day, limit, spent, limit - spent, closed if n % 8 == 1 else None,
                 "over quota" if n % 8 == 1 else ""),
            )  # fmt: skip

    def _crawls(self) -> None:
        bots = (("Googlebot", "search"), ("Baiduspider", "search"), ("GPTBot", "ai"))
        for id, bot in enumerate(bots, 1):
            self.raw.execute("INSERT INTO crawler VALUES (?,?,?)", (id, *bot))
        rows = (
            (n + 1, f"{NOW - timedelta(days=back):%Y-%m-%d}", section, bot, hits + 2, hits // 2,
             hits - hits // 2, 2, hits // 9, hits - 3, micros_of(NOW - timedelta(days=back)))
            for n in range(self.painting.sites)
            for back in range(min(28, self.painting.days))
            for section in ("new", "products", "(files)")
            for bot in (1, 2, 3)
            if (hits := (n * 7 + back * 3 + bot * 11) % 60 + 3)
        )  # fmt: skip
        columns = (
            "site_id", "day", "section", "crawler_id", "hits", "claimed", "verified",
            "contradicted", "not_modified", "listed_hits", "last_at",
        )  # fmt: skip
        self._many("crawl_day", columns, rows)
        length = min(28, self.painting.days)
        last = int(NOW.timestamp()) // 3_600
        days = crawldays.pack([last // 24 - back for back in range(length)]) if length else None
        read = ((n + 1, last - 24 * length + 24, last, days) for n in range(self.painting.sites))
        self._many("crawl_site", ("site_id", "read_from", "read_until", "read_days"), read)


def _property(account: str, origin: str) -> str:
    host = origin.partition("://")[2]
    return {"gsc": "sc-domain:example.com", "indexnow": host, "baidu": host}[account]


_DAY = 86_400_000_000
_ATTEMPT = (
    "id", "run", "action", "number", "lease", "fence", "target_id", "engine", "property", "kind",
    "target", "reason", "content", "urls", "cost", "state", "sent_at", "settled_at", "accepted",
    "rejected", "http_status", "code", "message", "cause", "next_step",
)  # fmt: skip
_RUN = (
    "number", "id", "started_at", "finished_at", "inventory_sha256", "outcome", "exit_code",
)  # fmt: skip


@dataclass(frozen=True)
class Painted:
    """A painted ledger at one moment."""

    ledger: SqlLedger
    fleet: Fleet
    now: datetime

    def report(self, selection: Selection | None = None) -> Report:
        scope = Scope(
            self.fleet,
            TRAITS,
            lambda target: ENGINE_KINDS[target.account.engine].property_of(target.site, None),
            selection or Selection(),
        )
        return gather(self.ledger, self.ledger.reports, scope, now=self.now)

    def page(self) -> str:
        return report_page(self.report(), version="0.0")

    def desk(self) -> Desk:
        tools = Tools(
            book=self.ledger.reports,
            gather=lambda at: self.report(),
            metrics=lambda at: "submitter_up 1\n",
            now=lambda: self.now,
            fleet=self.fleet.name,
            version="0.0",
        )
        return Desk(tools)


@contextmanager
def open_painted(painted: Painted, guard: Guard) -> Iterator[str]:
    """The address of a server over it."""
    server = DashboardServer("127.0.0.1", 0, painted.desk(), guard)
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.close()
