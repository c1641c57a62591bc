"""Makes an account the owner of a domain at its engine, step by step; a step done is not repeated.

Without `check`, nothing is asked of the engine but what to put into the DNS: an engine that looks
for a record too early may remember for a while that there is none.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from submitter.core import urls
from submitter.core.accounting import ExitCode
from submitter.core.calls import Property
from submitter.errors import ConfigError, EngineError, NotAuthorized, NotReady, QuotaExhausted
from submitter.kit.retries import Retries, RetryRules
from submitter.ports import Clock, DomainOwnership

T = TypeVar("T")

CALL_TIMEOUT_S = 30.0
CALLS = 6
"""So many at most, each of them retried."""


class StepName(StrEnum):
    RECORD = "record"
    """The TXT record stands in the DNS."""
    VERIFIED = "verified"
    """The engine found it."""
    ADDED = "added"
    """The property is on the account's own list."""
    OWNER = "owner"
    """The engine shows the account as its owner."""


class StepState(StrEnum):
    ALREADY = "already"
    """Before this call."""
    DONE = "done"
    """By this call."""
    WAITING = "waiting"
    """For a person, for the DNS, or for the step before."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """`cause` is a stable kebab-case code where something stands in the way."""

    name: StepName
    state: StepState
    message: str = ""
    cause: str | None = None
    next_step: str | None = None


@dataclass(frozen=True, slots=True)
class DomainReport:
    """How far it is. `record` None: it was not needed, or could not be had."""

    domain: str
    principal: str
    record: str | None
    listing: Property | None
    """The property as the account sees it."""
    steps: tuple[Step, ...]
    checked: bool

    @property
    def exit_code(self) -> ExitCode:
        """4 when the engine said no, or not yet; without `check`, waiting is no failure."""
        states = {step.state for step in self.steps}
        if StepState.FAILED in states or (self.checked and StepState.WAITING in states):
            return ExitCode.PARTIAL
        return ExitCode.OK


def domain_of(text: str) -> str:
    """A domain as a person wrote it, in A-labels. Raises ConfigError."""
    try:
        host = urls.site_host(text)
    except urls.BadUrl as error:
        raise ConfigError.one("DOMAIN", error.problem) from error
    if ":" in host or "." not in host or _is_address(host):
        problem = f"{urls.printable(text)!r} is no domain such as example.com"
        raise ConfigError.one("DOMAIN", problem)
    return host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def verify_domain(domain: str, door: DomainOwnership, *, clock: Clock, check: bool) -> DomainReport:
    """Go as far as it goes. Raises nothing of the engine's: what it said is in the report."""
    walk = _Walk(domain, door, clock)
    walk.go(check=check)
    return DomainReport(
        domain=domain,
        principal=door.principal,
        record=walk.record,
        listing=walk.listing,
        steps=tuple(walk.steps.get(name, Step(name, StepState.WAITING)) for name in StepName),
        checked=check,
    )


class _Walk:
    """One way through the steps. `_at` is the step that an error now would be about."""

    def __init__(self, domain: str, door: DomainOwnership, clock: Clock) -> None:
        self._domain, self._door = domain, door
        self._retries = Retries(RetryRules(), clock, CALLS)
        self._at = StepName.OWNER
        self.steps: dict[StepName, Step] = {}
        self.record: str | None = None
        self.listing: Property | None = None

    def go(self, *, check: bool) -> None:
        try:
            self._go(check=check)
        except EngineError as error:
            self.steps[self._at] = _failed(self._at, error, self._domain, self._door.principal)

    def _go(self, *, check: bool) -> None:
        self.listing = self._ask(self._door.find)
        if self._is_owner():
            self._pass(StepState.ALREADY, *StepName)
            return
        self._at = StepName.RECORD
        self.record = self._ask(self._door.record)
        self._at = StepName.VERIFIED
        if self._ask(self._door.is_verified):
            self._pass(StepState.ALREADY, StepName.RECORD, StepName.VERIFIED)
        elif check:
            self._ask(self._door.verify)
            self._pass(StepState.DONE, StepName.RECORD, StepName.VERIFIED)
        if check:
            self._add()

    def _add(self) -> None:
        """Also what is listed already: that is how the list takes in a new owner."""
        self._at = StepName.ADDED
        self._ask(self._door.add)
        self._pass(StepState.DONE, StepName.ADDED)
        self._at = StepName.OWNER
        self.listing = self._ask(self._door.find)
        self.steps[StepName.OWNER] = _owner_step(self.listing, done=self._is_owner())

    def _pass(self, state: StepState, *names: StepName) -> None:
        self.steps |= {name: Step(name, state) for name in names}

    def _is_owner(self) -> bool:
        return self.listing is not None and self.listing.may_submit is True

    def _ask(self, question: Callable[..., T]) -> T:
        return self._retries.call(
            lambda: question(self._domain, timeout_s=CALL_TIMEOUT_S), until=math.inf
        )


def _owner_step(listing: Property | None, *, done: bool) -> Step:
    if done:
        return Step(StepName.OWNER, StepState.DONE)
    seen = f"as {listing.role}" if listing else "not at all"
    return Step(
        StepName.OWNER,
        StepState.WAITING,
        f"verified and added, yet the property is listed {seen}",
        "role-not-owner",
        "Try again in some minutes.",
    )


def _failed(name: StepName, error: EngineError, domain: str, principal: str) -> Step:
    """What the engine said, in the words of the one who has to do something."""
    match error:
        case NotReady():
            who = f" made for {principal}" if principal else ""
            next_step = (
                f"Is the TXT record at {domain} itself, letter for letter, and the one{who}?"
                " Another account's does not count. New records take a while: try again in some"
                " minutes."
            )
            return Step(name, StepState.WAITING, error.problem, "record-not-found", next_step)
        case NotAuthorized():
            return Step(name, StepState.FAILED, error.problem, error.cause, error.next_step or None)
        case QuotaExhausted():
            return Step(name, StepState.FAILED, error.problem, "quota", "Try again tomorrow.")
        case _:
            cause = error.code or "unavailable"
            return Step(name, StepState.FAILED, error.problem, cause, "Try again in some minutes.")
