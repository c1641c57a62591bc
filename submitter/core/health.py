"""How a target stands, in one word, and why: what the dashboard's matrix shows.

Never more than is known: `accepted` is the engine's receipt, `read` its own later word that it
fetched the sitemap. Late is not failing, and waiting for quota is neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from submitter.core.causes import find_cause
from submitter.core.records import LogRow, SitemapStatus
from submitter.core.standing import Allowance, PageStanding, SitemapStanding
from submitter.core.states import PARTIAL, TOLD, State
from submitter.core.status import SitemapState, submitted_at
from submitter.core.traits import OF_SITEMAPS


class Health(StrEnum):
    """The worst first. Beside each stands what its time means."""

    FAILING = "failing"
    """A call was not carried out; since that call."""
    BLOCKED = "blocked"
    """A planned call is not begun until a person does something; when that was last so."""
    REJECTED = "rejected"
    """The engine does not want something; since that call."""
    PARTIAL = "partial"
    """The engine took some pages of the last call and not others; since that call."""
    ERRORS = "errors"
    """The engine read a sitemap and found errors; when it read it."""
    HELD = "held"
    """The newest run held it back by a rule of ours (see `HOLDS`); the last call."""
    LATE = "late"
    """Taken long ago and still not read; since it was told."""
    UNKNOWN = "unknown"
    """A call was sent and its answer was lost; since that call."""
    SENDING = "sending"
    """A call is under way; since it began."""
    PAUSED = "paused"
    """Something waits and the lane is closed; until then."""
    WAITING = "waiting"
    """Something waits and nothing is wrong; the last call."""
    NEVER = "never"
    """Nothing was ever told."""
    RECEIVED = "received"
    """Taken and not yet confirmed; the last call."""
    ACCEPTED = "accepted"
    """All that was told was accepted, and nothing is known of its being read; the last call."""
    READ = "read"
    """The engine says that it read every sitemap since it was told; the oldest such reading."""
    RETIRED = "retired"
    """The inventory does not name it any more; the last call."""


BAD = frozenset({Health.FAILING, Health.BLOCKED, Health.REJECTED, Health.PARTIAL, Health.ERRORS})
ODD = frozenset({Health.HELD, Health.LATE, Health.UNKNOWN, Health.SENDING})
GOOD = frozenset({Health.RECEIVED, Health.ACCEPTED, Health.READ})

HOLDS: Mapping[str, str] = {
    "guard": "held by the guard",
    "audit": "held by its audit",
    "unreadable": "the sitemap could not be read",
}
"""Reasons for not sending after which somebody should look at the site."""

TROUBLED = (State.FAILED, State.REJECTED, PARTIAL, State.UNKNOWN)
"""States of a call in which somebody may have something to do, the worst first."""

_OF_STATE: Mapping[str, Health] = {
    State.FAILED: Health.FAILING,
    State.REJECTED: Health.REJECTED,
    PARTIAL: Health.PARTIAL,
    State.UNKNOWN: Health.UNKNOWN,
    State.SENDING: Health.SENDING,
}

BEATS: Mapping[str, str] = {
    State.FAILED: "f",
    State.REJECTED: "r",
    PARTIAL: "p",
    State.UNKNOWN: "u",
    State.SENDING: "s",
    State.DEFERRED: "w",
    State.RECEIVED: "v",
    State.ALREADY: "a",
    State.ACCEPTED: "a",
}
"""A day's letter is that of the worst thing on it; the worst first."""
NO_BEAT = "."
_WORST = {letter: rank for rank, letter in enumerate(dict.fromkeys((*BEATS.values(), NO_BEAT)))}


@dataclass(frozen=True, slots=True)
class SitemapFacts:
    """One sitemap at one target, as far as anybody knows."""

    known: SitemapStatus
    state: SitemapState
    unread_since: datetime | None = None
    """When it was first told since the engine last read it, where that is known."""


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """Everything that is known of one target. `last` is its newest call; `held` why the newest run
    held it back, one of `HOLDS` or empty."""

    engine: str = ""
    last: LogRow | None = None
    sitemaps: Sequence[SitemapFacts] = ()
    pages: PageStanding = field(default_factory=PageStanding)
    lanes: Sequence[Allowance] = ()
    retired: bool = False
    held: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` is in the words of whoever said it; empty where the word says all."""

    health: Health
    at: datetime | None = None
    why: str = ""


def health_of(facts: TargetFacts, now: datetime) -> Verdict:
    """The worst that is true of it; a target that is retired is nothing else."""
    last_at = None if facts.last is None else facts.last.settled_at or facts.last.sent_at
    if facts.retired:
        return Verdict(Health.RETIRED, last_at)
    found = [*_of_calls(facts), *_of_sitemaps(facts.sitemaps), *_of_queue(facts, last_at, now)]
    if facts.held in HOLDS:
        found.append(Verdict(Health.HELD, last_at, HOLDS[facts.held]))
    if found:
        return min(found, key=lambda one: _RANK[one.health])
    return _when_well(facts, last_at)


_RANK = {health: rank for rank, health in enumerate(Health)}


def _of_calls(facts: TargetFacts) -> Iterable[Verdict]:
    last = facts.last
    if last is not None and last.state in _OF_STATE and not _is_overtaken(last, facts.sitemaps):
        at = last.settled_at or last.sent_at
        yield Verdict(_OF_STATE[last.state], at, last.message)
    for one in facts.sitemaps:
        standing = one.known.standing
        if standing is not None and (words := _why_blocked(standing, facts.engine)):
            yield Verdict(Health.BLOCKED, standing.at, words)
        elif standing is not None and standing.state in _OF_STATE:
            yield Verdict(_OF_STATE[standing.state], standing.at, standing.reason)


def _why_blocked(standing: SitemapStanding, engine: str) -> str:
    """What a person has to do first; empty where waiting is all there is to do, or where a call
    was made."""
    if standing.state not in (State.DEFERRED, State.FAILED) or standing.not_before is not None:
        return ""
    cause = find_cause(standing.reason, engine)
    return f"{cause.meaning}. {cause.next_step}" if cause is not None and cause.next_step else ""


def _is_overtaken(last: LogRow, sitemaps: Sequence[SitemapFacts]) -> bool:
    """The call was about a sitemap of which something newer is known."""
    if last.kind not in OF_SITEMAPS:
        return False
    known = {one.known.sitemap: one.known.standing for one in sitemaps}
    standing = known.get(last.target)
    return standing is not None and (bool(standing.reason) or standing.state not in _OF_STATE)


def _of_sitemaps(sitemaps: Sequence[SitemapFacts]) -> Iterable[Verdict]:
    for one in sitemaps:
        check = one.known.check
        if one.state is SitemapState.STUCK:
            yield Verdict(
                Health.LATE, one.unread_since or submitted_at(one.known), one.known.sitemap
            )
        elif one.state is SitemapState.FETCHED_WITH_ERRORS and check is not None:
            why = f"{check.errors:,} errors in {one.known.sitemap}"
            yield Verdict(Health.ERRORS, check.last_downloaded, why)


def _of_queue(facts: TargetFacts, last_at: datetime | None, now: datetime) -> Iterable[Verdict]:
    pages = waiting_pages(facts.pages)
    deferred = [
        one.known.standing
        for one in facts.sitemaps
        if one.known.standing is not None and one.known.standing.state is State.DEFERRED
    ]
    if not pages and not deferred:
        return
    why = f"{pages:,} pages wait" if pages else deferred[0].reason
    shut = [one for one in facts.lanes if one.closed_until is not None and now < one.closed_until]
    if shut and len(shut) == len(facts.lanes):
        first = min(shut, key=lambda one: one.closed_until or now)
        yield Verdict(Health.PAUSED, first.closed_until, f"{why}; {first.closed_reason}")
    elif last_at is None and not deferred and facts.last is None:
        yield Verdict(Health.NEVER, None, why)
    else:
        yield Verdict(Health.WAITING, last_at, why)


def _when_well(facts: TargetFacts, last_at: datetime | None) -> Verdict:
    known = [one for one in facts.sitemaps if submitted_at(one.known)]
    if facts.last is None and not known and not facts.pages.counts:
        return Verdict(Health.NEVER)
    reads = [
        one.known.check.last_downloaded
        for one in known
        if one.state is SitemapState.FETCHED
        and one.known.check is not None
        and one.known.check.last_downloaded is not None
    ]
    if known and len(reads) == len(known):
        return Verdict(Health.READ, min(reads))
    told_at = last_at or max((at for one in known if (at := submitted_at(one.known))), default=None)
    if facts.last is not None and facts.last.state == State.RECEIVED:
        return Verdict(Health.RECEIVED, told_at)
    return Verdict(Health.ACCEPTED, told_at)


def waiting_pages(pages: PageStanding) -> int:
    """Those that may be told now, and those that are held."""
    return sum(pages.waiting.values()) + sum(pages.held.values())


def told_pages(pages: PageStanding) -> int:
    return sum(count for state, count in pages.counts.items() if state in TOLD)


def worse_beat(one: str, state: str) -> str:
    """The letter of a day with such a letter so far and one more call that ended so."""
    other = BEATS.get(state, NO_BEAT)
    return min(one, other, key=_WORST.__getitem__)


def beat_of(days: Mapping[date, str], today: date, length: int) -> str:
    """A letter a day, today last."""
    first = today.toordinal() - length + 1
    letters = [NO_BEAT] * length
    for day, letter in days.items():
        place = day.toordinal() - first
        if 0 <= place < length:
            letters[place] = letter
    return "".join(letters)


def days_until_told(backlog: int, left: int | None, per_day: int | None) -> int | None:
    """Engine days until so many pages are told, today counted as one; 0 when none wait. None:
    what is left today or what a day gives is not known, or it is nothing."""
    if backlog <= 0:
        return 0
    if left is not None and backlog <= left:
        return 1
    if left is None or not per_day or per_day < 0:
        return None
    return 1 + -(-(backlog - left) // per_day)
