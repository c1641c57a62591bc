"""The doors to engines, and to the one who waits before them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from submitter.core.calls import (
    Action,
    Call,
    Check,
    Property,
    QuotaReading,
    Receipt,
    Survey,
)
from submitter.core.fleet import Site
from submitter.core.inspection import Inspection
from submitter.core.traits import Traits
from submitter.ports.sources import Source


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
        """Raise `NotAuthorized` when the survey already shows that this call must fail.
        Asks nobody."""

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
