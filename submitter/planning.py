"""Gathers what is known about every target and has the pure planner decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from submitter.core import guard, quota
from submitter.core.findings import Finding
from submitter.core.fleet import Target
from submitter.core.looks import SiteLook
from submitter.core.plan import (
    WHOLE_ACCOUNT,
    Plan,
    TargetInput,
    first_batch,
    make_plan,
    pages_wanted,
)
from submitter.core.standing import Allowance, Candidate, PageStanding
from submitter.core.traits import Kind, Traits
from submitter.ports import Ledger


@dataclass(slots=True)
class Memory:
    """The ledger's side of planning, read in a few queries for all targets."""

    ledger: Ledger
    now: datetime
    allowances: dict[tuple[str, str], Allowance] = field(default_factory=dict)

    def inputs(
        self,
        targets: Iterable[Target],
        *,
        traits: Mapping[str, Traits],
        looks: Mapping[str, SiteLook],
        property_of: Callable[[Target], str],
    ) -> Iterator[TargetInput]:
        sitemaps = self.ledger.sitemap_standings()
        pages = self.ledger.page_standings(self.now)
        self.allowances = dict(self.ledger.allowances())
        for target in targets:
            engine = traits[target.account.engine]
            look = looks.get(target.site.origin)
            given = TargetInput(
                target=target,
                traits=engine,
                property=property_of(target),
                look=look,
                sitemaps=sitemaps.get(target.key, {}),
                pages=pages.get(target.key, PageStanding()),
                held=reasons_to_hold(target, engine, look),
            )
            yield self._with_candidates(given)

    def _with_candidates(self, given: TargetInput) -> TargetInput:
        allowance = self._allowance(given)
        given = replace(given, allowance=allowance)
        wanted = pages_wanted(given.traits, allowance, self.now, first_batch(given))
        candidates = {
            kind: self._candidates(given.target, kind, wanted)
            for kind, waiting in given.pages.waiting.items()
            if waiting and wanted and kind in given.traits.tells
        }
        self._remember(allowance, sum(map(len, candidates.values())))
        return replace(given, candidates=candidates)

    def _candidates(self, target: Target, kind: Kind, wanted: int) -> list[Candidate]:
        return self.ledger.candidates(
            target.site.origin, target.account.name, kind, now=self.now, limit=wanted
        )

    def _allowance(self, given: TargetInput) -> Allowance | None:
        account = given.target.account
        closed = self.allowances.get((account.name, WHOLE_ACCOUNT))
        if closed is not None and quota.is_closed(closed, self.now):
            return closed
        if not given.traits.metered:
            return None
        declared = account.settings.get("daily_limit")
        return quota.open_allowance(
            account.name,
            given.property,
            traits=given.traits,
            stored=self.allowances.get((account.name, given.property)),
            declared=declared if isinstance(declared, int) else None,
            now=self.now,
        )

    def _remember(self, allowance: Allowance | None, planned: int) -> None:
        """Two sites in one lane share its allowance: what the first plans, the second lacks."""
        if allowance is not None and planned:
            lane = (allowance.account, allowance.property)
            self.allowances[lane] = quota.book(allowance, planned)


def reasons_to_hold(target: Target, traits: Traits, look: SiteLook | None) -> tuple[Finding, ...]:
    """Why the guard holds this target: the site as a whole, or this engine's crawler."""
    if look is None:
        return ()
    return (*guard.judge(look, target.site.guard), *guard.closed_to(look, traits.crawler))


def plan_targets(
    targets: Iterable[Target],
    *,
    traits: Mapping[str, Traits],
    looks: Mapping[str, SiteLook],
    property_of: Callable[[Target], str],
    ledger: Ledger,
    now: datetime,
    forced: bool = False,
) -> Plan:
    """The plan for these targets as of `now`. Reads the ledger, writes nothing."""
    inputs = Memory(ledger, now).inputs(
        targets, traits=traits, looks=looks, property_of=property_of
    )
    return make_plan(inputs, now=now, forced=forced)
