"""What several commands print at their end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from submitter.cli.invocation import Invocation, now
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.choosing import NoMatch, explain_no_match

if TYPE_CHECKING:
    from submitter.cli.signals import StopSignal
    from submitter.core.selection import Selection
    from submitter.core.sights import Sight
    from submitter.render.documents import RunDoc, StatusDoc
    from submitter.stories.runs import RunReport
    from submitter.wiring import Wiring


def report_run(
    invocation: Invocation, report: RunReport, stopped: StopSignal, *, as_json: bool
) -> int:
    """Print a run's report; returns the exit code."""
    from submitter.render.text_run import run_text

    invocation.exit_code = stopped.exit_code(report.exit_code)
    summary = report.summary
    if invocation.exit_code != report.exit_code:  # the signal came after the report was made
        summary = summary | {"outcome": "stopped", "exit_code": invocation.exit_code}
    if as_json:
        write_json(summary)
    else:
        screen = screen_of_stdout(invocation.environ)
        write_lines(run_text(cast("RunDoc", summary), now(), screen))
    return invocation.exit_code


def status_docs(parts: Wiring, selection: Selection, seen: Iterable[Sight] = ()) -> list[StatusDoc]:
    """What is known of every selected sitemap; `seen` just now, besides what is remembered.
    Raises NoMatch."""
    from submitter.core.lastrun import NO_RUN
    from submitter.looking.stuck import Sightings, key_of, waiting_since
    from submitter.render.shapes import status_doc
    from submitter.stories.recall import Chosen, last_runs_of
    from submitter.wiring import TRAITS

    lines = Chosen(parts.fleet, selection).statuses(parts.ledger)
    if not lines:
        raise NoMatch(explain_no_match(parts.fleet, selection))
    surveys = parts.ledger.surveys()
    statuses = [line.known for line in lines if line.known is not None]
    since = waiting_since(parts.ledger, statuses, now=now())
    sights = Sightings.remembered(parts.ledger, seen)
    last = last_runs_of(parts.ledger, {line.target.key for line in lines})
    docs = []
    for line in lines:
        account = line.target.account
        known = surveys.get(account.name)
        traits = TRAITS[account.engine]
        docs.append(
            status_doc(
                line,
                property=parts.property_of(line.target, known[0] if known else None),
                traits=traits,
                waiting_since=since.get(key_of(line.known)) if line.known else None,
                sights=sights.of(line.target.site.origin, line.sitemap, traits.crawler),
                last=last.get(line.target.key, NO_RUN),
            )
        )
    return docs
