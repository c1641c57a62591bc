"""What must hold between the ledger and the book that the sandbox's engines keep themselves."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from submitter.engines.baidu import FAST
from submitter.ledger import open_ledger
from submitter.ledger.columns import STATES
from support.whole import Ran, World, engine_day

TELLINGS = """
    SELECT site.origin, page.loc, telling.state, attempt.property
    FROM telling
    JOIN page ON page.id = telling.page_id
    JOIN attempt ON attempt.id = telling.attempt_id
    JOIN site ON site.id = page.site_id
    WHERE telling.removal = 0
"""
SPENT = """
    SELECT property, day, SUM(COALESCE(spent, cost)) FROM attempt
    WHERE engine = 'baidu' GROUP BY property, day
"""


@dataclass(frozen=True)
class Telling:
    """One page in one call, as the ledger has it."""

    loc: str
    site: str
    """As Baidu knows it."""
    state: str


def prove_ledger_is_whole(path: Path) -> None:
    """It opens, and SQLite finds nothing wrong with it. One that was never made is whole."""
    if not path.exists():
        return
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    open_ledger(f"sqlite:///{path}").close()


def prove_books_agree(world: World) -> None:
    """Everything that must hold after every run and after every kill, however it went."""
    prove_accepted_pages_are_in_the_book(world)
    prove_accepted_sitemaps_are_in_the_book(world)
    prove_the_book_holds_nothing_else(world)
    prove_pages_repeat_only_by_the_rule(world)
    prove_sitemaps_repeat_only_by_the_rule(world)
    prove_quota_was_kept(world)


def prove_accepted_pages_are_in_the_book(world: World) -> None:
    book = world.sandbox.baidu.book
    taken = {(entry.key, item) for entry in book.entries("push") for item in entry.accepted}
    claimed = {(one.site, one.loc) for one in tellings(world) if one.state == "accepted"}
    assert claimed <= taken


def prove_accepted_sitemaps_are_in_the_book(world: World) -> None:
    taken = Counter(world.sandbox.google.book.accepted("sitemaps.submit"))
    claimed = Counter(row.target for row in submissions(world) if row.state == "accepted")
    assert claimed <= taken


def prove_the_book_holds_nothing_else(world: World) -> None:
    """What an engine took is accepted or unknown to us: never forgotten, never `failed`."""
    may_be = {"accepted", "unknown", "sending"}
    known = {(one.site, one.loc) for one in tellings(world) if one.state in may_be}
    for entry in world.sandbox.baidu.book.entries("push"):
        assert {(entry.key, item) for item in entry.accepted} <= known
    sitemaps = {row.target for row in submissions(world) if row.state in may_be}
    assert set(world.sandbox.google.book.accepted("sitemaps.submit")) <= sitemaps


def prove_pages_repeat_only_by_the_rule(world: World) -> None:
    """A page that Baidu took twice was `unknown` in between, and waited for a later day."""
    days: defaultdict[tuple[str, str], list[date]] = defaultdict(list)
    for entry in world.sandbox.baidu.book.entries("push"):
        for item in entry.accepted:
            days[entry.key, item].append(engine_day(entry.at))
    lost = Counter((one.site, one.loc) for one in tellings(world) if one.state == "unknown")
    for page, taken_on in days.items():
        assert len(set(taken_on)) == len(taken_on), f"{page} twice on one day"
        assert len(taken_on) <= 1 + lost[page], f"{page} again although it was known"


def prove_sitemaps_repeat_only_by_the_rule(world: World) -> None:
    """Google took a sitemap as often as we were told so, or could not know."""
    taken = Counter(world.sandbox.google.book.accepted("sitemaps.submit"))
    rows = submissions(world)
    explained = Counter(
        row.target for row in rows if row.state in ("accepted", "unknown", "sending")
    )
    assert taken <= explained


def prove_quota_was_kept(world: World) -> None:
    """Accepted, in flight and unknown together are never more than a site has for the day; the
    first page of a day is a question, and counts even when the answer is lost."""
    for site, day, spent in select(world, SPENT):
        if FAST.holds(site):  # a quota of its own, which the tests of the fast lane look at
            continue
        granted = world.quota_of(site, date.fromisoformat(str(day)))
        assert spent <= max(granted, 1), f"{site} on {day}"


def prove_sums(ran: Ran) -> None:
    """Found = the sum of all columns: for every target that was looked at, in sitemaps and in
    pages; and all targets together are what the run says."""
    totals = {"sitemaps": Counter[str](), "pages": Counter[str]()}
    for target in ran.summary["targets"]:
        for kind, counter in totals.items():
            counter.update(target["counts"][kind])
        if target["engine"] == "baidu":
            assert sum(target["counts"]["pages"].values()) == target["pages"], target
            assert not any(target["counts"]["sitemaps"].values()), target
        else:
            roots = ran.report.facts.looks[target["site"]].roots if ran.report.facts else ()
            assert sum(target["counts"]["sitemaps"].values()) == len(roots), target
    assert {kind: dict(counter) for kind, counter in totals.items()} == ran.summary["counts"]


# ---------------------------------------------------------------- reading


def select(world: World, statement: str) -> list[Any]:
    """Nothing, while there is no ledger: looking must not make one."""
    if world.ledger_url.startswith("postgresql"):
        with psycopg.connect(world.ledger_url) as session:
            return session.execute(statement.encode()).fetchall()
    if not world.ledger_path.exists():
        return []
    with closing(sqlite3.connect(world.ledger_path)) as connection:
        return connection.execute(statement).fetchall()


def tellings(world: World) -> list[Telling]:
    return [
        Telling(
            loc if "://" in loc else origin + loc,
            site.removesuffix(FAST.suffix),
            str(STATES[state]),
        )
        for origin, loc, state, site in select(world, TELLINGS)
    ]


@dataclass(frozen=True)
class Submission:
    target: str
    state: str


def submissions(world: World) -> list[Submission]:
    rows = select(world, "SELECT target, state FROM attempt WHERE kind = 'sitemap'")
    return [Submission(*row) for row in rows]


def listed_pages(world: World) -> Iterator[tuple[str, str]]:
    """(site, page) of everything that sites told to Baidu list now."""
    for entry in world.entries.values():
        site = world.sandbox.fleet.site(str(entry["host"]))
        if "baidu" in str(entry["accounts"]):
            yield from ((site.host, loc) for loc in site.urls())


def untold(world: World) -> set[str]:
    """Pages that Baidu and sitemaps that Google has still to be told."""
    states = world.page_states()
    pages = {loc for _, loc in listed_pages(world) if states.get(loc) != "accepted"}
    sitemaps = world.sitemap_states()
    declared = {f"http://{entry['host']}/sitemap.xml" for entry in world.entries.values()}
    return pages | {one for one in declared if sitemaps.get(one) != "accepted"}


def run_until_told(world: World, *, days: int = 15) -> int:
    """A run a day until nothing waits. Returns how many days that took."""
    for day in range(1, days + 1):
        prove_sums(world.run())
        if not untold(world):
            return day
        world.next_day()
    raise AssertionError(f"not told after {days} days: {sorted(untold(world))[:10]}")
