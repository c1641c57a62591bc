"""The commands' chapter of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submitter.render.markdown import code, codes, heading, prose, table


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option. `name` is all of its spellings, with what follows them."""

    name: str
    text: str
    default: str = ""
    variable: str = ""
    """The environment variable that stands for it."""
    required: bool = False
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class CommandText:
    """One command as `--help` shows it. `usage` begins with the program's name."""

    name: str
    usage: str
    paragraphs: tuple[str, ...]
    options: tuple[OptionText, ...]


def commands_chapter(commands: Sequence[CommandText]) -> list[str]:
    lines: list[str] = []
    for command in commands:
        lines += heading(3, command.name)
        lines += ["```", command.usage, "```"]
        for paragraph in command.paragraphs:
            lines += ["", prose(paragraph)]
        lines += ["", *table(("option", "meaning"), _rows(command.options))]
    return lines


def _rows(options: Iterable[OptionText]) -> Iterable[tuple[str, str]]:
    for option in options:
        more = [f"default {code(option.default)}"] if option.default else []
        more += [f"or the variable {codes([option.variable])}"] if option.variable else []
        more += ["must be given"] if option.required else []
        more += ["may be repeated"] if option.repeatable else []
        yield code(option.name), " ".join((option.text, *_in_brackets(more)))


def _in_brackets(facts: Sequence[str]) -> list[str]:
    return [f"({'; '.join(facts)})"] if facts else []
