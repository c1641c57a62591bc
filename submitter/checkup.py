"""Is everything ready for a run? Accounts and their secrets; online, what each account may do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum

from submitter.core.accounting import ExitCode
from submitter.core.calls import Action, Survey
from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.fleet import Account, Fleet, Target
from submitter.core.traits import Kind
from submitter.errors import ConfigError, EngineError, NotAuthorized
from submitter.runner import Channel

CALL_TIMEOUT_S = 30.0
ASKERS = 8
CONFIGURATION = "configuration"
CHECK_IDS = {"unused-account": Meaning(Severity.INFO, "no site uses the account")}
"""Ids of findings about the inventory as a whole, for the docs. They only grow."""


class Health(StrEnum):
    OK = "ok"
    FAILED = "failed"
    UNCHECKED = "unchecked"
    """Not asked, or it cannot be asked without spending."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One answer: `cause` is a stable kebab-case code, `next_step` what a person does now."""

    health: Health
    message: str
    cause: str | None = None
    next_step: str | None = None


@dataclass(frozen=True, slots=True)
class AccountCheck:
    account: Account
    diagnosis: Diagnosis
    survey: Survey | None = None
    channel: Channel | None = None


@dataclass(frozen=True, slots=True)
class TargetCheck:
    target: Target
    property: str
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Checkup:
    accounts: Sequence[AccountCheck]
    targets: Sequence[TargetCheck]
    findings: Sequence[Finding] = field(default_factory=tuple)

    @property
    def exit_code(self) -> ExitCode:
        """2: a person edits the inventory or a secret · 4: an engine says no."""
        of_targets = [one.diagnosis for one in self.targets]
        diagnoses = [*(one.diagnosis for one in self.accounts), *of_targets]
        failed = [one for one in diagnoses if one.health is Health.FAILED]
        if any(one.cause == CONFIGURATION for one in failed):
            return ExitCode.USAGE
        return ExitCode.PARTIAL if failed else ExitCode.OK


def check_fleet(
    fleet: Fleet,
    targets: Sequence[Target],
    open_channels: Callable[[Iterable[str]], Mapping[str, Channel]],
    *,
    property_of: Callable[[Target, Survey | None], str],
    online: bool,
) -> Checkup:
    """Open every account of the targets; `online` asks the engines, too. Spends no quota."""
    names = sorted({target.account.name for target in targets})

    def check(name: str) -> AccountCheck:
        return check_account(fleet.accounts[name], open_channels, online=online)

    with ThreadPoolExecutor(ASKERS, thread_name_prefix="check") as pool:
        accounts = {one.account.name: one for one in pool.map(check, names)}
    return Checkup(
        accounts=tuple(accounts.values()),
        targets=[
            check_target(target, accounts[target.account.name], property_of) for target in targets
        ],
        findings=unused_accounts(fleet),
    )


def check_account(
    account: Account,
    open_channels: Callable[[Iterable[str]], Mapping[str, Channel]],
    *,
    online: bool,
) -> AccountCheck:
    try:
        channel = open_channels([account.name])[account.name]
    except ConfigError as error:
        problem = "; ".join(map(str, error.faults))
        return AccountCheck(account, Diagnosis(Health.FAILED, problem, CONFIGURATION))
    if not online:
        message = "its secret is there" if account.secret else "it needs no secret"
        return AccountCheck(account, Diagnosis(Health.UNCHECKED, message), channel=channel)
    try:
        channel.permits.acquire(until=float("inf"))
        survey = channel.engine.survey(timeout_s=CALL_TIMEOUT_S)
    except EngineError as error:
        return AccountCheck(account, diagnosis_of(error), channel=channel)
    return AccountCheck(account, _surveyed(survey), survey, channel)


def check_target(
    target: Target, account: AccountCheck, property_of: Callable[[Target, Survey | None], str]
) -> TargetCheck:
    name = property_of(target, account.survey)
    return TargetCheck(target, name, _target_diagnosis(target, account, name))


def _target_diagnosis(target: Target, account: AccountCheck, name: str) -> Diagnosis:
    if account.diagnosis.health is Health.FAILED or account.channel is None:
        return Diagnosis(Health.UNCHECKED, "its account failed")
    if account.survey is None:
        return Diagnosis(Health.UNCHECKED, "not asked")
    try:
        account.channel.engine.preflight(_first_action(target, name), account.survey)
    except EngineError as error:
        return diagnosis_of(error)
    return Diagnosis(Health.OK, f"the account may use {name}")


def _first_action(target: Target, name: str) -> Action:
    """What a run would begin with."""
    site, account = target.site, target.account
    sitemaps = site.sitemaps or (f"{site.origin}/sitemap.xml",)
    return Action(
        site=site.origin,
        account=account.name,
        engine=account.engine,
        property=name,
        kind=Kind.SITEMAP,
        target=sitemaps[0],
        reason="check",
        content="",
    )


def _surveyed(survey: Survey | None) -> Diagnosis:
    if survey is None:
        return Diagnosis(Health.UNCHECKED, "this engine cannot be asked without spending quota")
    who = f" as {survey.principal}" if survey.principal else ""
    return Diagnosis(Health.OK, f"sees {len(survey.properties)} properties{who}")


def diagnosis_of(error: EngineError) -> Diagnosis:
    if isinstance(error, NotAuthorized):
        return Diagnosis(Health.FAILED, error.problem, error.cause, error.next_step or None)
    return Diagnosis(Health.FAILED, error.problem, error.code or "unavailable")


def unused_accounts(fleet: Fleet) -> tuple[Finding, ...]:
    used = {name for site in fleet.sites for name in site.accounts}
    severity, text = CHECK_IDS["unused-account"]
    return tuple(
        Finding("unused-account", severity, name, f"{text} {name!r}")
        for name in fleet.accounts
        if name not in used
    )
