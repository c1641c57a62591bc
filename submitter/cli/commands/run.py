"""`submitter run`: the whole story."""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import (
    deadline_option,
    force_option,
    json_option,
    no_verify_option,
    read_shard,
    selection_options,
    shard_option,
    wait_option,
)
from submitter.cli.reporting import report_run
from submitter.core.choosing import select
from submitter.core.selection import Selection

HELP = """Look at the sites, plan, send, and ask what became of it.

Nothing that was told before is told again. What does not fit into today's quota waits, in order,
for the next run. A second run on the same ledger leaves at once with 75.
"""


@click.command(help=HELP)
@click.option("--only-plan", metavar="DIGEST", help="Send this plan of `submitter plan` or none.")
@force_option
@deadline_option
@wait_option
@no_verify_option
@shard_option
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    only_plan: str | None,
    reason: str | None,
    deadline: float | None,
    wait: float,
    no_verify: bool,
    shard: str | None,
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.kit.owners import this_owner
    from submitter.stories.run_request import RunRequest
    from submitter.stories.runs import run_fleet

    fleet = invocation.load_fleet()
    targets = select(fleet, selection)
    mine = None if shard is None else read_shard(shard, invocation.environ)
    if mine is not None:
        targets = mine.targets(fleet.sites, targets)
    request = RunRequest(
        run=new_run_id(),
        fleet=fleet,
        targets=targets,
        owner=this_owner(),
        until=invocation.until(deadline),
        forced=reason,
        only_plan=only_plan,
        verify=not no_verify,
        wait_s=wait,
        part="" if mine is None else mine.part,
    )
    with invocation.working(fleet) as (parts, stopped):
        parts.require_secrets([target.account for target in targets])
        report = run_fleet(request, parts.tools())
    return report_run(invocation, report, stopped, as_json=as_json)
