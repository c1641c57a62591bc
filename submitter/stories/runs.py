"""The story of one run: look, plan, send, verify, report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from submitter.asking.verify import Answer, verify
from submitter.core import accounting
from submitter.core.accounting import Done, ExitCode, RunOutcome
from submitter.core.calls import Action
from submitter.core.fleet import Fleet, Target
from submitter.core.looks import SiteLook
from submitter.core.outcomes import unknown_until
from submitter.core.planned import Plan
from submitter.core.sights import Sight
from submitter.core.standing import Candidate
from submitter.core.summary import Json, RunFacts, run_json
from submitter.core.traits import Kind
from submitter.errors import UnsafePlan
from submitter.looking.removals import Confirmation, confirm_gone
from submitter.looking.sighting import Eyes
from submitter.planning import plan_targets
from submitter.ports import Lease, Ledger
from submitter.sending.channels import RunContext
from submitter.sending.runner import run_plan
from submitter.stories.leases import held_lease
from submitter.stories.looks import accept_looks, look_at_sites
from submitter.stories.run_request import RunRequest, Tools

log = logging.getLogger(__name__)

ASK_AGAIN = timedelta(days=7)
"""A page that left its sitemap and still answers is asked again after this."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """The run's JSON document, its exit code and what it was made from (None: a repeat)."""

    summary: Json
    exit_code: int
    facts: RunFacts | None = None
    answers: tuple[Answer, ...] = ()


def run_fleet(request: RunRequest, tools: Tools) -> RunReport:
    """Look at the sites, plan, send, verify. Raises LedgerBusy, LedgerError, UnsafePlan;
    everything else is in the report.

    A run id that the ledger knows already is not run again: its report is returned.
    """

    def prepare(lease: Lease) -> tuple[Plan, Mapping[str, SiteLook]]:
        looks = look_at_sites(request, tools, lease)
        plan = make_run_plan(request, tools, lease, looks, now=tools.clock.now())
        check_agreed(plan, request.only_plan)
        if not request.partial:
            accept_looks(request, tools, lease, looks)
        return plan, looks

    return carry_out(request, tools, prepare)


def check_agreed(plan: Plan, agreed: str | None) -> None:
    """Refuse any plan but the one with the agreed digest."""
    if agreed is not None and plan.digest != agreed:
        raise UnsafePlan(
            f"the plan is now {plan.digest}, not {agreed}: nothing was sent; "
            "look at it with `submitter plan`"
        )


def carry_out(
    request: RunRequest,
    tools: Tools,
    prepare: Callable[[Lease], tuple[Plan, Mapping[str, SiteLook]]],
) -> RunReport:
    """One remembered run around whatever `prepare` plans."""
    clock, ledger = tools.clock, tools.ledger
    started_at = clock.now()
    tools.open_channels({target.account.name for target in request.targets})
    with held_lease(request, tools) as lease:
        known = ledger.start_run(
            request.run,
            inventory_sha256=request.fleet.sha256,
            at=started_at,
            forced=request.forced,
        )
        if known is not None and known.summary is not None:
            return RunReport(dict(known.summary), known.exit_code or 0)
        recover(request.fleet, tools, lease)
        plan, looks = _prepared(request, tools, prepare, lease)
        context = run_context(request, tools, lease)
        done = send_plan(plan, tools, context)
        answers = _verify(request, tools, context) if request.verify else []
        report = report_of(request, tools, started_at, plan, done, looks, answers)
        ledger.finish_run(
            request.run,
            at=clock.now(),
            outcome=str(report.summary["outcome"]),
            exit_code=report.exit_code,
            summary=report.summary,
        )
    return report


def _prepared(
    request: RunRequest,
    tools: Tools,
    prepare: Callable[[Lease], tuple[Plan, Mapping[str, SiteLook]]],
    lease: Lease,
) -> tuple[Plan, Mapping[str, SiteLook]]:
    """What `prepare` plans; a refused plan ends the run in the ledger, too."""
    try:
        return prepare(lease)
    except UnsafePlan as refused:
        tools.ledger.finish_run(
            request.run,
            at=tools.clock.now(),
            outcome=str(RunOutcome.HELD),
            exit_code=int(ExitCode.HELD),
            summary={"run": request.run, "outcome": "held", "problem": str(refused)},
        )
        raise


def verify_fleet(request: RunRequest, tools: Tools) -> list[Answer]:
    """Only ask what became of what was told, and record it."""
    with held_lease(request, tools) as lease:
        return _verify(request, tools, run_context(request, tools, lease))


# ---------------------------------------------------------------- the steps


def recover(fleet: Fleet, tools: Tools, lease: Lease) -> int:
    """Calls that a dead run left in flight become `unknown` under their engine's rule."""
    now = tools.clock.now()
    not_before = {
        account.name: unknown_until(tools.traits[account.engine], now)
        for account in fleet.accounts.values()
    }
    lost = tools.ledger.recover(lease, now=now, not_before=not_before)
    if lost:
        log.warning("%d calls of an earlier run ended without an answer: unknown", lost)
    return lost


def make_run_plan(
    request: RunRequest,
    tools: Tools,
    lease: Lease | None,
    looks: Mapping[str, SiteLook],
    *,
    now: datetime,
) -> Plan:
    """The plan as of `now`. Without a lease nothing is remembered of pages that are still there."""
    surveys = {name: survey for name, (survey, _) in tools.ledger.surveys().items()}

    def confirm(target: Target, gone: Sequence[Candidate]) -> Confirmation:
        until = None if request.until == float("inf") else request.until
        heard = confirm_gone(target.site, gone, source=tools.source, until=until)
        if heard.still_there and lease is not None:
            _leave_alone(tools.ledger, lease, target, heard.still_there, until=now + ASK_AGAIN)
        return heard

    def see(target: Target, sitemap: str) -> Sight:
        until = None if request.until == float("inf") else request.until
        return Eyes(target.site, tools.source, now, until).see(sitemap)

    return plan_targets(
        request.targets,
        traits=tools.traits,
        looks=looks,
        property_of=lambda target: tools.property_of(target, surveys.get(target.account.name)),
        ledger=tools.ledger,
        now=now,
        forced=request.forced is not None,
        confirm=confirm,
        see=see,
    )


def _leave_alone(
    ledger: Ledger, lease: Lease, target: Target, pages: Sequence[Candidate], *, until: datetime
) -> None:
    """Pages that left the sitemap and still answer: not asked again for a while."""
    action = Action(
        site=target.site.origin,
        account=target.account.name,
        engine=target.account.engine,
        property="",
        kind=Kind.REMOVAL,
        target=pages[0].loc,
        reason="still-there",
        content="",
        pages=tuple(page.id for page in pages),
    )
    ledger.defer(lease, action, not_before=until, reason="still-there")


def run_context(request: RunRequest, tools: Tools, lease: Lease) -> RunContext:
    return RunContext(
        ledger=tools.ledger,
        lease=lease,
        clock=tools.clock,
        run=request.run,
        sites={target.site.origin: target.site for target in request.targets},
        source=tools.source,
        progress=tools.progress,
        rules=tools.rules,
        until=request.until,
        stop=tools.stop,
    )


def send_plan(plan: Plan, tools: Tools, context: RunContext) -> list[Done]:
    channels = tools.open_channels({action.account for action in plan.actions})
    tools.progress.start("sending", len(plan.actions))
    try:
        return run_plan(plan, channels=channels, context=context)
    finally:
        tools.progress.stop()


def _verify(request: RunRequest, tools: Tools, context: RunContext) -> list[Answer]:
    wanted = {
        target.account.name
        for target in request.targets
        if tools.traits[target.account.engine].checks
    }
    channels = tools.open_channels(wanted)
    surveys = {name: survey for name, (survey, _) in tools.ledger.surveys().items()}
    return verify(request.targets, channels=channels, surveys=surveys, context=context)


def report_of(
    request: RunRequest,
    tools: Tools,
    started_at: datetime,
    plan: Plan,
    done: Sequence[Done],
    looks: Mapping[str, SiteLook],
    answers: Sequence[Answer],
) -> RunReport:
    verdict = accounting.judge_run(
        plan,
        done,
        looks.values(),
        late=_is_late(request, looks),
        forced=bool(request.forced),
        signal=tools.signal(),
    )
    surveys = {name: survey for name, (survey, _) in tools.ledger.surveys().items()}
    facts = RunFacts(
        run=request.run,
        started_at=started_at,
        finished_at=tools.clock.now(),
        plan=plan,
        done=done,
        looks=looks,
        targets=request.targets,
        traits=tools.traits,
        allowances=tools.ledger.allowances(),
        verdict=verdict,
        properties={
            target.key: tools.property_of(target, surveys.get(target.account.name))
            for target in request.targets
        },
        partial=request.partial,
    )
    return RunReport(run_json(facts), int(verdict.exit_code), facts, tuple(answers))


def _is_late(request: RunRequest, looks: Mapping[str, SiteLook]) -> bool:
    """Sites that were to be looked at and were not, or not to the end."""
    wanted = {target.site.origin for target in request.targets}
    return len(looks) < len(wanted) or any(look.unfinished for look in looks.values())
