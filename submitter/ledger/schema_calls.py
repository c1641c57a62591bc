"""The tables of calls: what was sent and how it was answered, what an engine said later, and what
it allows."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from submitter.ledger.columns import BigId, UtcMicros
from submitter.ledger.schema import ZERO, metadata

attempt = Table(
    "attempt",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("run", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("lease", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("target_id", ForeignKey("target.id"), nullable=False),
    Column("engine", Text, nullable=False),
    Column("property", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("urls", BigInteger, nullable=False),
    Column("pages", LargeBinary),
    Column("day", Date),
    Column("cost", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("sent_at", UtcMicros, nullable=False),
    Column("settled_at", UtcMicros),
    Column("accepted", BigInteger, nullable=False, server_default=ZERO),
    Column("rejected", BigInteger, nullable=False, server_default=ZERO),
    Column("unaccounted", BigInteger, nullable=False, server_default=ZERO),
    Column("spent", BigInteger),
    Column("http_status", Integer),
    Column("code", Text),
    Column("message", Text, nullable=False, server_default=""),
    Column("quota_left", BigInteger),
    Column("not_before", UtcMicros),
    Column("cause", Text),
    Column("next_step", Text),
    sqlite_autoincrement=True,
)
"""One call. `pages` packs the page numbers in sending order, 8 bytes each; `day` is the engine's
day on which `cost` was booked."""

Index("ix_attempt_sent_at", attempt.c.sent_at)
Index("ix_attempt_target_id", attempt.c.target_id)
Index("ix_attempt_run", attempt.c.run)
Index(
    "ix_attempt_counted",
    attempt.c.target_id,
    attempt.c.kind,
    attempt.c.state,
    attempt.c.sent_at,
    attempt.c.urls,
    attempt.c.accepted,
    attempt.c.rejected,
)
"""Holds all that reports count, so that they read no row of a year of calls."""
Index(
    "ix_attempt_timed",
    attempt.c.engine,
    attempt.c.kind,
    attempt.c.state,
    attempt.c.http_status,
    attempt.c.sent_at,
    attempt.c.settled_at,
)
"""Holds how long calls took and how they ended, so that a scrape, which adds up all of them, reads
no row."""
Index(
    "ix_attempt_sending",
    attempt.c.id,
    sqlite_where=attempt.c.state == "sending",
    postgresql_where=attempt.c.state == "sending",
)

sitemap = Table(
    "sitemap",
    metadata,
    Column("target_id", ForeignKey("target.id"), primary_key=True),
    Column("url", Text, primary_key=True),
    Column("state", Text),
    Column("content", Text, nullable=False, server_default=""),
    Column("at", UtcMicros),
    Column("told_at", UtcMicros),
    Column("told_content", Text),
    Column("not_before", UtcMicros),
    Column("reason", Text),
    Column("check_id", BigInteger),
    sqlite_with_rowid=False,
)
"""The last word about a sitemap at a target; `state` is null when it was only ever checked."""

sitemap_check = Table(
    "sitemap_check",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("target_id", ForeignKey("target.id"), nullable=False),
    Column("sitemap", Text, nullable=False),
    Column("property", Text, nullable=False),
    Column("first_at", UtcMicros, nullable=False),
    Column("checked_at", UtcMicros, nullable=False),
    Column("last_submitted", UtcMicros),
    Column("last_downloaded", UtcMicros),
    Column("is_pending", Boolean),
    Column("is_index", Boolean),
    Column("errors", BigInteger),
    Column("warnings", BigInteger),
    Column("urls_submitted", BigInteger),
    Column("kind", Text),
)
"""What an engine said from `first_at` to `checked_at`: an unchanged answer adds no row."""

Index("ix_sitemap_check_target_id_sitemap", sitemap_check.c.target_id, sitemap_check.c.sitemap)

lane = Table(
    "lane",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("account", Text, nullable=False),
    Column("property", Text, nullable=False),
    Column("day", Date, nullable=False),
    UniqueConstraint("account", "property"),
)
"""`day` is the newest engine day with an allowance."""

allowance = Table(
    "allowance",
    metadata,
    Column("lane_id", ForeignKey("lane.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("limit", BigInteger),
    Column("spent", BigInteger, nullable=False),
    Column("reported_left", BigInteger),
    Column("spent_since", BigInteger, nullable=False),
    Column("closed_until", UtcMicros),
    Column("closed_reason", Text, nullable=False),
    sqlite_with_rowid=False,
)

survey = Table(
    "survey",
    metadata,
    Column("account", Text, primary_key=True),
    Column("at", UtcMicros, nullable=False),
    Column("principal", Text, nullable=False),
    Column("properties", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""The newest survey of each account; `properties` is JSON."""

EVERY_TABLE = metadata
