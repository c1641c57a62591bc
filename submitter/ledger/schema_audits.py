"""The tables of audits: what pages looked like, and whose dates could be believed."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Table, Text

from submitter.ledger.columns import UtcMicros
from submitter.ledger.schema_crawls import EVERY_TABLE as METADATA

audit = Table(
    "audit",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("finished", Boolean, primary_key=True),
    Column("started_at", UtcMicros, nullable=False),
    Column("finished_at", UtcMicros),
    Column("chosen", Text, nullable=False),
    Column("checked", BigInteger, nullable=False),
    Column("findings", Text, nullable=False),
    Column("part", Text),
    sqlite_with_rowid=False,
)
"""A site's last finished audit, and the one that was stopped. `findings` is JSON, and so is `part`:
what the audit that goes on has to know."""

audit_page = Table(
    "audit_page",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("key", BigInteger, primary_key=True),
    Column("at", UtcMicros, nullable=False),
    Column("lastmod", BigInteger),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("digest", Text),
    Column("sketch", BigInteger),
    Column("words", BigInteger),
    sqlite_with_rowid=False,
)
"""A page as it was when an audit looked at it. `key`: see `core.audit.sampling.page_key`."""

audit_trust = Table(
    "audit_trust",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("at", UtcMicros, primary_key=True),
    Column("document", Text, primary_key=True),
    Column("checked", BigInteger, nullable=False),
    Column("borne_out", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""For how many of a document's checked pages the date was borne out, by the start of the audit."""

audit_language = Table(
    "audit_language",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("key", BigInteger, primary_key=True),
    Column("started_at", UtcMicros, nullable=False),
    Column("page", Text, nullable=False),
    Column("named", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What pages named as their other languages (JSON), for as long as the audit is not finished."""

EVERY_TABLE = METADATA
"""Every table of a ledger: those of the other schema modules and the ones above."""
