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
    """Pages that the section listed then; None: it is not known what the site lists, or it lists
    nothing."""
    first_at: datetime | None
    last_at: datetime | None

    @property
    def genuine(self) -> int:
        """Hits that nobody else is proven to have made in the crawler's name."""
        return self.hits - self.contradicted

    @property
    def unlisted_hits(self) -> int | None:
        """None: it is not known what is listed."""
        if self.section == FILES:
            return 0
        return None if self.listed is None else self.genuine - self.listed_hits


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what a section lists now a crawler has ever read, or since some time. `crawled`
    and `hits` None: of the site's access logs no line was ever read, so nobody knows."""

    site: str
    section: str
    crawler: str
    """Empty: any crawler."""
    kind: str
    listed: int
    crawled: int | None
    hits: int | None
    last_at: datetime | None

    @property
    def never(self) -> int | None:
        return None if self.crawled is None else self.listed - self.crawled


@dataclass(frozen=True, slots=True)
class PageCrawl:
    """What a crawler did with one page."""

    crawler: str
    hits: int
    first_at: datetime
    last_at: datetime
    days: tuple[date, ...]
