"""`submitter check`: is everything ready for a run?"""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option, selection_options
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.cli.selecting import select
from submitter.core.selection import Selection

HELP = """Check the inventory and its secrets; with --online, the engines, too.

Online every account is asked what it may do; nothing is sent and no quota is spent.
Exits 2 when a person has to edit something, 4 when an engine says no.
"""


@click.command(help=HELP)
@click.option("--online", is_flag=True, help="Ask the engines, too.")
@selection_options
@json_option
@click.pass_obj
def command(invocation: Invocation, *, online: bool, selection: Selection, as_json: bool) -> int:
    from submitter.checkup import check_fleet
    from submitter.render.shapes import check_doc
    from submitter.render.text_check import check_text

    fleet = invocation.load_fleet()
    targets = select(fleet, selection)
    with invocation.wiring(fleet) as parts:
        checkup = check_fleet(
            fleet, targets, parts.channels, property_of=parts.property_of, online=online
        )
    document = check_doc(checkup)
    invocation.exit_code = checkup.exit_code
    if as_json:
        write_json(document)
    else:
        write_lines(check_text(document, screen_of_stdout(invocation.environ)))
    return invocation.exit_code
