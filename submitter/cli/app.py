"""The command `submitter`: its global options, and its commands, imported when they are used."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import click

from submitter import __version__
from submitter.cli.invocation import Invocation

COMMANDS = MappingProxyType(
    {
        "init": "Write a commented starter inventory.",
        "check": "Check the inventory and its secrets; with --online, the engines, too.",
        "plan": "Show what would be sent and why; send nothing.",
        "run": "Look at the sites, plan, send, and ask what became of it.",
        "submit": "Submit sitemaps or pages named by hand or by a CSV file.",
        "enqueue": "Put a run into the queue, as jobs for workers.",
        "worker": "Carry out the jobs of the queue.",
        "verify": "Ask the engines what became of what they were told.",
        "withdraw": "Take sitemaps out of an engine's report.",
        "status": "Show what is known of each sitemap at each engine.",
        "log": "Show the submission log.",
        "explain": "Tell everything that is known about one address.",
        "flatten": "Read a sitemap tree and list what is in it.",
        "report": "Show what was told, what waits, how soon it was read, what is alarming.",
        "serve": "Show the dashboard in a browser, live.",
        "audit": "Hold sitemaps against reality: protocol, serving, pages, dates.",
        "crawlers": "Read access logs: what crawlers really did.",
        "build": "Build the sitemaps of a publish list.",
        "manual": "Show what a person hands in at consoles, by site and engine.",
        "schema": "Print the JSON Schema of the inventory.",
        "google": "Prove a domain for a service account.",
        "sandbox": "Run local engines and a sample fleet to try things on.",
        "ledger": "Show what the ledger holds; copy it into a new place.",
        "indexnow": "Make an IndexNow key; check that its file is served.",
    }
)
"""Every command in the order of its use; its module is `submitter.cli.commands.NAME`."""


class LazyGroup(click.Group):
    """Knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"submitter.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    help="Tell search engines about a fleet of sites and remember what they answered.",
    epilog="Options of this page go before COMMAND, the others after it; `submitter COMMAND --help`"
    " shows them. Exit codes: 0 done, 2 edit something, 3 held by the guard, 4 partial, 5 nothing"
    " succeeded, 6 deadline, 7 nothing matched, 8 ledger, 75 another run. All of them, and the"
    " shapes of --json, are in config/reference.md, beside the README.",
)
@click.option(
    "-i",
    "--inventory",
    type=click.Path(path_type=Path),
    default=Path("inventory.yaml"),
    show_default=True,
    envvar="SUBMITTER_INVENTORY",
    show_envvar=True,
    help="The inventory of sites, accounts and engines.",
)
@click.option(
    "--ledger",
    metavar="URL",
    envvar="SUBMITTER_LEDGER",
    show_envvar=True,
    help="Where the memory is; goes before the inventory's `ledger`.",
)
@click.option("-v", "--verbose", count=True, help="Log more to stderr; twice for everything.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How lines of the log on stderr look; JSON is in the names that collectors read.",
)
@click.version_option(__version__, prog_name="submitter")
@click.pass_context
def app(
    ctx: click.Context,
    inventory: Path,
    ledger: str | None,
    verbose: int,
    log_format: Literal["text", "json"],
) -> None:
    from submitter.kit.telemetry import logging_to_stderr

    invocation: Invocation = ctx.obj  # `exits.run` hands it in
    source = ctx.get_parameter_source("inventory")
    invocation.inventory, invocation.ledger = inventory, ledger
    invocation.inventory_named = source is not click.core.ParameterSource.DEFAULT
    invocation.verbosity = verbose
    ctx.with_resource(
        logging_to_stderr(invocation.redactor, verbosity=verbose, log_format=log_format)
    )
