"""What Prometheus is given: counts and times, from what the ledger remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from submitter.core import quota
from submitter.core.alerts import ALERT_IDS, Alert
from submitter.core.evidence import CallTimes, RunEnd, SiteCallCount
from submitter.core.fleet import Fleet
from submitter.core.records import SitemapStatus
from submitter.core.standing import Allowance, PageStanding
from submitter.core.traits import Kind, Traits
from submitter.ports import Ledger
from submitter.stories.alerting import evidence_of, find_alerts


@dataclass(frozen=True, slots=True)
class LaneMetric:
    """What one lane has on the engine's day."""

    allowance: Allowance
    engine: str
    left: int | None


@dataclass(frozen=True, slots=True)
class Metrics:
    """One moment of the ledger, in the inventory's own sites and accounts."""

    fleet: str
    made_at: datetime
    sites: frozenset[str]
    calls: tuple[SiteCallCount, ...]
    times: tuple[CallTimes, ...]
    statuses: tuple[tuple[str, SitemapStatus], ...]
    """Engine and what is known of each sitemap there."""
    waiting: Mapping[tuple[str, Kind], int]
    """Pages that still have to be told, by account."""
    engines: Mapping[str, str]
    """By account."""
    lanes: tuple[LaneMetric, ...]
    last_run: RunEnd | None
    """The last that ended."""
    alerts: Mapping[str, int]
    """Alarms by id, those that there are none of included."""


def gather_metrics(
    fleet: Fleet, ledger: Ledger, traits: Mapping[str, Traits], *, now: datetime
) -> Metrics:
    """Raises LedgerError. Reads no page's row, so it may be asked every minute."""
    book = evidence_of(ledger)
    sites = frozenset(site.origin for site in fleet.sites)
    ended = (one for one in book.run_ends(limit=50) if one.finished_at is not None)
    return Metrics(
        fleet=fleet.name,
        made_at=now,
        sites=sites,
        calls=tuple(one for one in book.calls_ever() if one.site in sites),
        times=tuple(book.call_times()),
        statuses=tuple(_statuses(fleet, ledger.statuses())),
        waiting=_waiting(fleet, ledger.page_standings(now)),
        engines={account.name: account.engine for account in fleet.accounts.values()},
        lanes=tuple(_lanes(fleet, ledger.allowances(), traits, now)),
        last_run=next(ended, None),
        alerts=_counted(find_alerts(fleet, book, traits, now=now)),
    )


def _statuses(
    fleet: Fleet, statuses: Iterable[SitemapStatus]
) -> Iterable[tuple[str, SitemapStatus]]:
    engines = {target.key: target.account.engine for target in fleet.targets()}
    for one in statuses:
        engine = engines.get((one.site, one.account))
        if engine is not None:
            yield engine, one


def _waiting(
    fleet: Fleet, standings: Mapping[tuple[str, str], PageStanding]
) -> Mapping[tuple[str, Kind], int]:
    """A target that the inventory does not name any more waits for nothing."""
    named = {target.key for target in fleet.targets()}
    sums: dict[tuple[str, Kind], int] = {}
    for key, standing in standings.items():
        if key not in named:
            continue
        for kind, pages in standing.waiting.items():
            sums[key[1], kind] = sums.get((key[1], kind), 0) + pages
        for (kind, _), pages in standing.held.items():
            sums[key[1], kind] = sums.get((key[1], kind), 0) + pages
    return sums


def _lanes(
    fleet: Fleet,
    allowances: Mapping[tuple[str, str], Allowance],
    traits: Mapping[str, Traits],
    now: datetime,
) -> Iterable[LaneMetric]:
    for (name, property), stored in sorted(allowances.items()):
        account = fleet.accounts.get(name)
        if account is not None:
            today = quota.open_allowance(
                name,
                property,
                traits=traits[account.engine],
                stored=stored,
                declared=None,
                now=now,
            )
            yield LaneMetric(today, account.engine, quota.left(today, now))


def _counted(found: Sequence[Alert]) -> Mapping[str, int]:
    return {id: sum(one.id == id for one in found) for id in ALERT_IDS}
