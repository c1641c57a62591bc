"""Of which days access logs were read, also where no crawler came."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

ROWS = """
INSERT INTO crawl_site (site_id, unlisted)
SELECT DISTINCT site_id, 0 FROM crawl_hour
WHERE site_id NOT IN (SELECT site_id FROM crawl_site)
"""
SITES = "SELECT site_id FROM crawl_site WHERE site_id IN (SELECT site_id FROM crawl_hour)"
HOURS = "SELECT DISTINCT hour FROM crawl_hour WHERE site_id = :site_id ORDER BY hour"


def upgrade() -> None:
    for name in ("read_from", "read_until"):
        op.add_column("crawl_site", sa.Column(name, sa.Integer(), nullable=True))
    op.add_column("crawl_site", sa.Column("read_days", sa.LargeBinary(), nullable=True))
    op.execute(ROWS)
    _take_over(op.get_bind())


def _take_over(connection: sa.Connection) -> None:
    """Hours with lines of bots are known to be read."""
    site = sa.table(
        "crawl_site",
        *(sa.column(name) for name in ("site_id", "read_from", "read_until")),
        sa.column("read_days", sa.LargeBinary()),
    )
    for (site_id,) in connection.execute(sa.text(SITES)).all():
        hours = connection.execute(sa.text(HOURS), {"site_id": site_id}).scalars().all()
        connection.execute(
            site.update()
            .where(site.c.site_id == site_id)
            .values(read_from=hours[0], read_until=hours[-1], read_days=_packed(hours))
        )


def _packed(hours: Sequence[int]) -> bytes:
    """The first day, then a bit for each day from it on."""
    first = hours[0] // 24
    bits = sum({1 << hour // 24 - first for hour in hours})
    return first.to_bytes(3, "little") + bits.to_bytes(-(-bits.bit_length() // 8), "little")
