"""The submission log, read in pieces: no reader holds the ledger while it prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, select

from submitter.core.records import LogRow, PageLogRow
from submitter.core.traits import OF_SITEMAPS
from submitter.ledger import pages, sites, tellings
from submitter.ledger.database import Database, Transaction
from submitter.ledger.schema import site, target
from submitter.ledger.schema_calls import attempt
from submitter.ledger.sending import unpack_pages
from submitter.ports import LogFilter

PIECE = 1_000
"""Calls read at once; pages of a call are read a call at a time."""

COLUMNS = [column for column in attempt.c if column.name != "target_id"]
ROWS = (
    select(*COLUMNS, attempt.c.target_id, site.c.origin.label("site"), target.c.account)
    .select_from(attempt)
    .join(target, target.c.id == attempt.c.target_id)
    .join(site, site.c.id == target.c.site_id)
)
FIRST_SINCE = select(func.min(attempt.c.id + 0).label("first")).where(
    attempt.c.sent_at >= bindparam("since")
)
"""`+ 0` makes SQLite look among the calls since then, and not from the first call of all."""
OF_IDS = ROWS.where(attempt.c.id.in_(bindparam("ids", expanding=True)))
RECENT = (
    select(attempt.c.sent_at)
    .join(target, target.c.id == attempt.c.target_id)
    .where(target.c.account == bindparam("of_account"), attempt.c.sent_at >= bindparam("since"))
    .order_by(attempt.c.sent_at)
)


def calls(database: Database, which: LogFilter, *, piece: int = PIECE) -> Iterator[LogRow]:
    """Oldest first; with a limit, the newest of them. Read `piece` by piece."""
    rows = _rows(database, which, which.states, piece)
    if which.limit is None:
        return map(log_row, rows)
    return map(log_row, reversed(list(islice(rows, which.limit))))


def page_calls(database: Database, which: LogFilter) -> Iterator[PageLogRow]:
    """Pages by their last call, oldest first; with a limit, the newest of them."""
    rows = (row for row in _rows(database, which, (), PIECE) if row.kind not in OF_SITEMAPS)
    found = (one for row in rows for one in _pages(database, row, which))
    if which.limit is None:
        return found
    return reversed(list(islice(found, which.limit)))


def of_ids(tx: Transaction, ids: Iterable[int]) -> dict[int, LogRow]:
    return {row.id: log_row(row) for row in tx.rows_in(OF_IDS, ids)}


def recent_sends(tx: Transaction, account: str, since: datetime) -> list[datetime]:
    return [row.sent_at for row in tx.rows(RECENT, of_account=account, since=since)]


def _rows(
    database: Database, which: LogFilter, states: tuple[str, ...], size: int
) -> Iterator[Row[Any]]:
    """Calls that the filter lets through: oldest first, or newest first under a limit."""
    statement = database.read(lambda tx: _filtered(tx, which, states))
    newest_first = which.limit is not None
    order = attempt.c.id.desc() if newest_first else attempt.c.id
    last: int | None = None
    while True:
        piece = statement.order_by(order).limit(size)
        if last is not None:
            piece = piece.where(attempt.c.id < last if newest_first else attempt.c.id > last)
        rows = database.read(partial(_all_of, statement=piece))
        yield from rows
        if len(rows) < size:
            return
        last = rows[-1].id


def _all_of(tx: Transaction, statement: Select[Any]) -> Sequence[Row[Any]]:
    return tx.rows(statement)


def _filtered(tx: Transaction, which: LogFilter, states: tuple[str, ...]) -> Select[Any]:
    statement = ROWS
    if which.since is not None:
        first = tx.one(FIRST_SINCE, since=which.since).first or 0
        statement = statement.where(attempt.c.id >= first, attempt.c.sent_at >= which.since)
    if which.run is not None:
        statement = statement.where(attempt.c.run == which.run)
    if which.targets is not None:
        statement = statement.where(attempt.c.target_id.in_(_target_ids(tx, which.targets)))
    if states:
        statement = statement.where(attempt.c.state.in_(states))
    return statement


def _target_ids(tx: Transaction, wanted: frozenset[tuple[str, str]]) -> list[int]:
    return [id for id, name in sites.known_targets(tx).items() if name in wanted]


def _pages(database: Database, row: Row[Any], which: LogFilter) -> list[PageLogRow]:
    """The pages whose last call this was; newest first under a limit, like the calls."""
    ids = unpack_pages(row.pages)
    last, locs = database.read(
        lambda tx: (tellings.last_tellings(tx, ids, row.target_id), pages.locs(tx, ids))
    )
    found = [
        _page_row(row, locs[page_id], one)
        for page_id in ids
        if (one := last[page_id, row.target_id]).attempt_id == row.id
        and (not which.states or one.state in which.states)
    ]
    return found if which.limit is None else found[::-1]


def _page_row(row: Row[Any], loc: str, one: tellings.Telling) -> PageLogRow:
    return PageLogRow(
        loc=loc,
        site=row.site,
        account=row.account,
        engine=row.engine,
        state=one.state.value,
        reason=one.reason or "",
        at=row.settled_at or row.sent_at,
        attempt_id=row.id,
    )


def log_row(row: Row[Any]) -> LogRow:
    return LogRow(
        id=row.id,
        run=row.run,
        action=row.action,
        attempt=row.number,
        sent_at=row.sent_at,
        settled_at=row.settled_at,
        site=row.site,
        account=row.account,
        engine=row.engine,
        property=row.property,
        kind=row.kind,
        target=row.target,
        urls=row.urls,
        accepted=row.accepted,
        rejected=row.rejected,
        state=row.state,
        http_status=row.http_status,
        code=row.code,
        message=row.message,
        quota_left=row.quota_left,
        cause=row.cause,
        next_step=row.next_step,
        spent=row.cost if row.spent is None else row.spent,
    )
