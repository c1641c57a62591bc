"""The views that dashboards read. Their columns are a promise: they are documented here and only
grow. Times stand twice: RFC 3339 UTC text, and `…_epoch` in whole seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    case,
    cast,
    func,
    select,
    type_coerce,
)

from submitter.ledger import schema, schema_calls
from submitter.ledger.schema_crawls import crawl_day, crawler
from submitter.ledger.sitemaps import PAGES_READ

MICROS = 1_000_000
DAY_S = 86_400
DAY_MICROS = DAY_S * MICROS


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """One promised column and what it means."""

    name: str
    doc: str


def _described(**columns: str) -> tuple[ViewColumn, ...]:
    return tuple(ViewColumn(name, doc) for name, doc in columns.items())


COLUMNS: dict[str, tuple[ViewColumn, ...]] = {
    "v_submission": _described(
        id="number of the call, growing",
        run="the run that made it",
        action="key of the planned action",
        attempt="1 for the first try, 2 for the second, …",
        sent_at="when the intent was stored",
        sent_at_epoch="the same in seconds",
        settled_at="when the outcome was stored; null while in flight",
        settled_at_epoch="the same in seconds",
        took_ms="milliseconds from the one to the other",
        site="origin of the site",
        account="account in the inventory",
        engine="engine of the account",
        property="the engine's name for the site",
        kind="sitemap, urls, removal or withdrawal",
        target="the sitemap, or the first page",
        reason="why it was planned",
        urls="pages in the call; 0 for a sitemap",
        accepted="pages the engine took (1 for a sitemap)",
        rejected="pages it did not want (1 for a sitemap)",
        state="state of the call, or partial",
        cost="what was booked on the lane's allowance before sending",
        http_status="status of the answer",
        code="the engine's own code",
        message="the engine's own words, shortened",
        quota_left="what the engine said is left today",
        cause="stable code of the cause of a failure",
        next_step="what a person should do about it",
    ),
    "v_sitemap_status": _described(
        site="origin of the site",
        account="account in the inventory",
        engine="engine of the account",
        property="the engine's name for the site",
        sitemap="address of the sitemap",
        state="last state at this engine; null: only checked",
        at="when that became so",
        at_epoch="the same in seconds",
        told_at="when it was last accepted",
        told_at_epoch="the same in seconds",
        not_before="not to be told again before",
        not_before_epoch="the same in seconds",
        reason="why it waits",
        last_submitted="the engine's own word",
        last_submitted_epoch="the same in seconds",
        last_downloaded="the engine's own word",
        last_downloaded_epoch="the same in seconds",
        is_pending="1: the engine has not processed it yet",
        is_index="1: the engine says it is an index",
        errors="errors the engine found",
        warnings="warnings the engine gave",
        urls_submitted="pages the engine counts in it",
        urls_ours="pages we count under it; null: it could never be read",
        checked_at="when the engine was last asked",
        checked_at_epoch="the same in seconds",
    ),
    "v_allowance": _described(
        account="account in the inventory",
        property="the engine's name for the site",
        day="the engine's own day",
        is_newest="1: the lane's newest day",
        limit="most that may be spent that day; null: unknown",
        spent="accepted, in flight and unknown",
        reported_left="the engine's newest word",
        spent_since="what was booked after it",
        left="what may still be spent; null: unknown",
        closed_until="nothing may be sent before",
        closed_until_epoch="the same in seconds",
        closed_reason="why not",
    ),
    "v_page_daily": _described(
        day="UTC day",
        site="origin of the site",
        looks="looks at the site on that day",
        listed="pages listed at the day's last finished look",
        new="pages seen for the first time",
        changed="pages with a newer lastmod",
        gone="pages that were found gone",
        day_epoch="its first moment in seconds",
    ),
    "v_crawl_daily": _described(
        day="UTC day",
        site="origin of the site",
        section="section of the pages; `(files)`: robots.txt and sitemaps",
        crawler="name of the bot",
        kind="search, ai, ai-user, tool or other",
        hits="claimed + verified + unverifiable + contradicted; without the last the bot's own",
        claimed="by a name that could be checked; nothing decided it",
        verified="from an address that is proven to be the bot's",
        unverifiable="by a name that cannot be checked, or through a proxy",
        contradicted="by somebody else who uses the name",
        bytes="sent to the bot, where the log says so",
        ok="answered with 200",
        not_modified="answered with 304",
        redirected="answered with another 3xx",
        client_errors="answered with 4xx",
        server_errors="answered with 5xx",
        other="answered with anything else",
        listed_hits="on pages that were listed; this and what follows without contradicted hits",
        parameter_hits="on addresses with parameters that were not listed",
        pages="distinct addresses",
        listed_pages="distinct pages that were listed",
        at_least="1: there were more than `pages` says",
        listed="pages that the section listed then; null: the site listed none",
        first_at="first hit of the day",
        first_at_epoch="the same in seconds",
        last_at="last hit of the day",
        last_at_epoch="the same in seconds",
        day_epoch="the day's first moment in seconds",
    ),
    "v_run": _described(
        run="the run's id",
        started_at="when it began",
        started_at_epoch="the same in seconds",
        finished_at="when it ended; null: it did not, or runs still",
        finished_at_epoch="the same in seconds",
        outcome="ok, partial, failed, nothing, held, deadline or stopped",
        exit_code="what the program ended with",
        forced="why the guard was passed; null: it was not",
        inventory_sha256="hash of the inventory's bytes",
    ),
}
"""What each view promises; a test compares this with the database."""

NAMES = tuple(COLUMNS)


def create(connection: Connection) -> None:
    for name, statement in _statements(connection.dialect.name).items():
        body = statement.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {body}")


def drop(connection: Connection) -> None:
    for name in NAMES:
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")


def _statements(dialect: str) -> dict[str, Select[Any]]:
    return {
        "v_submission": _submission(dialect),
        "v_sitemap_status": _sitemap_status(dialect),
        "v_allowance": _allowance(dialect),
        "v_page_daily": _page_daily(dialect),
        "v_crawl_daily": _crawl_daily(dialect),
        "v_run": _run(dialect),
    }


def _seconds(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return type_coerce(column, BigInteger) // MICROS


def _stamp(column: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    if dialect == "sqlite":
        return func.strftime("%Y-%m-%dT%H:%M:%SZ", _seconds(column), "unixepoch")
    at = func.timezone("UTC", func.to_timestamp(_seconds(column)))
    return func.to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')


def _both(column: ColumnElement[Any], name: str, dialect: str) -> Iterator[ColumnElement[Any]]:
    yield _stamp(column, dialect).label(name)
    yield _seconds(column).label(f"{name}_epoch")


def _day(column: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """A day as text, as SQLite has it anyway."""
    found = column if dialect == "sqlite" else func.to_char(column, "YYYY-MM-DD")
    return found.label("day")


def _flag(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """1, 0 or null, also where the database has truth values."""
    return case((column.is_(True), 1), (column.is_(False), 0)).label(column.name)


def _sum(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    return cast(func.sum(column), BigInteger).label(name)


def _day_epoch(day: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    if dialect == "sqlite":
        return cast(func.strftime("%s", type_coerce(day, Text)), BigInteger)
    return cast(func.date_part("epoch", day), BigInteger)


def _took_us(c: Any) -> ColumnElement[Any]:
    return type_coerce(c.settled_at, BigInteger) - type_coerce(c.sent_at, BigInteger)


def _submission(dialect: str) -> Select[Any]:
    c, site, target = schema_calls.attempt.c, schema.site.c, schema.target.c
    return select(
        c.id,
        c.run,
        c.action,
        c.number.label("attempt"),
        *_both(c.sent_at, "sent_at", dialect),
        *_both(c.settled_at, "settled_at", dialect),
        (_took_us(c) // 1_000).label("took_ms"),
        site.origin.label("site"),
        target.account,
        c.engine,
        c.property,
        c.kind,
        c.target,
        c.reason,
        c.urls,
        c.accepted,
        c.rejected,
        c.state,
        c.cost,
        c.http_status,
        c.code,
        c.message,
        c.quota_left,
        c.cause,
        c.next_step,
    ).select_from(schema_calls.attempt.join(schema.target).join(schema.site))


def _sitemap_status(dialect: str) -> Select[Any]:
    c, check, root = schema_calls.sitemap.c, schema_calls.sitemap_check.c, schema.root.c
    target = schema.target.c
    joined = (
        schema_calls.sitemap.join(schema.target)
        .join(schema.site)
        .outerjoin(schema_calls.sitemap_check, check.id == c.check_id)
        .outerjoin(
            schema.root, and_(root.site_id == schema.target.c.site_id, root.sitemap == c.url)
        )
    )
    return select(
        schema.site.c.origin.label("site"),
        target.account,
        target.engine,
        func.coalesce(target.property, check.property).label("property"),
        c.url.label("sitemap"),
        c.state,
        *_both(c.at, "at", dialect),
        *_both(c.told_at, "told_at", dialect),
        *_both(c.not_before, "not_before", dialect),
        c.reason,
        *_both(check.last_submitted, "last_submitted", dialect),
        *_both(check.last_downloaded, "last_downloaded", dialect),
        _flag(check.is_pending),
        _flag(check.is_index),
        check.errors,
        check.warnings,
        check.urls_submitted,
        PAGES_READ,
        *_both(check.checked_at, "checked_at", dialect),
    ).select_from(joined)


def _allowance(dialect: str) -> Select[Any]:
    c, lane = schema_calls.allowance.c, schema_calls.lane.c
    own, reported = c.limit - c.spent, c.reported_left - c.spent_since
    least = case((own < reported, own), else_=func.coalesce(reported, own))
    return select(
        lane.account,
        lane.property,
        _day(c.day, dialect),
        case((c.day == lane.day, 1), else_=0).label("is_newest"),
        c.limit,
        c.spent,
        c.reported_left,
        c.spent_since,
        case((least < 0, 0), else_=least).label("left"),
        *_both(c.closed_until, "closed_until", dialect),
        c.closed_reason,
    ).select_from(schema_calls.allowance.join(schema_calls.lane))


def _page_daily(dialect: str) -> Select[Any]:
    c = schema.look.c
    day = func.substr(_stamp(c.at, dialect), 1, 10)
    days = (
        select(
            c.site_id,
            day.label("day"),
            func.min(type_coerce(c.at, BigInteger)).label("first_us"),
            _sum(case((c.by_hand.is_(False), c.looks), else_=0), "looks"),
            func.max(case((c.finished.is_(True), c.number))).label("last"),
            _sum(c.new, "new"),
            _sum(c.changed, "changed"),
            _sum(c.gone, "gone"),
        )
        .group_by(c.site_id, day)
        .subquery()
    )
    last = schema.look.alias("last_look")
    return select(
        days.c.day,
        schema.site.c.origin.label("site"),
        days.c.looks,
        last.c.listed,
        days.c.new,
        days.c.changed,
        days.c.gone,
        (days.c.first_us // DAY_MICROS * DAY_S).label("day_epoch"),
    ).select_from(
        days.join(schema.site, schema.site.c.id == days.c.site_id).outerjoin(
            last, and_(last.c.site_id == days.c.site_id, last.c.number == days.c.last)
        )
    )


def _crawl_daily(dialect: str) -> Select[Any]:
    c = crawl_day.c
    return select(
        _day(c.day, dialect),
        schema.site.c.origin.label("site"),
        c.section,
        crawler.c.name.label("crawler"),
        crawler.c.kind,
        c.hits,
        c.claimed,
        c.verified,
        c.unverifiable,
        c.contradicted,
        c.bytes,
        c.ok,
        c.not_modified,
        c.redirected,
        c.client_errors,
        c.server_errors,
        c.other,
        c.listed_hits,
        c.parameter_hits,
        c.pages,
        c.listed_pages,
        case((c.at_least.is_(True), 1), else_=0).label("at_least"),
        c.listed,
        *_both(c.first_at, "first_at", dialect),
        *_both(c.last_at, "last_at", dialect),
        _day_epoch(c.day, dialect).label("day_epoch"),
    ).select_from(
        crawl_day.join(schema.site, schema.site.c.id == c.site_id).join(
            crawler, crawler.c.id == c.crawler_id
        )
    )


def _run(dialect: str) -> Select[Any]:
    c = schema.run.c
    return select(
        c.id.label("run"),
        *_both(c.started_at, "started_at", dialect),
        *_both(c.finished_at, "finished_at", dialect),
        c.outcome,
        c.exit_code,
        c.forced,
        c.inventory_sha256,
    )
