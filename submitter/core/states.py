"""The states of an attempt and of a page at a target, and the columns every report counts in."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """What we know. `accepted` only when the engine's own answer, read whole and stored, says so.

    planned → sending → accepted | received | already | rejected | deferred | unknown | failed
    """

    PLANNED = "planned"
    """To be sent; nothing left yet."""
    SENDING = "sending"
    """The intent is stored; no outcome is yet."""
    ACCEPTED = "accepted"
    """The engine's own answer, read whole and stored, says so."""
    RECEIVED = "received"
    """Taken, not yet confirmed (IndexNow 202)."""
    ALREADY = "already"
    """The engine says it has it (409)."""
    REJECTED = "rejected"
    """The engine does not want this item; the same bytes are never sent again."""
    DEFERRED = "deferred"
    """Waits for something named: quota day, Retry-After, a host not loaded yet, the deadline."""
    UNKNOWN = "unknown"
    """Sent, no readable answer; counts as spent until the engine's written rule resolves it."""
    FAILED = "failed"
    """The call was not carried out and nothing is spent; a later run may try."""


PARTIAL = "partial"
"""State of a call (never of a page) whose pages ended in more than one state."""

TOLD = frozenset({State.ACCEPTED, State.RECEIVED, State.ALREADY})
"""The engine has it: it is not told again unless something changed."""

WRONG = frozenset({State.REJECTED, State.UNKNOWN, State.FAILED})
"""It did not go well, or nobody knows."""

SETTLED_COLUMNS = (
    "accepted",
    "received",
    "already",
    "rejected",
    "deferred",
    "unknown",
    "failed",
    "skipped",
)
"""The columns of `C` in every report, in this order; they add up to what was found."""
