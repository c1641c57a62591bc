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

SERVER_HINTS = {
    "08": "the server cannot be reached; check that it runs and that its address is right",
    "25006": "the server takes no writes (a standby?); name the one that does",
    "28": "the server does not let this user in; check user and password",
    "3D000": "there is no such database on the server; make it first",
    "42501": "this user may not do that; let it own the ledger's tables",
    "53100": "the server's disk is full; free some space and run again",
    "53300": "the server takes no more connections; raise its limit, or put a pooler before it",
    "55P03": "another process is writing to it; wait for that one, or stop it",
    "57014": "the server took too long; see what keeps it busy, then run again",
    "57P": "the server is shutting down or starting; run again when it is up",
    "XX001": "the server's data is damaged; restore it from a backup",
}
"""By SQLSTATE, or how it begins. Source: https://www.postgresql.org/docs/18/errcodes-appendix.html,
read 2026-11-30."""

UNREACHED = "08001"
"""Stands for errors of a connection that never came about: those carry no SQLSTATE."""

LOCKED = "55P03"
INTERRUPTED = frozenset({"25P03", "40001", "40P01", "57P01", "57P02", "57P05"})
"""The server ended the transaction by itself: a session it closed, a conflict, a deadlock."""


class Interrupted(LedgerError):
    """The database ended a step before it was stored. Nothing of it is there: it may be taken
    again."""


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Raise driver and SQLAlchemy errors as `LedgerError`; nothing of the step was stored."""
    try:
        yield
    except DBAPIError as error:
        raise translation(name, error.orig or error) from error
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        raise translation(name, error) from error
    except Exception as error:
        if not is_of_server(error):
            raise
        raise translation(name, error) from error


def translation(name: str, error: BaseException) -> LedgerError:
    """What a person is told instead."""
    kind, hint = _of_server(error) if is_of_server(error) else _of_file(error)
    said = (str(error).strip().splitlines() or [""])[0][:200]
    return kind(f"ledger {name}: {hint} ({said})" if hint else f"ledger {name}: {said}")


def is_of_server(error: BaseException) -> bool:
    """Whether PostgreSQL's driver raised it, which is not loaded for other ledgers."""
    return type(error).__module__.partition(".")[0] == "psycopg"


def _of_file(error: BaseException) -> tuple[type[LedgerError], str | None]:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return LedgerBusy if code in BUSY else LedgerError, HINTS.get(code)


def _of_server(error: BaseException) -> tuple[type[LedgerError], str | None]:
    state = sqlstate(error)
    if state == UNREACHED and "FATAL:" in str(error):
        return Interrupted, None  # it was reached, and its own words say why it refused
    hint = next((said for begin, said in SERVER_HINTS.items() if state.startswith(begin)), None)
    if state in INTERRUPTED or state.startswith("08"):
        return Interrupted, hint
    return LedgerBusy if state == LOCKED else LedgerError, hint


def sqlstate(error: BaseException) -> str:
    """The error's SQLSTATE. An operational error without one is a connection that broke."""
    found = getattr(error, "sqlstate", None)
    if found is None and any(one.__name__ == "OperationalError" for one in type(error).__mro__):
        return UNREACHED
    return found or ""
