"""What tests of deploy/ share: where it is, and whether the program understands it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from submitter.cli.app import COMMANDS, app
from submitter.cli.invocation import Invocation

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def prove_the_program_takes(arguments: Sequence[str]) -> click.Context:
    """Raises click.UsageError for a command or an option that there is not. Returns the command's
    context, with its values in `params`."""
    at = next(number for number, one in enumerate(arguments) if one in COMMANDS)
    name, rest = arguments[at], list(arguments[at + 1 :])
    context = app.make_context("submitter", [*arguments[:at], name], obj=Invocation())
    command = app.get_command(context, name)
    assert command is not None
    return command.make_context(name, rest, parent=context)
