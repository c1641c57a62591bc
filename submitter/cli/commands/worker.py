"""`submitter worker`: carries out the jobs of the queue."""

from __future__ import annotations

import click

from submitter.cli.extras import workers_room
from submitter.cli.invocation import Invocation
from submitter.cli.options import Number, WholeNumber, json_option
from submitter.cli.output import tell, write_json
from submitter.render.documents import WorkerDoc

HELP = """Carry out the jobs of the queue.

`submitter enqueue`, or a schedule, puts them there. Any number of workers may run, on any number of
machines with the same inventory and secrets. They share the limits of the accounts, and what one
leaves behind when it dies, others take over.

With --drain, exits 4 when something of what this worker did went wrong, 3 when a site was held.
"""


@click.command(help=HELP)
@click.option("--drain", is_flag=True, help="Leave when there is nothing to do now.")
@click.option(
    "--jobs", "loops", metavar="N", default=4, show_default=True,
    type=WholeNumber(1, 64), help="Jobs at the same time.",
)  # fmt: skip
@click.option(
    "--schedule", metavar="CRON", help="Enqueue everything at these times (UTC): '17 * * * *'."
)
@click.option(
    "--takeover", metavar="SECONDS", default=30.0, show_default=True,
    type=Number(3.0, 3600.0),
    help="Take over the jobs of workers that were silent for so long.",
)  # fmt: skip
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    drain: bool,
    loops: int,
    schedule: str | None,
    takeover: float,
    as_json: bool,
) -> int:
    from submitter.cli.signals import stopping

    fleet = invocation.load_fleet()
    with workers_room():
        from submitter.workers.calling import run_worker
        from submitter.workers.working import Rhythm

    rhythm = Rhythm(loops=loops, drain=drain, takeover_s=takeover, schedule=schedule)
    with stopping() as stopped, invocation.wiring(fleet) as parts:
        parts.require_secrets(list(fleet.accounts.values()))
        tell(f"taking jobs, {loops} at a time")
        came_to = run_worker(invocation.worker_place(stopped.event), parts.ledger_url, rhythm)
    code = stopped.exit_code(came_to)
    if as_json:
        ended = "drained" if stopped.number is None else "stopped"
        document: WorkerDoc = {"ended": ended, "exit_code": code}
        write_json(document)
    return code
