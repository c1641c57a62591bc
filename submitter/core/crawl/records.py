"""What a ledger knows of crawlers, as it gives it back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

FILES: Final = "(files)"
"""The section of robots.txt and of sitemaps: crawled, never listed, and no pages."""


COUNTED: Final = (
    *("hits", "claimed", "verified", "unverifiable", "contradicted", "bytes", "ok"),
    *("not_modified", "redirected", "client_errors", "server_errors", "other"),
    *("listed_hits", "parameter_hits"),
)
"""What of a `CrawlDay` is a sum over its hits."""


@dataclass(frozen=True, slots=True)
class CrawlDay:
    """A UTC day of a crawler in a section. `hits` = claimed + verified + unverifiable +
    contradicted. What comes after the statuses is about which pages the crawler reads, so it
    leaves contradicted hits out: they were somebody else's."""

    site: str
    day: date
    section: str
    crawler: str
    kind: str
    hits: int
    claimed: int
    verified: int
    unverifiable: int
    contradicted: int
    bytes: int
    ok: int
    not_modified: int
    redirected: int
    client_errors: int
    server_errors: int
    other: int
    listed_hits: int
    parameter_hits: int
    """On addresses with parameters that are not listed."""
    pages: int
    listed_pages: int
    at_least: bool
    """There were more pages than `pages` says."""
    listed: int | None
    """Pages that the section listed then; None: the site listed none."""
    first_at: datetime | None
    last_at: datetime | None

    @property
    def unlisted_hits(self) -> int:
        genuine = self.hits - self.contradicted
        return 0 if self.section == FILES else genuine - self.listed_hits


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what a section lists now a crawler has ever read, or since some time."""

    site: str
    section: str
    crawler: str
    """Empty: any crawler."""
    kind: str
    listed: int
    crawled: int
    hits: int
    last_at: datetime | None

    @property
    def never(self) -> int:
        return self.listed - self.crawled


@dataclass(frozen=True, slots=True)
class PageCrawl:
    """What a crawler did with one page."""

    crawler: str
    hits: int
    first_at: datetime
    last_at: datetime
    days: tuple[date, ...]
