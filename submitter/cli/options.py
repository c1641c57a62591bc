"""Options that several commands share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from submitter.cli.invocation import now
from submitter.core.selection import FORCED_WITHOUT_SELECTION, Selection
from submitter.core.sharding import Shard, parse_shard

Command = Callable[..., int]

_LENGTH = re.compile(r"(\d{1,6})(s|min|m|h|d|w)").fullmatch
_TIME_OF_DAY = re.compile(r"(\d{1,2}):(\d\d)").fullmatch
_UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


def moment_ago(text: str) -> datetime:
    """`2026-11-30`, `2026-11-30T16:43:00Z`, `18:00` (the last one), or `2d`: so long ago. Without
    a zone it is UTC."""
    return _moment(text, -1)


def moment_ahead(text: str) -> datetime:
    """As `moment_ago`, but `2d` is so far ahead, and `18:00` the next one."""
    return _moment(text, 1)


def _moment(text: str, direction: int) -> datetime:
    try:
        found, of_day = _LENGTH(text), _TIME_OF_DAY(text)
        if of_day is not None:
            return _nearest(int(of_day[1]), int(of_day[2]), direction)
        if found is None:
            return _as_utc(datetime.fromisoformat(text))
        return now() + direction * int(found[1]) * _UNITS[found[2]]
    except (ValueError, OverflowError) as error:
        problem = f"{text[:200]!r} is neither a time (2026-11-30T16:43Z, 18:00) nor a length (2d)"
        raise click.BadParameter(problem) from error


def _nearest(hour: int, minute: int, direction: int) -> datetime:
    """The last (-1) or next (1) moment of this time of the day in UTC."""
    moment = now()
    found = moment.replace(hour=hour, minute=minute, second=0, microsecond=0)
    passed = (found - moment) * direction < timedelta(0)
    return found + timedelta(days=direction) if passed else found


def _as_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


class Number(click.FloatRange):
    """A number within bounds, called so when it is none."""

    name = "number"


class WholeNumber(click.IntRange):
    """Likewise."""

    name = "whole number"


class WrittenFile(click.Path):
    """A file that is written beside what stdout holds, so that `-` names none."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("it goes into a file: stdout has the report", param, ctx)
        return super().convert(value, param, ctx)


def json_option(command: Command) -> Command:
    """`as_json`."""
    text = "Print one JSON document to stdout and nothing else."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def selection_options(command: Command) -> Command:
    """`selection`: several of one kind = or, different kinds = and. Where the command can be
    forced, too, only what is selected can."""

    @functools.wraps(command)
    def with_selection(
        *args: Any,
        site: tuple[str, ...],
        engine: tuple[str, ...],
        account: tuple[str, ...],
        tag: tuple[str, ...],
        **kwargs: Any,
    ) -> int:
        selection = Selection(site, engine, account, tag)
        if selection.is_everything and kwargs.get("reason") is not None:
            raise click.UsageError(f"--force: {FORCED_WITHOUT_SELECTION}")
        return command(*args, selection=selection, **kwargs)

    options = (
        click.option("--site", metavar="GLOB", multiple=True, help="Sites by host or address."),
        click.option("--engine", metavar="NAME", multiple=True, help="Targets at this engine."),
        click.option("--account", metavar="NAME", multiple=True, help="Targets of this account."),
        click.option("--tag", metavar="TAG", multiple=True, help="Sites with this tag."),
    )
    decorated: Command = with_selection
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def deadline_option(command: Command) -> Command:
    """`deadline`, in seconds or None."""
    return click.option(
        "--deadline",
        metavar="SECONDS",
        type=Number(min=0, min_open=True),
        help="Be done, everything stored, so long after the program's start.",
    )(command)


def wait_option(command: Command) -> Command:
    """`wait`, in seconds."""
    return click.option(
        "--wait",
        metavar="SECONDS",
        type=Number(min=0),
        default=0.0,
        help="Wait so long for another run to end; without it, leave at once with 75.",
    )(command)


def force_option(command: Command) -> Command:
    """`reason`, never empty, or None."""
    return click.option(
        "--force",
        "reason",
        metavar="REASON",
        callback=_reason,
        help="For what is selected or named: pass the guard, and tell unchanged sitemaps again. The"
        " reason is stored.",
    )(command)


def _reason(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter("a reason has words", ctx=ctx, param=param)
    return value


def no_verify_option(command: Command) -> Command:
    """`no_verify`."""
    text = "Do not ask the engines afterwards what became of it."
    return click.option("--no-verify", is_flag=True, help=text)(command)


def shard_option(command: Command) -> Command:
    """`shard`, still to be read, or None."""
    return click.option(
        "--shard",
        metavar="I/N",
        help="Do the I-th of N parts of the fleet; auto reads the number of a platform's task.",
    )(command)


def read_shard(text: str, environ: Mapping[str, str]) -> Shard:
    """Raises click.BadParameter."""
    try:
        return parse_shard(text, environ)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shard") from error


def reach_options(command: Command) -> Command:
    """`allow_private` and `connect_to`, where there may be no inventory to say them."""
    connect = click.option(
        "--connect-to",
        metavar="HOST:PORT=ADDRESS:PORT",
        multiple=True,
        help="Connect to another address for this host and port.",
    )
    private = click.option(
        "--allow-private",
        metavar="CIDR",
        multiple=True,
        help="Addresses that may be connected to although they are not public.",
    )
    return private(connect(command))
