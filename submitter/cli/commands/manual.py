"""`submitter manual`: what a person hands in at engines' consoles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import NoMatch

if TYPE_CHECKING:
    from submitter.core.checklist import Item
    from submitter.stories.manual import Chosen

    Alter = Callable[[Sequence[Item], Sequence[str]], tuple[Item, ...]]

HELP = """Show what a person hands in at consoles, by site and engine.

What to hand in today comes first, then what to take out, what changed since, and what was handed in
when. The list of Baidu's files comes from `flatten --baidu`; other consoles are named at a site
(`manual: [sogou]`). Asks nobody. Exits 7 when the selection matches no list.
"""


def _selecting(command: Callable[..., int]) -> Callable[..., int]:
    """`site` and `engine`, each a tuple."""
    site = click.option("--site", metavar="GLOB", multiple=True, help="Sites by host or address.")
    engine = click.option("--engine", metavar="NAME", multiple=True, help="Consoles by engine.")
    return site(engine(json_option(click.pass_obj(command))))


@click.group(help=HELP, invoke_without_command=True)
@_selecting
def command(
    invocation: Invocation, *, site: tuple[str, ...], engine: tuple[str, ...], as_json: bool
) -> int:
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    from submitter.render.manual_report import manual_doc, manual_text
    from submitter.stories.manual import make_checklists

    fleet = invocation.load_fleet()
    chosen = _chosen(site, engine)
    with invocation.wiring(fleet) as parts:
        lists = make_checklists(fleet.sites, parts.ledger, now=parts.clock.now(), chosen=chosen)
    if not lists and (site or engine):
        raise NoMatch("no list matches: `submitter manual` shows all that there are")
    document = manual_doc(lists)
    if as_json:
        write_json(document)
    else:
        write_lines(manual_text(document, now(), screen_of_stdout(invocation.environ)))
    return 0


def _chosen(sites: Sequence[str], engines: Sequence[str]) -> Chosen:
    globs = [glob.lower().rstrip("/") for glob in sites]

    def chosen(site: str, engine: str) -> bool:
        host = site.partition("://")[2]
        named = not globs or any(
            fnmatchcase(host, glob) or fnmatchcase(site, glob) for glob in globs
        )
        return named and (not engines or engine in engines)

    return chosen


def _mark(
    make: Callable[[datetime], Alter],
    invocation: Invocation,
    *,
    addresses: tuple[str, ...],
    site: tuple[str, ...],
    engine: tuple[str, ...],
    as_json: bool,
) -> int:
    from submitter.render.manual_report import tick_doc, tick_text
    from submitter.stories.manual import book_of, mark

    chosen = _chosen(site, engine)
    with invocation.wiring(invocation.load_fleet()) as parts:
        alter = make(parts.clock.now())
        document = tick_doc(mark(book_of(parts.ledger), addresses, alter, chosen=chosen))
    if as_json:
        write_json(document)
    else:
        write_lines(tick_text(document, screen_of_stdout(invocation.environ)))
    return 0


def _marking(name: str, help: str) -> Callable[[Callable[..., int]], Any]:
    """A command below this one that takes addresses."""

    def decorate(function: Callable[..., int]) -> Any:
        argument = click.argument("addresses", metavar="ADDRESS...", nargs=-1, required=True)
        return command.command(name, help=help)(argument(_selecting(function)))

    return decorate


@_marking("done", "These were handed in, or taken out where the list says so.")
def done(invocation: Invocation, **words: Any) -> int:
    from submitter.core.checklist import tick

    return _mark(lambda at: partial(tick, now=at), invocation, **words)


@_marking("undo", "These were ticked by mistake: as if never handed in.")
def undo(invocation: Invocation, **words: Any) -> int:
    from submitter.core.checklist import untick

    return _mark(lambda at: untick, invocation, **words)


@_marking("withdrawn", "These were taken out of the console, with pages behind them or not.")
def withdrawn(invocation: Invocation, **words: Any) -> int:
    from submitter.core.checklist import withdraw

    return _mark(lambda at: partial(withdraw, now=at), invocation, **words)
