"""What documents had wrong with them, checklists, inspections and sights."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("document", sa.Column("findings", sa.Text(), nullable=True))
    _make_checklist()
    _make_inspection()
    _make_sight()


def _make_checklist() -> None:
    op.create_table(
        "checklist",
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("first_listed_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("handed_in_at", sa.BigInteger(), nullable=True),
        sa.Column("retired_at", sa.BigInteger(), nullable=True),
        sa.Column("withdrawn_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("engine", "site", "address", name="pk_checklist"),
        sqlite_with_rowid=False,
    )


def _make_inspection() -> None:
    op.create_table(
        "inspection",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("last_crawled", sa.BigInteger(), nullable=True),
        sa.Column("robots_txt", sa.Text(), nullable=True),
        sa.Column("indexing", sa.Text(), nullable=True),
        sa.Column("fetch", sa.Text(), nullable=True),
        sa.Column("engine_canonical", sa.Text(), nullable=True),
        sa.Column("page_canonical", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_inspection"),
    )
    op.create_index("ix_inspection_account_at", "inspection", ["account", "at"])


def _make_sight() -> None:
    op.create_table(
        "sight",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site", "url", "agent", name="pk_sight"),
        sqlite_with_rowid=False,
    )
