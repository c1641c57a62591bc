"""Audits: what pages looked like, and whose dates could be believed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("chosen", sa.Text(), nullable=False),
        sa.Column("checked", sa.BigInteger(), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site", "finished", name="pk_audit"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_page",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("lastmod", sa.BigInteger(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("sketch", sa.BigInteger(), nullable=True),
        sa.Column("words", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("site_id", "key", name="pk_audit_page"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_trust",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("checked", sa.BigInteger(), nullable=False),
        sa.Column("borne_out", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "at", "document", name="pk_audit_trust"),
        sqlite_with_rowid=False,
    )
