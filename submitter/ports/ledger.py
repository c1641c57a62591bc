"""The door to the memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from submitter.core.calls import (
    Action,
    Check,
    Outcome,
    Survey,
)
from submitter.core.looks import (
    DocumentMemory,
    PageRow,
    RootLook,
    TellRule,
)
from submitter.core.records import Explanation, LogRow, PageLogRow, RunRow, SitemapStatus
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ports.looks import Look


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


class Ledger(Protocol):
    """The memory. Intent is committed (durably) by `claim` before the first byte leaves; the
    outcome by `settle` before the lane's next call. Thread-safe. Every write under a lease fails
    with LeaseLost when a later owner took it. Times go in and come out as aware UTC."""

    # -- life
    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        """Take the named lease. Raises LedgerBusy while another owner's is alive, and, of a lease
        `whole` and its parts `whole/…`, while the whole or any part is held."""

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

    def root_looks(self, site: str) -> list[RootLook]:
        """The same as they were last looked at. One that could not be read keeps the pages that
        it had when it could."""

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
        self,
        lease: Lease,
        action: Action,
        *,
        not_before: datetime | None,
        reason: str,
        state: State = State.DEFERRED,
    ) -> None:
        """Remember that a planned call was not begun; `state` is what the run counts it as, and is
        a sitemap's from then on. Pages keep their place. Of a withdrawal nothing is
        remembered."""

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
