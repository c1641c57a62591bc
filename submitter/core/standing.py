"""What the ledger already knows about targets: the planner's second input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from submitter.core.states import State
from submitter.core.traits import Kind


@dataclass(frozen=True, slots=True)
class SitemapStanding:
    """The last word about one sitemap at one target."""

    sitemap: str
    state: State
    content: str
    """Content fingerprint at the last attempt."""
    at: datetime
    told_at: datetime | None
    """When it was last accepted (or received, or already there)."""
    told_content: str | None
    not_before: datetime | None = None
    reason: str = ""
    """Why the last planned call was not begun: a cause, a code or words; empty after a call."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page waiting to be told to one target, in sending order."""

    id: int
    loc: str
    why: str
    """`new`, `changed`, `gone`, `unknown` (asked again by rule), `failed` or `deferred`."""


@dataclass(frozen=True, slots=True)
class PageStanding:
    """Pages of one target. `counts` are listed pages by state; `waiting` still has to be told."""

    waiting: Mapping[Kind, int] = field(default_factory=dict)
    held: Mapping[tuple[Kind, str], int] = field(default_factory=dict)
    """Waiting pages that may not be told yet, by reason: `not-before`, `unknown`, `too-soon`."""
    counts: Mapping[State, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one lane may still spend on one engine day.

    `spent` counts everything sent and not known to be untaken: accepted, in flight and unknown.
    `reported_left` is the engine's newest word, `spent_since` what was booked after it.
    """

    account: str
    property: str
    day: date
    limit: int | None = None
    spent: int = 0
    reported_left: int | None = None
    spent_since: int = 0
    closed_until: datetime | None = None
    closed_reason: str = ""
