"""The book of a part: every call it received, in order, and what became of it."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One received call. What is in `accepted` was taken, whatever the client got to read."""

    number: int
    at: datetime
    call: str
    key: str
    """The property, `site` or host the call was about."""
    account: str
    accepted: tuple[str, ...]
    refused: Mapping[str, str]
    """Item → the reason in the engine's word."""
    repeats: tuple[str, ...]
    """Those of `accepted` that the same key had accepted before."""
    status: int | None
    """The status that was sent; None: the connection was cut instead."""
    code: str
    fault: str
    """The fault that was played on this call, or empty."""


class Book:
    """Entries in order of decision. With a `limit` only the newest are kept. Thread-safe."""

    def __init__(self, *, limit: int | None = None) -> None:
        self._entries: deque[Entry] = deque(maxlen=limit)
        self._accepted: Counter[tuple[str, str, str]] = Counter()
        self._lock = threading.Lock()
        self._count = 0

    def add(
        self,
        *,
        at: datetime,
        call: str,
        key: str,
        account: str,
        status: int | None,
        accepted: tuple[str, ...] = (),
        refused: Mapping[str, str] | None = None,
        code: str = "",
        fault: str = "",
    ) -> Entry:
        with self._lock:
            self._count += 1
            repeats = self._remember(call, key, accepted)
            entry = Entry(
                number=self._count,
                at=at,
                call=call,
                key=key,
                account=account,
                accepted=accepted,
                refused=refused or {},
                repeats=repeats,
                status=status,
                code=code,
                fault=fault,
            )
            self._entries.append(entry)
            return entry

    def _remember(self, call: str, key: str, accepted: Iterable[str]) -> tuple[str, ...]:
        repeats = []
        for item in accepted:
            if self._accepted[call, key, item]:
                repeats.append(item)
            self._accepted[call, key, item] += 1
        return tuple(repeats)

    def entries(
        self, call: str | None = None, key: str | None = None, *, since: int = 0
    ) -> list[Entry]:
        """Oldest first; `since` leaves out entries up to that number."""
        with self._lock:
            return [
                entry
                for entry in self._entries
                if entry.number > since and call in (None, entry.call) and key in (None, entry.key)
            ]

    def accepted(self, call: str | None = None, key: str | None = None) -> list[str]:
        """Every item taken, in order, as often as it was taken."""
        return [item for entry in self.entries(call, key) for item in entry.accepted]

    def more_than_once(self, call: str) -> dict[tuple[str, str], int]:
        """(key, item) → how often it was taken, for those taken more than once."""
        with self._lock:
            return {
                (key, item): times
                for (name, key, item), times in self._accepted.items()
                if name == call and times > 1
            }

    def count(self, *, call: str | None = None, code: str | None = None) -> int:
        return sum(1 for entry in self.entries(call) if code in (None, entry.code))

    def clear(self) -> None:
        """Forget everything, also which items would be repeats."""
        with self._lock:
            self._entries.clear()
            self._accepted.clear()

    def as_json(self, *, since: int = 0) -> list[dict[str, object]]:
        return [asdict(entry) | {"at": entry.at.isoformat()} for entry in self.entries(since=since)]
