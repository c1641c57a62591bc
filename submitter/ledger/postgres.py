"""A ledger on a PostgreSQL server: how it is reached, what it must be like, how it is opened."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Connection, NullPool, create_engine, select, text

from submitter.errors import ConfigError, LedgerError
from submitter.ledger.database import Database, Transaction
from submitter.ledger.postgres_driver import PostgresDriver
from submitter.ledger.schema import alembic_version, meta
from submitter.ledger.troubles import SERVER_HINTS, translated

OLDEST = 130_000
"""PostgreSQL 13, as the server counts."""

CONNECT = {
    "autocommit": True,  # transactions by hand, as on SQLite
    "prepare_threshold": None,  # a pooler hands the next transaction to another session
    "client_encoding": "utf8",
}
SURROUNDINGS = {
    "application_name": "submitter",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""What the address may say otherwise. Seconds; the last in milliseconds. Nothing that poolers would
not take. Source: https://www.postgresql.org/docs/18/libpq-connect.html, read 2026-11-30."""

NO_ADDRESS = (
    "the address of the PostgreSQL ledger is none; write postgresql://USER:PASSWORD@HOST/DATABASE,"
    " with @ : / ? # [ ] % in a password as %40 %3A %2F %3F %23 %5B %5D %25"
)


class WholeLoader(Loader):
    """No column of ours is NUMERIC, but a sum of BIGINTs is: a whole number."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data))


Connect = Callable[..., psycopg.Connection[Any]]
Step = Callable[[Database], None]

SERVER = text(
    "SELECT current_setting('server_version_num')::int AS version,"
    " current_setting('default_transaction_read_only')::bool OR pg_is_in_recovery() AS reads_only,"
    " current_schema() AS place"
)
TABLES = text(
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
    " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
)
"""Without those of extensions, which hosts like to put into every database."""


def open_server(
    url: str,
    *,
    create: Step,
    upgrade: Step,
    connect: Connect | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Database:
    """Open the ledger that the address names and bring it up to date, or make one where the schema
    is empty. Anything else is refused and left as it is."""
    options = server_options(url)
    name = _name(options)
    with translated(name):
        driver = PostgresDriver(
            lambda: _connect(options, connect or psycopg.connect), name, sleep=sleep
        )
        database = Database(driver, name)
        try:
            if not _holds_ledger(database):
                create(database)
            upgrade(database)
            driver.sign(secrets.token_hex(8))
        except BaseException:
            database.close()
            raise
    return database


def server_options(url: str) -> dict[str, Any]:
    """The address as the driver takes it, with what it leaves open. Raises ConfigError."""
    rest = url.partition("://")[2]
    before, _, path = rest.partition("?")[0].partition("/")
    if before.count("@") > 1 or "@" in path:  # the driver would take a part for the host
        raise ConfigError.one("ledger", NO_ADDRESS)
    try:
        found = conninfo_to_dict(f"postgresql://{rest}")
    except (psycopg.ProgrammingError, UnicodeDecodeError):
        raise ConfigError.one("ledger", NO_ADDRESS) from None  # its words may hold a password
    return SURROUNDINGS | found


def _name(options: dict[str, Any]) -> str:
    """Where it is, without who asks and with which password."""
    host, port = options.get("host", "localhost"), options.get("port")
    place = f"{host}:{port}" if port else str(host)
    return f"postgresql://{place}/{options.get('dbname', options.get('user', ''))}"


def _connect(options: dict[str, Any], connect: Connect) -> Connection:
    def creator() -> psycopg.Connection[Any]:
        session = connect(**(options | CONNECT))
        session.adapters.register_loader("numeric", WholeLoader)
        return session

    engine = create_engine(
        "postgresql+psycopg://",
        creator=creator,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
        use_native_hstore=False,
        execution_options={"preserve_rowcount": True},  # of inserts, too
    )
    return engine.connect()


def _holds_ledger(database: Database) -> bool:
    """Whether there is a ledger already; False for an empty schema. Raises LedgerError for a
    server that cannot hold one, and for tables that are not ours."""
    with database.reading() as tx:
        server = tx.execute(SERVER).one()
        tables = set(tx.execute(TABLES).scalars())
        ours = _is_ours(tx, tables)
    if server.version < OLDEST:
        raise LedgerError(f"ledger {database.name}: the server is older than PostgreSQL 13")
    if server.reads_only:
        raise LedgerError(f"ledger {database.name}: {SERVER_HINTS['25006']}")
    if server.place is None:
        raise LedgerError(f"ledger {database.name}: the user's search path names no schema")
    if tables and not ours:
        raise LedgerError(
            f"ledger {database.name}: the schema {server.place!r} holds tables of another program;"
            " give the ledger a database of its own"
        )
    return ours


def _is_ours(tx: Transaction, tables: set[str]) -> bool:
    if not tables >= {meta.name, alembic_version.name}:
        return False
    return tx.first(select(meta.c.value).where(meta.c.name == "salt")) is not None
