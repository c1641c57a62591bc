"""From standing and check to the one word that `status` shows for a sitemap at a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from submitter.core.causes import in_words, next_step_of
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import STUCK_AFTER_DAYS
from submitter.core.lastrun import LastRun
from submitter.core.records import SitemapStatus
from submitter.core.sights import Sight
from submitter.core.states import TOLD
from submitter.core.traits import Kind, Traits

STUCK_AFTER = timedelta(days=STUCK_AFTER_DAYS)


class SitemapState(StrEnum):
    NEVER_SUBMITTED = "never_submitted"
    """Neither this ledger nor the engine knows of a submission that stands: it was never told, or
    was withdrawn since (`explain` says which)."""
    QUEUED = "queued"
    """Taken by the engine; no fetch since then is known."""
    FETCHED = "fetched"
    """The engine says it read the sitemap since the last submission."""
    FETCHED_WITH_ERRORS = "fetched_with_errors"
    """As `fetched`, and it found errors."""
    STUCK = "stuck"
    """Taken long ago and still not fetched; or the engine could not fetch it although we can."""
    NOT_SUPPORTED = "not_supported"
    """This engine cannot be told sitemaps."""


def sitemap_state(
    known: SitemapStatus | None,
    *,
    traits: Traits,
    waiting_since: datetime | None = None,
    stuck_after: timedelta = STUCK_AFTER,
) -> SitemapState:
    """`fetched` needs the engine's own word of a download since the last submission; `pending`
    alone proves nothing (it has been seen true for weeks, and false while pending). `stuck` needs
    its word, too, that long after: an engine that was not asked may have been there.

    `waiting_since`: when it was first told since the engine last fetched it, where that was before
    the last time it was told.
    """
    if Kind.SITEMAP not in traits.tells:
        return SitemapState.NOT_SUPPORTED
    submitted = submitted_at(known)
    if known is None or submitted is None:
        return SitemapState.NEVER_SUBMITTED
    if is_fetched(known):
        errors = known.check is not None and known.check.errors
        return SitemapState.FETCHED_WITH_ERRORS if errors else SitemapState.FETCHED
    asked_at, since = known.checked_at, min(submitted, waiting_since or submitted)
    late = asked_at is not None and asked_at - since > stuck_after
    return SitemapState.STUCK if late or _could_not_fetch(known) else SitemapState.QUEUED


WHOLE_SITE = frozenset({"guard", "audit", "not-looked-at"})
"""Skip reasons of all that there is of a target."""


@dataclass(frozen=True, slots=True)
class LastTry:
    """What the last run made of a sitemap, or of the pages where the engine takes no sitemaps.
    `state` None: nothing is open."""

    state: str | None = None
    why: Finding | None = None


def last_try(
    sitemap: str | None, known: SitemapStatus | None, traits: Traits, site: str, last: LastRun
) -> LastTry:
    """In the run's own words: what was found in the way before any call, or what held the site."""
    kind = Kind.SITEMAP if Kind.SITEMAP in traits.tells else Kind.URLS
    standing = known.standing if known and kind is Kind.SITEMAP else None
    if standing is not None and standing.state in TOLD:
        return LastTry()
    problem = last.given_up(kind, sitemap if kind is Kind.SITEMAP else None)
    if problem and (standing is None or standing.reason == problem.cause):
        words = ". ".join(filter(None, (problem.meaning or problem.message, problem.next_step)))
        where = problem.target if kind is Kind.SITEMAP else site
        why = Finding(problem.cause, Severity.WARNING, where, words, problem.uncalled)
        return LastTry(problem.state, why)
    if standing is not None:
        return LastTry(str(standing.state))
    skips = [one for one in last.skips if one.kind is kind and one.column == "skipped"]
    held = (
        *last.held_by("guard", site, traits.crawler),
        *last.held_by("audit", site, traits.crawler),
        *(_errors_of(sitemap, last) if kind is Kind.SITEMAP else ()),
    )
    if any(one.reason in WHOLE_SITE for one in skips) or (skips and held):
        return LastTry("skipped", next(iter(held), None))
    return LastTry()


def _errors_of(sitemap: str | None, last: LastRun) -> list[Finding]:
    errors = [one for one in last.findings if one.severity is Severity.ERROR]
    return [one for one in errors if sitemap and one.where.partition(" ")[0] == sitemap]


def submitted_at(known: SitemapStatus | None) -> datetime | None:
    """By our own word, else by the engine's."""
    if known is None:
        return None
    told_at = known.standing.told_at if known.standing else None
    return told_at or (known.check.last_submitted if known.check else None)


def is_fetched(known: SitemapStatus) -> bool:
    """Since it was last submitted. Engines give whole seconds or milliseconds; ours are finer."""
    submitted = submitted_at(known)
    fetched = known.check.last_downloaded if known.check else None
    if fetched is None or submitted is None:
        return False
    return fetched >= submitted.replace(microsecond=0)


def _could_not_fetch(known: SitemapStatus) -> bool:
    """The engine counts errors in what it never had, and we found pages in it."""
    check = known.check
    failed = check is not None and check.last_downloaded is None and bool(check.errors)
    return failed and bool(known.urls_ours)


def stuck_finding(known: SitemapStatus, sights: Sequence[Sight]) -> Finding:
    """Why a stuck sitemap is stuck, as far as our own eyes show; `sights` of it, as ourselves and
    as the engine's crawler. Without sights nothing is claimed of the site."""
    ours = next((one for one in sights if not one.agent), None)
    theirs = next((one for one in sights if one.agent), None)
    since = f"told on {submitted_at(known):%Y-%m-%d}"
    seen = "; ".join(f"as {one.name}: {one.words}" for one in (ours, theirs) if one is not None)
    problem = f"{since}; {seen or 'we have not looked at it ourselves'}"
    cause = _why_stuck(ours, theirs)
    message = f"{in_words(cause, problem)}. {next_step_of(cause)}"
    return Finding(cause, Severity.WARNING, known.sitemap, message)


def _why_stuck(ours: Sight | None, theirs: Sight | None) -> str:
    if ours is None:
        return "stuck"
    shown = theirs or ours
    if shown.readable:
        return "stuck-unexplained"
    return "stuck-blocked" if ours.readable else "stuck-unreadable"
