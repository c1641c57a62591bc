"""What a run would send now, or at another moment. Sends nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from submitter.core import trees, urls
from submitter.core.fleet import Site
from submitter.core.looks import DocumentMemory, RootLook, SiteLook
from submitter.core.planned import Plan
from submitter.core.trees import Node
from submitter.errors import LedgerBusy
from submitter.ports import Ledger
from submitter.stories.leases import held_lease
from submitter.stories.looks import look_at_sites
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import make_run_plan, recover

log = logging.getLogger(__name__)

NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Preview:
    """`observed` False: another run held the ledger, so the sites were not looked at now."""

    plan: Plan
    looks: Mapping[str, SiteLook]
    observed: bool


def preview(request: RunRequest, tools: Tools, *, at: datetime | None = None) -> Preview:
    """Look at the sites and plan, as of `at` (None: now). While another run holds the ledger,
    plan from what it remembers. Raises LedgerError."""
    try:
        with held_lease(request, tools) as lease:
            recover(request.fleet, tools, lease)
            looks = look_at_sites(request, tools, lease)
            plan = make_run_plan(request, tools, lease, looks, now=at or tools.clock.now())
            return Preview(plan, looks, observed=True)
    except LedgerBusy as busy:
        log.warning("planning from memory, without looking at the sites: %s", busy)
    remembered = remembered_looks(request, tools)
    plan = make_run_plan(request, tools, None, remembered, now=at or tools.clock.now())
    return Preview(plan, remembered, observed=False)


def remembered_looks(request: RunRequest, tools: Tools) -> dict[str, SiteLook]:
    """The selected sites as last looked at; one that never was is missing."""
    sites = {target.site.origin: target.site for target in request.targets}
    looks = (remembered_look(site, tools.ledger) for site in sites.values())
    return {look.site: look for look in looks if look is not None}


def remembered_look(site: Site, ledger: Ledger) -> SiteLook | None:
    """What the ledger remembers of a site, as if it had been seen just now, with no change. What
    the last look could not read is not readable."""
    documents = ledger.documents_of(site.origin)
    unread = {one.sitemap: one for one in ledger.root_looks(site.origin) if not one.readable}
    if not documents and not unread:
        return None
    roots = remembered_roots(site, documents, ledger)
    return SiteLook(
        site=site.origin,
        at=max((one.read_at for one in documents), default=NEVER),
        first=False,
        roots=tuple(unread.get(root.sitemap, root) for root in roots),
        documents=len(documents),
        listed=sum(one.pages for one in documents),
    )


def remembered_roots(
    site: Site, documents: Iterable[DocumentMemory], ledger: Ledger
) -> tuple[RootLook, ...]:
    """The site's sitemaps, each with what is remembered of the documents under it."""
    nodes = {urls.normalize(one.url): Node.remembered(one) for one in documents}
    roots = site.sitemaps if site.sitemaps is not None else ledger.roots_of(site.origin)
    return tuple(trees.root_look(root, nodes) for root in roots)
