"""One-off bulk submission: addresses from a CSV or the command line, same planner, same ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from submitter.core import urls
from submitter.core.fleet import Account, Fleet, Site, Target
from submitter.core.looks import PageRow, SiteLook
from submitter.core.plan import first_batch, make_plan, pages_wanted
from submitter.core.planned import Plan, TargetInput
from submitter.core.traits import Kind
from submitter.errors import ConfigError, Fault
from submitter.planning import Memory
from submitter.ports import Lease
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import RunReport, carry_out, run_fleet


@dataclass(frozen=True, slots=True)
class BulkRow:
    """`site_url` is the property exactly as the engine holds it; `line` counts from 1."""

    site_url: str
    sitemap_url: str
    where: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class BulkRequest:
    """What to submit: rows (sitemaps) or urls (pages, where the account's engine takes pages)."""

    run: str
    fleet: Fleet
    account: str
    owner: str
    rows: Sequence[BulkRow] = ()
    urls: Sequence[str] = ()
    until: float = float("inf")
    forced: str | None = None
    verify: bool = True
    wait_s: float = 0.0


def run_bulk(request: BulkRequest, tools: Tools) -> RunReport:
    """Submit what was named and nothing else. Raises ConfigError with all faulty rows at once."""
    account = request.fleet.accounts.get(request.account)
    if account is None:
        known = ", ".join(sorted(request.fleet.accounts))
        raise ConfigError.one("--account", f"no account {request.account!r}; known: {known}")
    takes_pages = Kind.URLS in tools.traits[account.engine].tells
    if request.urls and takes_pages:
        return _run_pages(request, account, tools)
    named = [BulkRow("", url, "URL") for url in request.urls]
    sites = sites_of_rows(request.fleet, account, [*request.rows, *named])
    return run_fleet(_run_request(request, account, sites), tools)


def _run_request(request: BulkRequest, account: Account, sites: Sequence[Site]) -> RunRequest:
    return RunRequest(
        run=request.run,
        fleet=request.fleet,
        targets=[Target(site, account) for site in sites],
        owner=request.owner,
        until=request.until,
        forced=request.forced,
        verify=request.verify,
        wait_s=request.wait_s,
        partial=True,
    )


# ---------------------------------------------------------------- sitemaps


def sites_of_rows(fleet: Fleet, account: Account, rows: Sequence[BulkRow]) -> list[Site]:
    """One site per origin, with the settings of the inventory where it knows the site."""
    known = {site.origin: site for site in fleet.sites}
    sites: dict[str, Site] = {}
    faults: list[Fault] = []
    for row in rows:
        try:
            site = _site_of_row(fleet, account, row, known)
        except urls.BadUrl as error:
            faults.append(Fault(row.where, row.line, 1 if row.line else 0, error.problem))
            continue
        before = sites.get(site.origin)
        if before is None:
            sites[site.origin] = site
        elif before.google_property != site.google_property:
            problem = f"{site.origin} stands under two properties: {before.google_property!r} too"
            faults.append(Fault(row.where, row.line, 1 if row.line else 0, problem))
        else:
            more = tuple(dict.fromkeys((*(before.sitemaps or ()), row.sitemap_url)))
            sites[site.origin] = replace(before, sitemaps=more)
    if faults:
        raise ConfigError(faults)
    return list(sites.values())


def _site_of_row(fleet: Fleet, account: Account, row: BulkRow, known: Mapping[str, Site]) -> Site:
    urls.normalize(row.sitemap_url)
    is_address = row.site_url.startswith(("http://", "https://"))
    origin = urls.origin_of(row.site_url if is_address else row.sitemap_url)
    site = known.get(origin) or _new_site(fleet, account, origin, row.site_url)
    return replace(
        site,
        sitemaps=(row.sitemap_url,),
        google_property=row.site_url or site.google_property,
    )


def _new_site(fleet: Fleet, account: Account, origin: str, property: str) -> Site:
    scheme, _, host = origin.partition("://")
    domain = property.removeprefix("sc-domain:") if property.startswith("sc-domain:") else host
    return Site(
        host=host, scheme=scheme, domain=domain, accounts=(account.name,), fetch=fleet.fetch
    )


# ---------------------------------------------------------------- pages


def _run_pages(request: BulkRequest, account: Account, tools: Tools) -> RunReport:
    named = _pages_by_site(request, account)
    run = _run_request(request, account, [site for site, _ in named])

    def prepare(lease: Lease) -> tuple[Plan, Mapping[str, SiteLook]]:
        now = tools.clock.now()
        for site, pages in named:
            tools.ledger.adopt_pages(lease, site.origin, account=account.name, pages=pages, at=now)
        inputs = _inputs(run, tools, [pages for _, pages in named], now)
        looks = {given.target.site.origin: given.look for given in inputs if given.look}
        return make_plan(inputs, now=now, forced=request.forced is not None), looks

    return carry_out(run, tools, prepare)


def _pages_by_site(request: BulkRequest, account: Account) -> list[tuple[Site, list[PageRow]]]:
    sites = {site.origin: site for site in request.fleet.sites}
    pages: dict[str, list[PageRow]] = {}
    faults: list[Fault] = []
    for url in dict.fromkeys(request.urls):
        try:
            identity, origin = urls.normalize(url), urls.origin_of(url)
        except urls.BadUrl as error:
            faults.append(Fault("URL", 0, 0, f"{url!r}: {error.problem}"))
            continue
        pages.setdefault(origin, []).append(PageRow(identity, url, None))
    if faults:
        raise ConfigError(faults)
    return [
        (sites.get(origin) or _new_site(request.fleet, account, origin, ""), rows)
        for origin, rows in pages.items()
    ]


def _inputs(
    run: RunRequest, tools: Tools, named: Sequence[Sequence[PageRow]], now: datetime
) -> list[TargetInput]:
    memory = Memory(tools.ledger, now)
    surveys = tools.ledger.surveys()
    inputs = []
    for target, pages in zip(run.targets, named, strict=True):
        known = surveys.get(target.account.name)
        name = tools.property_of(target, known[0] if known else None)
        look = SiteLook(target.site.origin, now, first=False, listed=len(pages))
        given = memory.begin(target, tools.traits[target.account.engine], name, look)
        candidates, standing = tools.ledger.named_candidates(
            *target.key, [page.identity for page in pages], now=now
        )
        wanted = pages_wanted(given.traits, given.allowance, now, first_batch(given))
        inputs.append(replace(given, pages=standing, candidates={Kind.URLS: candidates[:wanted]}))
    return inputs
