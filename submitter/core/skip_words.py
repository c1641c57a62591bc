"""Why something is found and not sent, in words: one row for each skip reason."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LATER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "quota": "today's quota is spent",
        "run-limit": "more than one run sends",
        "not-before": "the engine asked to wait",
        "retry-after": "the engine asked to wait",
        "unknown": "sent before, no answer was read",
        "too-soon": "told a moment ago",
        "deadline": "no time was left",
        "stopped": "the run was stopped",
        "engine-unavailable": "the engine does not answer",
        "unconfirmed": "gone pages that did not say so yet",
    }
)
"""Reasons of what is sent later by itself. For the docs; they only grow."""

NOT_NOW: Final[Mapping[str, str]] = MappingProxyType(
    {
        "guard": "held by the guard",
        "audit": "held by its audit",
        "not-looked-at": "the site was not looked at",
        "sitemap-disallowed": "robots.txt closes it to the engine's crawler",
        "unreadable": "the sitemap could not be read",
        "rejected-before": "rejected before, unchanged",
        "unchanged": "told before, unchanged",
        "already-told": "told before",
        "first-run": "older than the first run sends",
        "key-outside-scope": "the key file does not speak for it",
        "still-there": "left the sitemaps, and answers",
    }
)
"""Reasons of what is not sent until something changes. For the docs; they only grow."""

NEXT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "guard": "Mend the site; `submitter run --site SITE --force REASON` lets it through as it"
        " is.",
        "audit": "Mend what the audit found; `submitter run --site SITE --force REASON` lets it"
        " through as it is.",
        "not-looked-at": "Run `submitter run`, which looks at it.",
        "unreadable": "See `submitter flatten` for what the server answers.",
        "rejected-before": "It is told again once it has changed.",
        "first-run": "`submitter submit --account NAME URL` tells it all the same.",
    }
)
"""Reason → what a person may do; for the others waiting is all there is to do, or a row of the
causes says it."""


def words_of(reason: str) -> str | None:
    return LATER.get(reason) or NOT_NOW.get(reason)


def reason_words(reason: str) -> str:
    """With the reason itself, by which it is found in the reference."""
    words = words_of(reason)
    return f"{words} ({reason})" if words else reason
