"""From errors to what a caller may act on: a word, an exit code, a sentence. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from submitter.core.accounting import ExitCode
from submitter.core.choosing import NoMatch
from submitter.errors import (
    ConfigError,
    EngineError,
    Fault,
    FetchError,
    LedgerBusy,
    LedgerError,
    PublishError,
    SecretOutOfReach,
    SitemapError,
    UnsafePlan,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there is no result. `kind` is a stable word for programs."""

    kind: str
    exit_code: ExitCode
    message: str
    faults: tuple[Fault, ...] = ()
    hint: str = ""


def trouble_of(error: Exception) -> Trouble:
    """By the class of the error; what nobody foresaw is `internal`."""
    match error:
        case SecretOutOfReach():
            return Trouble("unreachable", ExitCode.NOTHING_SUCCEEDED, str(error), error.faults)
        case ConfigError():
            return Trouble("config", ExitCode.USAGE, str(error), error.faults)
        case UnsafePlan():
            return Trouble("unsafe-plan", ExitCode.HELD, str(error))
        case NoMatch():
            return Trouble("no-match", ExitCode.NO_MATCH, str(error))
        case LedgerBusy():
            hint = "--wait SECONDS waits for it"
            return Trouble("busy", ExitCode.BUSY, str(error), hint=hint)
        case LedgerError():
            return Trouble("ledger", ExitCode.LEDGER, str(error))
        case PublishError():
            return Trouble("storage", ExitCode.LEDGER, str(error))
        case FetchError() | SitemapError() | EngineError():
            return Trouble("unreachable", ExitCode.NOTHING_SUCCEEDED, str(error))
        case _:
            message = f"internal error: {type(error).__name__}: {error}"
            hint = "use -v for the traceback"
            return Trouble("internal", ExitCode.INTERNAL, message, hint=hint)
