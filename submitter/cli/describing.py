"""What every command takes, as text: for the reference, and for tests of what the docs say."""

from __future__ import annotations

from collections.abc import Iterator

import click

from submitter.cli.app import app
from submitter.render.reference_commands import CommandText, OptionText

PROGRAM = "submitter"


def command_texts() -> list[CommandText]:
    """The program itself first, then its commands in the order of its help."""
    return [_text(context) for context in _contexts(click.Context(app, info_name=PROGRAM))]


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """Of the command and of all below it; a group that only holds others is passed over."""
    group = context.command
    alone = isinstance(group, click.Group) and group.invoke_without_command
    if not isinstance(group, click.Group) or context.parent is None or alone:
        yield context
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None:
                yield from _contexts(click.Context(command, info_name=name, parent=context))


def _text(context: click.Context) -> CommandText:
    command = context.command
    name = context.command_path.removeprefix(PROGRAM).strip()
    pieces = [context.command_path, *command.collect_usage_pieces(context)]
    options = [one for one in command.params if isinstance(one, click.Option)]
    help_texts = (command.help or "").strip().split("\n\n")
    return CommandText(
        name=name or "global options",
        usage=" ".join(pieces),
        paragraphs=tuple(" ".join(text.split()) for text in help_texts),
        options=tuple(_option(one) for one in options),
    )


def _option(option: click.Option) -> OptionText:
    words = [] if option.is_flag or option.count else [_metavar(option)]
    variable = option.envvar if isinstance(option.envvar, str) else ""
    return OptionText(
        name=" ".join([", ".join(option.opts), *words]),
        text=option.help or "",
        default=str(option.default) if option.show_default else "",
        variable=variable,
        required=option.required,
        repeatable=option.multiple or option.count,
    )


def _metavar(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return _KINDS.get(option.type.name, option.type.name.upper())


_KINDS = {"directory": "DIR"}
