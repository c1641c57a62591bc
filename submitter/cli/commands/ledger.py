"""`submitter ledger`: the memory itself: what is in it, and moving it."""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines

COPY_HELP = """Copy a ledger into a new place, all of it or nothing.

FROM and TO are sqlite:///PATH, postgresql://HOST/DATABASE or env:NAME; FROM may be in a bucket. TO
has to be new: an empty database, or no file. The rows of every table are counted at both ends. FROM
stays as it is; name TO in the inventory from then on. Exits 75 while a run holds FROM.
"""

INFO_HELP = """Show where the ledger is and how many rows its tables hold.

The ledger of the inventory, or the one of `--ledger`.
"""


@click.group(help="Show what the ledger holds; copy it into a new place.")
def command() -> None:
    """Holds the commands below."""


@command.command("copy", help=COPY_HELP)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
@click.pass_obj
def copy(invocation: Invocation, *, source: str, target: str, as_json: bool) -> int:
    from submitter.kit.owners import this_owner
    from submitter.render.ledger_report import copy_doc, copy_text
    from submitter.wiring import copy_ledger

    counts = copy_ledger(
        source,
        target,
        environ=invocation.environ,
        owner=this_owner(),
        now=now(),
        found_secret=invocation.redactor.add,
    )
    document = copy_doc(*counts)
    if as_json:
        write_json(document)
    else:
        write_lines(copy_text(document, screen_of_stdout(invocation.environ)))
    return 0


@command.command("info", help=INFO_HELP)
@json_option
@click.pass_obj
def info(invocation: Invocation, *, as_json: bool) -> int:
    from submitter.render.ledger_report import ledger_doc, ledger_text
    from submitter.wiring import count_ledger

    address = invocation.ledger or invocation.load_fleet().ledger
    found = count_ledger(address, environ=invocation.environ, found_secret=invocation.redactor.add)
    document = ledger_doc(found)
    if as_json:
        write_json(document)
    else:
        write_lines(ledger_text(document, screen_of_stdout(invocation.environ)))
    return 0
