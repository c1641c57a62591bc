"""What the dashboard shows, as values: one report is one moment of one ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from submitter.core.alerts import Alert
from submitter.core.health import Health
from submitter.core.loop import Latency
from submitter.core.records import LogRow
from submitter.core.status import SitemapState

BEAT_DAYS = 28
"""So many UTC days, today included, are in the heartbeat of a target."""

# ---------------------------------------------------------------- as the ledger adds it up


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls are meant; None = all. `since` is inclusive, `until` is not."""

    since: datetime | None = None
    until: datetime | None = None
    site: str | None = None
    account: str | None = None
    engine: str | None = None
    property: str | None = None
    states: tuple[str, ...] = ()
    """Empty: all."""
    kind: str | None = None
    run: str | None = None
    id: int | None = None
    """Its number."""
    cause: str | None = None
    """A cause; empty: calls without one."""
    code: str | None = None
    """The engine's own code; empty: calls without one."""
    targets: frozenset[tuple[str, str]] | None = None
    """Pairs (site origin, account)."""


@dataclass(frozen=True, slots=True)
class CallTotals:
    """What the calls of a filter add up to."""

    calls: int
    urls: int
    accepted: int
    rejected: int
    spent: int
    targets: int


@dataclass(frozen=True, slots=True)
class CallSum:
    """Calls of one UTC day that ended alike. `pages` counts those the calls held."""

    day: date
    account: str
    engine: str
    kind: str
    state: str
    calls: int
    pages: int


@dataclass(frozen=True, slots=True)
class BeatSum:
    """Calls of one target on one UTC day that ended alike."""

    site: str
    account: str
    day: date
    state: str
    calls: int


@dataclass(frozen=True, slots=True)
class CauseSum:
    """Calls that did not end well, by what the engine or our own rules called it."""

    account: str
    engine: str
    state: str
    cause: str | None
    code: str | None
    calls: int
    targets: int
    last_at: datetime
    message: str
    """The engine's own words in one of these calls."""
    next_step: str | None


@dataclass(frozen=True, slots=True)
class SiteSum:
    """A site as it was last looked at; None: never."""

    site: str
    listed: int
    looked_at: datetime | None
    complete: bool | None


@dataclass(frozen=True, slots=True)
class DocumentTrouble:
    """A document that could not be read at its site's last look."""

    site: str
    url: str
    trouble: str
    read_at: datetime | None
    """When it was last read well."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document under one of its site's declared sitemaps; a row for each that leads to it."""

    site: str
    sitemap: str
    url: str
    kind: str
    pages: int
    """That it listed when it was last read."""
    read_at: datetime | None
    trouble: str


@dataclass(frozen=True, slots=True)
class LookLine:
    """A look at a site that found something. The day is in UTC."""

    site: str
    at: datetime
    listed: int
    new: int
    changed: int
    gone: int


@dataclass(frozen=True, slots=True)
class PageLine:
    """One page at one target: the last call about it, or that it waits for one."""

    id: int
    loc: str
    state: str
    reason: str
    call: int | None


@dataclass(frozen=True, slots=True)
class RunSum:
    """One run and what its calls ended as."""

    run: str
    started_at: datetime
    finished_at: datetime | None
    outcome: str | None
    exit_code: int | None
    forced: str | None
    inventory_sha256: str
    calls: int
    good: int
    """Accepted, received, already there."""


@dataclass(frozen=True, slots=True)
class CrawlSum:
    """Fetches of one crawler in one section over some days. `hits` are claimed, verified and
    unverifiable ones; contradicted ones are in `not_modified` and `errors` alone."""

    site: str
    """Empty: of all sites."""
    section: str
    """Empty: of all sections."""
    crawler: str
    kind: str
    hits: int
    verified: int
    contradicted: int
    listed_hits: int
    not_modified: int
    errors: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class CrawlDaySum:
    """Fetches of one crawler on one UTC day; contradicted ones are not in `hits`."""

    day: date
    crawler: str
    kind: str
    hits: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class PageDaySum:
    """What became of the fleet's pages on one UTC day."""

    day: date
    new: int
    changed: int
    gone: int


# ---------------------------------------------------------------- as the page shows it


@dataclass(frozen=True, slots=True)
class TargetLine:
    """One site at one account. Page counts are of pages that are not gone."""

    site: str
    account: str
    engine: str
    property: str
    health: Health
    at: datetime | None
    """Since when, or when it was last so; see `Health`."""
    why: str
    beat: str
    """A letter for each of the last `BEAT_DAYS` days, the newest last (see `health.beat_of`)."""
    calls: int
    """In the window of the heartbeat."""
    troubles: int
    """Those of them that ended as rejected, unknown, failed or partial."""
    told: int
    waiting: int
    unknown: int
    rejected: int


@dataclass(frozen=True, slots=True)
class LaneLine:
    """One lane on the engine's day. A number that nobody knows is None."""

    account: str
    engine: str
    property: str
    day: date
    limit: int | None
    spent: int
    left: int | None
    resets_at: datetime
    closed_until: datetime | None
    closed_reason: str
    backlog: int
    """Pages that wait for this lane."""
    days_left: int | None
    """Until the backlog is told, today included; 0: nothing waits; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class SitemapLine:
    """One sitemap at one target: ours and the engine's word beside each other."""

    site: str
    account: str
    engine: str
    sitemap: str
    state: SitemapState
    told_at: datetime | None
    downloaded_at: datetime | None
    checked_at: datetime | None
    errors: int | None
    warnings: int | None
    theirs: int | None
    """Pages that the engine counts."""
    ours: int | None
    """Pages that we count."""
    read_after_s: int | None
    """From telling to the engine's own word of a download; None: not read since, or unknown."""
    unread_since: datetime | None
    """When it was first told since it was last read; None: it was read, or never told."""

    @property
    def drift(self) -> int | None:
        """Theirs less ours."""
        if self.theirs is None or self.ours is None:
            return None
        return self.theirs - self.ours


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A target that ended otherwise than the call before."""

    site: str
    account: str
    engine: str
    before: str
    after: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Report:
    """Everything on the page. Calls and crawls are from `since` on; the heartbeat has its own
    length. `calls` are the newest of each target, at most `calls_each`, oldest first."""

    fleet: str
    made_at: datetime
    since: datetime
    targets: tuple[TargetLine, ...]
    sites: tuple[SiteSum, ...]
    lanes: tuple[LaneLine, ...]
    sitemaps: tuple[SitemapLine, ...]
    latencies: tuple[Latency, ...]
    days: tuple[CallSum, ...]
    page_days: tuple[PageDaySum, ...]
    causes: tuple[CauseSum, ...]
    changes: tuple[ChangeLine, ...]
    alerts: tuple[Alert, ...]
    troubles: tuple[DocumentTrouble, ...]
    documents: tuple[DocumentLine, ...]
    """Some of them, where there are too many; so with `looks`, `site_crawls` and `calls`."""
    looks: tuple[LookLine, ...]
    runs: tuple[RunSum, ...]
    crawls: tuple[CrawlSum, ...]
    site_crawls: tuple[CrawlSum, ...]
    crawl_days: tuple[CrawlDaySum, ...]
    calls: tuple[LogRow, ...]
    calls_each: int
    inventory_sha256: str = ""
