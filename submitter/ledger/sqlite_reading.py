"""A ledger in a file that this user may read, and not write: another user's, or a backup.

While somebody has it open, SQLite's own log and locks say what to read. Else it is read without
them: their files could not be made in such a folder, or would bar the way to the owner. What
changes the file meanwhile is noticed at the end of a reading, which is then begun again.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from submitter.errors import LedgerError
from submitter.ledger.database import Database
from submitter.ledger.sqlite import (
    NOT_WRITABLE,
    Connect,
    SqliteDriver,
    Step,
    check_file,
    check_place,
    connection_to,
)
from submitter.ledger.troubles import Interrupted, translated

Sight = tuple[int, int, int]
"""What a file was like: which one, when it was changed, and how long."""


def is_for_reading(path: Path) -> bool:
    """Whether there is a file of which no more can be had."""
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return os.access(path, os.F_OK) and not writable


def open_for_reading(path: Path, *, check: Step, connect: Connect) -> Database:
    """Open the ledger at `path`, which is there, and leave it and its folder as they are. `check`
    refuses what would have to be changed first."""
    with translated(str(path)):
        check_place(path)
        if not os.access(path, os.R_OK):
            raise LedgerError(f"ledger {path}: it may not be read; let this user read the file")
        check_file(path)
        database = Database(ReadingDriver(path, connect), str(path))
        try:
            check(database)
        except BaseException:
            database.close()
            raise
    return database


class ReadingDriver(SqliteDriver):
    """See the module. Every step that would write is refused before it begins."""

    def __init__(self, path: Path, connect: Connect) -> None:
        self._path, self._connect = path, connect
        self._open()

    def begin(self, *, durable: bool) -> None:
        raise LedgerError(f"ledger {self._path}: {NOT_WRITABLE}")

    def begin_reading(self) -> None:
        if _sight(self._path) != self._seen:
            self.close()
            self._open()
        super().begin_reading()

    def roll_back(self) -> None:
        was_reading = self._driver.in_transaction
        super().roll_back()
        if was_reading and self._seen is not None and _sight(self._path) != self._seen:
            raise Interrupted(f"ledger {self._path}: it was changed while it was read; try again")

    def _open(self) -> None:
        self._seen = _sight(self._path)
        frozen = "" if self._seen is None else "&immutable=1"
        address = f"file:{quote(str(self._path.absolute()))}?mode=ro{frozen}"
        super().__init__(connection_to(address, self._by_address))

    def _by_address(self, name: str, **options: object) -> sqlite3.Connection:
        return self._connect(name, uri=True, **options)


def _sight(path: Path) -> Sight | None:
    """None: somebody has it open. Source: https://www.sqlite.org/wal.html ("Read-Only Databases"),
    read 2026-12-01."""
    if any(path.with_name(path.name + end).exists() for end in ("-wal", "-shm")):
        return None
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size
