"""Making the tables, and bringing an older ledger up to date."""

from __future__ import annotations

import secrets

from sqlalchemy import inspect, select

from submitter.errors import LedgerError
from submitter.ledger import schema, views
from submitter.ledger.database import Database, Transaction
from submitter.ledger.schema_alarms import EVERY_TABLE

MIGRATIONS = "submitter.ledger:migrations"
BEFORE_FIRST = "0000"


def create(database: Database) -> None:
    """Make every table and view in an empty database, without alembic: it takes long to load. Of
    two processes that do this at once, the second finds it done."""
    with database.transaction() as tx:
        tx.alone()
        if inspect(tx.connection).has_table(schema.alembic_version.name):
            return
        EVERY_TABLE.create_all(tx.connection, checkfirst=False)
        tx.finish_tables()
        tx.execute(schema.alembic_version.insert(), version_num=schema.HEAD)
        views.create(tx.connection)
        _begin_memory(tx)


def upgrade(database: Database) -> None:
    """Run the migrations that are missing, all or none. Raises LedgerError for a newer ledger,
    which is not touched. Of two processes that do this at once, the second finds it done."""
    stored = database.read(lambda tx: _version(tx, database.name))
    if stored == schema.HEAD:
        return
    with database.transaction() as tx:
        tx.alone()
        if _version(tx, database.name) != schema.HEAD:
            views.drop(tx.connection)
            _run_migrations(tx)
            tx.finish_tables()
            views.create(tx.connection)
            _begin_memory(tx)


def check_current(database: Database) -> None:
    """Raises LedgerError where migrations are missing, in a ledger that cannot have them."""
    stored = database.read(lambda tx: _version(tx, database.name))
    if stored != schema.HEAD:
        raise LedgerError(
            f"ledger {database.name}: it is older than this program and may not be written;"
            " open it once as a user who may write it (`submitter ledger info`)"
        )


def _version(tx: Transaction, name: str) -> str:
    if not inspect(tx.connection).has_table(schema.alembic_version.name):
        return BEFORE_FIRST
    row = tx.first(select(schema.alembic_version.c.version_num))
    stored = str(row[0]) if row else BEFORE_FIRST
    if stored > schema.HEAD:
        raise LedgerError(
            f"ledger {name}: made by a newer version of this program (ledger {stored!r},"
            f" this program knows {schema.HEAD!r}); update the program"
        )
    return stored


def _run_migrations(tx: Transaction) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = tx.connection
    command.upgrade(config, "head")


def _begin_memory(tx: Transaction) -> None:
    """The rows that every ledger has from its first moment."""
    if tx.first(select(schema.meta.c.value).where(schema.meta.c.name == "salt")) is None:
        tx.execute(schema.meta.insert(), name="salt", value=secrets.token_hex(16))
        tx.execute(schema.counter.insert(), name="page", value=0)
