"""`submitter verify`: what became of what was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation, new_run_id, now
from submitter.cli.options import (
    WholeNumber,
    deadline_option,
    json_option,
    selection_options,
    wait_option,
)
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.cli.reporting import status_docs
from submitter.core.accounting import ExitCode
from submitter.core.choosing import select
from submitter.core.selection import Selection

if TYPE_CHECKING:
    from submitter.asking.verify import Answer
    from submitter.core.inspection import Sample

HELP = """Ask the engines what became of what they were told.

What they say is recorded. Accepted means queued: only an engine's own word of a download shows that
a sitemap was read.

With --inspect, engines that can be asked about single pages (Google) say of a sample whether it is
in their index, and why not: the newest pages told, and others that change from day to day. One
property can be asked about 2,000 pages a day.
"""


@click.command(help=HELP)
@click.option(
    "--inspect",
    "size",
    metavar="N",
    type=WholeNumber(min=1),
    help="Ask about N pages of each section of each property, too.",
)
@deadline_option
@wait_option
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    size: int | None,
    deadline: float | None,
    wait: float,
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.kit.owners import this_owner
    from submitter.render.inspection_report import sample_docs, samples_text
    from submitter.render.shapes import verify_doc
    from submitter.render.text_status import verify_text
    from submitter.stories.inspections import inspect_fleet
    from submitter.stories.run_request import RunRequest
    from submitter.stories.runs import verify_fleet

    fleet = invocation.load_fleet()
    targets = select(fleet, selection)
    until = invocation.until(deadline)
    request = RunRequest(new_run_id(), fleet, targets, this_owner(), until=until, wait_s=wait)
    with invocation.working(fleet) as (parts, stopped):
        parts.require_secrets([target.account for target in targets])
        answers = verify_fleet(request, parts.tools())
        samples = inspect_fleet(request, parts.tools(), size) if size else []
        seen = [sight for answer in answers for sight in answer.sights]
        statuses = status_docs(parts, selection, seen)
    verdict = judge_both(judge_answers(answers), samples)
    invocation.exit_code = stopped.exit_code(verdict)
    document = verify_doc(answers, statuses, exit_code=invocation.exit_code, at=now())
    inspections = sample_docs(samples) if size else None
    if as_json:
        write_json({**document, "inspections": inspections})
    else:
        screen = screen_of_stdout(invocation.environ)
        write_lines(verify_text(document, now(), screen))
        if inspections is not None:
            write_lines(["", *samples_text(inspections, screen)])
    return invocation.exit_code


def judge_answers(answers: Sequence[Answer]) -> ExitCode:
    """6 some were not asked in time · 5 none answered · 4 some did not · 0 all did, or their
    accounts are paused."""
    asked = [answer for answer in answers if answer.paused_until is None]
    if any(answer.unasked for answer in asked):
        return ExitCode.DEADLINE
    failed = [answer for answer in asked if answer.problem]
    if not failed:
        return ExitCode.OK
    return ExitCode.NOTHING_SUCCEEDED if len(failed) == len(asked) else ExitCode.PARTIAL


def judge_both(answers: ExitCode, samples: Sequence[Sample]) -> ExitCode:
    """As `judge_answers`, of the sitemaps and of the pages that were asked about."""
    from submitter.stories.inspections import judge_samples

    verdicts = {answers, judge_samples(samples)} if samples else {answers}
    if len(verdicts) == 1:
        return answers
    return ExitCode.DEADLINE if ExitCode.DEADLINE in verdicts else ExitCode.PARTIAL
