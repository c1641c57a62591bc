"""The tables of the further books: checklists, inspections, sights. Part of the same schema."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from submitter.ledger.columns import BigId, UtcMicros
from submitter.ledger.schema_calls import EVERY_TABLE as METADATA

checklist = Table(
    "checklist",
    METADATA,
    Column("engine", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("address", Text, primary_key=True),
    Column("form", Text, nullable=False),
    Column("first_listed_at", UtcMicros, nullable=False),
    Column("changed_at", UtcMicros, nullable=False),
    Column("handed_in_at", UtcMicros),
    Column("retired_at", UtcMicros),
    Column("withdrawn_at", UtcMicros),
    sqlite_with_rowid=False,
)
"""What a person hands in at an engine's console."""

inspection = Table(
    "inspection",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("site", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("at", UtcMicros, nullable=False),
    Column("property", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("verdict", Text),
    Column("last_crawled", UtcMicros),
    Column("robots_txt", Text),
    Column("indexing", Text),
    Column("fetch", Text),
    Column("engine_canonical", Text),
    Column("page_canonical", Text),
)
"""What an engine said of single pages, when asked."""

Index("ix_inspection_account_at", inspection.c.account, inspection.c.at)

sight = Table(
    "sight",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("url", Text, primary_key=True),
    Column("agent", Text, primary_key=True),
    Column("at", UtcMicros, nullable=False),
    Column("http_status", Integer),
    Column("size", BigInteger, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("kind", Text),
    Column("reason", Text, nullable=False),
    Column("problem", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What a stuck sitemap looked like to us, and to us in a crawler's name."""

EVERY_TABLE = METADATA
"""Every table of a ledger: those of `schema` and the ones above."""
