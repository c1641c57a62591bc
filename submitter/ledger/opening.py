"""From an address to a ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from submitter.errors import ConfigError, LedgerError
from submitter.ledger import migrating, sqlite, sqlite_reading
from submitter.ledger.database import Database
from submitter.ledger.ledger import SqlLedger

IsDead = Callable[[str], bool]
Connect = Callable[..., Any]
"""Makes the connection of the database's own driver; None: the driver does."""


@dataclass(frozen=True, slots=True)
class How:
    """How a ledger is to be opened, wherever it is."""

    is_dead: IsDead
    connect: Connect | None
    must_exist: bool

    def create(self, database: Database) -> None:
        if self.must_exist:
            raise LedgerError(f"ledger {database.name}: there is none")
        migrating.create(database)


FORMS = "sqlite:///PATH, postgresql://HOST/DATABASE, s3://BUCKET/NAME or gs://BUCKET/NAME"


def open_ledger(
    url: str,
    *,
    is_dead: IsDead = lambda owner: False,
    connect: Connect | None = None,
    must_exist: bool = False,
) -> SqlLedger:
    """See `submitter.ledger.open_ledger`. With `must_exist`, LedgerError where there is none."""
    opener = _opener(url)
    if opener is None:
        scheme = url.partition(":")[0]
        raise ConfigError.one("ledger", f"{scheme[:40]!r} ledgers are not known; use {FORMS}")
    return opener(url, How(is_dead, connect, must_exist))


def is_server(url: str) -> bool:
    """Whether the address is one of a PostgreSQL ledger."""
    return _opener(url) is _open_server


def _opener(url: str) -> Callable[[str, How], SqlLedger] | None:
    scheme, separator, _ = url.partition("://")
    return OPENERS.get(scheme.partition("+")[0]) if separator else None


def _open_file(url: str, how: How) -> SqlLedger:
    path = url.removeprefix("sqlite:///")
    if not path or path == url or "\0" in path:
        raise ConfigError.one("ledger", "sqlite:///PATH names no file")
    if how.must_exist and not Path(path).exists():
        raise LedgerError(f"ledger {path}: there is none")
    connect = how.connect or sqlite3.connect
    if path == sqlite.MEMORY:
        return _on(sqlite.open_memory(create=how.create, connect=connect), how)
    if sqlite_reading.is_for_reading(Path(path)):
        return _on(
            sqlite_reading.open_for_reading(
                Path(path), check=migrating.check_current, connect=connect
            ),
            how,
        )
    database = sqlite.open_file(
        Path(path), create=how.create, upgrade=migrating.upgrade, connect=connect
    )
    return _on(database, how)


def _open_server(url: str, how: How) -> SqlLedger:
    try:
        from submitter.ledger.postgres import open_server
    except ImportError as error:
        problem = "a PostgreSQL ledger needs psycopg: pip install 'submitter[postgres]'"
        raise ConfigError.one("ledger", problem) from error
    database = open_server(
        url,
        create=how.create,
        upgrade=migrating.upgrade,
        connect=how.connect,
    )
    return _on(database, how)


def _open_stored(url: str, how: How) -> SqlLedger:
    from submitter.ledger.stored import open_stored

    return open_stored(url, is_dead=how.is_dead)


def _on(database: Database, how: How) -> SqlLedger:
    try:
        return SqlLedger(database, is_dead=how.is_dead)
    except BaseException:
        database.close()
        raise


OPENERS: dict[str, Callable[[str, How], SqlLedger]] = {
    "sqlite": _open_file,
    "postgresql": _open_server,
    "postgres": _open_server,
    "s3": _open_stored,
    "gs": _open_stored,
}
"""How a ledger is opened, by the scheme of its address. `postgresql+DRIVER` is read as
`postgresql`."""
