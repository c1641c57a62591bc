"""Looking at the sites of a run, several side by side."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from submitter.core.fleet import Account, Fleet, Site
from submitter.core.looks import SiteLook, TellRule
from submitter.core.traits import Traits
from submitter.looking.observe import observe, tell_rule
from submitter.looking.walk import Surroundings
from submitter.planning import reasons_to_hold
from submitter.ports import Lease
from submitter.stories.run_request import RunRequest, Tools

_LOOKERS = 8
"""Sites looked at side by side."""
_SEND_SHARE = 0.5
"""With a deadline, looking may take at most this share of the time; the rest is for sending."""


def look_at_sites(request: RunRequest, tools: Tools, lease: Lease) -> dict[str, SiteLook]:
    """Look at every selected site, several side by side; what the deadline cuts off is missing."""
    sites = {target.site.origin: target.site for target in request.targets}
    now = tools.clock.monotonic()
    looking_until = now + (request.until - now) * _SEND_SHARE
    around = surroundings(request.fleet, tools, until=looking_until, partial=request.partial)
    tools.progress.start("looking at sites", len(sites))

    def look(site: Site) -> SiteLook | None:
        if around.stopped() or tools.clock.monotonic() >= looking_until:
            return None
        tell = _tell_rules(site, request.fleet, tools.traits)
        seen = observe(site, ledger=tools.ledger, lease=lease, tell=tell, around=around)
        tools.progress.advance()
        return seen

    try:
        with ThreadPoolExecutor(_LOOKERS, thread_name_prefix="look") as pool:
            looks = list(pool.map(look, sites.values()))
    finally:
        tools.readers.stop()
    tools.progress.stop()
    return {seen.site: seen for seen in looks if seen is not None}


def surroundings(
    fleet: Fleet, tools: Tools, *, until: float, partial: bool = False
) -> Surroundings:
    return Surroundings(
        source=tools.source,
        clock=tools.clock,
        fleet_hosts=frozenset(site.host for site in fleet.sites),
        crawlers=tuple(sorted({traits.crawler for traits in tools.traits.values()})),
        engines_of={site.origin: engines_of(site, fleet, tools.traits) for site in fleet.sites},
        until=None if until == float("inf") else until,
        stopped=tools.stop.is_set,
        partial=partial,
        readers=tools.readers,
    )


def engines_of(site: Site, fleet: Fleet, traits: Mapping[str, Traits]) -> tuple[Traits, ...]:
    """The engines that the site is told to, each once."""
    names = dict.fromkeys(fleet.accounts[name].engine for name in site.accounts)
    return tuple(traits[name] for name in names)


def _tell_rules(site: Site, fleet: Fleet, traits: Mapping[str, Traits]) -> list[TellRule]:
    """What the site's delta means at each of its accounts, selected now or not."""
    accounts: list[Account] = [fleet.accounts[name] for name in site.accounts]
    rules = (tell_rule(account, traits[account.engine]) for account in accounts)
    return [rule for rule in rules if rule is not None]


def accept_looks(
    request: RunRequest, tools: Tools, lease: Lease, looks: Mapping[str, SiteLook]
) -> None:
    """A look that passes the guard, or is forced, is what the next one is compared with."""
    sites = {target.site.origin: target for target in request.targets}
    for origin, look in looks.items():
        target = sites[origin]
        traits = tools.traits[target.account.engine]
        held = reasons_to_hold(target, replace(traits, crawler="*"), look)
        if not look.unfinished and (not held or request.forced is not None):
            tools.ledger.accept_look(lease, origin)
