"""A whole ledger into another place: table by table, all or nothing, and counted at both ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, Date, Table, Text, delete, func, select, type_coerce, update
from sqlalchemy.types import TypeDecorator, TypeEngine

from submitter.errors import LedgerError
from submitter.ledger.columns import clean
from submitter.ledger.database import Database, Many, Transaction
from submitter.ledger.opening import IsDead, open_ledger
from submitter.ledger.schema import alembic_version, counter, lease, meta, metadata

LEASE = "run"
"""The lease of whole runs: who holds it is alone with the ledger."""

LEASE_TTL_S = 4 * 3600.0
"""Longer than the largest ledger takes; it is given back at the end."""

BATCH = 5_000
"""Rows that are in memory at once."""

OWN = "commit %"
"""Rows of `counter` that belong to a connection and not to the ledger (see `postgres_driver`)."""


@dataclass(frozen=True, slots=True)
class TableCount:
    """How many rows a table has."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class LedgerCount:
    """Where a ledger is, without a password, and what its tables hold."""

    name: str
    version: str
    tables: tuple[TableCount, ...]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def copy_ledger(
    source: str, target: str, *, owner: str, now: datetime, is_dead: IsDead
) -> tuple[LedgerCount, LedgerCount]:
    """Copy a ledger that no run holds into one that is new. Returns where it came from and where
    it went, with the rows that were found at both ends. The source stays as it is."""
    with (
        closing(open_ledger(source, is_dead=is_dead, must_exist=True)) as old,
        closing(open_ledger(target, is_dead=is_dead)) as new,
    ):
        lease = old.acquire(LEASE, owner, ttl_s=LEASE_TTL_S, now=now)
        try:
            counts = copy_database(old.database, new.database)
            version = _version(new.database)
        finally:
            old.release(lease)
        return (
            LedgerCount(old.database.name, version, counts),
            LedgerCount(new.database.name, version, counts),
        )


def count_ledger(url: str, *, is_dead: IsDead) -> LedgerCount:
    """What is in a ledger that is there."""
    with closing(open_ledger(url, is_dead=is_dead, must_exist=True)) as ledger:
        counts = ledger.database.read(_counts)
        return LedgerCount(ledger.database.name, _version(ledger.database), counts)


def _counts(tx: Transaction) -> tuple[TableCount, ...]:
    return tuple(TableCount(table.name, _count(tx, table)) for table in _tables())


def _version(database: Database) -> str:
    return str(database.read(lambda tx: tx.one(select(alembic_version)))[0])


def _tables() -> list[Table]:
    """Every table after those that it points to. Both ledgers have the same version."""
    return [table for table in metadata.sorted_tables if table is not alembic_version]


def copy_database(source: Database, target: Database) -> tuple[TableCount, ...]:
    """Copy everything, in one transaction at the target. Raises LedgerError when something is in
    there already, and when a table has another number of rows in the end."""
    tables = _tables()
    with source.reading() as old, target.transaction() as new:
        new.alone()
        _refuse_what_is_used(new, target.name)
        new.execute(delete(meta))
        new.execute(delete(counter).where(counter.c.name.not_like(OWN)))
        for table in tables:
            _copy_table(old, new, table)
        new.execute(update(lease).values(expires_at=None))  # their owners hold the old ledger
        new.settle(tables)
        return tuple(_counted(old, new, table) for table in tables)


def _refuse_what_is_used(tx: Transaction, name: str) -> None:
    """A new ledger has a salt and a counter, and no more."""
    used = [table.name for table in _tables() if table not in (meta, counter) and _count(tx, table)]
    if used or _count(tx, meta) > 1:
        tables = ", ".join((used or [meta.name])[:5])
        raise LedgerError(
            f"ledger {name}: it holds something already (in {tables});"
            " copy into an empty database or to a new file"
        )


def _copy_table(old: Transaction, new: Transaction, table: Table) -> None:
    names = [column.name for column in table.columns]
    add = Many(table, *names)
    statement = select(*[_raw(column) for column in table.columns])
    if table is counter:
        statement = statement.where(counter.c.name.not_like(OWN))
    changes = _changes(table, new.connection.dialect.name)
    for rows in old.stream(statement, BATCH):
        new.many(add, list(_changed(rows, changes)))


def _raw(column: Column[Any]) -> Any:
    """As it is stored, where the core has another form for it."""
    kind = column.type
    return type_coerce(column, kind.impl_instance) if isinstance(kind, TypeDecorator) else column


Change = Callable[[Any], Any]


def _changes(table: Table, dialect: str) -> dict[int, Change]:
    """What has to be done to a column's values, by its place."""
    return {
        place: change
        for place, column in enumerate(table.columns)
        if (change := _change(column.type, dialect)) is not None
    }


def _change(kind: TypeEngine[Any], dialect: str) -> Change | None:
    if isinstance(kind, Text):
        return _clean
    if isinstance(kind, Date) and dialect == "sqlite":
        return _day
    return None


def _clean(text: str | None) -> str | None:
    """Text that a server takes; an old file may hold other."""
    return clean(text) if text and not text.isprintable() else text


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _changed(
    rows: Sequence[Sequence[Any]], changes: dict[int, Change]
) -> Iterator[tuple[Any, ...]]:
    if not changes:
        yield from map(tuple, rows)
        return
    for row in rows:
        values = list(row)
        for place, change in changes.items():
            values[place] = change(values[place])
        yield tuple(values)


def _counted(old: Transaction, new: Transaction, table: Table) -> TableCount:
    rows, found = _count(old, table), _count(new, table)
    if rows != found:
        raise LedgerError(
            f"ledger: the copy of {table.name!r} has {found:,} rows instead of {rows:,};"
            " nothing was kept of it"
        )
    return TableCount(table.name, rows)


def _count(tx: Transaction, table: Table) -> int:
    statement = select(func.count()).select_from(table)
    if table is counter:
        statement = statement.where(counter.c.name.not_like(OWN))
    return int(tx.execute(statement).scalar_one())
