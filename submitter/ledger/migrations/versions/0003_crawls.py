"""What crawlers did, from access logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COUNTS_OF_A_DAY = (
    "hits",
    "claimed",
    "verified",
    "unverifiable",
    "contradicted",
    "bytes",
    "ok",
    "not_modified",
    "redirected",
    "client_errors",
    "server_errors",
    "other",
    "listed_hits",
    "parameter_hits",
    "pages",
    "listed_pages",
)


def upgrade() -> None:
    _make_crawler()
    _make_crawl_day()
    _make_crawl_page()
    _make_crawl_site()
    _make_crawl_hour()


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)


def _make_crawler() -> None:
    op.create_table(
        "crawler",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_crawler"),
        sa.UniqueConstraint("name", name="uq_crawler_name"),
    )


def _make_crawl_day() -> None:
    op.create_table(
        "crawl_day",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("crawler_id", sa.BigInteger(), nullable=False),
        *[_count(name) for name in COUNTS_OF_A_DAY],
        sa.Column("at_least", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("listed", sa.BigInteger(), nullable=True),
        sa.Column("first_at", sa.BigInteger(), nullable=True),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("site_id", "day", "section", "crawler_id", name="pk_crawl_day"),
        sqlite_with_rowid=False,
    )


def _make_crawl_page() -> None:
    op.create_table(
        "crawl_page",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("crawler_id", sa.BigInteger(), nullable=False),
        sa.Column("hits", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("days", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "key", "crawler_id", name="pk_crawl_page"),
        sqlite_with_rowid=False,
    )


def _make_crawl_site() -> None:
    op.create_table(
        "crawl_site",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        _count("unlisted"),
        sa.PrimaryKeyConstraint("site_id", name="pk_crawl_site"),
        sqlite_with_rowid=False,
    )


def _make_crawl_hour() -> None:
    op.create_table(
        "crawl_hour",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("read_at", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("site_id", "hour", "part", name="pk_crawl_hour"),
        sqlite_with_rowid=False,
    )
