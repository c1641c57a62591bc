"""The ledger itself: every promise of `ports.Ledger`, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType

from sqlalchemy import select

from submitter.core.alerts import Alert
from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.stored import StoredAudit
from submitter.core.calls import Action, Check, Outcome, Survey
from submitter.core.checklist import Item
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.records import Coverage, CrawlDay, PageCrawl
from submitter.core.crawl.seen import Marks
from submitter.core.crawl.tally import Batch
from submitter.core.evidence import (
    CallCount,
    CallTimes,
    LogSpan,
    LookRow,
    LyingDates,
    RunEnd,
    SectionCrawl,
    SiteCallCount,
    Trouble,
    Unread,
)
from submitter.core.inspection import Inspected, ListedPage
from submitter.core.limiter import Window
from submitter.core.looks import DocumentMemory, PageRow, RootLook, SiteLook, TellRule
from submitter.core.loop import Reached, Sent, Way
from submitter.core.records import Explanation, LogRow, PageLogRow, RunRow, SitemapStatus
from submitter.core.sights import Sight
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.traits import Kind
from submitter.ledger import (
    adopting,
    allowances,
    audits,
    books,
    by_hand,
    coverage,
    crawls,
    documents,
    evidence,
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
    waits,
    waits_pages,
    waits_sitemaps,
    work,
)
from submitter.ledger.database import Database, Result, Transaction
from submitter.ledger.fingerprints import Marker
from submitter.ledger.reports import SqlReports
from submitter.ledger.schema import meta
from submitter.ports import Lease, LogFilter

SALT = select(meta.c.value).where(meta.c.name == "salt")


class SqlLedger:
    """See `ports.Ledger`; the contract stands there."""

    def __init__(self, database: Database, *, is_dead: Callable[[str], bool]) -> None:
        """`is_dead` says of the owner of a lease whether its process is known to have ended."""
        self._database, self._is_dead = database, is_dead
        salt = database.read(lambda tx: tx.one(SALT)).value
        self._salt = bytes.fromhex(salt)
        self._marker = Marker(self._salt)

    def _under(
        self, lease: Lease, step: Callable[[Transaction], Result], *, durable: bool = True
    ) -> Result:
        """Take a step while nobody may take our lease."""

        def guarded(tx: Transaction) -> Result:
            leases.check(tx, lease)
            return step(tx)

        return self._database.write(guarded, durable=durable)

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
        self, lease: Lease, action: Action, *, not_before: datetime | None, reason: str
    ) -> None:
        self._database.write(
            lambda tx: sending.defer(tx, lease, action, not_before=not_before, reason=reason)
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

    # -- further books

    def items(self, engine: str, site: str) -> list[Item]:
        return self._database.read(lambda tx: books.items(tx, engine, site))

    def save(self, items: Sequence[Item]) -> None:
        self._database.write(lambda tx: books.save_items(tx, items))

    def every_item(self) -> list[Item]:
        return self._database.read(lambda tx: by_hand.every_item(tx))

    def gone_pages(self, site: str, *, limit: int) -> list[Candidate]:
        return self._database.read(lambda tx: by_hand.gone_pages(tx, site, limit))

    def listed_pages(self, sites: Sequence[str]) -> Iterator[ListedPage]:
        return books.listed_pages(self._database, sites)

    def record_inspections(self, lease: Lease, inspected: Sequence[Inspected]) -> None:
        self._under(lease, lambda tx: books.record_inspections(tx, inspected))

    def inspections(self, account: str, *, since: datetime) -> list[Inspected]:
        return self._database.read(lambda tx: books.inspections(tx, account, since))

    def record_sights(self, lease: Lease, sights: Sequence[Sight]) -> None:
        self._under(lease, lambda tx: books.record_sights(tx, sights), durable=False)

    def sights(self, sites: Sequence[str] | None = None) -> list[Sight]:
        return self._database.read(lambda tx: books.sights(tx, sites))

    # -- audits

    def page_memories(self, site: str, keys: Sequence[int]) -> Mapping[int, PageMemory]:
        return self._database.read(lambda tx: audits.page_memories(tx, site, keys))

    def save_audit(
        self,
        audit: StoredAudit,
        *,
        pages: Sequence[PageMemory] = (),
        languages: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self._database.write(
            lambda tx: audits.save_audit(tx, audit, pages, languages), durable=False
        )

    def named_languages(self, audit: StoredAudit) -> Mapping[str, frozenset[str]]:
        return self._database.read(lambda tx: audits.named_languages(tx, audit))

    def unfinished_audit(self, site: str) -> StoredAudit | None:
        return self._database.read(lambda tx: audits.unfinished_audit(tx, site))

    def finished_audits(self, sites: Sequence[str] | None = None) -> Mapping[str, StoredAudit]:
        return self._database.read(lambda tx: audits.finished_audits(tx, sites))

    def trust_history(self, site: str) -> list[tuple[datetime, Trust]]:
        return self._database.read(lambda tx: audits.trust_history(tx, site))

    # -- work

    def remember_look(self, lease: Lease, look: SiteLook) -> None:
        self._under(lease, lambda tx: work.remember_look(tx, look), durable=False)

    def last_looks(self, sites: Sequence[str]) -> Mapping[str, SiteLook]:
        return self._database.read(lambda tx: work.last_looks(tx, sites))

    def documents_by_site(self, sites: Sequence[str]) -> Mapping[str, list[DocumentMemory]]:
        return self._database.read(lambda tx: documents.memories_by_site(tx, sites))

    def take_permit(
        self, account: str, windows: Sequence[Window], *, holder: str, now: datetime
    ) -> float:
        return self._database.write(
            lambda tx: work.take_permit(tx, account, windows, holder, now), durable=False
        )

    def close_permits(self, account: str, *, until: datetime) -> None:
        self._database.write(lambda tx: work.close_permits(tx, account, until), durable=False)

    # -- crawlers

    @property
    def line_salt(self) -> bytes:
        return self._salt

    def page_key(self, identity: str) -> int:
        return self._marker.key(identity)

    def listing(self, site: str) -> Listing:
        return crawls.listing(self._database, site)

    def lines_of(self, site: str, hour: int) -> list[Marks] | None:
        return self._database.read(lambda tx: crawls.lines_of(tx, site, hour))

    def record_crawls(self, lease: Lease, batches: Sequence[Batch], *, at: datetime) -> None:
        self._under(lease, lambda tx: crawls.record(tx, batches, at), durable=False)

    def close_old_hours(self, lease: Lease, *, now: datetime) -> None:
        self._under(lease, lambda tx: crawls.close_old_hours(tx, now), durable=False)

    def crawl_days(
        self, sites: Sequence[str] | None, *, since: date, until: date
    ) -> list[CrawlDay]:
        return self._database.read(lambda tx: list(crawls.days(tx, sites, since, until)))

    def coverage(self, site: str, *, since: datetime | None = None) -> list[Coverage]:
        return self._database.read(lambda tx: coverage.coverage(tx, site, since))

    def never_crawled(self, site: str, *, limit: int) -> list[str]:
        return self._database.read(lambda tx: coverage.never_crawled(tx, site, limit))

    def crawls_of(self, site: str, identities: Sequence[str]) -> Mapping[str, list[PageCrawl]]:
        by_key = dict(zip(self._marker.keys(identities), identities, strict=True))
        found = self._database.read(lambda tx: coverage.crawls_of(tx, site, list(by_key)))
        return {by_key[key]: crawls for key, crawls in found.items()}

    # -- the dashboard

    @property
    def reports(self) -> SqlReports:
        return SqlReports(self._database)

    # -- evidence

    def calls(self, *, since: datetime, until: datetime) -> list[CallCount]:
        with self._database.reading() as tx:
            return evidence.calls(tx, since, until)

    def calls_ever(self) -> list[SiteCallCount]:
        with self._database.reading() as tx:
            return evidence.calls_ever(tx)

    def call_times(self) -> list[CallTimes]:
        with self._database.reading() as tx:
            return evidence.call_times(tx)

    def run_ends(self, *, limit: int) -> list[RunEnd]:
        with self._database.reading() as tx:
            return evidence.run_ends(tx, limit)

    def page_waits(
        self, way: Way, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        with self._database.reading() as tx:
            return waits_pages.pages_of(tx, way, waits.Window(since, until, sites))

    def sitemap_waits(
        self, engine: str, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        with self._database.reading() as tx:
            return waits_sitemaps.sitemaps_of(tx, engine, waits.Window(since, until, sites))

    def looks(self, *, since: datetime) -> list[LookRow]:
        with self._database.reading() as tx:
            return evidence.looks(tx, since)

    def troubles(self) -> list[Trouble]:
        with self._database.reading() as tx:
            return evidence.troubles(tx)

    def lying_dates(self, *, since: datetime) -> list[LyingDates]:
        with self._database.reading() as tx:
            return evidence.lying_dates(tx, since)

    def unread(self, *, for_s: int) -> list[Unread]:
        with self._database.reading() as tx:
            return evidence.unread(tx, for_s * 1_000_000)

    def section_crawls(
        self, crawlers: Sequence[str], *, first: date, lately: date, today: date, least: int
    ) -> list[SectionCrawl]:
        with self._database.reading() as tx:
            return evidence.section_crawls(
                tx, crawlers, first=first, lately=lately, today=today, least=least
            )

    def log_spans(self) -> list[LogSpan]:
        with self._database.reading() as tx:
            return evidence.log_spans(tx)

    def alarms(self) -> list[Alert]:
        with self._database.reading() as tx:
            return evidence.alarms(tx)

    def save_alarms(self, alerts: Sequence[Alert], *, at: datetime) -> None:
        with self._database.transaction() as tx:
            evidence.save_alarms(tx, alerts, at)

    @property
    def database(self) -> Database:
        """What it stands on, for those who treat all of it alike."""
        return self._database

    def close(self) -> None:
        self._database.close()
