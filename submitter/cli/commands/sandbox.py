"""`submitter sandbox`: local engines and a sample fleet, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option
from submitter.cli.output import flush, write_json, write_lines
from submitter.errors import ConfigError

HELP = """Run local engines and a sample fleet to try things on.

Until Ctrl-C. Writes an inventory for them, with its secrets, into a folder. No account, key or
network is needed, and nothing leaves this machine.
"""


@click.command(help=HELP)
@click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("submitter-sandbox"),
    show_default=True,
    help="Where the inventory, its secrets and its ledger lie.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, directory: Path, port: int, as_json: bool) -> int:
    from submitter.cli.signals import stopping
    from submitter.sandbox import Sandbox

    del invocation  # it brings its own inventory
    sandbox = Sandbox(port=port)
    with stopping() as stopped:
        try:
            sandbox.start()
            inventory = sandbox.write_demo(directory)
        except OSError as error:
            sandbox.stop()
            raise ConfigError.one("sandbox", error.strerror or str(error)) from error
        _announce(inventory, sandbox.base_url, as_json=as_json)
        stopped.event.wait()
        sandbox.stop()
    return stopped.exit_code(0)


def _announce(inventory: Path, address: str, *, as_json: bool) -> None:
    commands = [f"submitter -i {inventory} {name}" for name in ("plan", "run", "status", "log")]
    if as_json:
        write_json({"address": address, "inventory": str(inventory), "next": commands})
    else:
        write_lines(
            [
                f"The sandbox runs at {address} until Ctrl-C. In another terminal:",
                *(f"    {line}" for line in commands),
            ]
        )
    flush()
