"""Gathers what is known about every target and has the pure planner decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from submitter.core import guard, quota
from submitter.core.audit.holding import AuditWord, words_of_audits
from submitter.core.causes import in_words, next_step_of
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Account, Target
from submitter.core.lanes import declared_limit, fast_property
from submitter.core.looks import SiteLook
from submitter.core.plan import first_batch, make_plan, pages_wanted
from submitter.core.planned import WHOLE_ACCOUNT, FastShare, Plan, TargetInput
from submitter.core.reach import is_within, reach_of
from submitter.core.sights import Sight
from submitter.core.standing import Allowance, Candidate, PageStanding
from submitter.core.traits import Kind, Traits
from submitter.core.urls import shown
from submitter.looking.removals import Confirmation
from submitter.looking.stuck import stuck_sitemaps
from submitter.ports import AuditBook, Ledger

Confirm = Callable[[Target, Sequence[Candidate]], Confirmation]
"""Asks pages that are missing whether they are gone."""

FEW_SITES = 1_000
"""For more, reading what is known of the whole fleet at once is quicker."""

See = Callable[[Target, str], Sight]
"""Looks at a sitemap of the target's site."""


def take_no_word_for_it(target: Target, gone: Sequence[Candidate]) -> Confirmation:
    """Nobody can be asked: no page counts as gone."""
    del target
    return Confirmation((), (), (), tuple(gone))


class Memory:
    """The ledger's side of planning, read in a few queries for all targets. Without `see` nobody
    looks at aliases, and none is told."""

    def __init__(
        self,
        ledger: Ledger,
        now: datetime,
        confirm: Confirm = take_no_word_for_it,
        see: See | None = None,
    ) -> None:
        self._ledger, self._now, self._confirm, self._see = ledger, now, confirm, see
        self._allowances = dict(ledger.allowances())

    def inputs(
        self,
        targets: Sequence[Target],
        *,
        traits: Mapping[str, Traits],
        looks: Mapping[str, SiteLook],
        property_of: Callable[[Target], str],
    ) -> Iterator[TargetInput]:
        stuck = self._stuck(targets, traits)
        sites = _few_sites(targets)
        sitemaps = self._ledger.sitemap_standings(sites)
        pages = self._ledger.page_standings(self._now, sites)
        audits = self._audits(targets, looks)
        for target in targets:
            engine = traits[target.account.engine]
            look = looks.get(target.site.origin)
            given = self.begin(target, engine, property_of(target), look)
            given = self._with_aliases(given, stuck.get(target.key, ()))
            word = audits.get(target.site.origin, AuditWord())
            yield self._with_candidates(
                replace(
                    given,
                    sitemaps=sitemaps.get(target.key, {}),
                    pages=pages.get(target.key, PageStanding()),
                    held=reasons_to_hold(target, engine, look),
                    audited=word.holds,
                    notes=(*given.notes, *word.notes),
                )
            )

    def _audits(
        self, targets: Sequence[Target], looks: Mapping[str, SiteLook]
    ) -> Mapping[str, AuditWord]:
        """What the last audits say of sites that mind, by origin."""
        minding = {one.site.origin: one.site for one in targets if one.site.audit.on_run != "off"}
        if not minding:
            return {}
        stored = (
            self._ledger.finished_audits(tuple(minding))
            if isinstance(self._ledger, AuditBook)
            else {}
        )
        return words_of_audits(tuple(minding.values()), looks, stored)

    def begin(
        self, target: Target, traits: Traits, property: str, look: SiteLook | None
    ) -> TargetInput:
        """A target with today's allowance of its lane."""
        given = TargetInput(target, traits, property, look)
        return replace(given, allowance=self._allowance(given))

    def _stuck(
        self, targets: Sequence[Target], traits: Mapping[str, Traits]
    ) -> Mapping[tuple[str, str], Sequence[str]]:
        """Stuck sitemaps by target, where something can be told in their place."""
        named = [target for target in targets if target.site.aliases]
        if self._see is None or not named:
            return {}
        stuck = stuck_sitemaps(self._ledger, named, traits, now=self._now)
        return {key: [one.sitemap for one in found] for key, found in stuck.items()}

    def _with_aliases(self, given: TargetInput, stuck: Sequence[str]) -> TargetInput:
        """A further address is told only while the sitemap is stuck, and only if it can be read;
        when it is stuck itself and has an alias, that one is."""
        usable: dict[str, str] = {}
        notes: list[Finding] = []
        declared = {root.sitemap for root in given.look.roots} if given.look else set()
        for sitemap in declared.intersection(stuck):
            alias = _last_alias(sitemap, given.target.site.aliases, stuck)
            if alias is None or self._see is None:
                continue
            seen = self._see(given.target, alias)
            if seen.readable:
                usable[sitemap] = alias
            else:
                notes.append(_unreadable_alias(given.target, seen))
        return replace(given, aliases=usable, notes=tuple(notes))

    def _with_candidates(self, given: TargetInput) -> TargetInput:
        given = self._with_fast_pages(given)
        wanted = pages_wanted(given.traits, given.allowance, self._now, first_batch(given))
        candidates = {
            kind: self._candidates(given, kind, wanted)
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
        fits = is_within(reach_of(given.target.account, given.target.site, given.traits))
        heard = self._confirm(given.target, [page for page in gone if fits(page.loc)])
        outside = [page for page in gone if not fits(page.loc)]
        return replace(
            given,
            candidates={**given.candidates, Kind.REMOVAL: (*heard.confirmed, *outside)},
            unconfirmed={
                "still-there": len(heard.still_there),
                "unconfirmed": heard.unconfirmed,
            },
        )

    def _candidates(self, given: TargetInput, kind: Kind, wanted: int) -> Sequence[Candidate]:
        """The next pages, without those that the fast lane takes. Those that the account may not
        tell come with them and take no other's place."""
        taken, fits = 0, is_within(reach_of(given.target.account, given.target.site, given.traits))
        if kind is Kind.URLS and given.fast is not None:
            taken = len(given.fast.candidates)
        limit = taken + wanted
        while True:
            found = self._next_pages(given.target, kind, limit)
            if len(found) < limit or sum(fits(page.loc) for page in found) >= taken + wanted:
                return found[taken:]
            limit *= 2

    def _next_pages(self, target: Target, kind: Kind, limit: int) -> Sequence[Candidate]:
        return self._ledger.candidates(
            target.site.origin, target.account.name, kind, now=self._now, limit=limit
        )

    def _with_fast_pages(self, given: TargetInput) -> TargetInput:
        """The best of what waits, as far as the fast lane's day goes."""
        account = given.target.account
        lane = fast_property(account, given.traits, given.property)
        if lane is None or _is_closed_account(given.allowance):
            return given
        allowance = self._lane(account, given.traits, lane)
        rest = quota.left(allowance, self._now) or 0
        pages = self._candidates(given, Kind.URLS, rest) if rest else []
        self._remember(allowance, len(pages))
        return replace(given, fast=FastShare(allowance, pages))

    def _allowance(self, given: TargetInput) -> Allowance | None:
        account = given.target.account
        closed = self._allowances.get((account.name, WHOLE_ACCOUNT))
        if closed is not None and quota.is_closed(closed, self._now):
            return closed
        if not given.traits.metered:
            return None
        return self._lane(account, given.traits, given.property)

    def _lane(self, account: Account, traits: Traits, property: str) -> Allowance:
        return quota.open_allowance(
            account.name,
            property,
            traits=traits,
            stored=self._allowances.get((account.name, property)),
            declared=declared_limit(account, traits, property),
            now=self._now,
        )

    def _remember(self, allowance: Allowance | None, planned: int) -> None:
        """Two sites in one lane share its allowance: what the first plans, the second lacks."""
        if allowance is not None and planned:
            lane = (allowance.account, allowance.property)
            self._allowances[lane] = quota.book(allowance, planned)


def _few_sites(targets: Sequence[Target]) -> list[str] | None:
    """The targets' sites, when there are so few that all others need not be read."""
    sites = dict.fromkeys(target.site.origin for target in targets)
    return list(sites) if len(sites) <= FEW_SITES else None


def _is_closed_account(allowance: Allowance | None) -> bool:
    return allowance is not None and allowance.property == WHOLE_ACCOUNT


def _last_alias(sitemap: str, aliases: Mapping[str, str], stuck: Sequence[str]) -> str | None:
    """The alias to tell in place of a stuck sitemap; None: there is none (any more)."""
    tried = {sitemap}
    while (alias := aliases.get(sitemap)) in stuck:
        if alias is None or alias in tried:
            return None
        tried.add(alias)
        sitemap = alias
    return None if alias in tried else alias


def _unreadable_alias(target: Target, seen: Sight) -> Finding:
    cause = "alias-unreadable"
    message = f"{in_words(cause, f'{shown(seen.url)}: {seen.words}')}. {next_step_of(cause)}"
    return Finding(cause, Severity.WARNING, target.site.origin, message)


def reasons_to_hold(target: Target, traits: Traits, look: SiteLook | None) -> tuple[Finding, ...]:
    """Why the guard holds this target: the site as a whole, or this engine's crawler."""
    if look is None:
        return ()
    return (*guard.judge(look, target.site.guard), *guard.closed_to(look, traits.crawler))


def plan_targets(
    targets: Sequence[Target],
    *,
    traits: Mapping[str, Traits],
    looks: Mapping[str, SiteLook],
    property_of: Callable[[Target], str],
    ledger: Ledger,
    now: datetime,
    forced: bool = False,
    confirm: Confirm = take_no_word_for_it,
    see: See | None = None,
) -> Plan:
    """The plan for these targets as of `now`. Reads the ledger, writes nothing."""
    inputs = Memory(ledger, now, confirm, see).inputs(
        targets, traits=traits, looks=looks, property_of=property_of
    )
    return make_plan(inputs, now=now, forced=forced)
