"""Of which days access logs were read, also where no crawler came."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

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
HOURS = "SELECT DISTINCT site_id, hour FROM crawl_hour ORDER BY site_id, hour"


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
    rows = connection.execute(sa.text(HOURS)).all()
    for site_id, group in groupby(rows, key=itemgetter(0)):
        hours = [hour for _, hour in group]
        connection.execute(
            site.update()
            .where(site.c.site_id == site_id)
            .values(read_from=hours[0], read_until=hours[-1], read_days=_packed(hours))
        )


def _packed(hours: list[int]) -> bytes:
    """The first day, then a bit for each day from it on."""
    first = hours[0] // 24
    bits = sum({1 << hour // 24 - first for hour in hours})
    return first.to_bytes(3, "little") + bits.to_bytes(-(-bits.bit_length() // 8), "little")
