"""`submitter serve`: the dashboard, live."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from submitter import __version__
from submitter.cli.dashboards import gather_report, report_book
from submitter.cli.invocation import Invocation, now
from submitter.cli.options import WholeNumber, json_option, selection_options
from submitter.cli.output import flush, write_json, write_lines
from submitter.core.choosing import select
from submitter.core.selection import Selection
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.dashboard.desk import Tools
    from submitter.dashboard.guard import Guard
    from submitter.wiring import Wiring

HELP = """Show the dashboard in a browser, live.

Until Ctrl-C. It only reads the ledger, and never holds up a run. On this machine nobody is asked;
at any other address a token is needed: a reference in --token (env:NAME, file:PATH, …), or the
token itself in SUBMITTER_DASHBOARD_TOKEN. Open the address with ?token=… once; programs send it as
a bearer.

Also there: /metrics for Prometheus, /healthz, and /data/TABLE.json and .csv (targets, sitemaps,
log, …; the reference lists them, and so does /data/).
"""
TOKEN = "SUBMITTER_DASHBOARD_TOKEN"  # noqa: S105 - the name of a variable
SHORTEST = 16
"""Characters of a token; a shorter one can be guessed."""
PORT = 8420


@click.command(help=HELP)
@click.option("--address", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    metavar="NUMBER",
    type=WholeNumber(0, 65535),
    default=PORT,
    show_default=True,
    help="0: a free one.",
)
@click.option("--token", metavar="REF", help="Where the token is kept, as in the inventory.")
@click.option(
    "--name", "names", metavar="HOST", multiple=True, help="A further name it is reached by."
)
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    address: str,
    port: int,
    token: str | None,
    names: tuple[str, ...],
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.cli.signals import stopping
    from submitter.dashboard import DashboardServer
    from submitter.dashboard.desk import Desk

    fleet = invocation.load_fleet()
    if not selection.is_everything:
        select(fleet, selection)
    with stopping() as stopped, invocation.wiring(fleet, stopped=stopped) as parts:
        guard = _guard(invocation, parts, address, token, names)
        desk = Desk(_tools(parts, selection))
        try:
            server = DashboardServer(address, port, desk, guard)
        except OSError as error:
            problem = f"cannot listen at {address} port {port}: {error.strerror or error}"
            raise ConfigError.one("serve", problem) from error
        try:
            _announce(server.port, guard, as_json=as_json)
            stopped.event.wait()
        finally:
            server.close()
    return stopped.exit_code(0)


def _guard(
    invocation: Invocation,
    parts: Wiring,
    address: str,
    reference: str | None,
    names: tuple[str, ...],
) -> Guard:
    """Raises ConfigError where a token is needed and there is none."""
    from submitter.dashboard.guard import Guard, is_loopback, lower_names

    secret = _token(invocation, parts, reference)
    if secret is None and not is_loopback(address):
        problem = f"a token is needed at {address!r}: give --token REF, or set {TOKEN}"
        raise ConfigError.one("serve", problem)
    if secret is not None and len(secret) < SHORTEST:
        raise ConfigError.one("serve", f"the token has fewer than {SHORTEST} characters")
    return Guard(address, lower_names(names), secret)


def _token(invocation: Invocation, parts: Wiring, reference: str | None) -> str | None:
    if reference is not None:
        from submitter.inventory.references import parse_reference

        try:
            ref = parse_reference(reference, Path.cwd())
        except ValueError as error:
            raise ConfigError.one("--token", str(error)) from error
        found = parts.secrets.resolve(ref).reveal()
    else:
        found = invocation.environ.get(TOKEN, "").strip()
    if not found:
        return None
    invocation.redactor.add(found)
    return found


def _tools(parts: Wiring, selection: Selection) -> Tools:
    from submitter.dashboard.desk import Tools

    def metrics(at: datetime) -> str:
        from submitter.render.prometheus import metrics_text
        from submitter.stories.metrics import gather_metrics
        from submitter.wiring import TRAITS

        return metrics_text(gather_metrics(parts.fleet, parts.ledger, TRAITS, now=at))

    return Tools(
        book=report_book(parts),
        gather=lambda at: gather_report(parts, selection, at),
        metrics=metrics,
        now=now,
        fleet=parts.fleet.name,
        version=__version__,
    )


def _announce(port: int, guard: Guard, *, as_json: bool) -> None:
    host = f"[{guard.address}]" if ":" in guard.address else guard.address
    address = f"http://{host}:{port}/"
    if as_json:
        write_json({"address": address, "token_needed": guard.token is not None})
    else:
        write_lines([f"The dashboard is at {address} until Ctrl-C."])
        if guard.token is not None:
            write_lines(["It asks for the token: open it with ?token=… once."])
    flush()
