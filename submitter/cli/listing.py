"""Options about a publish list, for the commands that take one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.ports import PublishList
    from submitter.wiring import Wiring

LIST_OPTIONS = (
    click.option("--query", metavar="SQL|@FILE", help="What to ask the database."),
    click.option("--csv", is_flag=True, help="The list is CSV although its name does not say so."),
)
PARAMETER_OPTIONS = (
    click.option(
        "--keep-parameter",
        "kept",
        metavar="NAME",
        multiple=True,
        help="Pages with this parameter are listed after all.",
    ),
    click.option(
        "--drop-parameter",
        "dropped",
        metavar="NAME",
        multiple=True,
        help="Pages with this parameter are not listed either.",
    ),
)


def open_list(name: str, query: str | None, parts: Wiring, *, csv: bool) -> PublishList:
    """Raises ConfigError."""
    return parts.publish_list(name, _query_text(query), sys.stdin.buffer, csv=csv)


def _query_text(query: str | None) -> str | None:
    if query is None or not query.startswith("@"):
        return query
    try:
        return Path(query[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError.one("--query", f"cannot read {query[1:][:200]!r}") from error
