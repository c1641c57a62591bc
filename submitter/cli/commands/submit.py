"""`submitter submit`: sitemaps or pages named by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from submitter.cli.bulk_csv import read_rows
from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import (
    deadline_option,
    force_option,
    json_option,
    no_verify_option,
    wait_option,
)
from submitter.cli.output import tell
from submitter.cli.reporting import report_run
from submitter.core.choosing import NoMatch, explain_no_match
from submitter.core.selection import Selection
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.core.fleet import Account, Fleet
    from submitter.render.documents import RunDoc

HELP = """Submit sitemaps or pages named by hand or by a CSV file.

The CSV has a header with the columns site_url (the property exactly as the engine holds it) and
sitemap_url. Addresses are told as pages where the account's engine takes pages, else as sitemaps.
The same planner and ledger are used as for a run: what was told before is not told again.
"""


@click.command(help=HELP)
@click.option("--account", metavar="NAME", required=True, help="The account that submits.")
@click.option("--csv", "csv_file", metavar="FILE", help="Rows to submit; - reads stdin.")
@force_option
@deadline_option
@wait_option
@no_verify_option
@json_option
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    account: str,
    csv_file: str | None,
    urls: tuple[str, ...],
    reason: str | None,
    deadline: float | None,
    wait: float,
    no_verify: bool,
    as_json: bool,
) -> int:
    from submitter.kit.owners import this_owner
    from submitter.stories.bulk import BulkRequest, run_bulk

    if (csv_file is None) == (not urls):
        raise ConfigError.one("submit", "give either --csv FILE or addresses")
    fleet = invocation.load_fleet()
    request = BulkRequest(
        run=new_run_id(),
        fleet=fleet,
        account=_account(fleet, account).name,
        owner=this_owner(),
        rows=read_rows(csv_file) if csv_file is not None else (),
        urls=urls,
        until=invocation.until(deadline),
        forced=reason,
        verify=not no_verify,
        wait_s=wait,
    )
    with invocation.working(fleet) as (parts, stopped):
        parts.require_secrets([fleet.accounts[request.account]])
        report = run_bulk(request, parts.tools())
    code = report_run(invocation, report, stopped, as_json=as_json)
    if reason is None and _leaves_unchanged(cast("RunDoc", report.summary)):
        tell("What is unchanged is told again with --force REASON.")
    return code


def _leaves_unchanged(run: RunDoc) -> bool:
    return any(one["reason"] == "unchanged" for one in run["skips"])


def _account(fleet: Fleet, name: str) -> Account:
    """An account need not stand at any site to submit by hand."""
    if name not in fleet.accounts:
        raise NoMatch(explain_no_match(fleet, Selection(accounts=(name,))))
    return fleet.accounts[name]
