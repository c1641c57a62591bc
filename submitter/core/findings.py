"""A finding: one thing wrong with an input, grouped by its root cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self

MAX_EXAMPLES = 5
"""A finding keeps at most this many examples; `count` says how many there were."""


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Meaning(NamedTuple):
    """What an id of a finding stands for; the tables of these are in the docs."""

    severity: Severity
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`id` is a stable kebab-case code, `where` a document or site (with line or byte if known)."""

    id: str
    severity: Severity
    where: str
    message: str
    count: int = 1
    examples: tuple[str, ...] = ()

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """As JSON holds it."""
        return cls(
            id=stored["id"],
            severity=Severity(stored["severity"]),
            where=stored["where"],
            message=stored["message"],
            count=stored["count"],
            examples=tuple(stored["examples"]),
        )
