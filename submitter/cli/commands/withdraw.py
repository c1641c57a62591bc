"""`submitter withdraw`: take sitemaps out of an engine's report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import deadline_option, json_option, wait_option
from submitter.cli.output import screen_of_stdout, tell, write_json, write_lines
from submitter.cli.selecting import NoMatch, explain_no_match
from submitter.core.accounting import ExitCode
from submitter.core.selection import Selection
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.core.accounting import Done
    from submitter.core.fleet import Fleet
    from submitter.withdrawals import WithdrawalPlan, WithdrawalRequest

HELP = """Take sitemaps out of an engine's report.

Only those that this ledger submitted, wherever it did; --adopt takes others, too. The engine may go
on crawling them: a withdrawal stops nothing, and it does not make an engine read a sitemap again.

Shows what it will do and asks before it does it. Exits 7 when this ledger submitted none of them.
"""


@click.command(help=HELP)
@click.argument("sitemaps", metavar="SITEMAP...", nargs=-1, required=True)
@click.option("--account", metavar="NAME", help="Only at this account.")
@click.option("--adopt", is_flag=True, help="Also sitemaps that this ledger did not submit.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@deadline_option
@wait_option
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    sitemaps: tuple[str, ...],
    account: str | None,
    adopt: bool,
    yes: bool,
    deadline: float | None,
    wait: float,
    as_json: bool,
) -> int:
    from submitter.owners import this_owner
    from submitter.wiring import TRAITS
    from submitter.withdrawals import WithdrawalRequest, plan_withdrawals, withdraw

    fleet = invocation.load_fleet()
    request = WithdrawalRequest(
        run=new_run_id(),
        fleet=fleet,
        sitemaps=sitemaps,
        owner=this_owner(),
        account=_known(fleet, account),
        adopt=adopt,
        until=invocation.until(deadline),
        wait_s=wait,
    )
    with invocation.working(fleet) as (parts, stopped):
        plan = plan_withdrawals(request, parts.ledger, TRAITS)
        done: Sequence[Done] = ()
        if plan.wanted:
            accounts = {fleet.accounts[one.action.account] for one in plan.wanted}
            invocation.require_secrets(parts, accounts)
            if not yes:
                _ask(invocation, request, plan)
            done = withdraw(request, plan, parts.tools())
    return _report(invocation, request, plan, done, stopped.exit_code, as_json=as_json)
