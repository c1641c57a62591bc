"""`submitter audit`: a sitemap held against reality."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from submitter.cli.auditing import (
    AuditOptions,
    ListWords,
    audit_options,
    print_report,
    read_known,
    sites_of,
    write_known,
)
from submitter.cli.baidu import with_ledger
from submitter.cli.invocation import Invocation
from submitter.cli.listing import open_list
from submitter.cli.options import deadline_option, json_option, reach_options, selection_options
from submitter.cli.places import Extra, find_place, fleet_if_any, read_extra
from submitter.core.selection import Selection

if TYPE_CHECKING:
    from submitter.core.fleet import Fleet
    from submitter.looking.walk import Surroundings
    from submitter.ports import PublishList, Source
    from submitter.stories.auditing import AuditReport, AuditRequest
    from submitter.wiring import Wiring

HELP = """Hold sitemaps against reality: protocol, serving, pages, dates.

Takes an address, a file, or - for stdin; an address without a path stands for the sitemaps that its
robots.txt names. Without any, the sites of the inventory. Pages are fetched within robots.txt and
the site's fetch settings. With a ledger, what pages looked like is remembered, and whose lastmod
can be believed shows at the next audit.

Exits 4 when something is as bad as --fail-on and not in the baseline, 6 when the deadline left
work: --resume goes on with it.
"""


@click.command(help=HELP)
@click.argument("address", metavar="[URL|FILE|-]", default="")
@audit_options
@reach_options
@deadline_option
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    address: str,
    options: AuditOptions,
    allow_private: tuple[str, ...],
    connect_to: tuple[str, ...],
    deadline: float | None,
    selection: Selection,
) -> int:
    extra = read_extra(allow_private, connect_to)
    if address and not selection.is_everything:
        raise click.UsageError("an address and a selection of sites do not go together")
    if address == options.listed.name == "-":
        raise click.UsageError("stdin is either the sitemap or the list")
    fleet = with_ledger(
        fleet_if_any(invocation) if address else invocation.load_fleet(), invocation
    )
    until = invocation.until(deadline)
    with invocation.working(fleet) as (parts, stopped):
        report = (
            _audit_place(address, options, parts, extra, until)
            if address
            else _audit_fleet(fleet, selection, options, parts, until)
        )
    if options.write_baseline is not None:
        write_known(options.write_baseline, report)
    invocation.exit_code = stopped.exit_code(report.exit_code)
    print_report(report, options.form, exit_code=invocation.exit_code, environ=invocation.environ)
    return invocation.exit_code


def _audit_fleet(
    fleet: Fleet, selection: Selection, options: AuditOptions, parts: Wiring, until: float
) -> AuditReport:
    from submitter.stories.auditing import AuditRequest

    sites = sites_of(fleet, selection)
    request = AuditRequest(sites, ledger=parts.ledger)
    return _audit(request, options, parts, parts.source, until)


def _audit_place(
    address: str, options: AuditOptions, parts: Wiring, extra: Extra, until: float
) -> AuditReport:
    from submitter.stories.auditing import AuditRequest, named_report

    with find_place(address, parts, extra) as place:
        roots = place.site.sitemaps or ()
        local = next((root for root in roots if place.name_of(root) != root), "")
        ledger = parts.ledger if parts.fleet.ledger and not local else None
        request = AuditRequest((place.site,), ledger=ledger, local=local)
        report = _audit(request, options, parts, place.source, until)
        if not local:
            return report
        known = read_known(options.baseline)
        return named_report(report, known, named=place.named, name_of=place.name_of)


def _audit(
    request: AuditRequest, options: AuditOptions, parts: Wiring, source: Source, until: float
) -> AuditReport:
    from submitter.core.building.leaks import Parameters
    from submitter.core.findings import Severity
    from submitter.stories.auditing import audit_fleet

    request = replace(
        request,
        choice=options.pages,
        resume=options.resume,
        wanted=_wanted(options.listed, parts),
        parameters=Parameters(options.listed.kept, options.listed.dropped),
        baseline=read_known(options.baseline),
        fail_on=Severity(options.fail_on),
    )
    return audit_fleet(request, _surroundings(parts, source, until), parts.progress)


def _wanted(listed: ListWords, parts: Wiring) -> PublishList | None:
    if listed.name is None:
        return None
    return open_list(listed.name, listed.query, parts, csv=listed.csv)


def _surroundings(parts: Wiring, source: Source, until: float) -> Surroundings:
    from submitter.looking.walk import Surroundings
    from submitter.wiring import TRAITS

    return Surroundings(
        source=source,
        clock=parts.clock,
        fleet_hosts=frozenset(site.host for site in parts.fleet.sites),
        crawlers=tuple(sorted({traits.crawler for traits in TRAITS.values()})),
        until=None if until == float("inf") else until,
        stopped=parts.stop.is_set,
    )
