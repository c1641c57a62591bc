"""Which sitemaps an engine took and does not fetch, by what the ledger remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from submitter.core.fleet import Target
from submitter.core.records import SitemapStatus
from submitter.core.sights import Sight
from submitter.core.states import TOLD
from submitter.core.status import SitemapState, is_fetched, sitemap_state, submitted_at
from submitter.core.traits import Kind, Traits
from submitter.ports import Ledger, LogFilter, SightBook

LOOK_BACK = timedelta(days=60)
"""Submissions are looked for so far back. What is older was told again since (see
`resubmit_after_days`)."""

Key = tuple[str, str, str]
"""Site, account and sitemap."""


def key_of(known: SitemapStatus) -> Key:
    return (known.site, known.account, known.sitemap)


def waiting_since(
    ledger: Ledger, statuses: Iterable[SitemapStatus], *, now: datetime
) -> Mapping[Key, datetime]:
    """When each of these was first told since its engine last fetched it. A sitemap that changes
    every day is told every day, and would never be late by its last submission alone."""
    waiting = {
        key_of(one): one
        for one in statuses
        if one.check is not None and submitted_at(one) and not is_fetched(one)
    }
    if not waiting:
        return {}
    first: dict[Key, datetime] = {}
    for row in ledger.log(_submissions(waiting, now - LOOK_BACK)):
        key = (row.site, row.account, row.target)
        known = waiting.get(key)
        if row.kind == Kind.SITEMAP and known is not None and _came_later(row.sent_at, known):
            first.setdefault(key, row.sent_at)
    return first


def _submissions(waiting: Iterable[Key], since: datetime) -> LogFilter:
    targets = frozenset((site, account) for site, account, _ in waiting)
    return LogFilter(since=since, states=tuple(sorted(TOLD)), targets=targets)


def _came_later(sent_at: datetime, known: SitemapStatus) -> bool:
    fetched = known.check.last_downloaded if known.check else None
    return fetched is None or sent_at > fetched


def stuck_sitemaps(
    ledger: Ledger,
    targets: Sequence[Target],
    traits: Mapping[str, Traits],
    *,
    now: datetime,
) -> dict[tuple[str, str], list[SitemapStatus]]:
    """By target, those that are stuck there."""
    wanted = {target.key: target for target in targets}
    origins = sorted({target.site.origin for target in targets})
    known = [one for one in ledger.statuses(origins) if (one.site, one.account) in wanted]
    since = waiting_since(ledger, known, now=now)
    stuck: dict[tuple[str, str], list[SitemapStatus]] = {}
    for one in known:
        target = wanted[one.site, one.account]
        state = sitemap_state(
            one,
            traits=traits[target.account.engine],
            waiting_since=since.get(key_of(one)),
            stuck_after=timedelta(days=target.site.stuck_after_days),
        )
        if state is SitemapState.STUCK:
            stuck.setdefault(target.key, []).append(one)
    return stuck


class Sightings:
    """What sitemaps looked like, by site, address and agent; the newest look counts."""

    def __init__(self, sights: Iterable[Sight]) -> None:
        self._newest: dict[Key, Sight] = {}
        for one in sorted(sights, key=lambda sight: sight.at):
            self._newest[one.site, one.url, one.agent] = one

    @classmethod
    def remembered(cls, ledger: Ledger, more: Iterable[Sight] = ()) -> Sightings:
        """Those that the ledger keeps, where it can, and `more`."""
        kept = ledger.sights() if isinstance(ledger, SightBook) else []
        return cls([*kept, *more])

    def of(self, site: str, sitemap: str | None, crawler: str) -> list[Sight]:
        """As ourselves and as this crawler, as far as we looked."""
        found = (self._newest.get((site, sitemap or "", agent)) for agent in ("", crawler))
        return [one for one in found if one is not None]
