"""The tables of sites and pages; those of calls, books, crawls, audits and work stand in rooms of
their own (`schema_calls` and so on). Whoever changes one also writes a migration; a test holds the
two together.

Times are whole microseconds since 1970 UTC (`UtcMicros`), except a page's `lastmod`, which is in
seconds like the sitemap's own. Tables that hold a row per page keep no name longer than needed:
their bytes are what a site of ten million pages costs.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from submitter.ledger.columns import BigId, UtcMicros

HEAD = "0009"
"""The newest migration. Equal to the stored one in nearly every run, so alembic stays unloaded."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

ZERO = text("0")

# ---------------------------------------------------------------- life

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""`fleet`: the inventory's name. `salt`: hex of what page keys are salted with."""

counter = Table(
    "counter",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""`page`: the last page number given out; numbers are never used twice."""

lease = Table(
    "lease",
    metadata,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("acquired_at", UtcMicros, nullable=False),
    Column("renewed_at", UtcMicros, nullable=False),
    Column("expires_at", UtcMicros, nullable=True),
    sqlite_with_rowid=False,
)
"""`expires_at` is null once released; the row stays, because fences only grow."""

run = Table(
    "run",
    metadata,
    Column("number", BigId, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("started_at", UtcMicros, nullable=False),
    Column("finished_at", UtcMicros),
    Column("inventory_sha256", Text, nullable=False),
    Column("outcome", Text),
    Column("exit_code", Integer),
    Column("forced", Text),
    Column("summary", Text),
)

# ---------------------------------------------------------------- sites and targets

site = Table(
    "site",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("origin", Text, nullable=False, unique=True),
    Column("look", Integer, nullable=False, server_default=ZERO),
    Column("baseline_look", Integer, nullable=False, server_default=ZERO),
    Column("baseline", BigInteger, nullable=False, server_default=ZERO),
    Column("listed", BigInteger, nullable=False, server_default=ZERO),
    Column("known", BigInteger, nullable=False, server_default=ZERO),
    Column("new_since", BigInteger, nullable=False, server_default=ZERO),
    Column("changed_since", BigInteger, nullable=False, server_default=ZERO),
    Column("gone_since", BigInteger, nullable=False, server_default=ZERO),
)
"""`look` numbers the looks, so order never leans on a clock. `listed` = pages in a document now;
`known` = listed, or missing but not yet gone. The last four are measured from `baseline_look`."""

target = Table(
    "target",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False),
    Column("account", Text, nullable=False),
    Column("engine", Text),
    Column("property", Text),
    Column("told_by_look", Integer),
    Column("seeded_look", Integer),
    UniqueConstraint("site_id", "account"),
)
"""`told_by_look` = the last look whose pages were queued for it (null: it takes none so far);
`seeded_look` = the complete look that ended its first run."""

look = Table(
    "look",
    metadata,
    Column("site_id", ForeignKey("site.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcMicros, nullable=False),
    Column("by_hand", Boolean, nullable=False, server_default=false()),
    Column("finished", Boolean, nullable=False, server_default=false()),
    Column("complete", Boolean, nullable=False, server_default=false()),
    Column("looks", Integer, nullable=False, server_default=text("1")),
    Column("listed", BigInteger, nullable=False, server_default=ZERO),
    Column("new", BigInteger, nullable=False, server_default=ZERO),
    Column("changed", BigInteger, nullable=False, server_default=ZERO),
    Column("gone", BigInteger, nullable=False, server_default=ZERO),
    sqlite_with_rowid=False,
)
"""`looks` counts the looks that a row stands for: of a day's looks at which nothing happened, only
the last keeps a row."""

document = Table(
    "document",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("first_look", Integer, nullable=False),
    Column("kind", Text),
    Column("complete", Boolean, nullable=False, server_default=false()),
    Column("body_sha256", Text, nullable=False, server_default=""),
    Column("content", Text, nullable=False, server_default=""),
    Column("pages", BigInteger, nullable=False, server_default=ZERO),
    Column("over_limit", BigInteger, nullable=False, server_default=ZERO),
    Column("read_at", UtcMicros),
    Column("changed_at", UtcMicros),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("children", Text),
    Column("sections", Text, nullable=False, server_default=""),
    Column("trouble", Text),
    Column("findings", Text),
    UniqueConstraint("site_id", "url"),
)
"""`kind` and `read_at` are null while a listed document was never read. `sections` fingerprints
the rules by which its pages got their sections; `trouble` is why it could not be read at the last
look; `children` and `findings` (what was wrong with it when it was last read) are JSON lists."""

fingerprint = Table(
    "fingerprint",
    metadata,
    Column("document_id", BigId, primary_key=True, autoincrement=False),
    Column("keys", LargeBinary, nullable=False),
    Column("checks", LargeBinary, nullable=False),
)
"""What a document lists: 8 bytes of key and 4 of check a page (see `fingerprints`)."""

root = Table(
    "root",
    metadata,
    Column("site_id", ForeignKey("site.id"), primary_key=True),
    Column("sitemap", Text, primary_key=True),
    Column("readable", Boolean, nullable=False),
    Column("content", Text, nullable=False),
    Column("changed_at", UtcMicros),
    Column("pages", BigInteger, nullable=False),
    Column("is_index", Boolean, nullable=False),
    Column("problem", Text, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# ---------------------------------------------------------------- pages

section = Table(
    "section",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("name", Text, nullable=False),
    Column("priority", BigInteger, nullable=False),
    UniqueConstraint("name", "priority"),
)

page = Table(
    "page",
    metadata,
    Column("id", BigId, primary_key=True),
    Column("site_id", BigInteger, nullable=False),
    Column("loc", Text, nullable=False),
    Column("identity", Text),
    Column("lastmod", BigInteger),
    Column("section_id", BigInteger, nullable=False),
    Column("place", SmallInteger, nullable=False),
    Column("first_look", Integer, nullable=False),
    Column("changed_look", Integer),
    Column("last_look", Integer),
    Column("missed", Integer, nullable=False, server_default=ZERO),
    Column("gone_look", Integer),
)
"""`loc` without the site's origin where it starts with it; `identity` only where it differs from
`loc`. `lastmod` is the newest ever listed. `place`: see `pages.Place`. `last_look` is set while
the page is missing or gone, `missed` counts the complete looks without it."""

Index(
    "ix_page_missing",
    page.c.site_id,
    sqlite_where=page.c.place == 2,
    postgresql_where=page.c.place == 2,
)

page_key = Table(
    "page_key",
    metadata,
    Column("site_id", BigInteger, primary_key=True),
    Column("key", BigInteger, primary_key=True),
    Column("page_id", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Finds a page by the hash of its identity. A table of its own, so that a document's pages are
stored in reading order and their keys in key order: both fast where one index would be slow."""

waiting = Table(
    "waiting",
    metadata,
    Column("target_id", BigInteger, primary_key=True),
    Column("kind", SmallInteger, primary_key=True),
    Column("rank", BigInteger, primary_key=True),
    Column("page_id", BigInteger, primary_key=True),
    Column("why", Text, nullable=False),
    Column("not_before", UtcMicros),
    Column("reason", Text),
    sqlite_with_rowid=False,
)
"""Pages that still have to be told, a row per target, in sending order (see `waiting`). Told pages
leave it, so a ledger at rest is empty here."""

Index(
    "ix_waiting_held",
    waiting.c.not_before,
    waiting.c.why,
    sqlite_where=waiting.c.not_before.is_not(None),
    postgresql_where=waiting.c.not_before.is_not(None),
)

telling = Table(
    "telling",
    metadata,
    Column("page_id", BigInteger, primary_key=True),
    Column("target_id", BigInteger, primary_key=True),
    Column("attempt_id", BigInteger, primary_key=True),
    Column("state", SmallInteger, nullable=False),
    Column("removal", SmallInteger, nullable=False, server_default=ZERO),
    Column("reason", Text),
    sqlite_with_rowid=False,
)
"""Every page in every call; the highest attempt holds a page's state at a target."""

tally = Table(
    "tally",
    metadata,
    Column("target_id", BigInteger, primary_key=True),
    Column("what", Text, primary_key=True),
    Column("pages", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Kept counts a target: a state (pages that are not gone, by last telling), or `waiting:KIND`."""

alembic_version = Table(
    "alembic_version",
    metadata,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's own table, exactly as alembic makes it."""
