"""One object: read with its version, replaced under the condition that it still has it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

from submitter.objects.address import ObjectAddress
from submitter.objects.errors import Busy, ObjectError

Result = TypeVar("Result")

TRIES = 6
FIRST_WAIT_S = 1.0
"""A bucket of Google takes about one replacement of an object a second.
Source: https://cloud.google.com/storage/quotas#objects ("maximum rate of writes to the same object
name"), read 2026-11-30."""
LONGEST_WAIT_S = 8.0


@dataclass(frozen=True, slots=True)
class Head:
    """What a store says about an object: its version, and who wrote it."""

    version: str
    mark: str


class Store(Protocol):
    """One object in one kind of store. Raises ObjectError; Busy when it is to be asked later."""

    def fetch(self, into: Path, *, max_bytes: int) -> str | None:
        """Write the object's bytes there; returns their version. None: there is no such object."""

    def head(self) -> Head | None: ...

    def put(self, body: Path, *, expected: str | None, mark: str) -> str:
        """Replace the version `expected`, or make the object where None; returns the new version.
        Raises Overtaken when it has another one."""


class StoredObject:
    """Remembers which version it has seen last. Not for several threads at once."""

    def __init__(
        self, address: ObjectAddress, store: Store, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.address, self._store, self._sleep = address, store, sleep
        self._version: str | None = None
        self._name, self._numbers = secrets.token_hex(8), count()

    def fetch(self, into: Path, *, max_bytes: int) -> bool:
        """Write the newest bytes there. False: there is no such object."""
        self._version = self._patiently(lambda: self._store.fetch(into, max_bytes=max_bytes))
        return self._version is not None

    def is_current(self) -> bool:
        """Nobody has replaced it since we saw it."""
        head = self._patiently(self._store.head)
        return self._version == (None if head is None else head.version)

    def replace(self, body: Path) -> None:
        """Put these bytes in the place of the version seen last. Raises Overtaken when somebody
        else has replaced that.

        An answer that was lost is asked for: each of our versions is marked as ours.
        """
        mark = f"{self._name}.{next(self._numbers)}"
        for _ in range(TRIES):
            try:
                self._version = self._patiently(
                    lambda: self._store.put(body, expected=self._version, mark=mark)
                )
                return
            except ObjectError:
                head = self._patiently(self._store.head)
                if head is None or head.version == self._version or not self._wrote(head):
                    raise
                self._version = head.version
                if head.mark == mark:
                    return  # it had arrived, and its answer was lost
        raise ObjectError(str(self.address), "it could not be replaced")

    def _wrote(self, head: Head) -> bool:
        return head.mark.startswith(f"{self._name}.")

    def _patiently(self, ask: Callable[[], Result]) -> Result:
        for number in range(TRIES - 1):
            try:
                return ask()
            except Busy:
                self._sleep(min(FIRST_WAIT_S * 2**number, LONGEST_WAIT_S))
        return ask()
