"""Further parts of a ledger, each for one story."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from submitter.core.alerts import Alert
from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.stored import StoredAudit
from submitter.core.checklist import Item
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
from submitter.core.looks import DocumentMemory, SiteLook
from submitter.core.loop import Reached, Sent, Way
from submitter.core.run_shares import RunShare
from submitter.core.sights import Sight
from submitter.core.standing import Candidate
from submitter.ports.ledger import Lease


@runtime_checkable
class InspectionBook(Protocol):
    """The part of a ledger that remembers what engines said of single pages."""

    def listed_pages(self, sites: Sequence[str]) -> Iterator[ListedPage]:
        """Every page that these sites list now (none that is missing, gone or only named by
        hand), each once, in any order, streamed: the ledger is not held while they are read."""

    def record_inspections(self, lease: Lease, inspected: Sequence[Inspected]) -> None:
        """Keep these answers beside all earlier ones, in one transaction."""

    def inspections(self, account: str, *, since: datetime) -> list[Inspected]:
        """What was recorded of this account's pages from then on, oldest first."""


@runtime_checkable
class SightBook(Protocol):
    """The part of a ledger that remembers what stuck sitemaps looked like to us."""

    def record_sights(self, lease: Lease, sights: Sequence[Sight]) -> None:
        """Keep these, each in the place of the earlier one of its site, address and agent. Their
        `links` are not kept."""

    def sights(self, sites: Sequence[str] | None = None) -> list[Sight]:
        """The newest of each site, address and agent, by these; of all sites when None."""


class ChecklistBook(Protocol):
    """What is handed in by hand, remembered. One item for each engine, site and address."""

    def items(self, engine: str, site: str) -> list[Item]:
        """All of them, retired ones included, in any order."""

    def save(self, items: Sequence[Item]) -> None:
        """Add these, or put them in the place of those with the same engine, site and address.
        All or none."""


@runtime_checkable
class ManualBook(ChecklistBook, Protocol):
    """The part of a ledger that serves what is done by hand."""

    def every_item(self) -> list[Item]:
        """Of all engines and sites, by engine, site and address."""

    def gone_pages(self, site: str, *, limit: int) -> list[Candidate]:
        """Pages that left the site's sitemaps for good, those that went last before others."""


@runtime_checkable
class AuditBook(Protocol):
    """The part of a ledger that remembers audits: what pages looked like, and whose dates could be
    believed. Written without a lease: nothing that is sent depends on it."""

    def page_memories(self, site: str, keys: Sequence[int]) -> Mapping[int, PageMemory]:
        """Those of these pages that an audit has seen (see `core.audit.sampling.page_key`)."""

    def save_audit(
        self,
        audit: StoredAudit,
        *,
        pages: Sequence[PageMemory] = (),
        languages: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        """Keep the audit in the place of the site's earlier one, finished or not as it is, with its
        trust figures beside those of all earlier ones; pages each in the place of the earlier one
        of its key; and what pages named as other languages, until the audit is finished. All or
        none. A finished audit ends one that was not."""

    def named_languages(self, audit: StoredAudit) -> Mapping[str, frozenset[str]]:
        """What the pages of an audit that was stopped named, by page."""

    def unfinished_audit(self, site: str) -> StoredAudit | None:
        """The audit of the site that was stopped, with its trust figures."""

    def finished_audits(self, sites: Sequence[str] | None = None) -> Mapping[str, StoredAudit]:
        """Each site's last finished audit, by origin; without trust figures."""

    def trust_history(self, site: str) -> list[tuple[datetime, Trust]]:
        """Oldest first, then by document."""


@runtime_checkable
class WorkBook(Protocol):
    """The part of a ledger that workers on several machines share."""

    def remember_look(self, lease: Lease, look: SiteLook) -> None:
        """Keep what the look says of its site, in the place of what the earlier one said."""

    def last_looks(self, sites: Sequence[str]) -> Mapping[str, SiteLook]:
        """By site, as they were remembered, without roots and readings. A site is missing while a
        later look at it is under way: nobody has judged yet what that stored."""

    def documents_by_site(self, sites: Sequence[str]) -> Mapping[str, list[DocumentMemory]]:
        """`Ledger.documents_of` of many sites in one reading; those without any are missing."""

    def take_permit(
        self, account: str, windows: Sequence[Window], *, holder: str, now: datetime
    ) -> float:
        """Take one permit of the account; 0.0 when it was given, else the seconds to wait before
        asking again. Whoever asks has the answer to the holder's last call. All workers together
        never have more permits in a window than it allows."""

    def close_permits(self, account: str, *, until: datetime) -> None:
        """Give no permit before then."""


@runtime_checkable
class EvidenceBook(Protocol):
    """The part of a ledger that counts, for reports, alarms and metrics. Counts what is remembered
    of all sites, those that the inventory does not name included."""

    def calls(self, *, since: datetime, until: datetime) -> list[CallCount]:
        """Calls sent from `since` on and before `until`, by how they ended."""

    def calls_ever(self) -> list[SiteCallCount]:
        """All calls, by site and engine and how they ended."""

    def call_times(self) -> list[CallTimes]:
        """How long calls took, by engine and kind."""

    def run_ends(self, *, limit: int) -> list[RunEnd]:
        """Newest first."""

    def run_shares(self, *, limit: int) -> list[RunShare]:
        """By account, of the newest so many runs that ended; newest first."""

    def page_waits(
        self, way: Way, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        """Pages first sent this way in that time, and those of them that its readers read, by
        section; of these sites, or of all. Only pages whose site's access logs cover the moment
        of sending. Passes all that was crawled: ask seldom."""

    def sitemap_waits(
        self, engine: str, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        """Sitemaps told in that time, and the engine's readings of them."""

    def looks(self, *, since: datetime) -> list[LookRow]:
        """By site, oldest first; of a site without a look since then, its last one."""

    def troubles(self) -> list[Trouble]:
        """Documents that could not be read when they were last looked for."""

    def lying_dates(self, *, since: datetime) -> list[LyingDates]:
        """Documents that changed since then and whose dates say nothing."""

    def unread(self, *, for_s: int) -> list[Unread]:
        """Sitemaps that their engine had not read for so many seconds when it was last asked, and
        those that it never read."""

    def section_crawls(
        self, crawlers: Sequence[str], *, first: date, lately: date, today: date, least: int
    ) -> list[SectionCrawl]:
        """Hits of these crawlers from `first` on, parted at `lately`, without `today`, where
        there were at least so many; contradicted ones are in no number."""

    def log_spans(self) -> list[LogSpan]:
        """Of each site whose access logs were read."""


@runtime_checkable
class AlarmBook(Protocol):
    """The part of a ledger that remembers what somebody was told is alarming. Written without a
    lease: nothing that is sent to engines depends on it."""

    def alarms(self) -> list[Alert]:
        """What was told last, by key."""

    def save_alarms(self, alerts: Sequence[Alert], *, at: datetime) -> None:
        """These were told now; all others are forgotten."""
