"""An index from which the times of calls are added up."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_attempt_timed",
        "attempt",
        ["engine", "kind", "state", "http_status", "sent_at", "settled_at"],
    )
