"""What a check of accounts and targets found: the values that the doctor fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from submitter.core.accounting import ExitCode
from submitter.core.calls import Survey
from submitter.core.causes import cause_of, in_words, next_step_of, step_after
from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.fleet import Account, Target
from submitter.errors import EngineError
from submitter.sending.channels import Channel

A_PERSON_EDITS = frozenset({"configuration", "secret-missing", "secret-unusable"})
"""Causes that are mended in the inventory or beside it."""


CHECK_IDS: Final = {
    "unused-account": Meaning(Severity.INFO, "no site uses the account"),
    "crawler-sees-otherwise": Meaning(
        Severity.WARNING, "the site shows a crawler's name something else than it shows us"
    ),
}
"""Ids of findings of a check, for the docs. They only grow."""


class Health(StrEnum):
    OK = "ok"
    FAILED = "failed"
    UNCHECKED = "unchecked"
    """Not asked, or it cannot be asked without spending."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One answer: `cause` is a row of the table of causes, `next_step` what a person does now."""

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
    online: bool = True
    """False: nobody was asked, so that what can be seen from here is all that is known."""

    @property
    def exit_code(self) -> ExitCode:
        """2: a person edits the inventory or a secret · 4: an engine or a site says no."""
        of_targets = [one.diagnosis for one in self.targets]
        diagnoses = [*(one.diagnosis for one in self.accounts), *of_targets]
        failed = [one for one in diagnoses if one.health is Health.FAILED]
        if any(one.cause in A_PERSON_EDITS for one in failed):
            return ExitCode.USAGE
        wrong = any(one.severity is Severity.ERROR for one in self.findings)
        return ExitCode.PARTIAL if failed or wrong else ExitCode.OK


def finding_of_check(id: str, where: str, problem: str) -> Finding:
    severity, text = CHECK_IDS[id]
    return Finding(id, severity, where, f"{text}: {problem}")


def failed(cause: str, problem: str, engine: str = "", next_step: str | None = None) -> Diagnosis:
    """What the cause means and what was seen; the table's next step unless a better one is
    known."""
    step = next_step or next_step_of(cause, engine)
    return Diagnosis(Health.FAILED, in_words(cause, problem, engine), cause, step)


def diagnosis_of(error: EngineError) -> Diagnosis:
    return failed(cause_of(error), error.problem, error.engine, step_after(error))
