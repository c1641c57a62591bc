"""What a ledger remembers of each target of a report: state, pages, sitemaps, and its days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import cast

from submitter.core.fleet import Account, Fleet, Site, Target
from submitter.core.health import (
    HOLDS,
    NO_BEAT,
    TROUBLED,
    SitemapFacts,
    TargetFacts,
    beat_of,
    health_of,
    told_pages,
    waiting_pages,
    worse_beat,
)
from submitter.core.records import LogRow, SitemapStatus
from submitter.core.report import (
    BEAT_DAYS,
    BeatSum,
    SitemapLine,
    TargetLine,
)
from submitter.core.selection import Selection
from submitter.core.standing import Allowance, PageStanding
from submitter.core.states import State
from submitter.core.status import SitemapState, is_fetched, sitemap_state, submitted_at
from submitter.core.traits import Traits
from submitter.ports import Ledger, ReportBook

Key = tuple[str, str]
"""Site and account: a target."""

UNREAD = (SitemapState.QUEUED, SitemapState.STUCK)
RUNS_BACK = 3
"""A run that was killed, or is under way, has no summary yet."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a report is about, and the rules it needs."""

    fleet: Fleet
    traits: Mapping[str, Traits]
    property_of: Callable[[Target], str]
    selection: Selection = Selection()
    days: int = 90
    """So many UTC days of log are added up, today included."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What the ledger knows of each target, read once."""

    targets: Mapping[Key, Target]
    retired: frozenset[Key]
    properties: Mapping[Key, str]
    sitemaps: Mapping[Key, Sequence[SitemapFacts]]
    pages: Mapping[Key, PageStanding]
    lanes: Mapping[tuple[str, str], Allowance]
    traits: Mapping[str, Traits]
    held: Mapping[tuple[str, str | None], str]

    @classmethod
    def read(cls, ledger: Ledger, book: ReportBook, scope: Scope, now: datetime) -> Memory:
        remembered = book.target_engines()
        targets = _targets(scope, remembered)
        facts: dict[Key, list[SitemapFacts]] = defaultdict(list)
        first = book.first_tellings()
        for status in ledger.statuses():
            key = (status.site, status.account)
            if key in targets:
                facts[key].append(_sitemap(status, targets[key], scope.traits, first))
        return cls(
            targets=targets,
            retired=frozenset(targets) - {target.key for target in scope.fleet.targets()},
            properties={
                key: remembered.get(key, ("", ""))[1] or scope.property_of(target)
                for key, target in targets.items()
            },
            sitemaps=facts,
            pages=ledger.page_standings(now),
            lanes=ledger.allowances(),
            traits=scope.traits,
            held=_held(ledger),
        )

    def target_lines(
        self, calls: Iterable[LogRow], beats: Mapping[Key, Beats], now: datetime
    ) -> Iterable[TargetLine]:
        last = {(row.site, row.account): row for row in calls}
        for key, target in self.targets.items():
            pages = self.pages.get(key, PageStanding())
            facts = TargetFacts(
                engine=target.account.engine,
                last=last.get(key),
                sitemaps=self.sitemaps.get(key, ()),
                pages=pages,
                lanes=self._lanes_of(key),
                retired=key in self.retired,
                held=self.held.get(key) or self.held.get((key[0], None)) or "",
            )
            verdict, beat = health_of(facts, now), beats.get(key, NO_BEATS)
            yield TargetLine(
                site=key[0],
                account=key[1],
                engine=target.account.engine,
                property=self.properties[key],
                health=verdict.health,
                at=verdict.at,
                why=verdict.why,
                beat=beat_of(beat.days, now.date(), BEAT_DAYS),
                calls=beat.calls,
                troubles=beat.troubles,
                told=told_pages(pages),
                waiting=waiting_pages(pages),
                unknown=pages.counts.get(State.UNKNOWN, 0),
                rejected=pages.counts.get(State.REJECTED, 0),
            )

    def _lanes_of(self, key: Key) -> list[Allowance]:
        """The lane of a target, and its fast one where it has one."""
        fast = self.traits[self.targets[key].account.engine].fast_lane
        plain = self.properties[key]
        names = [plain] if fast is None else [plain, fast.of(plain)]
        return [self.lanes[key[1], name] for name in names if (key[1], name) in self.lanes]

    def sitemap_lines(self) -> list[SitemapLine]:
        return [
            _sitemap_line(facts, self.targets[key].account.engine)
            for key, many in self.sitemaps.items()
            for facts in many
        ]


def _held(ledger: Ledger) -> Mapping[tuple[str, str | None], str]:
    """By site and account (None: all of them), what the newest run that ended held back, and by
    which rule."""
    summaries = (run.summary for run in ledger.runs(limit=RUNS_BACK))
    newest = next((one for one in summaries if one is not None), {})
    skips = cast("Sequence[Mapping[str, str | None]]", newest.get("skips", ()))
    return {
        (str(one["site"]), one["account"]): str(one["reason"])
        for one in skips
        if one["reason"] in HOLDS
    }


def _targets(scope: Scope, remembered: Mapping[Key, tuple[str, str]]) -> dict[Key, Target]:
    """Those of the inventory in its order, then those that only the ledger knows."""
    found = {target.key: target for target in scope.fleet.targets()}
    for (origin, name), (engine, _) in sorted(remembered.items()):
        account = scope.fleet.accounts.get(name) or Account(name, engine, None)
        if (origin, name) not in found and account.engine in scope.traits:
            scheme, _, host = origin.partition("://")
            found[origin, name] = Target(Site(host, scheme), account)
    return {key: one for key, one in found.items() if scope.selection.matches(one)}


# ---------------------------------------------------------------- sitemaps


def _sitemap(
    status: SitemapStatus,
    target: Target,
    traits: Mapping[str, Traits],
    first: Mapping[tuple[str, str, str], datetime],
) -> SitemapFacts:
    since = first.get((status.site, status.account, status.sitemap))
    state = sitemap_state(
        status,
        traits=traits[target.account.engine],
        waiting_since=since,
        stuck_after=timedelta(days=target.site.stuck_after_days),
    )
    return SitemapFacts(status, state, since)


def _sitemap_line(facts: SitemapFacts, engine: str) -> SitemapLine:
    known, check = facts.known, facts.known.check
    told_at = submitted_at(known)
    read_after = None
    if told_at is not None and check and check.last_downloaded and is_fetched(known):
        read_after = max(0, int((check.last_downloaded - told_at).total_seconds()))
    return SitemapLine(
        site=known.site,
        account=known.account,
        engine=engine,
        sitemap=known.sitemap,
        state=facts.state,
        told_at=told_at,
        downloaded_at=check.last_downloaded if check else None,
        checked_at=known.checked_at,
        errors=check.errors if check else None,
        warnings=check.warnings if check else None,
        theirs=check.urls_submitted if check else None,
        ours=known.urls_ours,
        read_after_s=read_after,
        unread_since=(facts.unread_since or told_at) if facts.state in UNREAD else None,
    )


# ---------------------------------------------------------------- days


def midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


@dataclass(slots=True)
class Beats:
    """What a target's calls were like, day by day."""

    days: dict[date, str]
    calls: int = 0
    troubles: int = 0


NO_BEATS = Beats({})


def beats_of(book: ReportBook, now: datetime, wanted: frozenset[Key] | None) -> Mapping[Key, Beats]:
    since = midnight(now.date() - timedelta(days=BEAT_DAYS - 1))
    found: dict[Key, Beats] = {}
    for one in book.beat_sums(since, targets=wanted):
        _add(found.setdefault((one.site, one.account), Beats({})), one)
    return found


def _add(beats: Beats, one: BeatSum) -> None:
    beats.days[one.day] = worse_beat(beats.days.get(one.day, NO_BEAT), one.state)
    beats.calls += one.calls
    if one.state in TROUBLED:
        beats.troubles += one.calls
