"""The ledger itself: every promise of `ports.Ledger`, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from submitter.core.calls import Action, Check, Outcome, Survey
from submitter.core.looks import DocumentMemory, PageRow, RootLook, TellRule
from submitter.core.records import Explanation, LogRow, PageLogRow, RunRow, SitemapStatus
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger import (
    adopting,
    allowances,
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
from submitter.ledger.evidence_book import SqlEvidence
from submitter.ledger.further_books import FurtherBooks
from submitter.ports import Lease, LogFilter


class SqlLedger(FurtherBooks, SqlEvidence):
    """See `ports.Ledger`; the contract stands there."""

    # -- life

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        return self._database.write(
            lambda tx: leases.acquire(tx, name, owner, ttl_s, now, is_dead=self._is_dead)
        )

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        return self._database.write(lambda tx: leases.renew(tx, lease, ttl_s, now))

    def release(self, lease: Lease) -> None:
        self._database.write(lambda tx: leases.release(tx, lease))

    def bind(self, fleet_name: str) -> None:
        if not self._database.read(lambda tx: runs.is_bound(tx, fleet_name)):
            self._database.write(lambda tx: runs.bind(tx, fleet_name))

    def start_run(
        self, run: str, *, inventory_sha256: str, at: datetime, forced: str | None = None
    ) -> RunRow | None:
        return self._database.write(
            lambda tx: runs.start(tx, run, inventory_sha256=inventory_sha256, at=at, forced=forced)
        )

    def finish_run(
        self, run: str, *, at: datetime, outcome: str, exit_code: int, summary: Mapping[str, object]
    ) -> None:
        self._database.write(
            lambda tx: runs.finish(
                tx, run, at=at, outcome=outcome, exit_code=exit_code, summary=summary
            )
        )

    def runs(self, *, limit: int) -> list[RunRow]:
        return self._database.read(lambda tx: runs.newest(tx, limit))

    def recover(self, lease: Lease, *, now: datetime, not_before: Mapping[str, datetime]) -> int:
        return self._database.write(
            lambda tx: sending.recover(tx, lease, now=now, not_before=not_before)
        )

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
        self._under(lease, lambda tx: looks.accept_look(tx, site))

    def record_roots(self, lease: Lease, site: str, roots: Sequence[RootLook]) -> None:
        self._under(
            lease,
            lambda tx: sitemaps.record_roots(tx, sites.site_row(tx, site).id, roots),
            durable=False,
        )

    def roots_of(self, site: str) -> list[str]:
        return self._database.read(lambda tx: sitemaps.roots_of(tx, site))

    def root_looks(self, site: str) -> list[RootLook]:
        return self._database.read(lambda tx: sitemaps.root_looks(tx, site))

    def adopt_pages(
        self, lease: Lease, site: str, *, account: str, pages: Sequence[PageRow], at: datetime
    ) -> None:
        self._under(lease, lambda tx: adopting.adopt(tx, self._marker, site, account, pages, at))

    # -- planning

    def sitemap_standings(
        self, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], Mapping[str, SitemapStanding]]:
        return self._database.read(lambda tx: sitemaps.standings(tx, sites))

    def page_standings(
        self, now: datetime, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], PageStanding]:
        return self._database.read(lambda tx: standings.page_standings(tx, now, sites))

    def candidates(
        self, site: str, account: str, kind: Kind, *, now: datetime, limit: int
    ) -> list[Candidate]:
        return self._database.read(
            lambda tx: standings.candidates(tx, site, account, kind, now, limit)
        )

    def named_candidates(
        self, site: str, account: str, identities: Sequence[str], *, now: datetime
    ) -> tuple[list[Candidate], PageStanding]:
        return self._database.read(
            lambda tx: standings.named(tx, self._marker, site, account, identities, now)
        )

    def allowances(self) -> Mapping[tuple[str, str], Allowance]:
        return self._database.read(lambda tx: allowances.newest(tx))

    def urls(self, site: str, pages: Sequence[int]) -> list[str]:
        return self._locs(pages)

    def _locs(self, ids: Sequence[int]) -> list[str]:
        found = self._database.read(lambda tx: pages.locs(tx, ids))
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
        return self._database.write(
            lambda tx: sending.claim(
                tx, lease, action, run=run, number=number, at=at, allowance=allowance
            )
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
        self._database.write(
            lambda tx: sending.settle(
                tx, lease, attempt, action, outcome, at=at, allowance=allowance
            )
        )

    def defer(
        self,
        lease: Lease,
        action: Action,
        *,
        not_before: datetime | None,
        reason: str,
        state: State = State.DEFERRED,
    ) -> None:
        self._database.write(
            lambda tx: sending.defer(
                tx, lease, action, not_before=not_before, reason=reason, state=state
            )
        )

    def save_allowance(self, lease: Lease, allowance: Allowance) -> None:
        self._under(lease, lambda tx: allowances.save(tx, allowance))

    def recent_sends(self, account: str, *, since: datetime) -> list[datetime]:
        return self._database.read(lambda tx: logs.recent_sends(tx, account, since))

    # -- asking

    def save_survey(self, survey: Survey, *, at: datetime) -> None:
        self._database.write(lambda tx: runs.save_survey(tx, survey, at))

    def surveys(self) -> Mapping[str, tuple[Survey, datetime]]:
        return self._database.read(lambda tx: runs.surveys(tx))

    def record_checks(
        self, lease: Lease, site: str, account: str, checks: Sequence[Check], *, at: datetime
    ) -> None:
        self._under(lease, lambda tx: sitemaps.record_checks(tx, site, account, checks, at))

    # -- reading back

    def log(self, which: LogFilter) -> Iterator[LogRow]:
        return logs.calls(self._database, which)

    def page_log(self, which: LogFilter) -> Iterator[PageLogRow]:
        return logs.page_calls(self._database, which)

    def statuses(self, sites: Sequence[str] | None = None) -> list[SitemapStatus]:
        return self._database.read(lambda tx: sitemaps.statuses(tx, sites))

    def explain(self, identity: str) -> list[Explanation]:
        return explaining.explain(self._database, self._marker, identity)

    def documents_of(self, site: str) -> list[DocumentMemory]:
        return self._database.read(lambda tx: documents.memories(tx, site))

    def sample_pages(self, site: str, *, limit: int) -> list[str]:
        return self._database.read(lambda tx: samples.sample(tx, site, limit))
