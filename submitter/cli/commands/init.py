"""`submitter init`: a starter inventory, never over an existing one unless forced."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option
from submitter.cli.output import write_json, write_lines
from submitter.errors import ConfigError

HELP = """Write a commented starter inventory.

It is written to the file that -i names (inventory.yaml), and never over one that is there.
"""
_UNFIT = re.compile(r"[^a-z0-9]+")


@click.command(help=HELP)
@click.option("--force", is_flag=True, help="Write it although the file is there.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, force: bool, as_json: bool) -> int:
    from submitter.inventory.starter import starter_inventory

    path = invocation.inventory
    _write(path, starter_inventory(_fleet_name(path)), over=force)
    steps = _next_steps(path)
    if as_json:
        write_json({"path": str(path), "next": steps})
    else:
        write_lines([f"Wrote {path}. Next:", *(f"    {step}" for step in steps)])
    return 0


def _fleet_name(path: Path) -> str:
    """After the folder: `inventory` says nothing about a fleet."""
    return _UNFIT.sub("-", path.resolve().parent.name.lower()).strip("-")[:40] or "my-fleet"


def _write(path: Path, text: str, *, over: bool) -> None:
    """Whole or not at all when it is new: two people may run this at once."""
    mode = "w" if over else "x"
    try:
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        problem = "is there already; --force writes over it"
        raise ConfigError.one(str(path), problem) from error
    except OSError as error:
        problem = error.strerror or "cannot be written"
        raise ConfigError.one(str(path), problem) from error


def _next_steps(path: Path) -> list[str]:
    named = "" if os.fspath(path) == "inventory.yaml" else f" -i {path}"
    return [
        f"edit {path}: your sites, and where the accounts' secrets are",
        f"submitter{named} check --online",
        f"submitter{named} plan",
        f"submitter{named} run",
    ]
