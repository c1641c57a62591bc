"""The whole loop in numbers: what was told, what waits, how soon it was read, what is alarming."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from submitter.core import quota
from submitter.core.alerts import Alert
from submitter.core.evidence import CallCount, RunEnd
from submitter.core.fleet import Account, Fleet, Target
from submitter.core.health import days_until_told, waiting_pages
from submitter.core.lanes import declared_limit, fast_property
from submitter.core.loop import Goal, Latency, Period, Way, latencies, periods_of, ways_of
from submitter.core.selection import Selection
from submitter.core.standing import Allowance, PageStanding
from submitter.core.status import SitemapState, sitemap_state
from submitter.core.traits import Kind, Traits
from submitter.looking.stuck import key_of, waiting_since
from submitter.ports import EvidenceBook, Ledger
from submitter.stories.alerting import evidence_of, find_alerts
from submitter.stories.recall import Chosen

PropertyOf = Callable[[Target], str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What an overview is about. `before` and `after` part the time since `since`."""

    fleet: Fleet
    traits: Mapping[str, Traits]
    property_of: PropertyOf
    since: datetime
    selection: Selection = Selection()
    before: datetime | None = None
    after: datetime | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """What may still be spent on one lane's day, and how long its pages wait."""

    allowance: Allowance
    left: int | None
    resets_at: datetime
    waiting: int
    days: int | None
    """Engine days until all is told, today included; 0: nothing waits; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class Overview:
    """One moment of the ledger in numbers; calls and latencies since `since`."""

    fleet: str
    made_at: datetime
    since: datetime
    last_run: RunEnd | None
    calls: tuple[CallCount, ...]
    sitemaps: Mapping[tuple[str, SitemapState], int]
    """By account and state."""
    lanes: tuple[Lane, ...]
    periods: tuple[Period, ...]
    latencies: tuple[Latency, ...]
    alerts: tuple[Alert, ...]


def gather_overview(ledger: Ledger, wish: Wish, *, now: datetime) -> Overview:
    """Raises LedgerError."""
    book = evidence_of(ledger)
    targets = wish.selection.select(wish.fleet.targets())
    chosen = Chosen(wish.fleet, wish.selection)
    calls = book.calls(since=wish.since, until=now)
    periods = periods_of(wish.since, now, before=wish.before, after=wish.after)
    return Overview(
        fleet=wish.fleet.name,
        made_at=now,
        since=wish.since,
        last_run=next(iter(book.run_ends(limit=1)), None),
        calls=tuple(
            one
            for one in calls
            if chosen.includes(chosen.target(one.site, one.account, one.engine))
        ),
        sitemaps=_sitemaps(ledger, chosen, wish.traits, now),
        lanes=tuple(
            lanes(
                ledger.page_standings(now),
                ledger.allowances(),
                targets,
                wish.traits,
                wish.property_of,
                now=now,
            )
        ),
        periods=tuple(periods),
        latencies=tuple(loop(book, targets, wish, periods)),
        alerts=tuple(find_alerts(wish.fleet, book, wish.traits, now=now, selection=wish.selection)),
    )


def _sitemaps(
    ledger: Ledger, chosen: Chosen, traits: Mapping[str, Traits], now: datetime
) -> Mapping[tuple[str, SitemapState], int]:
    lines = chosen.statuses(ledger)
    since = waiting_since(ledger, [one.known for one in lines if one.known], now=now)
    counts: Counter[tuple[str, SitemapState]] = Counter()
    for one in lines:
        account = one.target.account
        state = sitemap_state(
            one.known,
            traits=traits[account.engine],
            waiting_since=since.get(key_of(one.known)) if one.known else None,
        )
        if state is not SitemapState.NOT_SUPPORTED:
            counts[account.name, state] += 1
    return counts


# ---------------------------------------------------------------- the loop


def loop(
    book: EvidenceBook, targets: Sequence[Target], wish: Wish, periods: Iterable[Period]
) -> list[Latency]:
    """By period and way: to the first crawl, and to the engine's own word of a download."""
    sites = None
    if not wish.selection.is_everything:
        sites = sorted({target.site.origin for target in targets})
    ways = ways_of(wish.traits, (target.account.engine for target in targets))
    return [
        row
        for period in periods
        for way in ways
        for row in _of_way(book, way, period, sites, asked=wish.traits[way.engine].checks)
    ]


def _of_way(
    book: EvidenceBook, way: Way, period: Period, sites: Sequence[str] | None, *, asked: bool
) -> list[Latency]:
    span = {"since": period.since, "until": period.until}
    found = latencies(way, Goal.CRAWL, period, *book.page_waits(way, sites=sites, **span))
    if asked and way.kind is Kind.SITEMAP:
        read = book.sitemap_waits(way.engine, sites=sites, **span)
        found = [*latencies(way, Goal.DOWNLOAD, period, *read), *found]
    return found


# ---------------------------------------------------------------- lanes


def lanes(
    standings: Mapping[tuple[str, str], PageStanding],
    stored: Mapping[tuple[str, str], Allowance],
    targets: Iterable[Target],
    traits: Mapping[str, Traits],
    property_of: PropertyOf,
    *,
    now: datetime,
) -> list[Lane]:
    """Of accounts whose engine gives so many pages a day, those with most waiting first; from
    what the ledger says of targets and of lanes."""
    waiting: dict[tuple[str, str], int] = defaultdict(int)
    engines: dict[str, Traits] = {}
    accounts: dict[str, Account] = {}
    for target in targets:
        account, one = target.account, traits[target.account.engine]
        if one.metered:
            engines[account.name], accounts[account.name] = one, account
            property = property_of(target)
            waiting[account.name, property] += waiting_pages(
                standings.get(target.key, PageStanding())
            )
            if fast := fast_property(account, one, property):
                waiting[account.name, fast] += 0  # its pages are counted in the common lane
    found = [
        _lane(accounts[name[0]], name[1], pages, stored.get(name), engines[name[0]], now)
        for name, pages in waiting.items()
        if pages or name in stored
    ]
    return sorted(found, key=lambda one: (-one.waiting, one.allowance.account))


def _lane(
    account: Account,
    property: str,
    waiting: int,
    stored: Allowance | None,
    traits: Traits,
    now: datetime,
) -> Lane:
    declared = declared_limit(account, traits, property)
    today = quota.open_allowance(
        account.name, property, traits=traits, stored=stored, declared=declared, now=now
    )
    per_day = today.limit if today.limit is not None else stored.limit if stored else None
    left = quota.left(today, now)
    if left is None and stored is not None and stored is not today:
        left = per_day  # a new day of which nothing was said yet gives what the last one gave
    return Lane(
        today,
        quota.left(today, now),
        quota.next_day_starts(traits.day_zone, now),
        waiting,
        days_until_told(waiting, left, per_day),
    )
