"""What the lanes of a run share: ways to the engines, rules, and the run's own context."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from submitter.core.calls import Survey
from submitter.core.fleet import Account, Site
from submitter.core.traits import Traits
from submitter.kit.retries import RetryRules
from submitter.ports import Clock, Engine, Lease, Ledger, Permits, Progress, Source


@dataclass(slots=True)
class Login:
    """What the engine made of an account since its channel was opened."""

    is_refused: bool = False
    """It did not let the account in, or found a secret wrong."""
    surveyed_at: datetime | None = None
    """When it last said what the account can see."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One account's way to its engine."""

    account: Account
    engine: Engine
    permits: Permits
    login: Login = field(default_factory=Login)

    @property
    def traits(self) -> Traits:
        return self.engine.traits


@dataclass(frozen=True, slots=True)
class RunRules:
    """How a run behaves. Times in seconds."""

    retries: RetryRules = RetryRules()
    call_timeout_s: float = 30.0
    least_call_s: float = 3.0
    """With less time left than this, no call is begun: it could not be finished and stored."""
    workers: int = 8
    """Calls in flight for one account; the limiter decides how many really start."""
    beat_s: float = 30.0
    """How often a lease that is held is renewed, well before it runs out."""
    breaker: int = 5
    """So many actions in a row that an account's engine did not take close it for this run."""


@dataclass(slots=True)
class RunContext:
    """What all lanes of a run share."""

    ledger: Ledger
    lease: Lease
    clock: Clock
    run: str
    sites: Mapping[str, Site]
    source: Source
    progress: Progress
    rules: RunRules = RunRules()
    until: float = float("inf")
    """Monotonic time at which everything has to be stored."""
    surveys: Mapping[str, tuple[Survey, datetime]] = field(default_factory=dict)
    """By account, what earlier jobs were told and when, to go by while that is fresh; a whole run
    asks anew."""
    stop: threading.Event = field(default_factory=threading.Event)

    def is_over(self) -> bool:
        return self.stop.is_set() or self.clock.monotonic() + self.rules.least_call_s > self.until

    def call_timeout_s(self) -> float:
        left = self.until - self.clock.monotonic() - 1.0
        return max(1.0, min(self.rules.call_timeout_s, left))
