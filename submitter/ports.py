"""The doors between the use cases and the outside. The contract stands in the docstrings.

Implementations live in `engines/`, `sources/`, `ledger/`; one contract suite runs over all
implementations of a port. Only `wiring` knows which one is behind a door.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from submitter.core.calls import (
    Action,
    Call,
    Check,
    Outcome,
    Property,
    QuotaReading,
    Receipt,
    Survey,
)
from submitter.core.checklist import Item
from submitter.core.comparison import PageLine
from submitter.core.findings import Finding
from submitter.core.fleet import SecretRef, Site
from submitter.core.inspection import Inspected, Inspection, ListedPage
from submitter.core.looks import (
    Delta,
    DocumentKind,
    DocumentMemory,
    PageRow,
    RootLook,
    TellRule,
    Validators,
)
from submitter.core.records import Explanation, LogRow, PageLogRow, RunRow, SitemapStatus
from submitter.core.shards import Difference, Family, FamilyChange
from submitter.core.sights import Sight
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.traits import Kind, Traits


class Clock(Protocol):
    """Time as an argument. `monotonic` is for durations, `now` (aware UTC) for records."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


# ---------------------------------------------------------------- engines


class Engine(Protocol):
    """One account at one engine. Safe to call from several threads at once.

    Makes exactly one call to the engine per `send` (never retries, never sleeps, never follows a
    redirect) and raises one of the `EngineError` classes when there is no receipt. Its messages
    hold no secret. It need not know where an action came from.
    """

    traits: Traits

    def survey(self, *, timeout_s: float) -> Survey | None:
        """Everything this account can see (one or few reads), or None if it cannot be asked."""

    def property_of(self, site: Site, survey: Survey | None) -> str:
        """The engine's own name for the site. Pure. Without a survey, what the inventory says."""

    def preflight(self, action: Action, survey: Survey | None) -> None:
        """Raise `NotAuthorized` when the survey already shows that this call must fail. Pure."""

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """See to what has to be true at the site before the first call of a lane: one or few GETs
        through `source`, none for most engines. `until` is a monotonic time. Raises NotAuthorized
        (of the property) | NotReady | EngineUnavailable; then no call of the lane may be made."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        """Make the call. Raises EngineUnavailable | QuotaExhausted | NotAuthorized | Refused |
        NotReady | OutcomeUnknown."""

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        """What the engine says about these sitemaps now; those it does not know are left out."""


@runtime_checkable
class QuotaReader(Engine, Protocol):
    """An engine that says what a lane has left when asked (`Traits.quota_readable`); the others
    are never asked."""

    def read_quota(self, property: str, *, timeout_s: float) -> QuotaReading:
        """What the engine says now. One read, spends nothing; asked before a metered lane's first
        call of a day. Raises what `send` raises, but never OutcomeUnknown."""


@runtime_checkable
class Inspector(Engine, Protocol):
    """An engine that can be asked about a single page (`Traits.inspects_per_day`)."""

    def inspect(self, property: str, url: str, *, timeout_s: float) -> Inspection:
        """What the engine knows of the page. One read, which counts against the property's day
        even when its answer is lost. Raises what `send` raises, but never OutcomeUnknown."""


class DomainOwnership(Protocol):
    """Makes one account the owner of domains at its engine, by a DNS record. A domain is a bare
    host name. Every call is one read or one idempotent write: it may be repeated. Raises what
    `Engine.send` raises, but never OutcomeUnknown."""

    @property
    def principal(self) -> str:
        """Who the account is to the engine; empty while that is not known."""

    def find(self, domain: str, *, timeout_s: float) -> Property | None:
        """The domain's property as the account sees it, None when it does not. Its owner is who
        `may_submit` (True)."""

    def record(self, domain: str, *, timeout_s: float) -> str:
        """The text that has to stand in a TXT record of the domain, for this account alone."""

    def is_verified(self, domain: str, *, timeout_s: float) -> bool:
        """The engine has found this account's record before."""

    def verify(self, domain: str, *, timeout_s: float) -> None:
        """Have the engine look for the record now. NotReady: it did not find it."""

    def add(self, domain: str, *, timeout_s: float) -> None:
        """Put the property on the account's own list."""


class Permits(Protocol):
    """The rate limiter of one account: shared by all its lanes, and by all workers later."""

    def acquire(self, *, until: float) -> bool:
        """Wait for a permit. False (and no permit taken) if none can be had before the
        monotonic time `until`."""

    def penalize(self, seconds: float) -> None:
        """Give no permit for so long: the engine said that we were too fast."""


# ---------------------------------------------------------------- sources


class Fetched(Protocol):
    """One answer of a site, while its body streams. Everything below holds after `chunks` ended
    where it depends on the body."""

    url: str
    final_url: str
    status: int
    """200 or 304; everything else was raised as FetchError."""
    content_type: str
    charset: str | None
    validators: Validators
    robots_tags: tuple[str, ...]
    """Every X-Robots-Tag of the answer, as it came."""

    def chunks(self) -> Iterator[bytes]:
        """Inflated bytes in pieces of any size. Raises FetchError when a limit or the time is
        reached or the connection breaks; what was yielded before stays good."""

    @property
    def complete(self) -> bool:
        """False when the transport cannot prove that the body ended where it should."""

    @property
    def delimited(self) -> bool:
        """The body carries a mark of its end: a length, a last chunk, a gzip trailer. Then
        `complete` alone decides. Without one (HTTP/1.0, a pipe) `complete` is never True, and a
        body that ended without FetchError is as whole as its own end (root end tag) shows."""

    @property
    def findings(self) -> Sequence[Finding]: ...


class Source(Protocol):
    """Fetches documents of sites. One GET each, redirects included; never more than the site's
    limits; only public addresses unless the site allows others. Thread-safe."""

    def fetch(
        self,
        url: str,
        *,
        site: Site,
        validators: Validators | None = None,
        until: float | None = None,
        user_agent: str | None = None,
    ) -> AbstractContextManager[Fetched]:
        """Open a document. `until` is a monotonic time that cuts the site's own timeout short.
        Raises FetchError with a stable reason; 304 only comes back when validators were given."""


# ---------------------------------------------------------------- ledger


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write. Every later owner has a higher `fence`."""

    name: str
    owner: str
    fence: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which calls to read; empty = all. `since` is inclusive; `limit` takes the newest."""

    since: datetime | None = None
    states: tuple[str, ...] = ()
    targets: frozenset[tuple[str, str]] | None = None
    """Pairs (site origin, account name); None = all."""
    run: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """How reading a document ended; handed to `DocumentSink.close`."""

    kind: DocumentKind
    complete: bool
    body_sha256: str
    content: str
    validators: Validators = Validators()
    children: tuple[str, ...] = ()
    over_limit: int = 0
    findings: tuple[Finding, ...] = ()
    dates_lie: bool = False
    """Its dates are the time of reading: they say nothing of what changed."""


class DocumentSink(Protocol):
    """Receives the pages of one document while it streams."""

    def add(self, pages: Sequence[PageRow]) -> None: ...

    def close(self, result: DocumentResult) -> None:
        """Store the document and what changed in it, in one transaction. Without `close` nothing
        of this document is kept."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """`baseline` = pages at the last look that passed the guard; `since_baseline` compares with
    it, so a held look stays held until it is forced or the site is well again."""

    first: bool
    listed: int
    delta: Delta
    baseline: int
    since_baseline: Delta


class Look(Protocol):
    """One look at one site. Only complete documents can make a page gone, and only after
    `gone_after` looks without it in any document. A page that moves between documents is neither
    new nor gone. Unchanged documents cost no page rows."""

    def remembered(self, url: str) -> DocumentMemory | None:
        """What the last look that read this document left behind."""

    def open(self, url: str) -> DocumentSink:
        """Start storing a document that is being read."""

    def keep(self, url: str, *, validators: Validators | None = None, read: bool = False) -> None:
        """The document is as remembered (304, or equal bytes when `read`): its pages stand."""

    def unreadable(self, url: str, reason: str) -> None:
        """The document is still listed but could not be read: its pages stand for now."""

    def finish(self, *, gone_after: int, complete: bool) -> LookResult:
        """End the look. `complete` False (an index was cut, the deadline came): documents that
        were not mentioned keep their pages and nothing becomes gone because of them."""


class Ledger(Protocol):
    """The memory. Intent is committed (durably) by `claim` before the first byte leaves; the
    outcome by `settle` before the lane's next call. Thread-safe. Every write under a lease fails
    with LeaseLost when a later owner took it. Times go in and come out as aware UTC."""

    # -- life
    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        """Take the named lease. Raises LedgerBusy while another owner's lease is alive."""

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        """Stretch our lease; raises LeaseLost if it was taken."""

    def release(self, lease: Lease) -> None: ...

    def bind(self, fleet_name: str) -> None:
        """A ledger belongs to one named inventory; LedgerError when it belongs to another."""

    def start_run(
        self, run: str, *, inventory_sha256: str, at: datetime, forced: str | None = None
    ) -> RunRow | None:
        """Remember that a run began. If that id is known already, change nothing and return it."""

    def finish_run(
        self, run: str, *, at: datetime, outcome: str, exit_code: int, summary: Mapping[str, object]
    ) -> None: ...

    def runs(self, *, limit: int) -> list[RunRow]:
        """Newest first."""

    def recover(self, lease: Lease, *, now: datetime, not_before: Mapping[str, datetime]) -> int:
        """Attempts left `sending` by dead owners become `unknown` (pages too, booked as spent),
        not to be told again before `not_before[account]`. Returns how many calls that were."""

    # -- looking
    def look(
        self,
        lease: Lease,
        site: str,
        *,
        tell: Sequence[TellRule],
        at: datetime,
        sections: str = "",
    ) -> Look:
        """Begin a look. `sections` fingerprints the rules by which pages get their section and
        priority: when they change, `Look.remembered` gives nothing to skip a document by."""

    def accept_look(self, lease: Lease, site: str) -> None:
        """The last look passed the guard (or was forced): it is the new baseline."""

    def record_roots(self, lease: Lease, site: str, roots: Sequence[RootLook]) -> None:
        """Remember the site's sitemaps as last looked at: for `urls_ours`, and for the day on
        which robots.txt, that named them, cannot be read."""

    def roots_of(self, site: str) -> list[str]:
        """The sitemaps last recorded for the site, in their order."""

    def adopt_pages(
        self, lease: Lease, site: str, *, account: str, pages: Sequence[PageRow], at: datetime
    ) -> None:
        """Pages named by hand: they wait to be told to this account unless they were before.
        They belong to no document, so no look makes them gone."""

    # -- planning
    def sitemap_standings(
        self, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], Mapping[str, SitemapStanding]]:
        """By target (origin, account) and sitemap; for all sites in one go when None."""

    def page_standings(
        self, now: datetime, sites: Sequence[str] | None = None
    ) -> Mapping[tuple[str, str], PageStanding]: ...

    def candidates(
        self, site: str, account: str, kind: Kind, *, now: datetime, limit: int
    ) -> list[Candidate]:
        """The next pages to tell, best first: section priority (high first), lastmod (new
        first, unknown last), order of appearance. Without those that may not be told yet."""

    def named_candidates(
        self, site: str, account: str, identities: Sequence[str], *, now: datetime
    ) -> tuple[list[Candidate], PageStanding]:
        """As `candidates` and `page_standings`, but about these pages only, in the order given."""

    def allowances(self) -> Mapping[tuple[str, str], Allowance]:
        """The newest day's allowance of each lane (account, property)."""

    def urls(self, site: str, pages: Sequence[int]) -> list[str]:
        """The spellings of these pages, in the order given."""

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
        """Commit the intent: a row in `sending`, the pages marked with it, the allowance as it
        stands with this call booked. Returns the attempt's id. Durable when it returns.

        A withdrawal is a row of the log like any other; the sitemap's standing stays as it is
        until `settle` says that the engine took it or has no such sitemap (TOLD). Then nothing
        stands any more: the sitemap is as one that was never told, its history stays."""

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
        """Commit the outcome for the call, each of its pages, and the allowance."""

    def defer(
        self, lease: Lease, action: Action, *, not_before: datetime | None, reason: str
    ) -> None:
        """Remember that a planned call was not begun. Its pages keep their place. Of a withdrawal
        nothing is remembered."""

    def save_allowance(self, lease: Lease, allowance: Allowance) -> None: ...

    def recent_sends(self, account: str, *, since: datetime) -> list[datetime]:
        """When this account's calls were sent, oldest first: the limiter starts from it."""

    # -- asking
    def save_survey(self, survey: Survey, *, at: datetime) -> None: ...
    def surveys(self) -> Mapping[str, tuple[Survey, datetime]]: ...

    def record_checks(
        self, lease: Lease, site: str, account: str, checks: Sequence[Check], *, at: datetime
    ) -> None: ...

    # -- reading back
    def log(self, which: LogFilter) -> Iterator[LogRow]:
        """Oldest first, streamed."""

    def page_log(self, which: LogFilter) -> Iterator[PageLogRow]: ...

    def statuses(self, sites: Sequence[str] | None = None) -> list[SitemapStatus]:
        """Every sitemap ever told, planned or checked, by site, account, sitemap."""

    def explain(self, identity: str) -> list[Explanation]:
        """By a page's normal form; one entry per site that lists it (usually one)."""

    def documents_of(self, site: str) -> list[DocumentMemory]: ...

    def sample_pages(self, site: str, *, limit: int) -> list[str]:
        """The spellings of some pages that the site lists now, those seen first at the latest look
        before others. The same ones every time, as long as the site lists the same."""

    def close(self) -> None: ...


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


# ---------------------------------------------------------------- published files


class FamilyDraft(Protocol):
    """One family of files against a new list: `add` the list, look at the `difference`, `finish`.

    A page stays in the file it stands in; what is equal is not touched.
    """

    def add(self, pages: Iterable[PageLine]) -> None:
        """More of the list. A page named twice counts once."""

    def difference(self) -> Difference:
        """What the list says against the files; it must be whole. Nothing is written yet."""

    def finish(
        self, *, registered: frozenset[int] = frozenset(), keep_unlisted: bool = False
    ) -> FamilyChange:
        """Make the changed files ready, read back and compared; once, as the last.

        `registered` numbers stay although no page is left (see `Fate.EMPTIED`), and take new
        pages first. `keep_unlisted`: the list was not whole, so nothing is gone.
        """


class Edition(Protocol):
    """A new set of files. What stands in the folder is untouched until `publish`."""

    def draft(self, family: Family) -> FamilyDraft:
        """Read the family's files as they stand."""

    def publish(self) -> None:
        """Put the new files in place, each at once or not at all, then remove what is retired."""


class SitemapFolder(Protocol):
    """A folder of published sitemaps. Raises PublishError when it cannot be read, written or
    locked, or when a file with a name of ours was not written by us."""

    def edition(self) -> AbstractContextManager[Edition]:
        """Work on the folder alone; without `publish`, nothing of it remains."""


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


# ---------------------------------------------------------------- secrets


class Secret(Protocol):
    """A secret that cannot be printed: `str`, `repr` and pickling show only a mask."""

    def reveal(self) -> str: ...


class Secrets(Protocol):
    """Finds secrets by reference. Raises ConfigError that names the reference, never the value."""

    def resolve(self, ref: SecretRef) -> Secret: ...


class Progress(Protocol):
    """Tells a person how far long work has come. Silent in pipes."""

    def start(self, title: str, total: int | None) -> None: ...
    def advance(self, steps: int = 1) -> None: ...
    def stop(self) -> None: ...
