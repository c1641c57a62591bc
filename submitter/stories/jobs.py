"""A run in jobs, for many workers: sites are looked at one by one, then lanes send side by side.

Each job holds a part of the ledger's lease (`RunRequest.part`): others work beside it, a whole run
does not. A job may be carried out again at any time: what was told is not told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from submitter.core.calls import Survey
from submitter.core.fleet import Fleet, Target
from submitter.core.jobs import Lane, by_lane
from submitter.core.looks import RootLook, SiteLook
from submitter.core.planned import Plan
from submitter.errors import ConfigError
from submitter.ports import Ledger, WorkBook
from submitter.stories.leases import held_lease
from submitter.stories.looks import accept_looks, look_at_sites
from submitter.stories.preview import remembered_roots
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import (
    RunReport,
    make_run_plan,
    recover,
    report_of,
    run_context,
    send_plan,
)


def work_book(ledger: Ledger) -> WorkBook:
    """The part of the ledger that workers share. Raises ConfigError where there is none."""
    if not isinstance(ledger, WorkBook):
        raise ConfigError.one("ledger", "this kind of ledger cannot be shared by workers")
    return ledger


def lanes(targets: Iterable[Target], tools: Tools) -> dict[Lane, list[Target]]:
    """The lanes of these targets, by the properties as they are known now. Where nothing is
    metered, properties part no lanes."""
    targets = list(targets)
    metered = [one for one in targets if tools.traits[one.account.engine].metered]
    surveys = tools.ledger.surveys() if metered else {}
    properties = {one.key: tools.property_of(one, _survey(one, surveys)) for one in metered}
    return by_lane(targets, tools.traits, properties)


def _survey(target: Target, surveys: Mapping[str, tuple[Survey, datetime]]) -> Survey | None:
    survey, _ = surveys.get(target.account.name, (None, None))
    return survey


def look_at_site(request: RunRequest, tools: Tools) -> SiteLook | None:
    """Look at the one site of the request and remember what was seen; None: the time ran out."""
    book = work_book(tools.ledger)
    [origin] = {target.site.origin for target in request.targets}
    with held_lease(request, tools) as lease:
        looks = look_at_sites(request, tools, lease)
        accept_looks(request, tools, lease, looks)
        for look in looks.values():
            book.remember_look(lease, look)
    return looks.get(origin)


def send_lane(request: RunRequest, tools: Tools) -> RunReport:
    """Tell what waits in a lane, whose targets the request names, from what was remembered of its
    sites."""
    started_at = tools.clock.now()
    with held_lease(request, tools) as lease:
        recover(request.fleet, tools, lease)
        looks = recalled_looks(request, tools)
        seen = [target for target in request.targets if target.site.origin in looks]
        request = replace(request, targets=seen)
        plan = make_run_plan(request, tools, lease, looks, now=tools.clock.now())
        plan = only_judged(plan, looks, work_book(tools.ledger))
        context = replace(run_context(request, tools, lease), surveys=tools.ledger.surveys())
        done = send_plan(plan, tools, context)
    return report_of(request, tools, started_at, plan, done, looks, ())


def recalled_looks(request: RunRequest, tools: Tools) -> dict[str, SiteLook]:
    """The last look at each site of the request, with its sitemaps as they are remembered."""
    book = work_book(tools.ledger)
    sites = {target.site.origin: target.site for target in request.targets}
    said = book.last_looks(list(sites))
    documents = book.documents_by_site(list(said))

    def roots(origin: str) -> tuple[RootLook, ...]:
        found = documents.get(origin, ())
        return remembered_roots(sites[origin], found, tools.ledger) if found else ()

    return {
        origin: replace(said[origin], roots=roots(origin)) for origin in sites if origin in said
    }


def only_judged(plan: Plan, looks: Mapping[str, SiteLook], book: WorkBook) -> Plan:
    """The plan without sites at which a look began while it was made: some of what is planned may
    come from that look. Its own job puts the lane into the queue again."""
    sites = dict.fromkeys(action.site for action in plan.actions)
    now = book.last_looks(list(sites)) if sites else {}
    same = {site for site in sites if site in now and now[site].at == looks[site].at}
    return replace(plan, actions=tuple(one for one in plan.actions if one.site in same))


def lane_targets(fleet: Fleet, lane: Lane, tools: Tools) -> list[Target]:
    """The targets of the inventory that are in this lane now."""
    of_account = [target for target in fleet.targets() if target.account.name == lane.account]
    return lanes(of_account, tools).get(lane, [])
