"""Where an option goes that stands on the wrong side of the command."""

from __future__ import annotations

from collections.abc import Sequence

import click

from submitter.cli.app import COMMANDS, app


def with_its_place(error: click.NoSuchOption, argv: Sequence[str]) -> click.NoSuchOption:
    """The error with the place where its option belongs; as it is where nobody knows the option."""
    place = _place(error.ctx, error.option_name, argv) if error.ctx is not None else ""
    if not place:
        return error
    message = f"No such option {error.option_name!r} here; it goes {place}"
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)


def _place(context: click.Context, name: str, argv: Sequence[str]) -> str:
    root = context.find_root()
    if context is not root:
        own = _option(root.command, name)
        return f"before the command: submitter {own} {_named(context)}" if own else ""
    word = next((word for word in argv if word in COMMANDS), "")
    command = app.get_command(root, word)
    its = _option(command, name) if command is not None else ""
    return f"after the command: submitter {word} {its}" if its else ""


def _named(context: click.Context) -> str:
    return context.command_path.partition(" ")[2]


def _option(command: click.Command, name: str) -> str:
    """As it is written, with what it takes; empty where the command has none of that name."""
    for one in command.params:
        if isinstance(one, click.Option) and name in one.opts:
            takes = "" if one.is_flag or one.count else f" {one.metavar or one.type.name.upper()}"
            return name + takes
    return ""
