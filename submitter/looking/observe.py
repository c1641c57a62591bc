"""Looks at sites: what their sitemaps list now, and what changed since the last look."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from submitter.core.fleet import Account, Site
from submitter.core.looks import SiteLook, TellRule
from submitter.core.sections import fingerprint
from submitter.core.traits import Kind, Traits
from submitter.looking.prelaunch import sample_site
from submitter.looking.walk import Surroundings, walk_site
from submitter.ports import Lease, Ledger

log = logging.getLogger(__name__)


def observe(
    site: Site, *, ledger: Ledger, lease: Lease, tell: Sequence[TellRule], around: Surroundings
) -> SiteLook:
    """One look at one site, stored. Raises LedgerError only: what the site does is reported."""
    roots = tuple(ledger.roots_of(site.origin)) if site.sitemaps is None else ()
    look = ledger.look(
        lease,
        site.origin,
        tell=tell,
        at=around.clock.now(),
        sections=fingerprint(site.sections),
    )
    seen = walk_site(site, look, replace(around, remembered_roots=roots))
    seen = sample_site(site, seen, ledger=ledger, around=around)
    if not (seen.unfinished or around.partial):
        ledger.record_roots(lease, site.origin, seen.roots)
    delta = seen.delta
    log.info(
        "looked at %s: %d pages, %d new, %d changed, %d gone",
        *(site.origin, seen.listed, delta.new, delta.changed, delta.gone),
        extra={"site": site.origin, "pages": seen.listed, "documents": seen.documents},
    )
    return seen


def tell_rule(account: Account, traits: Traits) -> TellRule | None:
    """What a delta means for this account; None when its engine takes no pages."""
    if Kind.URLS not in traits.tells:
        return None
    return TellRule(
        account=account.name,
        first_run=account.first_run,
        recent_days=account.recent_days,
        tells_changed=traits.tells_changed or account.settings.get("repush_changed") is True,
        tells_removed=Kind.REMOVAL in traits.tells,
        repeat_after_s=traits.repeat_after_s,
    )
