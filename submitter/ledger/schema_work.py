"""The tables of work that many workers share. Part of the same schema."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from submitter.ledger.columns import UtcMicros
from submitter.ledger.schema_audits import EVERY_TABLE as METADATA

verdict = Table(
    "verdict",
    METADATA,
    Column("site_id", BigInteger, primary_key=True, autoincrement=False),
    Column("look", Integer, nullable=False),
    Column("at", UtcMicros, nullable=False),
    Column("said", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What the last look at a site that was judged said beside its documents: JSON (see `work`)."""

permit = Table(
    "permit",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("state", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""The recent calls of an account, by which all its workers keep its limits: JSON."""

EVERY_TABLE = METADATA
"""Every table of a ledger."""
