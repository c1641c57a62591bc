"""What stands in the way, in the user's words: one row for each cause that anything here names.

An engine's error says what was seen, with names; where it brings a next step of its own, that goes
before the row's, because it knows who and what. Everybody who shows a cause looks it up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from submitter.core.cause_rows import ROWS
from submitter.core.cause_rows.row import Cause
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    TooFast,
)

__all__ = [
    "CAUSES",
    "Cause",
    "cause_of",
    "find_cause",
    "in_words",
    "meaning_of",
    "next_step_of",
    "step_after",
]

CAUSES: Final[tuple[Cause, ...]] = ROWS

_BY_ENGINE: Final[Mapping[tuple[str, str], Cause]] = MappingProxyType(
    {(row.id, engine): row for row in ROWS for engine in row.engines or ("",)}
)

_REFUSALS: Final[Mapping[tuple[str, object], str]] = MappingProxyType(
    {
        ("google", "sitemap-address-too-long"): "sitemap-address-too-long",
        ("indexnow", "bad-url"): "bad-address",
        ("indexnow", "host-differs"): "page-of-another-host",
        ("indexnow", 422): "page-of-another-host",
        ("bing", "InvalidUrl"): "bad-address",
        ("yandex", "INVALID_URL"): "bad-address",
        ("seznam", "not-a-page"): "not-a-page",
    }
)
"""(engine, code or HTTP status) of a `Refused` → cause; every other one is plainly `refused`."""

_WAITS: Final[Mapping[tuple[str, object], str]] = MappingProxyType(
    {
        ("yandex", "HOST_NOT_LOADED"): "site-not-loaded",
        ("yandex", "HOST_NOT_INDEXED"): "site-not-loaded",
        ("bing", "InvalidParameter"): "site-settling",
        ("bing", "ThrottleHost"): "too-fast",
        ("baidu", "token is not valid"): "too-fast",
        ("indexnow", "SiteVerificationNotCompleted"): "key-being-checked",
        ("indexnow", "key-file-unreachable"): "key-file-unreachable",
        ("seznam", 204): "site-not-loaded",
    }
)
"""As above, of a `NotReady`; every other one is plainly `not-ready`."""


def find_cause(id: str | None, engine: str = "") -> Cause | None:
    """The row of a cause: the engine's own where it has one."""
    if id is None:
        return None
    return _BY_ENGINE.get((id, engine)) or _BY_ENGINE.get((id, ""))


def meaning_of(id: str | None, engine: str = "") -> str | None:
    """What a cause means, one sentence without its full stop."""
    found = find_cause(id, engine)
    return found.meaning if found else None


def next_step_of(id: str | None, engine: str = "") -> str | None:
    """What a person does about it; None where nobody has to do anything."""
    found = find_cause(id, engine)
    return (found.next_step or None) if found else None


def in_words(id: str, problem: str, engine: str = "") -> str:
    """What it means, then what was seen."""
    return ": ".join(part for part in (meaning_of(id, engine), problem) if part)


def cause_of(error: EngineError) -> str:
    """Why a call did not end in a receipt: a row of the table, or an engine's newest word."""
    match error:
        case NotAuthorized():
            return error.cause
        case NotReady():
            return _by_code(_WAITS, error) or "not-ready"
        case Refused():
            return _by_code(_REFUSALS, error) or "refused"
        case QuotaExhausted():
            return "quota-spent"
        case OutcomeUnknown():
            return "answer-lost"
        case TooFast():
            return "too-fast"
        case EngineUnavailable():
            return "engine-unavailable"
        case _:
            return "engine-unavailable"


def step_after(error: EngineError) -> str | None:
    """What a person does about it: in the engine's own words, which name who and what, or in the
    table's. None: nothing."""
    own = error.next_step if isinstance(error, NotAuthorized) else ""
    return own or next_step_of(cause_of(error), error.engine)


def _by_code(table: Mapping[tuple[str, object], str], error: EngineError) -> str | None:
    named = table.get((error.engine, error.code))
    return named or table.get((error.engine, error.http_status))
