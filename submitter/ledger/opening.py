"""From an address to a ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from submitter.errors import ConfigError
from submitter.ledger import migrating, sqlite
from submitter.ledger.ledger import SqlLedger

SQLITE = "sqlite:///"


def open_ledger(
    url: str,
    *,
    is_dead: Callable[[str], bool] = lambda owner: False,
    connect: sqlite.Connect = sqlite3.connect,
) -> SqlLedger:
    """See `submitter.ledger.open_ledger`. `connect` makes the driver's connection."""
    if not url.startswith(SQLITE):
        scheme = urlsplit(url).scheme or url.partition(":")[0]
        raise ConfigError.one(
            "ledger", f"{scheme[:40]!r} ledgers are not known; use sqlite:///PATH"
        )
    path = url.removeprefix(SQLITE)
    if not path or "\0" in path:
        raise ConfigError.one("ledger", "sqlite:///PATH names no file")
    if path == sqlite.MEMORY:
        database = sqlite.open_memory(create=migrating.create, connect=connect)
        return SqlLedger(database, is_dead=is_dead)
    database = sqlite.open_file(
        Path(path), create=migrating.create, upgrade=migrating.upgrade, connect=connect
    )
    try:
        return SqlLedger(database, is_dead=is_dead)
    except BaseException:
        database.close()
        raise
