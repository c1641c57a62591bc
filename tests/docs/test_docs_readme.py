"""The README does what it says: its commands are run, and every other one at least exists."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
import yaml
from docs_fleet import write_inventory
from docs_pages import blocks, command_lines, read

from submitter.cli.app import COMMANDS, app
from submitter.inventory.load import load_inventory
from submitter.sandbox import Sandbox
from submitter.wiring import TRAITS

PATIENCE_S = 240
PAGES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")
BLOCKS = blocks("README.md")
FIRST = [block for block in BLOCKS if block.mark == "runs: first"]
RUN = [block for block in BLOCKS if block.mark == "runs"]


# ---------------------------------------------------------------- what is run


def local(text: str) -> str:
    """The hosts of the docs are served here without TLS."""
    return text.replace("https://", "http://")


@pytest.fixture(scope="module")
def programs(folder: Path) -> Path:
    """A folder with `submitter`, a `pip` that has installed it already, and an editor."""
    path = folder / "bin"
    path.mkdir()
    scripts = {
        "submitter": f'exec {sys.executable} -m submitter "$@"',
        "python3": f'exec {sys.executable} "$@"',
        "pip": "exit 0",
        "editor": f'cp {folder}/edited.yaml "$1"',
    }
    for name, line in scripts.items():
        script = path / name
        script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture(scope="module")
def environ(programs: Path) -> Mapping[str, str]:
    return os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "EDITOR": str(programs / "editor"),
    }


def shell(text: str, environ: Mapping[str, str]) -> None:
    """Every line of it ends well."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.fixture(scope="module")
def told(sandbox: Sandbox, folder: Path, environ: Mapping[str, str]) -> Path:
    """The first block was done; in the editor, everything was said to be on this machine."""
    write_inventory(sandbox, folder / "edited.yaml")
    shutil.rmtree(folder / "var")
    (first,) = FIRST
    shell(first.text, environ)
    for block in BLOCKS:
        if block.mark.startswith("file: "):
            name = block.mark.removeprefix("file: ")
            (folder / name).write_text(local(block.text), encoding="utf-8")
    return folder


def test_the_first_block_leads_to_a_first_result(told: Path, sandbox: Sandbox) -> None:
    assert (told / "var" / "submitter.db").exists()
    assert len(sandbox.google.book.entries("sitemaps.submit")) == 2


def test_the_recipes_work(told: Path, environ: Mapping[str, str]) -> None:
    assert len(RUN) >= 5
    for block in RUN:
        shell(local(block.text), environ)
    submitted = (told / "submitted.csv").read_text(encoding="utf-8").splitlines()
    assert submitted[0].startswith("id,run,action,")
    assert len(submitted) > 4
    pages = (told / "pages.txt").read_text(encoding="utf-8").splitlines()
    assert len(pages) == 12


def test_what_dashboards_ask_is_answered(told: Path) -> None:
    (block,) = [block for block in BLOCKS if block.mark == "runs: sql"]
    with sqlite3.connect(told / "var" / "submitter.db") as ledger:
        rows = ledger.execute(block.text).fetchall()
    ledger.close()
    assert ("gsc", "accepted", 2, 2) in [row[1:] for row in rows]


def test_the_sandbox_serves_a_users_own_tests(tmp_path: Path, environ: Mapping[str, str]) -> None:
    (block,) = [block for block in BLOCKS if block.mark == "runs: pytest"]
    (tmp_path / "test_mine.py").write_text(block.text, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert "1 passed" in done.stdout, done.stdout[-2000:]


def test_the_inventory_in_the_readme_is_sound(tmp_path: Path) -> None:
    (block,) = [block for block in BLOCKS if block.kind == "yaml"]
    path = tmp_path / "inventory.yaml"
    path.write_text(block.text, encoding="utf-8")
    fleet = load_inventory(path, engines=TRAITS)
    assert [site.origin for site in fleet.sites] == [
        "https://www.example.com",
        "https://shop.example.com",
    ]
    assert yaml.safe_load(block.text)["name"] == fleet.name


# ---------------------------------------------------------------- what at least exists


@pytest.mark.parametrize("name", PAGES)
def test_every_command_that_is_named_exists_with_its_options(name: str) -> None:
    for line in command_lines(name):
        words = [word.strip("[]()…") for word in line.split()]
        problem = check_words([word for word in words if word])
        assert problem == "", f"{name}: submitter {line}: {problem}"


def test_the_readme_names_every_command() -> None:
    (table,) = [text for text in read("README.md").split("\n\n") if "| command | does |" in text]
    assert set(table.replace("`", " ").split()) >= COMMANDS.keys()


def check_words(words: list[str]) -> str:
    """What is wrong with a command line, as far as commands and options go."""
    command: click.Command = app
    context = click.Context(app, info_name="submitter")
    takes_value = False
    for word in words:
        options = {name: one for one in command.params for name in one.opts}
        if takes_value:
            takes_value = False
        elif word.startswith("-") and word != "-":
            if word not in options and word not in ("--help", "-h"):
                return f"no option {word}"
            option = options.get(word)
            takes_value = isinstance(option, click.Option) and not (option.is_flag or option.count)
        elif isinstance(command, click.Group) and not word.isupper():
            inner = command.get_command(context, word)
            if inner is None:
                return f"no command {word}"
            command, context = inner, click.Context(inner, info_name=word, parent=context)
    return ""


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("run --deadline 10 --site shop*", ""),
        ("-i x.yaml google verify-domain example.com --check", ""),
        ("run --dead-line 10", "no option --dead-line"),
        ("ruin", "no command ruin"),
        ("google verify example.com", "no command verify"),
        ("--verbosity 2 run", "no option --verbosity"),
    ],
)
def test_a_wrong_command_line_is_noticed(line: str, problem: str) -> None:
    assert check_words(line.split()) == problem
