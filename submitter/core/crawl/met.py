"""When a host's lines were written, lines of persons included.

A log in which no bot comes any more says that bots stay away; no log says nothing. Lines of
persons are looked at by samples, because most of a log is theirs: the first and the last of every
batch, and some between them. So of a log of many hosts, hours of those with few lines may be
missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

HOUR_S: Final = 3_600
EVERY: Final = 128
"""One line of so many is looked at."""
MOST_HOSTS: Final = 10_000

Hours: TypeAlias = set[int]
"""From 1970 UTC."""


def sample(lines: Sequence[bytes]) -> Iterator[bytes]:
    yield from lines[::EVERY]
    if len(lines) % EVERY != 1:
        yield lines[-1]


class HostHours:
    """In which hours lines of each host were met."""

    def __init__(self) -> None:
        self._hours: dict[bytes, Hours] = {}

    def add(self, host: bytes, at: int) -> None:
        if host in self._hours or len(self._hours) < MOST_HOSTS:
            self._hours.setdefault(host, set()).add(at // HOUR_S)

    def take(self) -> dict[bytes, Hours]:
        """All since the last time."""
        taken, self._hours = self._hours, {}
        return taken
