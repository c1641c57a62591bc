"""The doctor's rounds: accounts first, each once; then every site, with all its targets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from submitter.core.calls import Survey
from submitter.core.findings import Finding
from submitter.core.fleet import Account, Fleet, Target
from submitter.ports import Clock, Progress, Source
from submitter.sending.channels import Channel
from submitter.stories.checkup import (
    AccountCheck,
    Checkup,
    Diagnosis,
    Health,
    TargetCheck,
    finding_of_check,
)
from submitter.stories.doctor.accounts import OpenChannels, check_account
from submitter.stories.doctor.steps import Patient, check_property, diagnose
from submitter.stories.doctor.visits import SiteVisit

SIDE_BY_SIDE = 8
"""Accounts asked, and sites looked at, at a time."""


@dataclass(frozen=True, slots=True)
class Doors:
    """What the doctor goes through. `warn` says what is known of an account without asking (a
    token that ends soon)."""

    open_channels: OpenChannels
    property_of: Callable[[Target, Survey | None], str]
    source: Source
    clock: Clock
    progress: Progress
    warn: Callable[[Account], Iterable[Finding]] = lambda account: ()
    stopped: Callable[[], bool] = lambda: False


def check_fleet(fleet: Fleet, targets: Sequence[Target], doors: Doors, *, online: bool) -> Checkup:
    """Open every account of the targets; `online` ask the engines and look at the sites, too.
    Sends nothing and spends no quota."""
    accounts = _check_accounts(fleet, targets, doors, online=online)
    hosts = frozenset(site.host for site in fleet.sites)
    checks, findings = _check_sites(targets, accounts, doors, hosts, online=online)
    warnings = [one for name in accounts for one in doors.warn(fleet.accounts[name])]
    return Checkup(
        accounts=tuple(accounts.values()),
        targets=checks,
        findings=(*unused_accounts(fleet), *warnings, *findings),
        online=online,
    )


def _check_accounts(
    fleet: Fleet, targets: Sequence[Target], doors: Doors, *, online: bool
) -> dict[str, AccountCheck]:
    names = sorted({target.account.name for target in targets})
    doors.progress.start("asking accounts", len(names))
    one_at_a_time = threading.Lock()

    def open_channels(wanted: Iterable[str]) -> Mapping[str, Channel]:
        with one_at_a_time:
            return doors.open_channels(wanted)

    def check(name: str) -> AccountCheck:
        found = check_account(fleet.accounts[name], open_channels, online=online)
        doors.progress.advance()
        return found

    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="account") as pool:
        checks = list(pool.map(check, names))
    doors.progress.stop()
    return {one.account.name: one for one in checks}


def _check_sites(
    targets: Sequence[Target],
    accounts: Mapping[str, AccountCheck],
    doors: Doors,
    hosts: frozenset[str],
    *,
    online: bool,
) -> tuple[list[TargetCheck], list[Finding]]:
    """Sites side by side, the targets of one after the other; in the order given."""
    by_site: dict[str, list[Target]] = {}
    for target in targets:
        by_site.setdefault(target.site.origin, []).append(target)
    doors.progress.start("looking at sites", len(by_site))

    def visit(mine: Sequence[Target]) -> tuple[list[TargetCheck], list[Finding]]:
        found = _check_site(mine, accounts, doors, hosts, online=online)
        doors.progress.advance()
        return found

    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="check") as pool:
        visited = list(pool.map(visit, by_site.values()))
    doors.progress.stop()
    checks = {one.target.key: one for of_site, _ in visited for one in of_site}
    findings = [finding for _, of_site in visited for finding in of_site]
    return [checks[target.key] for target in targets], findings


def _check_site(
    targets: Sequence[Target],
    accounts: Mapping[str, AccountCheck],
    doors: Doors,
    hosts: frozenset[str],
    *,
    online: bool,
) -> tuple[list[TargetCheck], list[Finding]]:
    visit = SiteVisit(targets[0].site, doors.source, doors.clock.now, hosts)
    checks = []
    for target in targets:
        account = accounts[target.account.name]
        name = doors.property_of(target, account.survey)
        diagnosis = _diagnosis(target, name, account, visit, doors, online=online)
        checks.append(TargetCheck(target, name, diagnosis))
    return checks, visit.findings


def _diagnosis(
    target: Target,
    name: str,
    account: AccountCheck,
    visit: SiteVisit,
    doors: Doors,
    *,
    online: bool,
) -> Diagnosis:
    if account.diagnosis.health is Health.FAILED or account.channel is None:
        return Diagnosis(Health.UNCHECKED, "its account failed")
    if doors.stopped():
        return Diagnosis(Health.UNCHECKED, "stopped")
    patient = Patient(target, name, account, account.channel, visit, doors.source)
    if online:
        return diagnose(patient)
    return check_property(patient) or Diagnosis(Health.UNCHECKED, "not asked; see --online")


def unused_accounts(fleet: Fleet) -> tuple[Finding, ...]:
    used = {name for site in fleet.sites for name in site.accounts}
    return tuple(
        finding_of_check("unused-account", name, repr(name))
        for name in fleet.accounts
        if name not in used
    )
