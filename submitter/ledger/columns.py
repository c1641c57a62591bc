"""How values of the core stand in columns, the same on every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer
from sqlalchemy.types import TypeDecorator

from submitter.core.states import State

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LARGEST = 2**63 - 1

BigId = BigInteger().with_variant(Integer, "sqlite")
"""SQLite makes a column its row number only when the type reads INTEGER."""

STATE_CODES = {
    State.PLANNED: 0,
    State.SENDING: 1,
    State.ACCEPTED: 2,
    State.RECEIVED: 3,
    State.ALREADY: 4,
    State.REJECTED: 5,
    State.DEFERRED: 6,
    State.UNKNOWN: 7,
    State.FAILED: 8,
}
"""States of pages are stored as small numbers: there may be millions. Never renumber."""

STATES = {code: state for state, code in STATE_CODES.items()}


def micros_of(at: datetime) -> int:
    """Microseconds since 1970 UTC, exactly. A naive time is a programming error: TypeError."""
    return (at - EPOCH) // MICROSECOND


def time_of(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def clean(text: str) -> str:
    """Text that every database takes: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def clean_or_none(text: str | None) -> str | None:
    return None if text is None else clean(text)


def fit(number: int | None) -> int | None:
    """An engine's number, cut to what a column holds: a sloppy answer must not stop a run."""
    return None if number is None else max(-LARGEST, min(LARGEST, number))


class UtcMicros(TypeDecorator[datetime]):
    """Aware UTC datetimes as whole microseconds since 1970: no zone to lose, no float to round."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else micros_of(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else time_of(value)
