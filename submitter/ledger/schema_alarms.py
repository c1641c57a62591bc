"""What is remembered of alarms. Part of the same schema."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from submitter.ledger.columns import UtcMicros
from submitter.ledger.schema_work import EVERY_TABLE as METADATA

alarm = Table(
    "alarm",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("told_at", UtcMicros, nullable=False),
    Column("alert", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What somebody was told is alarming, and was not yet told is over. `alert` is JSON."""

EVERY_TABLE = METADATA
"""Every table of a ledger."""
