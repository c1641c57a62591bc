"""Small values and short ways for the ledger's tests."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import psycopg

from submitter.core.calls import Action, Outcome
from submitter.core.fleet import FirstRun
from submitter.core.looks import DocumentKind, PageRow, TellRule, Validators
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.opening import open_ledger as open_ledger
from submitter.ports import DocumentResult, Lease, LookResult

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOW_S = int(NOW.timestamp())
TODAY = NOW.date()
DAY = timedelta(days=1)
DAY_S = 86_400
SITE = "https://shop.example.com"
ACCOUNT = "indexnow"
MAP = f"{SITE}/sitemap.xml"
OTHER_MAP = f"{SITE}/more.xml"

Listed = Mapping[str, Sequence[PageRow]]
"""Document → what it lists."""


def page(name: str, lastmod: int | None = None, section: str = "", priority: int = 0) -> PageRow:
    address = f"{SITE}/{name}"
    return PageRow(address, address, lastmod, section, priority)


def rule(
    account: str = ACCOUNT,
    first_run: FirstRun = FirstRun.ALL,
    *,
    changed: bool = True,
    removed: bool = False,
) -> TellRule:
    return TellRule(account, first_run, 30, changed, removed)


def read(
    content: str = "", *, complete: bool = True, children: tuple[str, ...] = ()
) -> DocumentResult:
    kind = DocumentKind.INDEX if children else DocumentKind.URLSET
    return DocumentResult(
        kind, complete, f"body {content}", content, Validators(f'"{content}"'), children
    )


def look_at(
    ledger: SqlLedger,
    lease: Lease,
    listed: Listed,
    *,
    tell: Iterable[TellRule] = (rule(),),
    keep: Iterable[str] = (),
    unreadable: Iterable[str] = (),
    cut: Iterable[str] = (),
    complete: bool = True,
    gone_after: int = 1,
    accept: bool = True,
    at: datetime = NOW,
    site: str = SITE,
    sections: str = "",
) -> LookResult:
    """One whole look. Documents named in `cut` were not read to their end."""
    cut = set(cut)
    look = ledger.look(lease, site, tell=list(tell), at=at, sections=sections)
    for url, pages in listed.items():
        sink = look.open(url)
        sink.add(pages)
        sink.close(read(str(list(pages)), complete=url not in cut))
    for url in keep:
        look.keep(url)
    for url in unreadable:
        look.unreadable(url, "http-503")
    result = look.finish(gone_after=gone_after, complete=complete)
    if accept:
        ledger.accept_look(lease, site)
    return result


def waiting(
    ledger: SqlLedger,
    account: str = ACCOUNT,
    kind: Kind = Kind.URLS,
    *,
    now: datetime = NOW,
    site: str = SITE,
) -> list[str]:
    """Names of the pages that may be told now, in sending order."""
    found = ledger.candidates(site, account, kind, now=now, limit=10_000)
    return [one.loc.removeprefix(f"{site}/") for one in found]


def whys(ledger: SqlLedger, kind: Kind = Kind.URLS, *, now: datetime = NOW) -> dict[str, str]:
    found = ledger.candidates(SITE, ACCOUNT, kind, now=now, limit=10_000)
    return {one.loc.removeprefix(f"{SITE}/"): one.why for one in found}


def pages_action(
    ledger: SqlLedger,
    names: Sequence[str] | None = None,
    *,
    account: str = ACCOUNT,
    kind: Kind = Kind.URLS,
    now: datetime = NOW,
) -> Action:
    """An action for these waiting pages, or for all of them."""
    found = ledger.candidates(SITE, account, kind, now=now, limit=10_000)
    by_name = {one.loc.removeprefix(f"{SITE}/"): one for one in found}
    chosen = [by_name[name] for name in (by_name if names is None else names)]
    return Action(
        site=SITE,
        account=account,
        engine="indexnow",
        property="shop.example.com",
        kind=kind,
        target=chosen[0].loc,
        reason="new",
        content="pages",
        pages=tuple(one.id for one in chosen),
        cost=len(chosen),
    )


def sitemap_action(
    sitemap: str = MAP, content: str = "one", site: str = SITE, account: str = "gsc"
) -> Action:
    return Action(
        site=site,
        account=account,
        engine="google",
        property="sc-domain:example.com",
        kind=Kind.SITEMAP,
        target=sitemap,
        reason="new",
        content=content,
    )


def claim(
    ledger: SqlLedger,
    lease: Lease,
    action: Action,
    *,
    run: str = "r1",
    number: int = 1,
    at: datetime = NOW,
    allowance: Allowance | None = None,
) -> int:
    return ledger.claim(lease, action, run=run, number=number, at=at, allowance=allowance)


def settle(
    ledger: SqlLedger,
    lease: Lease,
    attempt: int,
    action: Action,
    state: State = State.ACCEPTED,
    *,
    rejected: Mapping[str, str] | None = None,
    not_before: datetime | None = None,
    at: datetime = NOW,
    allowance: Allowance | None = None,
    **facts: Any,
) -> None:
    rejected = rejected or {}
    outcome = Outcome(
        state="partial" if rejected else state,
        rest=state,
        accepted=(action.size or 1) - len(rejected) if state is State.ACCEPTED else 0,
        rejected=rejected,
        not_before=not_before,
        **facts,
    )
    ledger.settle(lease, attempt, action, outcome, at=at, allowance=allowance)


def tell(
    ledger: SqlLedger,
    lease: Lease,
    names: Sequence[str] | None = None,
    *,
    account: str = ACCOUNT,
    kind: Kind = Kind.URLS,
    state: State = State.ACCEPTED,
    now: datetime = NOW,
    **facts: Any,
) -> Action:
    """Claim and settle these waiting pages, or all of them."""
    action = pages_action(ledger, names, account=account, kind=kind, now=now)
    settle(ledger, lease, claim(ledger, lease, action, at=now), action, state, at=now, **facts)
    return action


def allowance(spent: int = 0, *, day: date = TODAY, limit: int | None = 100) -> Allowance:
    return Allowance("baidu", SITE, day, limit, spent)


def recount(ledger: SqlLedger) -> dict[tuple[int, str], int]:
    """The kept counts as they follow from the rows themselves."""
    with ledger._database.reading() as tx:
        connection = tx.connection
        kept: Counter[tuple[int, str]] = Counter()
        for target, kind in connection.exec_driver_sql(
            "SELECT target_id, kind FROM waiting WHERE kind < 2"
        ):
            kept[target, ("waiting:urls", "waiting:removal")[kind]] += 1
        names = [
            "planned", "sending", "accepted", "received", "already", "rejected", "deferred",
            "unknown", "failed",
        ]  # fmt: skip
        last = {
            (page, target): (state, removal)
            for page, target, state, removal in connection.exec_driver_sql(
                "SELECT page_id, target_id, state, removal FROM telling"
                " JOIN page ON page.id = page_id WHERE place <> 3 ORDER BY attempt_id"
            )
        }
        for (_, target), (state, removal) in last.items():
            if not removal:
                kept[target, names[state]] += 1
    return dict(kept)


def kept_counts(ledger: SqlLedger) -> dict[tuple[int, str], int]:
    with ledger._database.reading() as tx:
        rows = tx.connection.exec_driver_sql("SELECT target_id, what, pages FROM tally")
        return {(target, what): pages for target, what, pages in rows if pages}


def ask(url: str, query: str) -> list[tuple[Any, ...]]:
    """Read a ledger as a dashboard would, without this program."""
    if url.startswith("postgresql"):
        with psycopg.connect(url) as session:
            return session.execute(query.encode()).fetchall()
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
