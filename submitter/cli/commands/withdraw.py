"""`submitter withdraw`: take sitemaps out of an engine's report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import deadline_option, json_option, wait_option
from submitter.cli.output import screen_of_stdout, tell, write_json, write_lines
from submitter.core.accounting import ExitCode
from submitter.core.choosing import NoMatch, explain_no_match
from submitter.core.selection import Selection
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.core.accounting import Done
    from submitter.core.fleet import Fleet
    from submitter.render.withdrawal_report import WithdrawDoc
    from submitter.stories.withdrawals import WithdrawalPlan, WithdrawalRequest

HELP = """Take sitemaps out of an engine's report.

Only those that this ledger submitted, wherever it did; --adopt takes others, too. The engine may go
on crawling them: a withdrawal stops nothing, and it does not make an engine read a sitemap again.

One that the inventory or robots.txt still names comes back: the next run submits it again. Take it
out there first.

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
    from submitter.kit.owners import this_owner
    from submitter.stories.withdrawals import (
        WithdrawalRequest,
        judge_withdrawals,
        plan_withdrawals,
        withdraw,
    )
    from submitter.wiring import TRAITS

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
    with invocation.wiring(fleet) as parts:
        plan = plan_withdrawals(request, parts.ledger, TRAITS)
    if not plan.wanted:
        return _report(invocation, request, plan, (), ExitCode.NO_MATCH, as_json=as_json)
    if not yes and not _agreed(invocation, request, plan):
        tell("Nothing was withdrawn.")
        if as_json:
            write_json(_document(request, plan, (), ExitCode.OK))
        return ExitCode.OK
    with invocation.working(fleet) as (parts, stopped):
        names = sorted({one.action.account for one in plan.wanted})
        parts.require_secrets([fleet.accounts[name] for name in names])
        done = withdraw(request, plan, parts.tools())
    code = stopped.exit_code(judge_withdrawals(done, plan.kept))
    return _report(invocation, request, plan, done, code, as_json=as_json)


def _known(fleet: Fleet, account: str | None) -> str | None:
    if account is not None and account not in fleet.accounts:
        raise NoMatch(explain_no_match(fleet, Selection(accounts=(account,))))
    return account


def _agreed(invocation: Invocation, request: WithdrawalRequest, plan: WithdrawalPlan) -> bool:
    """Show what would be done and ask. Raises ConfigError where there is nobody to ask."""
    if not sys.stdin.isatty():
        raise ConfigError.one("withdraw", "nobody can be asked here: --yes does it without asking")
    for line in _text(invocation, _document(request, plan, (), ExitCode.OK)):
        tell(line)
    count = len(plan.wanted)
    return click.confirm(f"Withdraw {count:,} sitemap{'s' if count > 1 else ''}?", err=True)


def _report(
    invocation: Invocation,
    request: WithdrawalRequest,
    plan: WithdrawalPlan,
    done: Sequence[Done],
    code: int,
    *,
    as_json: bool,
) -> int:
    document = _document(request, plan, done, code)
    invocation.exit_code = code
    if as_json:
        write_json(document)
    else:
        write_lines(_text(invocation, document))
    return code


def _document(
    request: WithdrawalRequest, plan: WithdrawalPlan, done: Sequence[Done], code: int
) -> WithdrawDoc:
    from submitter.render.withdrawal_report import withdraw_doc

    return withdraw_doc(request.run, plan, done, code)


def _text(invocation: Invocation, document: WithdrawDoc) -> list[str]:
    from submitter.render.withdrawal_report import withdraw_text

    return withdraw_text(document, screen_of_stdout(invocation.environ))
