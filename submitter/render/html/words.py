"""The dashboard's words: each state has a word, a shape and a tone, so that none needs a colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from submitter.core.health import BEATS, Health
from submitter.core.states import PARTIAL, State
from submitter.core.status import SitemapState


@dataclass(frozen=True, slots=True)
class Look:
    """`tone`: good, mild, wait, odd, bad or none. `icon`: the name of a drawing in `page.svg`."""

    word: str
    tone: str
    icon: str
    meaning: str


HEALTH: Final[Mapping[Health, Look]] = MappingProxyType(
    {
        Health.FAILING: Look("failing", "bad", "cross", "a call was not carried out"),
        Health.BLOCKED: Look("blocked", "bad", "lock", "not begun until a person does something"),
        Health.REJECTED: Look("rejected", "bad", "ban", "the engine does not want something"),
        Health.PARTIAL: Look("partly taken", "bad", "half", "the engine took some pages only"),
        Health.ERRORS: Look("read, errors", "bad", "alert", "the engine read it and found errors"),
        Health.HELD: Look("held", "odd", "hand", "held by guard, audit or a broken sitemap"),
        Health.LATE: Look("late", "odd", "late", "taken long ago and still not read"),
        Health.UNKNOWN: Look("unknown", "odd", "question", "sent, and the answer was lost"),
        Health.SENDING: Look("sending", "odd", "arrow", "a call is under way"),
        Health.PAUSED: Look("paused", "wait", "pause", "something waits and the lane is closed"),
        Health.WAITING: Look("waiting", "wait", "clock", "something waits, nothing is wrong"),
        Health.NEVER: Look("never told", "none", "dash", "nothing was ever told"),
        Health.RECEIVED: Look("received", "mild", "inbox", "taken, not yet confirmed"),
        Health.ACCEPTED: Look("accepted", "mild", "check", "taken; whether it was read is unknown"),
        Health.READ: Look("read", "good", "checks", "the engine says that it read it since"),
        Health.RETIRED: Look("retired", "none", "archive", "the inventory names it no more"),
    }
)

CALLS: Final[Mapping[str, Look]] = MappingProxyType(
    {
        State.ACCEPTED: Look("accepted", "good", "check", "the engine's own answer says so"),
        State.ALREADY: Look("already", "good", "check", "the engine had it"),
        State.RECEIVED: Look("received", "mild", "inbox", "taken, not yet confirmed"),
        State.DEFERRED: Look("deferred", "wait", "clock", "waits for something named"),
        State.SENDING: Look("sending", "wait", "arrow", "no outcome is stored yet"),
        State.UNKNOWN: Look("unknown", "odd", "question", "sent, no readable answer"),
        PARTIAL: Look("partial", "bad", "half", "its pages ended in more than one state"),
        State.REJECTED: Look("rejected", "bad", "ban", "the engine does not want it"),
        State.FAILED: Look("failed", "bad", "cross", "the call was not carried out"),
    }
)
"""In the order in which a day's calls are stacked, from below."""

SITEMAPS: Final[Mapping[SitemapState, Look]] = MappingProxyType(
    {
        SitemapState.FETCHED_WITH_ERRORS: Look("read, errors", "bad", "alert", ""),
        SitemapState.STUCK: Look("late", "odd", "late", ""),
        SitemapState.QUEUED: Look("taken, not read", "wait", "clock", ""),
        SitemapState.NEVER_SUBMITTED: Look("never told", "none", "dash", ""),
        SitemapState.FETCHED: Look("read", "good", "checks", ""),
        SitemapState.NOT_SUPPORTED: Look("cannot be told", "none", "dash", ""),
    }
)

SEVERITIES: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "error": Look("error", "bad", "cross", ""),
        "warning": Look("warning", "odd", "alert", ""),
        "info": Look("info", "mild", "dash", ""),
    }
)

OUTCOMES: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "ok": Look("ok", "good", "check", ""),
        "nothing": Look("nothing to do", "good", "dash", ""),
        "partial": Look("partial", "odd", "half", ""),
        "held": Look("held", "odd", "pause", ""),
        "deadline": Look("deadline", "odd", "clock", ""),
        "stopped": Look("stopped", "odd", "clock", ""),
        "failed": Look("failed", "bad", "cross", ""),
        "unfinished": Look("not finished", "odd", "question", ""),
    }
)

LOOKS: Final[Mapping[str, Mapping[str, Look]]] = MappingProxyType(
    {
        "health": {str(key): look for key, look in HEALTH.items()},
        "call": {str(key): look for key, look in CALLS.items()},
        "sitemap": {str(key): look for key, look in SITEMAPS.items()},
        "severity": SEVERITIES,
        "outcome": OUTCOMES,
    }
)
"""By kind of column; within a kind in the order in which a table sorts them."""

UNKNOWN_LOOK = Look("", "none", "question", "")

BEAT_LOOKS: Final[Mapping[str, Look]] = MappingProxyType(
    {letter: CALLS[state] for state, letter in BEATS.items()}
)
"""`v` and `a` stand for one state each, in the words of the log."""


def look_of(kind: str, value: str) -> Look:
    """A value that nobody described keeps its own word."""
    known = LOOKS[kind].get(value)
    return known or Look(value or "–", UNKNOWN_LOOK.tone, UNKNOWN_LOOK.icon, "")
