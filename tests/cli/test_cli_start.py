"""Starting costs little, and help is right."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from calling import Call

from submitter import __version__
from submitter.cli.app import COMMANDS, app

HEAVY = {
    "requests", "urllib3", "asyncio", "ssl", "pydantic", "rich", "sqlalchemy", "lxml", "google",
    "googleapiclient", "yaml", "tenacity",
}  # fmt: skip


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["rum"]], ids=" ".join)
def test_help_imports_nothing_heavy(argv: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "submitter", *argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    imported = {
        line.rpartition("|")[2].strip().partition(".")[0]
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }
    assert "click" in imported
    assert not imported & HEAVY


def test_help_imports_no_command() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "submitter", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "submitter.cli.commands" not in done.stderr
    for name, words in COMMANDS.items():
        assert f"  {name} " in done.stdout
        assert words.split(";")[0] in " ".join(done.stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_begins_as_the_list_says(name: str) -> None:
    context = click.Context(app)
    command = app.get_command(context, name)
    assert command is not None
    assert command.help is not None
    assert command.help.partition("\n")[0] == COMMANDS[name]


def leaves(command: click.Command) -> list[click.Command]:
    """The command, or those of a group."""
    if not isinstance(command, click.Group):
        return [command]
    return [leaf for one in command.commands.values() for leaf in leaves(one)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_speaks_json(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    for leaf in leaves(command):
        assert "--json" in {word for param in leaf.params for word in param.opts}


@pytest.mark.parametrize("name", ["check", "plan", "run", "verify", "status", "log"])
def test_selection_is_the_same_everywhere(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    words = {word for param in command.params for word in param.opts}
    assert {"--site", "--engine", "--account", "--tag"} <= words


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns(call: Call, name: str) -> None:
    answer = call(name, "--help")
    assert answer.exit_code == 0
    assert max(len(line) for line in answer.stdout.splitlines()) <= 80


def test_version(call: Call) -> None:
    assert call("--version").stdout == f"submitter, version {__version__}\n"


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["rum"], "Did you mean 'run'?"),
        (["stats"], "Did you mean 'status'?"),
        (["run", "--forse", "x"], "--force"),
        (["log", "--jsonn"], "--json"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(
    call: Call, argv: list[str], hint: str
) -> None:
    answer = call(*argv)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert hint in answer.stderr


def test_a_word_like_nothing_gets_no_guess(call: Call) -> None:
    answer = call("qqq")
    assert answer.exit_code == 2
    assert "Did you mean" not in answer.stderr
