"""Engines that the loader has never heard of, and a loader that knows them."""

from __future__ import annotations

from pathlib import Path

from submitter.core.fleet import FirstRun, Fleet, Limits
from submitter.core.traits import Kind, Option, Traits
from submitter.errors import ConfigError
from submitter.inventory.load import load_inventory

CONSOLE = Traits(
    name="console",
    title="Console",
    tells=frozenset({Kind.SITEMAP}),
    secret_key="credentials",
    day_zone="America/Los_Angeles",
    limits=Limits(per_second=20, per_minute=200),
)
PUSH = Traits(
    name="push",
    title="Push",
    tells=frozenset({Kind.URLS}),
    secret_key="token",
    day_zone="Asia/Shanghai",
    first_run=FirstRun.RECENT,
    options=(
        Option("daily_limit", "int", "Pages a day."),
        Option("share", "float", "Share of the day.", default=0.5),
        Option("repush_changed", "bool", "Push again.", default=False),
        Option("scheme", "str", "How it is sent.", default="http", choices=("http", "https")),
        Option("peers", "strs", "Others to tell."),
        Option("second", "secret", "Another secret."),
    ),
    site_options=(Option("scope", "str", "Where the key lies, with {host} if wanted."),),
)
BYHAND = Traits(
    name="byhand",
    title="By hand",
    tells=frozenset({Kind.SITEMAP}),
    secret_key=None,
    day_zone="UTC",
    options=(Option("desk", "str", "Who does it.", required=True),),
)
ENGINES = {traits.name: traits for traits in (CONSOLE, PUSH, BYHAND)}


def write(folder: Path, text: str | bytes, name: str = "inventory.yaml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(folder: Path, text: str | bytes) -> Fleet:
    return load_inventory(write(folder, text), engines=ENGINES)


def faults(folder: Path, text: str | bytes) -> list[str]:
    """Every fault as `line:column: problem`, with the file's name where it is another file."""
    path = write(folder, text)
    try:
        load_inventory(path, engines=ENGINES)
    except ConfigError as error:
        return [
            str(fault).replace(f"{folder}/", "").removeprefix("inventory.yaml:")
            for fault in error.faults
        ]
    return []
