"""What every part stands in: time, secrets, a person who watches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from submitter.core.fleet import SecretRef


class Clock(Protocol):
    """Time as an argument. `monotonic` is for durations, `now` (aware UTC) for records."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class Secret(Protocol):
    """A secret that cannot be printed: `str`, `repr` and pickling show only a mask."""

    def reveal(self) -> str: ...


class Secrets(Protocol):
    """Finds secrets by reference. Raises ConfigError that names the reference, never the value."""

    def resolve(self, ref: SecretRef) -> Secret: ...


class Progress(Protocol):
    """Tells a person how far long work has come. Silent in pipes."""

    def start(self, title: str, total: int | None) -> None: ...
    def advance(self, steps: int = 1) -> None: ...
    def stop(self) -> None: ...


class Webhook(Protocol):
    """An address to which people want messages posted. It is kept like a secret."""

    def post(self, document: Mapping[str, object]) -> None:
        """As JSON, in bounded time, once. Raises Undelivered unless it was taken."""
