"""`submitter indexnow`: the key that hosts are posted with, and the file that shows it."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import NoMatch
from submitter.errors import ConfigError, EngineError

if TYPE_CHECKING:
    from submitter.core.fleet import Account, Fleet, SecretRef, Target
    from submitter.ports import Clock, Source
    from submitter.sending.channels import Channel
    from submitter.stories.checkup import TargetCheck

ENGINE = "indexnow"
KEY_BYTES = 16
"""32 hexadecimal digits, as Bing's own generator makes them."""
SHOWN_HOSTS = 5
ASKERS = 8
TIMEOUT_S = 60.0
"""For one key file."""

KEY_HELP = """Make a key, and the file that shows it to the engines.

The file is named after the key and holds nothing else; who serves it at a host may post for that
host. It never writes over a file. With --account the next steps fit that account.

With --check nothing is made: the key file of every host is fetched and compared, as a run does it
before its first post. Exits 4 when one is not right.
"""


@click.group(help="Make an IndexNow key; check that its file is served.")
def command() -> None:
    """Holds the commands below."""


@command.command("key", help=KEY_HELP)
@click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where the file is written; default: here.",
)
@click.option("--account", "name", metavar="NAME", help="One account of the inventory.")
@click.option("--check", "checks", is_flag=True, help="Fetch and compare; make nothing.")
@json_option
@click.pass_obj
def key(
    invocation: Invocation, *, directory: Path, name: str | None, checks: bool, as_json: bool
) -> int:
    if checks:
        return _check(invocation, name, as_json=as_json)
    fleet = None if name is None else invocation.load_fleet()
    account = None if fleet is None else _account(fleet, str(name))
    hosts = [] if fleet is None else [one.site.host for one in _targets(fleet, name)]
    file = write_key_file(directory, secrets.token_hex(KEY_BYTES))
    document = _key_doc(file, account, hosts)
    if as_json:
        write_json(document)
    else:
        write_lines(_key_text(document))
    return 0


# ---------------------------------------------------------------- making


def write_key_file(directory: Path, key: str) -> Path:
    """The file, readable by whoever serves it. Raises ConfigError, also when it is there."""
    path = directory / f"{key}.txt"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with open(handle, "w", encoding="ascii") as file:
            os.fchmod(handle, 0o644)
            file.write(key)
    except OSError as error:
        problem = error.strerror or "cannot be written"  # its own text names the file, so the key
    else:
        return path
    raise ConfigError.one(str(directory), f"no key file is written: {problem}")


def _key_doc(file: Path, account: Account | None, hosts: Sequence[str]) -> dict[str, object]:
    """The key stands in it by its first four characters; the shell finds the file by them."""
    begin = file.name[:4]
    pattern = f"{shlex.quote(str(file.parent))}/{begin}*.txt"
    template = account.settings.get("key_location") if account else None
    place = str(template or "https://{host}/{key}.txt").replace("{key}", f"{begin}…")
    secret = account.secret if account else None
    named = f" --account {account.name}" if account else ""
    return {
        "file": pattern,
        "place": place,
        "hosts": list(hosts),
        "reference": str(secret) if secret else "env:INDEXNOW_KEY",
        "next": [
            f"serve it as plain text at {place}{_shown(hosts)}",
            _keep(secret, pattern),
            f"submitter indexnow key --check{named}",
        ],
    }


def _shown(hosts: Sequence[str]) -> str:
    if not hosts:
        return ", at every host"
    more = f" and {len(hosts) - SHOWN_HOSTS:,} more" if len(hosts) > SHOWN_HOSTS else ""
    return f", at {', '.join(hosts[:SHOWN_HOSTS])}{more}"


def _keep(reference: SecretRef | None, pattern: str) -> str:
    """How the key gets to where the inventory looks for it."""
    if reference is None or reference.scheme == "env":
        variable = reference.locator if reference else "INDEXNOW_KEY"
        return f'export {variable}="$(cat {pattern})"'
    if reference.scheme == "file":
        return f"install -m 600 {pattern} {shlex.quote(reference.locator)}"
    return f"store what {pattern} holds as {reference}"


def _key_text(document: Mapping[str, object]) -> list[str]:
    steps = document["next"]
    return [
        f"Wrote {document['file']}: the key is its name without .txt, and all that it holds.",
        f"In the inventory it is `key: {document['reference']}`. Next:",
        *(f"    {step}" for step in (steps if isinstance(steps, list) else ())),
    ]


# ---------------------------------------------------------------- checking


def _check(invocation: Invocation, name: str | None, *, as_json: bool) -> int:
    from submitter.render.shapes import check_doc
    from submitter.render.text_check import check_text
    from submitter.stories.checkup import Checkup

    fleet = invocation.load_fleet()
    targets = _targets(fleet, name)
    if not targets:
        raise NoMatch("no site of the inventory has an IndexNow account")
    with invocation.wiring(fleet) as parts:
        channels = parts.channels({target.account.name for target in targets})
        checkup = Checkup((), check_key_files(targets, channels, parts.source, parts.clock))
    document = check_doc(checkup)
    invocation.exit_code = checkup.exit_code
    if as_json:
        write_json(document)
    else:
        write_lines(check_text(document, screen_of_stdout(invocation.environ)))
    return invocation.exit_code


def check_key_files(
    targets: Sequence[Target], channels: Mapping[str, Channel], source: Source, clock: Clock
) -> list[TargetCheck]:
    """Fetch every key file as a run would; nothing is posted."""
    from concurrent.futures import ThreadPoolExecutor

    from submitter.stories.checkup import Diagnosis, Health, TargetCheck, diagnosis_of

    def check(target: Target) -> TargetCheck:
        engine = channels[target.account.name].engine
        diagnosis = Diagnosis(Health.OK, "its key file is there and right")
        try:
            engine.prepare(target.site, source, until=clock.monotonic() + TIMEOUT_S)
        except EngineError as error:
            diagnosis = diagnosis_of(error)
        return TargetCheck(target, engine.property_of(target.site, None), diagnosis)

    with ThreadPoolExecutor(ASKERS, thread_name_prefix="key-file") as pool:
        return list(pool.map(check, targets))


def _account(fleet: Fleet, name: str) -> Account:
    """Raises NoMatch unless it is an IndexNow account of the inventory."""
    account = fleet.accounts.get(name)
    if account is None or account.engine != ENGINE:
        known = [one.name for one in fleet.accounts.values() if one.engine == ENGINE]
        there = f"there are: {', '.join(known)}" if known else "there is none"
        raise NoMatch(f"{name[:200]!r} is no IndexNow account of the inventory; {there}")
    return account


def _targets(fleet: Fleet, name: str | None) -> list[Target]:
    """The sites of the account, or of every IndexNow account."""
    if name is not None:
        _account(fleet, name)
    return [
        target
        for target in fleet.targets()
        if target.account.engine == ENGINE and name in (None, target.account.name)
    ]
