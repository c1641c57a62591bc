"""`submitter status`: what is known of each sitemap at each engine."""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option, selection_options
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.cli.reporting import status_docs
from submitter.core.selection import Selection

HELP = """Show what is known of each sitemap at each engine.

Also since when. Asks nobody: `submitter verify` asks the engines.
"""


@click.command(help=HELP)
@selection_options
@json_option
@click.pass_obj
def command(invocation: Invocation, *, selection: Selection, as_json: bool) -> int:
    from submitter.render.text_status import status_text

    fleet = invocation.load_fleet()
    with invocation.wiring(fleet) as parts:
        statuses = status_docs(parts, selection)
    if as_json:
        write_json(statuses)
    else:
        write_lines(status_text(statuses, now(), screen_of_stdout(invocation.environ)))
    return 0
