"""The ledger itself: every promise of `ports.Ledger`, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from submitter.core.calls import Action, Check, Outcome, Survey
from submitter.core.checklist import Item
from submitter.core.inspection import Inspected, ListedPage
from submitter.core.looks import DocumentMemory, PageRow, RootLook, TellRule
from submitter.core.records import Explanation, LogRow, PageLogRow, RunRow, SitemapStatus
from submitter.core.sights import Sight
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.traits import Kind
from submitter.ledger import (
    adopting,
    allowances,
    books,
    by_hand,
    documents,
    explaining,
    leases,
    logs,
    looks,
    pages,
    runs,
    samples,
    sending,
    sitemaps,
    sites,
    standings,
)
from submitter.ledger.database import Database
from submitter.ledger.fingerprints import Marker
from submitter.ledger.schema import meta
from submitter.ports import Lease, LogFilter


class SqlLedger:
    """See `ports.Ledger`; the contract stands there."""

    def __init__(self, database: Database, *, is_dead: Callable[[str], bool]) -> None:
        """`is_dead` says of the owner of a lease whether its process is known to have ended."""
        self._database, self._is_dead = database, is_dead
        with database.reading() as tx:
            salt = tx.one(select(meta.c.value).where(meta.c.name == "salt")).value
        self._marker = Marker(bytes.fromhex(salt))

    # -- life

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        with self._database.transaction() as tx:
            return leases.acquire(tx, name, owner, ttl_s, now, is_dead=self._is_dead)

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        with self._database.transaction() as tx:
            return leases.renew(tx, lease, ttl_s, now)

    def release(self, lease: Lease) -> None:
        with self._database.transaction() as tx:
            leases.release(tx, lease)

    def bind(self, fleet_name: str) -> None:
        with self._database.transaction() as tx:
            runs.bind(tx, fleet_name)

    def start_run(
        self, run: str, *, inventory_sha256: str, at: datetime, forced: str | None = None
    ) -> RunRow | None:
        with self._database.transaction() as tx:
            return runs.start(tx, run, inventory_sha256=inventory_sha256, at=at, forced=forced)

    def finish_run(
        self, run: str, *, at: datetime, outcome: str, exit_code: int, summary: Mapping[str, object]
    ) -> None:
        with self._database.transaction() as tx:
            runs.finish(tx, run, at=at, outcome=outcome, exit_code=exit_code, summary=summary)

    def runs(self, *, limit: int) -> list[RunRow]:
        with self._database.reading() as tx:
            return runs.newest(tx, limit)

    def recover(self, lease: Lease, *, now: datetime, not_before: Mapping[str, datetime]) -> int:
        with self._database.transaction() as tx:
            return sending.recover(tx, lease, now=now, not_before=not_before)

    # -- looking

    def look(
        self,
        lease: Lease,
        site: str,
        *,
        tell: Sequence[TellRule],
        at: datetime,
        sections: str = "",
    ) -> looks.SqlLook:
        return looks.start_look(
            self._database,
            lease,
            site,
            marker=self._marker,
            tell=tell,
            sections=sections,
            at=at,
        )

    def accept_look(self, lease: Lease, site: str) -> None:
        with self._database.transaction() as tx:
            leases.check(tx, lease)
            looks.accept_look(tx, site)

    def record_roots(self, lease: Lease, site: str, roots: Sequence[RootLook]) -> None:
        with self._database.transaction(durable=False) as tx:
            leases.check(tx, lease)
            sitemaps.record_roots(tx, sites.site_row(tx, site).id, roots)

    def roots_of(self, site: str) -> list[str]:
        with self._database.reading() as tx:
            return sitemaps.roots_of(tx, site)

    def adopt_pages(
        self, lease: Lease, site: str, *, account: str, pages: Sequence[PageRow], at: datetime
    ) -> None:
        with self._database.transaction() as tx:
            leases.check(tx, lease)
            adopting.adopt(tx, self._marker, site, account, pages, at)

    # -- planning

    def sitemap_standings(
        self, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], Mapping[str, SitemapStanding]]:
        with self._database.reading() as tx:
            return sitemaps.standings(tx, sites)

    def page_standings(
        self, now: datetime, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], PageStanding]:
        with self._database.reading() as tx:
            return standings.page_standings(tx, now, sites)

    def candidates(
        self, site: str, account: str, kind: Kind, *, now: datetime, limit: int
    ) -> list[Candidate]:
        with self._database.reading() as tx:
            return standings.candidates(tx, site, account, kind, now, limit)

    def named_candidates(
        self, site: str, account: str, identities: Sequence[str], *, now: datetime
    ) -> tuple[list[Candidate], PageStanding]:
        with self._database.reading() as tx:
            return standings.named(tx, self._marker, site, account, identities, now)

    def allowances(self) -> Mapping[tuple[str, str], Allowance]:
        with self._database.reading() as tx:
            return allowances.newest(tx)

    def urls(self, site: str, pages: Sequence[int]) -> list[str]:
        return self._locs(pages)

    def _locs(self, ids: Sequence[int]) -> list[str]:
        with self._database.reading() as tx:
            found = pages.locs(tx, ids)
        return [found[id] for id in ids]

    # -- sending

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
        with self._database.transaction() as tx:
            return sending.claim(
                tx, lease, action, run=run, number=number, at=at, allowance=allowance
            )

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
        with self._database.transaction() as tx:
            sending.settle(tx, lease, attempt, action, outcome, at=at, allowance=allowance)

    def defer(
        self, lease: Lease, action: Action, *, not_before: datetime | None, reason: str
    ) -> None:
        with self._database.transaction() as tx:
            sending.defer(tx, lease, action, not_before=not_before, reason=reason)

    def save_allowance(self, lease: Lease, allowance: Allowance) -> None:
        with self._database.transaction() as tx:
            leases.check(tx, lease)
            allowances.save(tx, allowance)

    def recent_sends(self, account: str, *, since: datetime) -> list[datetime]:
        with self._database.reading() as tx:
            return logs.recent_sends(tx, account, since)

    # -- asking

    def save_survey(self, survey: Survey, *, at: datetime) -> None:
        with self._database.transaction() as tx:
            runs.save_survey(tx, survey, at)

    def surveys(self) -> Mapping[str, tuple[Survey, datetime]]:
        with self._database.reading() as tx:
            return runs.surveys(tx)

    def record_checks(
        self, lease: Lease, site: str, account: str, checks: Sequence[Check], *, at: datetime
    ) -> None:
        with self._database.transaction() as tx:
            leases.check(tx, lease)
            sitemaps.record_checks(tx, site, account, checks, at)

    # -- reading back

    def log(self, which: LogFilter) -> Iterator[LogRow]:
        return logs.calls(self._database, which)

    def page_log(self, which: LogFilter) -> Iterator[PageLogRow]:
        return logs.page_calls(self._database, which)

    def statuses(self, sites: Sequence[str] | None = None) -> list[SitemapStatus]:
        with self._database.reading() as tx:
            return sitemaps.statuses(tx, sites)

    def explain(self, identity: str) -> list[Explanation]:
        return explaining.explain(self._database, self._marker, identity)

    def documents_of(self, site: str) -> list[DocumentMemory]:
        with self._database.reading() as tx:
            row = sites.site_row(tx, site)
            found = documents.of_site(tx, row.id).values()
        memories = [one.memory for one in found if one.memory]
        return sorted(memories, key=lambda memory: memory.url)

    def sample_pages(self, site: str, *, limit: int) -> list[str]:
        with self._database.reading() as tx:
            return samples.sample(tx, site, limit)

    # -- further books

    def items(self, engine: str, site: str) -> list[Item]:
        with self._database.reading() as tx:
            return books.items(tx, engine, site)

    def save(self, items: Sequence[Item]) -> None:
        with self._database.transaction() as tx:
            books.save_items(tx, items)

    def every_item(self) -> list[Item]:
        with self._database.reading() as tx:
            return by_hand.every_item(tx)

    def gone_pages(self, site: str, *, limit: int) -> list[Candidate]:
        with self._database.reading() as tx:
            return by_hand.gone_pages(tx, site, limit)

    def listed_pages(self, sites: Sequence[str]) -> Iterator[ListedPage]:
        return books.listed_pages(self._database, sites)

    def record_inspections(self, lease: Lease, inspected: Sequence[Inspected]) -> None:
        with self._database.transaction() as tx:
            leases.check(tx, lease)
            books.record_inspections(tx, inspected)

    def inspections(self, account: str, *, since: datetime) -> list[Inspected]:
        with self._database.reading() as tx:
            return books.inspections(tx, account, since)

    def record_sights(self, lease: Lease, sights: Sequence[Sight]) -> None:
        with self._database.transaction(durable=False) as tx:
            leases.check(tx, lease)
            books.record_sights(tx, sights)

    def sights(self, sites: Sequence[str] | None = None) -> list[Sight]:
        with self._database.reading() as tx:
            return books.sights(tx, sites)

    def close(self) -> None:
        self._database.close()
