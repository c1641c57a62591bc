"""What one look at a site found: documents, the delta, and what a guard needs to judge it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from submitter.core.findings import Finding
from submitter.core.fleet import FirstRun


class DocumentKind(StrEnum):
    INDEX = "index"
    URLSET = "urlset"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server gave us to ask again conditionally."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentMemory:
    """What the ledger remembers of a document from the last look that read it."""

    url: str
    kind: DocumentKind
    complete: bool
    body_sha256: str
    """Hash of the inflated bytes; equal bytes are not parsed again."""
    content: str
    """Hash of the parsed entries in order: changes only when a page, child or lastmod changed."""
    pages: int
    read_at: datetime
    """When its body was last read in full."""
    changed_at: datetime
    """When `content` last changed."""
    validators: Validators = Validators()
    children: tuple[str, ...] = ()
    over_limit: int = 0
    findings: tuple[Finding, ...] = ()
    """What was wrong with it then: an unchanged document is still wrong."""


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """One document as read in this look."""

    url: str
    final_url: str
    depth: int
    kind: DocumentKind | None
    http_status: int | None
    children: int = 0
    pages: int = 0
    over_limit: int = 0
    complete: bool = False
    unchanged: bool = False
    """Not parsed: the server said 304 or the bytes hash as last time."""
    findings: tuple[Finding, ...] = ()


class PageRow(NamedTuple):
    """One page for the ledger: identity (normal form), spelling as sent, lastmod, section."""

    identity: str
    loc: str
    lastmod: int | None
    """Seconds since 1970 UTC, None when unknown or not to be used for decisions."""
    section: str = ""
    priority: int = 0
    lastmod_text: str | None = None
    """As the document spells it, usable or not; a ledger keeps only `lastmod`."""


@dataclass(frozen=True, slots=True)
class TellRule:
    """What a look's delta means for one target that takes pages (see `FirstRun`)."""

    account: str
    first_run: FirstRun
    recent_days: int
    tells_changed: bool
    tells_removed: bool
    repeat_after_s: int = 0
    """Least time between two calls about one page."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What changed since the last look, in distinct pages of the site."""

    new: int = 0
    changed: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class RootLook:
    """One declared sitemap and everything under it.

    `content` hashes the contents of all documents under it, remembered ones included, so it
    changes exactly when something under it changed.
    """

    sitemap: str
    readable: bool
    content: str
    changed_at: datetime | None
    pages: int
    is_index: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SiteLook:
    """The result of looking at one site. `baseline` counts the pages at the last good look."""

    site: str
    at: datetime
    first: bool
    roots: tuple[RootLook, ...] = ()
    documents: int = 0
    listed: int = 0
    """Distinct pages of the site's own hosts listed now."""
    foreign: int = 0
    delta: Delta = Delta()
    since_baseline: Delta = Delta()
    baseline: int = 0
    closed_to: frozenset[str] = frozenset()
    """Crawler tokens (`Googlebot`, …) for which robots.txt closes the whole site."""
    findings: tuple[Finding, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Entries not used, by reason code."""
    readings: tuple[DocumentReading, ...] = ()
    prelaunch: tuple[Finding, ...] = ()
    """What a sample of its pages says against telling the site (see `core.prelaunch`)."""
    unfinished: bool = False
    """True: the deadline came first; what was not looked at keeps its memory."""
