"""The door to what crawlers did. Sites are origins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol, runtime_checkable

from submitter.core.crawl.listing import Listing
from submitter.core.crawl.met import Hours
from submitter.core.crawl.records import Coverage, CrawlDay, PageCrawl
from submitter.core.crawl.seen import Marks
from submitter.core.crawl.tally import Batch
from submitter.core.looks import DocumentMemory
from submitter.ports.ledger import Lease


class CrawlSums(Protocol):
    """What a report of crawlers reads."""

    def crawl_days(
        self, sites: Sequence[str] | None, *, since: date, until: date
    ) -> list[CrawlDay]:
        """By day, site, section and crawler; of these sites, or of all."""

    def coverage(self, site: str, *, since: datetime | None = None) -> list[Coverage]:
        """By section, each first for any crawler (its name empty), then by crawler; of the pages
        that the site lists now. Counts what was read at or after `since`, or ever. Where no line of
        the site's logs was ever read there is what is listed, and nothing is known of the rest."""

    def never_crawled(self, site: str, *, limit: int) -> list[str]:
        """Some of the pages that the site lists now and no crawler ever read; none where no line of
        its logs was."""


class CrawlIntake(CrawlSums, Protocol):
    """Where lines of access logs are counted, and added up."""

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        """As `Ledger.acquire`."""

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        """As `Ledger.renew`."""

    def release(self, lease: Lease) -> None: ...

    def documents_of(self, site: str) -> list[DocumentMemory]:
        """The site's sitemaps, as `Ledger.documents_of`."""

    def marker(self) -> Callable[[Iterable[bytes]], Marks]:
        """Gives the marks of lines, the same for as long as the counts live: see `core.crawl.seen`.
        Nobody outside can choose lines that meet in one."""

    def page_key(self, identity: str) -> int:
        """The key of a page, listed or not, by its normal form."""

    def listing(self, site: str) -> Listing:
        """The pages that the site lists now. Reads all of their keys: ask once."""

    def lines_of(self, site: str, hour: int) -> list[Marks] | None:
        """Marks of the lines that are counted, sorted within each part; None: the hour is closed.
        Hours count from 1970 UTC."""

    def record_crawls(self, lease: Lease, batches: Sequence[Batch], *, at: datetime) -> None:
        """Add these hits to days and pages and remember their lines, all or none."""

    def record_logs(self, lease: Lease, met: Mapping[str, Hours]) -> None:
        """Remember of which hours lines of each site's logs were read, of persons or of bots."""

    def close_old_hours(self, lease: Lease, *, now: datetime) -> None:
        """Forget the lines of hours that were read long ago; no line of them is taken any more."""


@runtime_checkable
class CrawlBook(CrawlIntake, Protocol):
    """The part of a ledger that remembers what crawlers did."""

    def crawls_of(self, site: str, identities: Sequence[str]) -> Mapping[str, list[PageCrawl]]:
        """What each crawler did with these pages; those that none read are left out."""
