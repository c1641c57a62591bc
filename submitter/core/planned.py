"""What the planner is given about each target, and the plan that it makes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from submitter.core.calls import Action
from submitter.core.findings import Finding
from submitter.core.fleet import Target
from submitter.core.looks import SiteLook
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.states import State
from submitter.core.traits import Kind, Traits

WHOLE_ACCOUNT = "*"
"""Property name of the allowance row that closes an account as a whole."""

OUTSIDE = "key-outside-scope"
"""Skip reason, and cause, of pages that an account may not tell (see `core.reach`)."""

DEFERRING = frozenset(
    {
        *("quota", "run-limit", "not-before", "retry-after", "unknown", "too-soon", "deadline"),
        "unconfirmed",
    }
)
"""Skip reasons that mean 'later, by itself'; all others mean 'not, until something changes'."""

KNOWN = frozenset({"unchanged", "already-told", "too-soon"})
"""Skip reasons that mean 'the engine has it'."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Something found and not sent. `account` None: it concerns the site at every account."""

    site: str
    account: str | None
    kind: Kind
    reason: str
    count: int
    until: datetime | None = None

    @property
    def column(self) -> str:
        return State.DEFERRED if self.reason in DEFERRING else "skipped"


@dataclass(frozen=True, slots=True)
class Wait:
    """A page that has to be told: why it waits still, and until when."""

    why: str
    not_before: datetime | None = None

    @property
    def held_for(self) -> str:
        """The skip reason while its moment has not come."""
        return self.why if self.why in ("unknown", "too-soon") else "not-before"


@dataclass(frozen=True, slots=True)
class FastShare:
    """The pages that go into a target's fast lane (see `Traits.fast_lane`)."""

    allowance: Allowance
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class TargetInput:
    """Everything the planner may know about one target. `held` = why the guard holds it."""

    target: Target
    traits: Traits
    property: str
    look: SiteLook | None
    sitemaps: Mapping[str, SitemapStanding] = field(default_factory=dict)
    pages: PageStanding = PageStanding()
    candidates: Mapping[Kind, Sequence[Candidate]] = field(default_factory=dict)
    allowance: Allowance | None = None
    fast: FastShare | None = None
    held: tuple[Finding, ...] = ()
    audited: tuple[Finding, ...] = ()
    """Why its audit holds it."""
    unconfirmed: Mapping[str, int] = field(default_factory=dict)
    """Pages waiting to be told as gone that did not say so themselves, by skip reason."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Stuck sitemap → the readable further address that is told in its place."""
    notes: tuple[Finding, ...] = ()
    """What else there is to say about the target."""
    outside: Mapping[Kind, int] = field(default_factory=dict)
    """Waiting pages that the account may not tell."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be sent, in sending order within each lane, and why the rest would not be."""

    made_at: datetime
    actions: tuple[Action, ...]
    skips: tuple[Skip, ...]
    allowances: tuple[Allowance, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def digest(self) -> str:
        """Equal for equal work: sites, accounts, kinds, targets, contents and order count."""
        text = "\n".join(f"{action.key} {action.size}" for action in self.actions)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
