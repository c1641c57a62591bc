"""The tables of what crawlers did. Part of the same schema.

Everything here is made from lines of access logs. `crawl_hour` remembers which lines were read, so
that the other tables count each line once.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    false,
    text,
)

from submitter.ledger.columns import BigId, UtcMicros
from submitter.ledger.schema_books import EVERY_TABLE as METADATA

ZERO = text("0")


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default=ZERO)


crawler = Table(
    "crawler",
    METADATA,
    Column("id", BigId, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
)
"""The bots that were seen, by the names of `core.crawl.bots`."""

crawl_day = Table(
    "crawl_day",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("section", Text, primary_key=True),
    Column("crawler_id", BigInteger, primary_key=True),
    _count("hits"),
    _count("claimed"),
    _count("verified"),
    _count("unverifiable"),
    _count("contradicted"),
    _count("bytes"),
    _count("ok"),
    _count("not_modified"),
    _count("redirected"),
    _count("client_errors"),
    _count("server_errors"),
    _count("other"),
    _count("listed_hits"),
    _count("parameter_hits"),
    _count("pages"),
    _count("listed_pages"),
    Column("at_least", Boolean, nullable=False, server_default=false()),
    Column("listed", BigInteger),
    Column("first_at", UtcMicros),
    Column("last_at", UtcMicros),
    sqlite_with_rowid=False,
)
"""A UTC day of a crawler in a section. `hits` = claimed + verified + unverifiable + contradicted;
what comes after `other` leaves contradicted hits out. `pages` and `listed_pages` are distinct ones;
`at_least`: there were more unlisted ones than are told apart. `listed` = pages that the section
listed when its newest line was read; null: the site listed none."""

crawl_page = Table(
    "crawl_page",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("key", BigInteger, primary_key=True),
    Column("crawler_id", BigInteger, primary_key=True),
    Column("hits", BigInteger, nullable=False),
    Column("first_at", UtcMicros, nullable=False),
    Column("last_at", UtcMicros, nullable=False),
    Column("days", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""What a crawler did with one page. `key` is that of `page_key`, also for pages that are listed
nowhere (a bounded number of those a site). `days`: see `crawldays`."""

crawl_site = Table(
    "crawl_site",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    _count("unlisted"),
    Column("read_from", Integer),
    Column("read_until", Integer),
    Column("read_days", LargeBinary),
    sqlite_with_rowid=False,
)
"""`unlisted`: how many rows `crawl_page` holds of pages that were not listed when they were
crawled. The others say which of its access logs were read, lines of persons included (see
`core.crawl.met`): first and last hour, and the days as `crawldays` packs them; null: none."""

crawl_hour = Table(
    "crawl_hour",
    METADATA,
    Column("site_id", BigInteger, primary_key=True),
    Column("hour", Integer, primary_key=True),
    Column("part", SmallInteger, primary_key=True),
    Column("read_at", UtcMicros, nullable=False),
    Column("lines", LargeBinary),
    sqlite_with_rowid=False,
)
"""Which lines of an hour (whole hours since 1970 UTC) are counted: 8 bytes each, sorted within a
part. `lines` null: the hour is closed, none of its lines is taken any more."""


EVERY_TABLE = METADATA
"""Every table of a ledger: those of `schema` and `schema_books` and the ones above."""
