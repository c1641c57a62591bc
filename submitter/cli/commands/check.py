"""`submitter check`: is everything ready for a run?"""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option, selection_options
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import select
from submitter.core.selection import Selection

HELP = """Check the inventory and its secrets; with --online, the engines, too.

Online every account is asked what it may do, and every site is looked at: robots.txt, the sitemap
as ourselves and in the name of the engine's crawler, and the key file. For each target the first
thing that stands in the way is named, with the next step. Nothing is sent and no quota is spent.
Exits 2 when a person has to edit something, 4 when an engine or a site says no.
"""


@click.command(help=HELP)
@click.option("--online", is_flag=True, help="Ask the engines and look at the sites, too.")
@selection_options
@json_option
@click.pass_obj
def command(invocation: Invocation, *, online: bool, selection: Selection, as_json: bool) -> int:
    from submitter.render.shapes import check_doc
    from submitter.render.text_check import check_text
    from submitter.stories.doctor.rounds import Doors, check_fleet

    fleet = invocation.load_fleet()
    targets = select(fleet, selection)
    with invocation.working(fleet) as (parts, stopped):
        doors = Doors(
            open_channels=parts.channels,
            property_of=parts.property_of,
            source=parts.source,
            clock=parts.clock,
            progress=parts.progress,
            warn=lambda account: parts.warnings(account, now().date()),
            stopped=stopped.event.is_set,
        )
        checkup = check_fleet(fleet, targets, doors, online=online)
    document = check_doc(checkup)
    invocation.exit_code = stopped.exit_code(checkup.exit_code)
    if as_json:
        write_json(document)
    else:
        write_lines(check_text(document, screen_of_stdout(invocation.environ)))
    return invocation.exit_code
