"""The twin of what a ledger remembers of withdrawals and inspections: in memory, around a real
ledger for all else. The contract suite runs over both."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from submitter.core.calls import Action, Outcome
from submitter.core.inspection import Inspected, ListedPage
from submitter.core.records import LogRow
from submitter.core.standing import Allowance, SitemapStanding
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.errors import LedgerError
from submitter.ledger import open_ledger
from submitter.ports import InspectionBook, Lease, Ledger, LogFilter
from support.twins import NOON

FIRST_ID = 1_000_000
"""Withdrawals are numbered from here, past every call of the real ledger."""


class FurtherLedger:
    """Implements `ports.Ledger` and `ports.InspectionBook`."""

    def __init__(self, ledger: Ledger, pages: Iterable[ListedPage] = ()) -> None:
        self._ledger, self._lock = ledger, threading.Lock()
        self.pages = list(pages)
        self._inspected: list[Inspected] = []
        self._rows: dict[int, LogRow] = {}
        self._withdrawn: dict[tuple[str, str, str], datetime] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    # -- withdrawals

    def claim(
        self,
        lease: Lease,
        action: Action,
        *,
        run: str,
        number: int,
        at: datetime,
        allowance: Allowance | None,
    ) -> int:
        if action.kind is not Kind.WITHDRAWAL:
            return self._ledger.claim(
                lease, action, run=run, number=number, at=at, allowance=allowance
            )
        row = _row(action, run=run, number=number, at=at)
        with self._lock:
            id = FIRST_ID + len(self._rows)
            self._rows[id] = replace(row, id=id)
        return id

    def settle(
        self,
        lease: Lease,
        attempt: int,
        action: Action,
        outcome: Outcome,
        *,
        at: datetime,
        allowance: Allowance | None,
    ) -> None:
        if action.kind is not Kind.WITHDRAWAL:
            self._ledger.settle(lease, attempt, action, outcome, at=at, allowance=allowance)
            return
        with self._lock:
            row = self._rows[attempt]
            if row.state not in (State.SENDING, State.UNKNOWN):
                raise LedgerError(f"ledger: call {attempt} is settled as {row.state}")
            self._rows[attempt] = _settled(row, outcome, at)
            if outcome.rest in TOLD:
                self._withdrawn[action.site, action.account, action.target] = at

    def defer(
        self,
        lease: Lease,
        action: Action,
        *,
        not_before: datetime | None,
        reason: str,
        state: State = State.DEFERRED,
    ) -> None:
        if action.kind is not Kind.WITHDRAWAL:
            self._ledger.defer(lease, action, not_before=not_before, reason=reason, state=state)

    def recover(self, lease: Lease, *, now: datetime, not_before: Mapping[str, datetime]) -> int:
        lost = [id for id, row in self._rows.items() if row.state == State.SENDING]
        for id in lost:
            self._rows[id] = replace(self._rows[id], state=State.UNKNOWN, settled_at=now)
        return len(lost) + self._ledger.recover(lease, now=now, not_before=not_before)

    def log(self, which: LogFilter) -> Iterator[LogRow]:
        own = [row for row in self._rows.values() if _passes(row, which)]
        rows = sorted([*self._ledger.log(which), *own], key=lambda row: (row.sent_at, row.id))
        return iter(rows[-which.limit :] if which.limit else rows)

    def sitemap_standings(
        self, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], Mapping[str, SitemapStanding]]:
        return {
            target: {
                sitemap: standing
                for sitemap, standing in standings.items()
                if not self._is_withdrawn(target, standing)
            }
            for target, standings in self._ledger.sitemap_standings(sites).items()
        }

    def _is_withdrawn(self, target: tuple[str, str], standing: SitemapStanding) -> bool:
        at = self._withdrawn.get((*target, standing.sitemap))
        return at is not None and standing.at <= at

    # -- inspections

    def listed_pages(self, sites: Sequence[str]) -> Iterator[ListedPage]:
        return (page for page in self.pages if page.site in sites)

    def record_inspections(self, lease: Lease, inspected: Sequence[Inspected]) -> None:
        with self._lock:
            self._inspected += inspected

    def inspections(self, account: str, *, since: datetime) -> list[Inspected]:
        found = [one for one in self._inspected if one.account == account and one.at >= since]
        return sorted(found, key=lambda one: one.at)


@cache
def ledgers_remember() -> bool:
    """Whether real ledgers can do both."""
    ledger = open_ledger("sqlite:///:memory:")
    lease = ledger.acquire("run", "owner", ttl_s=60, now=NOON)
    action = Action("http://x.test", "a", "google", "p", Kind.WITHDRAWAL, "http://x.test/s", "", "")
    try:
        ledger.claim(lease, action, run="r", number=1, at=NOON, allowance=None)
    except KeyError:  # no queue of pages for such a kind
        return False
    finally:
        ledger.close()
    return isinstance(ledger, InspectionBook)


def _row(action: Action, *, run: str, number: int, at: datetime) -> LogRow:
    return LogRow(
        id=0,
        run=run,
        action=action.key,
        attempt=number,
        sent_at=at,
        settled_at=None,
        site=action.site,
        account=action.account,
        engine=action.engine,
        property=action.property,
        kind=str(action.kind),
        target=action.target,
        urls=0,
        accepted=0,
        rejected=0,
        state=str(State.SENDING),
    )


def _settled(row: LogRow, outcome: Outcome, at: datetime) -> LogRow:
    return replace(
        row,
        settled_at=at,
        accepted=outcome.accepted,
        rejected=int(outcome.rest is State.REJECTED),
        state=str(outcome.state),
        http_status=outcome.http_status,
        code=outcome.code,
        message=outcome.message,
        cause=outcome.cause,
        next_step=outcome.next_step,
    )


def _passes(row: LogRow, which: LogFilter) -> bool:
    return (
        (which.since is None or row.sent_at >= which.since)
        and (not which.states or row.state in which.states)
        and (not which.targets or (row.site, row.account) in which.targets)
        and which.run in (None, row.run)
    )
