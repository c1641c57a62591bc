"""Ledgers as earlier releases left them."""

from __future__ import annotations

from sqlalchemy import create_engine

from submitter.ledger.migrating import MIGRATIONS
from submitter.ledger.schema import HEAD

RELEASES = [f"{number:04}" for number in range(1, int(HEAD))]


def make_release(url: str, revision: str) -> None:
    """The tables of that release, a little in them, and views that are not today's."""
    from alembic import command
    from alembic.config import Config

    engine = create_engine(url)
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.exec_driver_sql("CREATE VIEW v_submission AS SELECT 1 AS old")
        connection.exec_driver_sql("INSERT INTO meta VALUES ('salt', 'abcdef'), ('fleet', 'f')")
        connection.exec_driver_sql("INSERT INTO counter VALUES ('page', 7)")
    engine.dispose()
