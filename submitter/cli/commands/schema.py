"""`submitter schema`: the inventory's JSON Schema."""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option
from submitter.cli.output import write

HELP = """Print the JSON Schema of the inventory.

For editors and checkers.
"""


@click.command(help=HELP)
@json_option
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> int:
    from submitter.inventory.schema import schema_text
    from submitter.wiring import TRAITS

    del invocation, as_json  # it is JSON in any case
    write(schema_text(TRAITS))
    return 0
