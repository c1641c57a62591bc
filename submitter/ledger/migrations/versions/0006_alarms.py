"""Alarms that were told, and an index from which calls are counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alarm",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=False),
        sa.Column("alert", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_alarm"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_attempt_counted",
        "attempt",
        ["target_id", "kind", "state", "sent_at", "urls", "accepted", "rejected"],
    )
