"""Work that many workers share: what the last looks said, and the permits of accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verdict",
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("look", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", name="pk_verdict"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "permit",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_permit"),
        sqlite_with_rowid=False,
    )
