"""The door to access logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class LogStream(Protocol):
    """One log while it is read."""

    name: str

    def blocks(self) -> Iterator[list[bytes]]:
        """Its lines without their ends, some at a time; inflated where they were packed. A line
        without end is cut, so that memory stays bounded."""

    @property
    def read_bytes(self) -> int:
        """How far the reading has come in the file as it lies there."""

    @property
    def problem(self) -> str | None:
        """Why it ended before its end, in words; what came before is good. Known afterwards."""


class AccessLogs(Protocol):
    """Logs that a person named: files, and standard input."""

    @property
    def total_bytes(self) -> int | None:
        """Of all files as they lie there; None when nobody knows."""

    def streams(self) -> Iterator[AbstractContextManager[LogStream]]:
        """Each in turn, in the order given."""
