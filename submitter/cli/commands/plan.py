"""`submitter plan`: what a run would send, and why the rest would wait."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

import click

from submitter.cli.invocation import Invocation, new_run_id, now
from submitter.cli.options import force_option, json_option, moment_ahead, selection_options
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import select
from submitter.core.selection import Selection

if TYPE_CHECKING:
    from submitter.core.fleet import Target
    from submitter.render.documents import PlanDoc
    from submitter.stories.preview import Preview
    from submitter.wiring import Wiring

HELP = """Show what would be sent and why; send nothing.

The sites are looked at unless another run holds the ledger; then the plan is made from memory and
says so. Exits like a run: 3 when the guard holds a site, 4 when a document has errors.
"""


@click.command(help=HELP)
@click.option("--at", metavar="TIME", type=moment_ahead, help="Plan for another moment: 2d, 18:00.")
@force_option
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    at: datetime | None,
    reason: str | None,
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.kit.owners import this_owner
    from submitter.render.text_plan import plan_text
    from submitter.stories.preview import preview
    from submitter.stories.run_request import RunRequest

    fleet = invocation.load_fleet()
    targets = select(fleet, selection)
    request = RunRequest(new_run_id(), fleet, targets, this_owner(), forced=reason)
    with invocation.working(fleet) as (parts, stopped):
        seen = preview(request, parts.tools(), at=at)
        document = _document(seen, parts, targets)
    invocation.exit_code = stopped.exit_code(_judge(seen, forced=reason is not None))
    if as_json:
        write_json(document)
    else:
        again = None if at else _command(invocation, document["digest"], selection, reason)
        screen = screen_of_stdout(invocation.environ)
        write_lines(plan_text(document, now(), screen, command=again))
    return invocation.exit_code


def _document(seen: Preview, parts: Wiring, targets: Sequence[Target]) -> PlanDoc:
    from submitter.core.summary import findings_of, plan_json
    from submitter.wiring import TRAITS

    traits = {name: TRAITS[one.engine] for name, one in parts.fleet.accounts.items()}
    findings = parts.missing_secrets(target.account for target in targets)
    findings += [one for look in seen.looks.values() for one in findings_of(look, ())]
    document = plan_json(seen.plan, traits_of=traits, findings=findings)
    return cast("PlanDoc", document | {"observed": seen.observed})


def _judge(seen: Preview, *, forced: bool) -> int:
    from submitter.core.accounting import judge_run

    return judge_run(seen.plan, [], seen.looks.values(), forced=forced).exit_code


def _command(invocation: Invocation, digest: str, selection: Selection, reason: str | None) -> str:
    """What sends exactly this plan: the same inventory, ledger and selection."""
    words = ["submitter"]
    words += ["-i", str(invocation.inventory)] if invocation.inventory_named else []
    words += ["--ledger", invocation.ledger] if invocation.ledger else []
    words += ["run", "--only-plan", digest]
    words += ["--force", reason] if reason else []
    chosen = {
        "--site": selection.sites,
        "--engine": selection.engines,
        "--account": selection.accounts,
        "--tag": selection.tags,
    }
    words += [word for option, values in chosen.items() for one in values for word in (option, one)]
    return shlex.join(words)
