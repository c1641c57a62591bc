"""A ledger in a file that this user may read, and not write: another user's, or a backup.

While somebody has it open, SQLite's own log and locks say what to read. Else it is read without
them: their files could not be made in such a folder, or would bar the way to the owner. What
changes the file meanwhile is noticed at the end of a reading: `Database.read` begins it again.
A log without its index, as in a backup, cannot be read so, and is refused.
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
        self._open(_sight(path))

    def begin(self, *, durable: bool) -> None:
        raise LedgerError(f"ledger {self._path}: {NOT_WRITABLE}")

    def begin_reading(self) -> None:
        seen = _sight(self._path)
        if seen != self._seen:
            self.close()
            self._open(seen)
        super().begin_reading()

    def roll_back(self) -> None:
        was_reading = self._driver.in_transaction
        super().roll_back()
        if was_reading and self._seen is not None and _sight(self._path) != self._seen:
            raise Interrupted(f"ledger {self._path}: it was changed while it was read; try again")

    def _open(self, seen: Sight | None) -> None:
        self._seen = seen
        frozen = "" if seen is None else "&immutable=1"
        address = f"file:{quote(os.fsencode(self._path.absolute()))}?mode=ro{frozen}"
        super().__init__(connection_to(address, self._by_address))

    def _by_address(self, name: str, **options: object) -> sqlite3.Connection:
        return self._connect(name, uri=True, **options)


def _sight(path: Path) -> Sight | None:
    """None: somebody has it open. Raises Interrupted for a log without its index: an owner who
    closes the ledger removes the index first, so a moment later both may be gone.
    Source: https://www.sqlite.org/wal.html ("Read-Only Databases"), read 2026-12-01."""
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if index.exists() and log.exists():
        return None
    if _size(log):
        raise Interrupted(
            f"ledger {path}: pages that are not yet in the file stand in {log};"
            " copy both to a folder where this user may write, and let this user write them"
        )
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _size(path: Path) -> int:
    """0 where there is none: a log is there and gone in a moment."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
