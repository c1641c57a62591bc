"""The further books: `ports.books` says what each of them promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType

from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.stored import StoredAudit
from submitter.core.checklist import Item
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.met import Hours
from submitter.core.crawl.records import Coverage, CrawlDay, PageCrawl
from submitter.core.crawl.seen import Marks, marker
from submitter.core.crawl.tally import Batch
from submitter.core.inspection import Inspected, ListedPage
from submitter.core.limiter import Window
from submitter.core.looks import DocumentMemory, SiteLook
from submitter.core.sights import Sight
from submitter.core.standing import Candidate
from submitter.ledger import (
    audits,
    books,
    by_hand,
    coverage,
    crawls,
    documents,
    work,
)
from submitter.ledger.desk import Desk
from submitter.ports import Lease


class FurtherBooks(Desk):
    """Checklists, inspections, sights, audits, what workers share, and crawlers."""

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

    def marker(self) -> Callable[[Iterable[bytes]], Marks]:
        return marker(self._salt)

    def page_key(self, identity: str) -> int:
        return self._marker.key(identity)

    def listing(self, site: str) -> Listing:
        return crawls.listing(self._database, site)

    def lines_of(self, site: str, hour: int) -> list[Marks] | None:
        return self._database.read(lambda tx: crawls.lines_of(tx, site, hour))

    def record_crawls(self, lease: Lease, batches: Sequence[Batch], *, at: datetime) -> None:
        self._under(lease, lambda tx: crawls.record(tx, batches, at), durable=False)

    def record_logs(self, lease: Lease, met: Mapping[str, Hours]) -> None:
        self._under(lease, lambda tx: crawls.record_logs(tx, met), durable=False)

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
