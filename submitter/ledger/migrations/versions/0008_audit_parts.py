"""Audits that were stopped: what the part that goes on has to know of the earlier ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit", sa.Column("part", sa.Text(), nullable=True))
    op.create_table(
        "audit_language",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("named", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "key", name="pk_audit_language"),
        sqlite_with_rowid=False,
    )
