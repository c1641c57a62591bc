"""`submitter enqueue`: a run as jobs for workers."""

from __future__ import annotations

import click

from submitter.cli.extras import workers_room
from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import force_option, json_option, no_verify_option, selection_options
from submitter.cli.output import write_json, write_lines
from submitter.core.choosing import select
from submitter.core.selection import Selection

HELP = """Put a run into the queue, as jobs for workers.

One job looks at each site, one sends in each lane. Needs a ledger on PostgreSQL and `submitter
worker` somewhere. A job that waits there already is not put in twice, so this may be done at any
time.
"""


@click.command(help=HELP)
@force_option
@no_verify_option
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    reason: str | None,
    no_verify: bool,
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.core.jobs import Errand
    from submitter.render.work_report import enqueued_doc, enqueued_text

    fleet = invocation.load_fleet()
    select(fleet, selection)
    with workers_room():
        from submitter.workers.calling import enqueue

    errand = Errand(new_run_id(), selection, reason, not no_verify)
    with invocation.wiring(fleet) as parts:
        parts.require_secrets(list(fleet.accounts.values()))
        counts = enqueue(errand, invocation.worker_place(), parts.ledger_url)
    document = enqueued_doc(errand.run, counts)
    if as_json:
        write_json(document)
    else:
        write_lines(enqueued_text(document))
    return 0
