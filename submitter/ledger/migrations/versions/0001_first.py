"""The first schema."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _make_meta()
    _make_counter()
    _make_lease()
    _make_run()
    _make_site()
    _make_target()
    _make_look()
    _make_root()
    _make_document()
    _make_fingerprint()
    _make_section()
    _make_page()
    _make_page_key()
    _make_waiting()
    _make_telling()
    _make_tally()
    _make_attempt()
    _make_sitemap()
    _make_sitemap_check()
    _make_lane()
    _make_allowance()
    _make_survey()


def _make_meta() -> None:
    op.create_table(
        "meta",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_meta"),
        sqlite_with_rowid=False,
    )


def _make_counter() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counter"),
        sqlite_with_rowid=False,
    )


def _make_lease() -> None:
    op.create_table(
        "lease",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("acquired_at", sa.BigInteger(), nullable=False),
        sa.Column("renewed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_lease"),
        sqlite_with_rowid=False,
    )


def _make_run() -> None:
    op.create_table(
        "run",
        sa.Column("number", BIG_ID, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("inventory_sha256", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("forced", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_run"),
        sa.UniqueConstraint("id", name="uq_run_id"),
    )


def _make_site() -> None:
    op.create_table(
        "site",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("look", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("baseline_look", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("baseline", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("listed", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("known", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("new_since", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("changed_since", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone_since", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_site"),
        sa.UniqueConstraint("origin", name="uq_site_origin"),
    )


def _make_target() -> None:
    op.create_table(
        "target",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("site_id", BIG_ID, nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("property", sa.Text(), nullable=True),
        sa.Column("told_by_look", sa.Integer(), nullable=True),
        sa.Column("seeded_look", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name="fk_target_site_id"),
        sa.PrimaryKeyConstraint("id", name="pk_target"),
        sa.UniqueConstraint("site_id", "account", name="uq_target_site_id_account"),
    )


def _make_look() -> None:
    op.create_table(
        "look",
        sa.Column("site_id", BIG_ID, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by_hand", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("finished", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("complete", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("looks", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("listed", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("new", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("changed", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name="fk_look_site_id"),
        sa.PrimaryKeyConstraint("site_id", "number", name="pk_look"),
        sqlite_with_rowid=False,
    )


def _make_root() -> None:
    op.create_table(
        "root",
        sa.Column("site_id", BIG_ID, nullable=False),
        sa.Column("sitemap", sa.Text(), nullable=False),
        sa.Column("readable", sa.Boolean(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=True),
        sa.Column("pages", sa.BigInteger(), nullable=False),
        sa.Column("is_index", sa.Boolean(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name="fk_root_site_id"),
        sa.PrimaryKeyConstraint("site_id", "sitemap", name="pk_root"),
        sqlite_with_rowid=False,
    )


def _make_document() -> None:
    op.create_table(
        "document",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("site_id", BIG_ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("first_look", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("complete", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("body_sha256", sa.Text(), server_default="", nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("pages", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("over_limit", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("read_at", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("children", sa.Text(), nullable=True),
        sa.Column("sections", sa.Text(), server_default="", nullable=False),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name="fk_document_site_id"),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("site_id", "url", name="uq_document_site_id_url"),
    )


def _make_fingerprint() -> None:
    op.create_table(
        "fingerprint",
        sa.Column("document_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("keys", sa.LargeBinary(), nullable=False),
        sa.Column("checks", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_fingerprint"),
    )


def _make_section() -> None:
    op.create_table(
        "section",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_section"),
        sa.UniqueConstraint("name", "priority", name="uq_section_name_priority"),
    )


def _make_page() -> None:
    op.create_table(
        "page",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("loc", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=True),
        sa.Column("lastmod", sa.BigInteger(), nullable=True),
        sa.Column("section_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("first_look", sa.Integer(), nullable=False),
        sa.Column("changed_look", sa.Integer(), nullable=True),
        sa.Column("last_look", sa.Integer(), nullable=True),
        sa.Column("missed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone_look", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_page"),
    )
    op.create_index(
        "ix_page_missing",
        "page",
        ["site_id"],
        unique=False,
        sqlite_where=sa.text("place = 2"),
        postgresql_where=sa.text("place = 2"),
    )


def _make_page_key() -> None:
    op.create_table(
        "page_key",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "key", name="pk_page_key"),
        sqlite_with_rowid=False,
    )


def _make_waiting() -> None:
    op.create_table(
        "waiting",
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("rank", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("not_before", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("target_id", "kind", "rank", "page_id", name="pk_waiting"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_waiting_held",
        "waiting",
        ["not_before", "why"],
        unique=False,
        sqlite_where=sa.text("not_before IS NOT NULL"),
        postgresql_where=sa.text("not_before IS NOT NULL"),
    )


def _make_telling() -> None:
    op.create_table(
        "telling",
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("removal", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("page_id", "target_id", "attempt_id", name="pk_telling"),
        sqlite_with_rowid=False,
    )


def _make_tally() -> None:
    op.create_table(
        "tally",
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("pages", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("target_id", "what", name="pk_tally"),
        sqlite_with_rowid=False,
    )


def _make_attempt() -> None:
    op.create_table(
        "attempt",
        *_intent(),
        *_outcome(),
        sa.ForeignKeyConstraint(["target_id"], ["target.id"], name="fk_attempt_target_id"),
        sa.PrimaryKeyConstraint("id", name="pk_attempt"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_attempt_run", "attempt", ["run"], unique=False)
    op.create_index(
        "ix_attempt_sending",
        "attempt",
        ["id"],
        unique=False,
        sqlite_where=sa.text("state = 'sending'"),
        postgresql_where=sa.text("state = 'sending'"),
    )
    op.create_index("ix_attempt_sent_at", "attempt", ["sent_at"], unique=False)
    op.create_index("ix_attempt_target_id", "attempt", ["target_id"], unique=False)


def _intent() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("urls", sa.BigInteger(), nullable=False),
        sa.Column("pages", sa.LargeBinary(), nullable=True),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("cost", sa.BigInteger(), nullable=False),
    ]


def _outcome() -> list[sa.Column[Any]]:
    return [
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("accepted", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("rejected", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("unaccounted", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("quota_left", sa.BigInteger(), nullable=True),
        sa.Column("not_before", sa.BigInteger(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("next_step", sa.Text(), nullable=True),
    ]


def _make_sitemap() -> None:
    op.create_table(
        "sitemap",
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("told_at", sa.BigInteger(), nullable=True),
        sa.Column("told_content", sa.Text(), nullable=True),
        sa.Column("not_before", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("check_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["target_id"], ["target.id"], name="fk_sitemap_target_id"),
        sa.PrimaryKeyConstraint("target_id", "url", name="pk_sitemap"),
        sqlite_with_rowid=False,
    )


def _make_sitemap_check() -> None:
    op.create_table(
        "sitemap_check",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("sitemap", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("checked_at", sa.BigInteger(), nullable=False),
        sa.Column("last_submitted", sa.BigInteger(), nullable=True),
        sa.Column("last_downloaded", sa.BigInteger(), nullable=True),
        sa.Column("is_pending", sa.Boolean(), nullable=True),
        sa.Column("is_index", sa.Boolean(), nullable=True),
        sa.Column("errors", sa.BigInteger(), nullable=True),
        sa.Column("warnings", sa.BigInteger(), nullable=True),
        sa.Column("urls_submitted", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["target_id"], ["target.id"], name="fk_sitemap_check_target_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sitemap_check"),
    )
    op.create_index(
        "ix_sitemap_check_target_id_sitemap",
        "sitemap_check",
        ["target_id", "sitemap"],
        unique=False,
    )


def _make_lane() -> None:
    op.create_table(
        "lane",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lane"),
        sa.UniqueConstraint("account", "property", name="uq_lane_account_property"),
    )


def _make_allowance() -> None:
    op.create_table(
        "allowance",
        sa.Column("lane_id", BIG_ID, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("limit", sa.BigInteger(), nullable=True),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.Column("reported_left", sa.BigInteger(), nullable=True),
        sa.Column("spent_since", sa.BigInteger(), nullable=False),
        sa.Column("closed_until", sa.BigInteger(), nullable=True),
        sa.Column("closed_reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["lane_id"], ["lane.id"], name="fk_allowance_lane_id"),
        sa.PrimaryKeyConstraint("lane_id", "day", name="pk_allowance"),
        sqlite_with_rowid=False,
    )


def _make_survey() -> None:
    op.create_table(
        "survey",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("properties", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_survey"),
        sqlite_with_rowid=False,
    )
