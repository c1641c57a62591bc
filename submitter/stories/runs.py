"""The story of one run: look, plan, send, verify, report."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from submitter.asking.verify import Answer, verify
from submitter.core import accounting
from submitter.core.accounting import Done, ExitCode, RunOutcome
from submitter.core.calls import Action, Survey
from submitter.core.fleet import Account, Fleet, Site, Target
from submitter.core.looks import SiteLook, TellRule
from submitter.core.outcomes import unknown_until
from submitter.core.planned import Plan
from submitter.core.sights import Sight
from submitter.core.standing import Candidate
from submitter.core.summary import Json, RunFacts, run_json
from submitter.core.traits import Kind, Traits
from submitter.errors import LeaseLost, LedgerBusy, LedgerError, UnsafePlan
from submitter.looking.observe import observe, tell_rule
from submitter.looking.reading import Readers, SoleReader
from submitter.looking.removals import Confirmation, confirm_gone
from submitter.looking.sighting import Eyes
from submitter.looking.walk import Surroundings
from submitter.planning import plan_targets, reasons_to_hold
from submitter.ports import Clock, Lease, Ledger, Progress, Source
from submitter.sending.channels import Channel, RunContext, RunRules
from submitter.sending.runner import run_plan

log = logging.getLogger(__name__)

LEASE = "run"
LEASE_TTL_S = 90.0
LOOKERS = 8
"""Sites looked at side by side."""
ASK_AGAIN = timedelta(days=7)
"""A page that left its sitemap and still answers is asked again after this."""
SEND_SHARE = 0.5
"""With a deadline, looking may take at most this share of the time; the rest is for sending."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The doors a run goes through. `open_channels` opens engines only for accounts in use."""

    ledger: Ledger
    source: Source
    clock: Clock
    traits: Mapping[str, Traits]
    open_channels: Callable[[Iterable[str]], Mapping[str, Channel]]
    property_of: Callable[[Target, Survey | None], str]
    progress: Progress
    rules: RunRules = RunRules()
    stop: threading.Event = field(default_factory=threading.Event)
    readers: Readers = field(default_factory=SoleReader)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to do. `until` is a monotonic time; `forced` the operator's reason, stored."""

    run: str
    fleet: Fleet
    targets: Sequence[Target]
    owner: str
    until: float = float("inf")
    forced: str | None = None
    only_plan: str | None = None
    verify: bool = True
    wait_s: float = 0.0
    partial: bool = False
    """True: the targets' sites name some of their sitemaps only (a one-off submission)."""
    part: str = ""
    """Of the ledger's lease, when others work on the rest of the fleet at the same time."""


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


# ---------------------------------------------------------------- the lease


@contextmanager
def held_lease(request: RunRequest, tools: Tools) -> Iterator[Lease]:
    """Hold the ledger, or the request's part of its work, for the time of the block; a heartbeat
    keeps the lease alive."""
    lease = _acquire(request, tools)
    stop_beating = threading.Event()
    beat = threading.Thread(
        target=_keep_alive, args=(lease, tools, stop_beating), name="lease", daemon=True
    )
    beat.start()
    try:
        yield lease
    finally:
        stop_beating.set()
        beat.join()
        tools.ledger.release(lease)


def _acquire(request: RunRequest, tools: Tools) -> Lease:
    name = f"{LEASE}/{request.part}" if request.part else LEASE
    give_up_at = tools.clock.monotonic() + request.wait_s
    while True:
        try:
            return tools.ledger.acquire(
                name, request.owner, ttl_s=LEASE_TTL_S, now=tools.clock.now()
            )
        except LedgerBusy:
            if tools.clock.monotonic() >= give_up_at or tools.stop.is_set():
                raise
            tools.clock.sleep(min(1.0, max(0.05, give_up_at - tools.clock.monotonic())))


def _keep_alive(lease: Lease, tools: Tools, finished: threading.Event) -> None:
    while not finished.wait(tools.rules.beat_s):
        try:
            lease = tools.ledger.renew(lease, ttl_s=LEASE_TTL_S, now=tools.clock.now())
        except LeaseLost:
            log.error("the ledger's lease was taken by another run; this one stops")
            tools.stop.set()
            return
        except LedgerError as problem:
            log.warning(
                "the ledger's lease could not be renewed, which is tried again: %s", problem
            )


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


def look_at_sites(request: RunRequest, tools: Tools, lease: Lease) -> dict[str, SiteLook]:
    """Look at every selected site, several side by side; what the deadline cuts off is missing."""
    sites = {target.site.origin: target.site for target in request.targets}
    now = tools.clock.monotonic()
    looking_until = now + (request.until - now) * SEND_SHARE
    around = surroundings(request.fleet, tools, until=looking_until, partial=request.partial)
    tools.progress.start("looking at sites", len(sites))

    def look(site: Site) -> SiteLook | None:
        if around.stopped() or tools.clock.monotonic() >= looking_until:
            return None
        tell = tell_rules(site, request.fleet, tools.traits)
        seen = observe(site, ledger=tools.ledger, lease=lease, tell=tell, around=around)
        tools.progress.advance()
        return seen

    try:
        with ThreadPoolExecutor(LOOKERS, thread_name_prefix="look") as pool:
            looks = list(pool.map(look, sites.values()))
    finally:
        tools.readers.stop()
    tools.progress.stop()
    return {seen.site: seen for seen in looks if seen is not None}


def surroundings(
    fleet: Fleet, tools: Tools, *, until: float, partial: bool = False
) -> Surroundings:
    return Surroundings(
        source=tools.source,
        clock=tools.clock,
        fleet_hosts=frozenset(site.host for site in fleet.sites),
        crawlers=tuple(sorted({traits.crawler for traits in tools.traits.values()})),
        engines_of={site.origin: engines_of(site, fleet, tools.traits) for site in fleet.sites},
        until=None if until == float("inf") else until,
        stopped=tools.stop.is_set,
        partial=partial,
        readers=tools.readers,
    )


def engines_of(site: Site, fleet: Fleet, traits: Mapping[str, Traits]) -> tuple[Traits, ...]:
    """The engines that the site is told to, each once."""
    names = dict.fromkeys(fleet.accounts[name].engine for name in site.accounts)
    return tuple(traits[name] for name in names)


def tell_rules(site: Site, fleet: Fleet, traits: Mapping[str, Traits]) -> list[TellRule]:
    """What the site's delta means at each of its accounts, selected now or not."""
    accounts: list[Account] = [fleet.accounts[name] for name in site.accounts]
    rules = (tell_rule(account, traits[account.engine]) for account in accounts)
    return [rule for rule in rules if rule is not None]


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


def accept_looks(
    request: RunRequest, tools: Tools, lease: Lease, looks: Mapping[str, SiteLook]
) -> None:
    """A look that passes the guard, or is forced, is what the next one is compared with."""
    sites = {target.site.origin: target for target in request.targets}
    for origin, look in looks.items():
        target = sites[origin]
        traits = tools.traits[target.account.engine]
        held = reasons_to_hold(target, replace(traits, crawler="*"), look)
        if not look.unfinished and (not held or request.forced is not None):
            tools.ledger.accept_look(lease, origin)


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
        plan, done, looks.values(), late=_is_late(request, looks), forced=bool(request.forced)
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
    )
    return RunReport(run_json(facts), int(verdict.exit_code), facts, tuple(answers))


def _is_late(request: RunRequest, looks: Mapping[str, SiteLook]) -> bool:
    """Sites that were to be looked at and were not, or not to the end."""
    wanted = {target.site.origin for target in request.targets}
    return len(looks) < len(wanted) or any(look.unfinished for look in looks.values())
