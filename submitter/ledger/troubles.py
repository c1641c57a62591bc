"""Foreign errors become `LedgerError` here, with a hint for the person who must act."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from submitter.errors import LedgerBusy, LedgerError

HINTS = {
    sqlite3.SQLITE_BUSY: "another process is writing to it; wait for that one, or stop it",
    sqlite3.SQLITE_LOCKED: "another process is writing to it; wait for that one, or stop it",
    sqlite3.SQLITE_PERM: "it may not be written; check the owner and mode of the file",
    sqlite3.SQLITE_READONLY: "it may not be written; put the ledger where this user may write",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that the folder exists and is writable",
    sqlite3.SQLITE_FULL: "the disk is full; free some space and run again",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write; check the disk, then run again",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a backup",
    sqlite3.SQLITE_NOTADB: "the file is no ledger, or damaged; restore it from a backup",
    sqlite3.SQLITE_PROTOCOL: "file locks do not work here; use a local disk",
}
"""By primary result code. Source: https://www.sqlite.org/rescode.html, read 2026-11-30."""

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Raise driver and SQLAlchemy errors as `LedgerError`; nothing of the step was stored."""
    try:
        yield
    except DBAPIError as error:
        raise _translation(name, error.orig or error) from error
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        raise _translation(name, error) from error


def _translation(name: str, error: BaseException) -> LedgerError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    said = str(error)[:200]
    hint = HINTS.get(code)
    kind = LedgerBusy if code in BUSY else LedgerError
    return kind(f"ledger {name}: {hint} ({said})" if hint else f"ledger {name}: {said}")
