"""Rows that people and dashboards read back: the submission log, the status, runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from submitter.core.calls import Check
from submitter.core.standing import SitemapStanding


@dataclass(frozen=True, slots=True)
class LogRow:
    """One call. Field for field the log row of the command line's promise."""

    id: int
    run: str
    action: str
    attempt: int
    sent_at: datetime
    settled_at: datetime | None
    site: str
    account: str
    engine: str
    property: str
    kind: str
    target: str
    urls: int
    accepted: int
    rejected: int
    state: str
    http_status: int | None = None
    code: str | None = None
    message: str = ""
    quota_left: int | None = None
    cause: str | None = None
    next_step: str | None = None
    spent: int = 0
    """Of its lane's day: what was booked for it, or what it turned out to cost."""


@dataclass(frozen=True, slots=True)
class PageLogRow:
    """One page at one target."""

    loc: str
    site: str
    account: str
    engine: str
    state: str
    reason: str
    at: datetime
    attempt_id: int


@dataclass(frozen=True, slots=True)
class SitemapStatus:
    """Everything known about one sitemap at one target; None where nothing is."""

    site: str
    account: str
    sitemap: str
    standing: SitemapStanding | None
    check: Check | None
    checked_at: datetime | None
    urls_ours: int | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run as remembered; `summary` is its `run --json` document once it has ended."""

    id: str
    started_at: datetime
    finished_at: datetime | None
    inventory_sha256: str
    outcome: str | None
    exit_code: int | None
    forced: str | None
    summary: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class PageTarget:
    """What the ledger knows about one page at one account."""

    account: str
    state: str
    """A state, or `waiting` when it still has to be told, or `never` when no rule tells it."""
    reason: str
    at: datetime | None
    not_before: datetime | None
    attempts: tuple[LogRow, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything the ledger knows about one page."""

    loc: str
    site: str
    documents: tuple[str, ...]
    section: str
    first_seen: datetime
    last_seen: datetime | None
    gone_at: datetime | None
    lastmod: datetime | None
    targets: tuple[PageTarget, ...]
