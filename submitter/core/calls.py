"""What goes to an engine and what comes back: action, call, receipt, outcome, check."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from submitter.core.states import State
from submitter.core.traits import Kind


@dataclass(frozen=True, slots=True)
class Action:
    """One planned call. Sorted by `order`, its `key` is the same whenever it is planned again.

    `pages` are ledger ids in sending order (empty for a sitemap); `target` is the sitemap, or the
    first page; `content` fingerprints what the engine would be told, so that a rejected one is
    never sent again unchanged; `cost` is what the call takes from the lane's allowance.
    """

    site: str
    account: str
    engine: str
    property: str
    kind: Kind
    target: str
    reason: str
    content: str
    pages: tuple[int, ...] = ()
    cost: int = 0

    @builtins.property
    def size(self) -> int:
        """Pages this call tells; a sitemap counts as none."""
        return len(self.pages)

    @builtins.property
    def key(self) -> str:
        text = "\0".join((self.site, self.account, self.kind, self.target, self.content))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Call:
    """An action with the spellings that are sent. `urls` is empty for a sitemap."""

    action: Action
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """An engine's answer, read whole. Numbers are the engine's own.

    `state` holds for every page not in `rejected`; `unaccounted` counts the pages about which the
    answer says nothing although its sums should have covered them.
    """

    state: State
    http_status: int
    code: str | None = None
    message: str = ""
    rejected: Mapping[str, str] = field(default_factory=dict)
    """Address as sent → the engine's reason."""
    unaccounted: int = 0
    spent: int | None = None
    """What the engine says this call took from the allowance; None: the call's planned cost."""
    quota_left: int | None = None
    quota_limit: int | None = None
    common_spent: int = 0
    """A push into a fast lane (`Traits.fast_lane`): what it took from the common lane instead."""
    common_left: int | None = None
    """And what the engine says is left there."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt ended as, ready to be stored.

    `state` may be `partial`; `rest` is the state of every page not in `rejected`. `accepted` and
    `rejected_count` are in pages (1 for a sitemap). `spent` is booked on the lane's allowance,
    `common_spent` on that of the common lane beside a fast one.
    """

    state: str
    rest: State
    accepted: int = 0
    rejected: Mapping[str, str] = field(default_factory=dict)
    unaccounted: int = 0
    spent: int = 0
    http_status: int | None = None
    code: str | None = None
    message: str = ""
    quota_left: int | None = None
    common_spent: int = 0
    common_left: int | None = None
    not_before: datetime | None = None
    cause: str | None = None
    next_step: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """What an engine says later about one sitemap; a field it did not send is None."""

    property: str
    sitemap: str
    last_submitted: datetime | None = None
    last_downloaded: datetime | None = None
    is_pending: bool | None = None
    is_index: bool | None = None
    errors: int | None = None
    warnings: int | None = None
    urls_submitted: int | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """One property as the engine lists it for an account; `role` in the engine's own word."""

    name: str
    role: str
    may_submit: bool | None
    """True yes, False no, None: sources disagree, so it is tried and the answer recorded."""
    url: str = ""
    """Its address, at engines whose names for properties are none."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything an account can see at its engine, asked once before the first write."""

    account: str
    properties: tuple[Property, ...]
    principal: str = ""
    """Who the account is to the engine (a service account's e-mail), for messages."""


@dataclass(frozen=True, slots=True)
class QuotaReading:
    """What an engine says that a lane has on the engine's day; a number it did not give is None."""

    limit: int | None = None
    """For the whole day."""
    left: int | None = None
