"""From standing and check to the one word that `status` shows for a sitemap at a target."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from submitter.core.calls import Check
from submitter.core.standing import SitemapStanding
from submitter.core.traits import Kind, Traits

STUCK_AFTER = timedelta(days=3)
"""Google retries a failed fetch 'for a few days' and then stops.
Source: https://support.google.com/webmasters/answer/7451001, read 2026-11-30."""


class SitemapState(StrEnum):
    NEVER_SUBMITTED = "never_submitted"
    QUEUED = "queued"
    """Taken by the engine; no fetch since then is known."""
    FETCHED = "fetched"
    FETCHED_WITH_ERRORS = "fetched_with_errors"
    STUCK = "stuck"
    """Taken long ago and still not fetched."""
    NOT_SUPPORTED = "not_supported"
    """This engine cannot be told sitemaps."""


def sitemap_state(
    standing: SitemapStanding | None,
    check: Check | None,
    *,
    traits: Traits,
    now: datetime,
    stuck_after: timedelta = STUCK_AFTER,
) -> SitemapState:
    """`fetched` needs the engine's own word of a download since the last submission; `pending`
    alone proves nothing (it has been seen true for weeks, and false while pending)."""
    if Kind.SITEMAP not in traits.tells:
        return SitemapState.NOT_SUPPORTED
    told_at = standing.told_at if standing else None
    submitted = told_at or (check.last_submitted if check else None)
    if submitted is None:
        return SitemapState.NEVER_SUBMITTED
    if check is not None and _fetched_since(check, submitted):
        return SitemapState.FETCHED_WITH_ERRORS if check.errors else SitemapState.FETCHED
    return SitemapState.STUCK if now - submitted > stuck_after else SitemapState.QUEUED


def _fetched_since(check: Check, submitted: datetime) -> bool:
    """Engines give whole seconds or milliseconds; ours are finer."""
    fetched = check.last_downloaded
    return fetched is not None and fetched >= submitted.replace(microsecond=0)
