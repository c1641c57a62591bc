"""Each account once: its secret, and online its login, its scope, its API and its list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from submitter.core.calls import Survey
from submitter.core.causes import in_words
from submitter.core.fleet import Account
from submitter.errors import (
    ConfigError,
    EngineError,
    QuotaExhausted,
    SecretOutOfReach,
    SecretUnusable,
)
from submitter.sending.channels import Channel
from submitter.stories.checkup import AccountCheck, Diagnosis, Health, diagnosis_of, failed

CALL_TIMEOUT_S = 30.0

_STORES = ("env:", "file:", "gcp-secret:", "aws-secret:")
"""How the place of a fault begins that is about a secret and not about the file."""

OpenChannels = Callable[[Iterable[str]], Mapping[str, Channel]]


def check_account(account: Account, open_channels: OpenChannels, *, online: bool) -> AccountCheck:
    """Open the account, and `online` ask its engine what it can see."""
    try:
        channel = open_channels([account.name])[account.name]
    except ConfigError as error:
        return AccountCheck(account, _not_opened(error, account.engine))
    if not online:
        message = "its secret is there" if account.secret else "it needs no secret"
        return AccountCheck(account, Diagnosis(Health.UNCHECKED, message), channel=channel)
    if not channel.permits.acquire(until=float("inf")):
        return AccountCheck(account, Diagnosis(Health.UNCHECKED, "stopped"), channel=channel)
    try:
        survey = channel.engine.survey(timeout_s=CALL_TIMEOUT_S)
    except QuotaExhausted as error:
        spent = Diagnosis(Health.UNCHECKED, in_words("quota-spent", error.problem), "quota-spent")
        return AccountCheck(account, spent, channel=channel)
    except EngineError as error:
        return AccountCheck(account, diagnosis_of(error), channel=channel)
    return AccountCheck(account, _surveyed(survey), survey, channel)


def _not_opened(error: ConfigError, engine: str) -> Diagnosis:
    if not all(fault.where.startswith(_STORES) for fault in error.faults):
        cause = "configuration"
    elif isinstance(error, SecretOutOfReach):
        cause = "secret-out-of-reach"
    else:
        cause = "secret-unusable" if isinstance(error, SecretUnusable) else "secret-missing"
    return failed(cause, "; ".join(map(str, error.faults)), engine)


def _surveyed(survey: Survey | None) -> Diagnosis:
    if survey is None:
        return Diagnosis(Health.UNCHECKED, "this engine cannot be asked without spending quota")
    who = f" as {survey.principal}" if survey.principal else ""
    count = len(survey.properties)
    return Diagnosis(Health.OK, f"sees {count:,} propert{'y' if count == 1 else 'ies'}{who}")
