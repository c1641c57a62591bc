"""Gathers what is known about every target and has the pure planner decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from submitter.removals import Confirmation

Confirm = Callable[[Target, Sequence[Candidate]], Confirmation]
"""Asks pages that are missing whether they are gone."""


def take_no_word_for_it(target: Target, gone: Sequence[Candidate]) -> Confirmation:
    """Nobody can be asked: no page counts as gone."""
    del target
    return Confirmation((), (), (), tuple(gone))


class Memory:
    """The ledger's side of planning, read in a few queries for all targets."""

    def __init__(
        self, ledger: Ledger, now: datetime, confirm: Confirm = take_no_word_for_it
    ) -> None:
        self._ledger, self._now, self._confirm = ledger, now, confirm
        self._allowances = dict(ledger.allowances())

    def inputs(
        self,
        targets: Iterable[Target],
        *,
        traits: Mapping[str, Traits],
        looks: Mapping[str, SiteLook],
        property_of: Callable[[Target], str],
    ) -> Iterator[TargetInput]:
        sitemaps = self._ledger.sitemap_standings()
        pages = self._ledger.page_standings(self._now)
        for target in targets:
            engine = traits[target.account.engine]
            look = looks.get(target.site.origin)
            given = self.begin(target, engine, property_of(target), look)
            yield self._with_candidates(
                replace(
                    given,
                    sitemaps=sitemaps.get(target.key, {}),
                    pages=pages.get(target.key, PageStanding()),
                    held=reasons_to_hold(target, engine, look),
                )
            )

    def begin(
        self, target: Target, traits: Traits, property: str, look: SiteLook | None
    ) -> TargetInput:
        """A target with today's allowance of its lane."""
        given = TargetInput(target, traits, property, look)
        return replace(given, allowance=self._allowance(given))

    def _with_candidates(self, given: TargetInput) -> TargetInput:
        wanted = pages_wanted(given.traits, given.allowance, self._now, first_batch(given))
        candidates = {
            kind: self._candidates(given.target, kind, wanted)
            for kind, waiting in given.pages.waiting.items()
            if waiting and wanted and kind in given.traits.tells
        }
        given = replace(given, candidates=candidates)
        if Kind.REMOVAL in candidates:
            given = self._confirmed(given, candidates[Kind.REMOVAL])
        self._remember(given.allowance, sum(map(len, candidates.values())))
        return given

    def _confirmed(self, given: TargetInput, gone: Sequence[Candidate]) -> TargetInput:
        """Only pages that say themselves that they are gone are told as gone."""
        heard = self._confirm(given.target, gone)
        return replace(
            given,
            candidates={**given.candidates, Kind.REMOVAL: heard.confirmed},
            unconfirmed={
                "still-there": len(heard.still_there),
                "unconfirmed": heard.unconfirmed,
            },
        )

    def _candidates(self, target: Target, kind: Kind, wanted: int) -> list[Candidate]:
        return self._ledger.candidates(
            target.site.origin, target.account.name, kind, now=self._now, limit=wanted
        )

    def _allowance(self, given: TargetInput) -> Allowance | None:
        account = given.target.account
        closed = self._allowances.get((account.name, WHOLE_ACCOUNT))
        if closed is not None and quota.is_closed(closed, self._now):
            return closed
        if not given.traits.metered:
            return None
        declared = account.settings.get("daily_limit")
        return quota.open_allowance(
            account.name,
            given.property,
            traits=given.traits,
            stored=self._allowances.get((account.name, given.property)),
            declared=declared if isinstance(declared, int) else None,
            now=self._now,
        )

    def _remember(self, allowance: Allowance | None, planned: int) -> None:
        """Two sites in one lane share its allowance: what the first plans, the second lacks."""
        if allowance is not None and planned:
            lane = (allowance.account, allowance.property)
            self._allowances[lane] = quota.book(allowance, planned)


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
    confirm: Confirm = take_no_word_for_it,
) -> Plan:
    """The plan for these targets as of `now`. Reads the ledger, writes nothing."""
    inputs = Memory(ledger, now, confirm).inputs(
        targets, traits=traits, looks=looks, property_of=property_of
    )
    return make_plan(inputs, now=now, forced=forced)
