"""`submitter google`: what has to be done at Google beside telling it sitemaps."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import json_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import NoMatch

if TYPE_CHECKING:
    from submitter.core.fleet import Account, Fleet

ENGINE = "google"
PROPERTY_PREFIX = "sc-domain:"
"""People copy the property's name; the domain is what stands behind it."""

VERIFY_HELP = """Make a service account the owner of a domain.

Search Console's own dialog refuses service accounts ("email not found"), so the account proves the
domain by itself. Without --check, prints the TXT record to add. With --check, lets Google look for
the record, adds the property to the account's list, and shows its role.

What is done already is not done again. Needs the Search Console API and the Site Verification API.
Exits 4 when Google says no, or does not find the record yet.
"""


@click.group(help="Prove a domain for a service account.")
def command() -> None:
    """Holds the commands below."""


@command.command("verify-domain", help=VERIFY_HELP)
@click.argument("domain", metavar="DOMAIN")
@click.option("--account", "name", metavar="NAME", help="The account; needed if there are several.")
@click.option("--check", is_flag=True, help="The record is there: go on.")
@json_option
@click.pass_obj
def verify_domain(
    invocation: Invocation, *, domain: str, name: str | None, check: bool, as_json: bool
) -> int:
    from submitter.render.domain_report import domain_doc, domain_text
    from submitter.stories import domains

    bare = domains.domain_of(domain.removeprefix(PROPERTY_PREFIX))
    fleet = invocation.load_fleet()
    account = _account(fleet, name)
    with invocation.working(fleet) as (parts, stopped):
        door = parts.domains(account.name)
        report = domains.verify_domain(bare, door, clock=parts.clock, check=check)
    document = domain_doc(report, account)
    document["exit_code"] = invocation.exit_code = stopped.exit_code(report.exit_code)
    if as_json:
        write_json(document)
    else:
        again = _command(invocation, bare, name)
        write_lines(domain_text(document, screen_of_stdout(invocation.environ), again=again))
    return invocation.exit_code


def _account(fleet: Fleet, name: str | None) -> Account:
    """The named Google account, or the only one. Raises NoMatch."""
    known = [one for one in fleet.accounts.values() if one.engine == ENGINE]
    found = [one for one in known if name in (None, one.name)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.name for one in known) or "none"
    problem = f"{name[:200]!r} is no Google account" if name else "say which one with --account"
    raise NoMatch(f"{problem}; in the inventory there are: {names}")


def _command(invocation: Invocation, domain: str, name: str | None) -> str:
    words = ["submitter"]
    words += ["-i", str(invocation.inventory)] if invocation.inventory_named else []
    words += ["google", "verify-domain", domain, "--check"]
    words += ["--account", name] if name else []
    return shlex.join(words)
