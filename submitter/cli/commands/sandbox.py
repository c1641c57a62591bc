"""`submitter sandbox`: local engines and a sample fleet, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import WholeNumber, json_option
from submitter.cli.output import flush, write_json, write_lines
from submitter.errors import ConfigError
from submitter.sandbox.demo import FURTHER

if TYPE_CHECKING:
    from submitter.sandbox import Sandbox

HELP = """Run local engines and a sample fleet to try things on.

Until Ctrl-C. Writes an inventory for them, with its secrets, into a folder. No account, key or
network is needed, and nothing leaves this machine.

The inventory tells Google and Baidu; --also adds a site that is told to other engines.
"""
ENGINES = sorted(FURTHER)


@click.command(help=HELP)
@click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("submitter-sandbox"),
    show_default=True,
    help="Where the inventory, its secrets and its ledger lie.",
)
@click.option(
    "--port", metavar="NUMBER", type=WholeNumber(0, 65535), default=0, help="0 takes a free one."
)
@click.option(
    "--also",
    metavar="ENGINE",
    type=click.Choice(ENGINES),
    multiple=True,
    help=f"One more site is told to this engine: {', '.join(ENGINES)}.",
)
@json_option
@click.pass_obj
def command(
    invocation: Invocation, *, directory: Path, port: int, also: tuple[str, ...], as_json: bool
) -> int:
    from submitter.cli.signals import stopping
    from submitter.sandbox import Sandbox

    del invocation  # it brings its own inventory
    sandbox = Sandbox(port=port)
    with stopping() as stopped:
        inventory = _start(sandbox, directory, port, also)
        _announce(inventory, sandbox.base_url, as_json=as_json)
        stopped.event.wait()
        sandbox.stop()
    return stopped.exit_code(0)


def _start(sandbox: Sandbox, directory: Path, port: int, also: tuple[str, ...]) -> Path:
    """The inventory that was written. Raises ConfigError."""
    try:
        sandbox.start()
    except OSError as error:
        sandbox.stop()
        problem = f"cannot listen at port {port}: {error.strerror or error}; 0 takes a free one"
        raise ConfigError.one("sandbox --port", problem) from error
    try:
        return sandbox.write_demo(directory, further=tuple(dict.fromkeys(also)))
    except OSError as error:
        sandbox.stop()
        problem = f"{error.filename or directory}: {error.strerror or error}"
        raise ConfigError.one("sandbox --directory", problem) from error


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
