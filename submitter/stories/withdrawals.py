"""Takes sitemaps out of an engine's report: those that this ledger submitted, others if adopted.

The engine forgets the row and nothing else. It may go on reading the sitemap and its pages, so a
withdrawal stops nothing and refreshes nothing; a sitemap is read again by submitting it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from submitter.core import urls
from submitter.core.accounting import Done, ExitCode
from submitter.core.calls import Action
from submitter.core.fleet import Fleet, Site, Target
from submitter.core.planned import Plan
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind, Traits
from submitter.errors import ConfigError, Fault
from submitter.ports import Ledger, LogFilter
from submitter.sending.runner import run_plan
from submitter.stories.leases import held_lease
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import recover, run_context

_HEARD = TOLD | {State.UNKNOWN, State.SENDING}
"""The engine has the sitemap from us, or may have."""


@dataclass(frozen=True, slots=True)
class WithdrawalRequest:
    """`account` None: wherever this ledger submitted the sitemap. `until` is a monotonic time."""

    run: str
    fleet: Fleet
    sitemaps: Sequence[str]
    owner: str
    account: str | None = None
    adopt: bool = False
    until: float = float("inf")
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """One call to come. The property of an adopted sitemap is found in the account's own list."""

    action: Action
    site: Site
    ours: bool
    declared: bool
    """The inventory or robots.txt still names the sitemap: the next run submits it again."""


class KeptReason(StrEnum):
    NOT_OURS = "not-ours"
    """Never submitted from this ledger, or withdrawn since."""
    NO_ACCOUNT = "no-account"
    """Adopted, and several accounts come into question."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A sitemap that is left where it is."""

    sitemap: str
    reason: KeptReason
    message: str


@dataclass(frozen=True, slots=True)
class WithdrawalPlan:
    wanted: tuple[Withdrawal, ...]
    kept: tuple[Kept, ...]


class _Place(NamedTuple):
    """Where a sitemap was submitted, spelled as it was."""

    site: str
    account: str
    property: str
    sitemap: str


# ---------------------------------------------------------------- what would be done


def plan_withdrawals(
    request: WithdrawalRequest, ledger: Ledger, traits: Mapping[str, Traits]
) -> WithdrawalPlan:
    """Reads the ledger and asks nobody. Raises ConfigError for what is no address, and when no
    account can withdraw."""
    accounts = _able_accounts(request, traits)
    asked = _by_identity(request.sitemaps)
    places = _places(ledger, accounts, asked)
    found = [
        one
        for identity, sitemap in asked.items()
        for one in _decide(request, ledger, sitemap, accounts, places.get(identity, []))
    ]
    return WithdrawalPlan(
        tuple(one for one in found if isinstance(one, Withdrawal)),
        tuple(one for one in found if isinstance(one, Kept)),
    )


def _decide(
    request: WithdrawalRequest,
    ledger: Ledger,
    sitemap: str,
    accounts: Sequence[str],
    places: Sequence[_Place],
) -> list[Withdrawal | Kept]:
    fleet = request.fleet
    if places:
        return [
            _withdrawal(fleet, ledger, _site_of(fleet, place.site), place, ours=True)
            for place in places
        ]
    if request.adopt:
        return [_adopted(fleet, ledger, accounts, sitemap)]
    where = f" at {request.account}" if request.account else ""
    message = f"this ledger has not submitted it{where}; --adopt withdraws it all the same"
    return [Kept(sitemap, KeptReason.NOT_OURS, message)]


def _able_accounts(request: WithdrawalRequest, traits: Mapping[str, Traits]) -> list[str]:
    able = [
        account.name
        for account in request.fleet.accounts.values()
        if Kind.WITHDRAWAL in traits[account.engine].tells
    ]
    chosen = [name for name in able if request.account in (None, name)]
    if not chosen:
        known = ", ".join(able) or "none"
        problem = f"no account whose engine lets sitemaps be withdrawn; there are: {known}"
        raise ConfigError.one("--account" if request.account else "accounts", problem)
    return chosen


def _by_identity(sitemaps: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    faults: list[Fault] = []
    for sitemap in sitemaps:
        try:
            found.setdefault(urls.normalize(sitemap), sitemap)
        except urls.BadUrl as error:
            faults.append(Fault("SITEMAP", 0, 0, error.problem))
    if faults:
        raise ConfigError(faults)
    return found


def _places(
    ledger: Ledger, accounts: Collection[str], identities: Collection[str]
) -> dict[str, list[_Place]]:
    """Where the log says that these sitemaps went and were not withdrawn since, by identity."""
    targets = {
        target
        for target, standings in ledger.sitemap_standings().items()
        if target[1] in accounts and any(_identity(one) in identities for one in standings)
    }
    standing: dict[_Place, None] = {}
    for row in ledger.log(LogFilter(targets=frozenset(targets))) if targets else ():
        place = _Place(row.site, row.account, row.property, row.target)
        if row.kind == Kind.SITEMAP and row.state in _HEARD:
            standing[place] = None
        elif row.kind == Kind.WITHDRAWAL and row.state in TOLD:
            standing.pop(place, None)
    found: dict[str, list[_Place]] = {}
    for place in standing:
        found.setdefault(_identity(place.sitemap), []).append(place)
    return found


def _identity(sitemap: str) -> str:
    """What was told is an address; if ever it was none, it equals nothing that is asked for."""
    try:
        return urls.normalize(sitemap)
    except urls.BadUrl:
        return ""


def _adopted(
    fleet: Fleet, ledger: Ledger, accounts: Sequence[str], sitemap: str
) -> Withdrawal | Kept:
    site = _site_of(fleet, urls.origin_of(sitemap))
    able = [name for name in site.accounts if name in accounts] or list(accounts)
    if len(able) > 1:
        message = f"several accounts may have it ({', '.join(able)}): say which with --account"
        return Kept(sitemap, KeptReason.NO_ACCOUNT, message)
    place = _Place(site.origin, able[0], "", sitemap)
    return _withdrawal(fleet, ledger, site, place, ours=False)


def _withdrawal(
    fleet: Fleet, ledger: Ledger, site: Site, place: _Place, *, ours: bool
) -> Withdrawal:
    action = Action(
        site=place.site,
        account=place.account,
        engine=fleet.accounts[place.account].engine,
        property=place.property,
        kind=Kind.WITHDRAWAL,
        target=place.sitemap,
        reason="submitted-here" if ours else "adopted",
        content="",
    )
    told = place.account in site.accounts
    declared = (*(site.sitemaps or ()), *ledger.roots_of(site.origin)) if told else ()
    return Withdrawal(action, site, ours, declared=urls.same(place.sitemap, declared))


def _site_of(fleet: Fleet, origin: str) -> Site:
    """The inventory's site, or one under the longest of its domains that holds the host."""
    known = next((site for site in fleet.sites if site.origin == origin), None)
    if known is not None:
        return known
    scheme, _, host = origin.partition("://")
    name = host.partition(":")[0]
    domains = [one.domain for one in fleet.sites if f".{name}".endswith(f".{one.domain}")]
    own = ".".join(name.split(".")[-2:])
    return Site(host=host, scheme=scheme, domain=max(domains, key=len, default=own))


# ---------------------------------------------------------------- doing it


def withdraw(request: WithdrawalRequest, plan: WithdrawalPlan, tools: Tools) -> list[Done]:
    """Make the calls, each remembered like any other. Raises LedgerBusy, LedgerError, ConfigError;
    what an engine said is in the result, in the plan's order."""
    actions = tuple(one.action for one in plan.wanted)
    channels = tools.open_channels({action.account for action in actions})
    accounts = request.fleet.accounts
    run = RunRequest(
        run=request.run,
        fleet=request.fleet,
        targets=[Target(one.site, accounts[one.action.account]) for one in plan.wanted],
        owner=request.owner,
        until=request.until,
        wait_s=request.wait_s,
    )
    with held_lease(run, tools) as lease:
        recover(request.fleet, tools, lease)
        context = run_context(run, tools, lease)
        done = run_plan(Plan(tools.clock.now(), actions, ()), channels=channels, context=context)
    order = {action.key: at for at, action in enumerate(actions)}
    return sorted(done, key=lambda one: order[one.action.key])


def judge_withdrawals(done: Sequence[Done], kept: Sequence[Kept]) -> ExitCode:
    """7 nothing is known of any of them · 6 no time was left · 5 none withdrawn · 4 not all."""
    if not done:
        return ExitCode.NO_MATCH
    if any(one.outcome.code in ("deadline", "stopped") for one in done):
        return ExitCode.DEADLINE
    good = [one for one in done if one.outcome.rest in TOLD]
    if not good:
        return ExitCode.NOTHING_SUCCEEDED
    return ExitCode.OK if len(good) == len(done) and not kept else ExitCode.PARTIAL
