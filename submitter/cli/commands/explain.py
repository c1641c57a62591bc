"""`submitter explain`: everything that is known about one address."""

from __future__ import annotations

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.accounting import ExitCode
from submitter.errors import ConfigError

HELP = """Tell everything that is known about one address.

Of a page or a sitemap: where it was seen, who was told, what they answered, and why somebody was
not told. Exits 7 when nothing is known of it.
"""


@click.command(help=HELP)
@click.argument("address", metavar="URL|SITEMAP")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, address: str, as_json: bool) -> int:
    from submitter.core.urls import BadUrl
    from submitter.render.shapes import explain_doc
    from submitter.render.text_explain import explain_text
    from submitter.stories.explaining import UNKNOWN, explain
    from submitter.wiring import TRAITS

    fleet = invocation.load_fleet()
    with invocation.wiring(fleet) as parts:
        surveys = {name: survey for name, (survey, _) in parts.ledger.surveys().items()}
        try:
            story = explain(
                address,
                fleet=fleet,
                ledger=parts.ledger,
                traits=TRAITS,
                property_of=lambda target: parts.property_of(
                    target, surveys.get(target.account.name)
                ),
                now=now(),
            )
        except BadUrl as error:
            raise ConfigError.one("URL", error.problem) from error
    document = explain_doc(story)
    unknown = story.kind == UNKNOWN
    invocation.exit_code = ExitCode.NO_MATCH if unknown else ExitCode.OK
    if as_json:
        write_json(document)
    else:
        write_lines(explain_text(document, now(), screen_of_stdout(invocation.environ)))
    return invocation.exit_code
