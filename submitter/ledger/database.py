"""One guarded connection: transactions, bulk statements, and nothing of what they mean.

All threads of a process share the connection under a lock, so a transaction is never seen half
done and never waits for itself. What is special about SQLite stands in `sqlite.py`, and about
PostgreSQL in `postgres.py` and its neighbours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, TypeVar

from sqlalchemy import (
    Connection,
    CursorResult,
    Delete,
    Executable,
    Row,
    Select,
    Table,
    Update,
    bindparam,
)

from submitter.errors import LedgerError
from submitter.ledger.troubles import Interrupted, translated

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 4
"""So often a step is begun when the database ends it before it is stored."""

CHUNK = 500
"""Values in one IN list: few statements, and far from every driver's limit of parameters."""


def chunks(items: Iterable[Item], size: int = CHUNK) -> Iterator[list[Item]]:
    """Cut anything iterable into lists of at most `size`."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


class Conflict(Enum):
    """What an insert does when the row's key is there already."""

    FAIL = "fail"
    IGNORE = "ignore"
    REPLACE = "replace"


class Many:
    """A statement that is run for many rows of plain values, in the order of `columns`. A table
    stands for an insert into it."""

    def __init__(
        self,
        statement: Update | Delete | Table,
        *columns: str,
        conflict: Conflict = Conflict.FAIL,
    ) -> None:
        self.statement, self.columns, self.conflict = statement, columns, conflict


class Transaction:
    """What a step may do between begin and commit."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._puts: dict[tuple[str, ...], Any] = {}

    @property
    def connection(self) -> Connection:
        return self._driver.connection

    def execute(self, statement: Executable, **values: Any) -> CursorResult[Any]:
        return self.connection.execute(statement, values)

    def rows(self, statement: Select[Any], **values: Any) -> Sequence[Row[Any]]:
        return self.connection.execute(statement, values).all()

    def first(self, statement: Select[Any], **values: Any) -> Row[Any] | None:
        return self.connection.execute(statement, values).first()

    def one(self, statement: Select[Any], **values: Any) -> Row[Any]:
        """The single row that must be there; LedgerError at the edge if it is not."""
        return self.connection.execute(statement, values).one()

    def rows_in(
        self, statement: Select[Any], ids: Iterable[int | str], **values: Any
    ) -> Iterator[Row[Any]]:
        """Run a select whose expanding parameter `ids` takes a chunk of values at a time."""
        listed, size = self._driver.listed(statement)
        for chunk in chunks(ids, size):
            yield from self.rows(listed, ids=chunk, **values)

    def stream(self, statement: Select[Any], size: int) -> Iterator[Sequence[Row[Any]]]:
        """What a select finds, in pieces of at most `size` rows: only one is in memory."""
        options = {"yield_per": size}
        with self.connection.execute(statement, execution_options=options) as found:
            yield from found.partitions()

    def put(self, table: Table, **values: Any) -> None:
        """Insert the row, or replace these columns where its primary key is there already."""
        shape = (table.name, *values)
        if shape not in self._puts:
            self._puts[shape] = insert_of(self.connection, table, tuple(values), Conflict.REPLACE)
        self.execute(self._puts[shape], **values)

    def add(self, table: Table, **values: Any) -> int:
        """Insert a row that numbers itself; returns its number."""
        key = self.execute(table.insert(), **values).inserted_primary_key
        return int(key[0]) if key else 0

    def add_once(self, table: Table, **values: Any) -> bool:
        """Insert the row unless one with the same unique values is there, or is just being made by
        somebody else; says whether it was inserted."""
        insert = insert_into(self.connection, table).on_conflict_do_nothing().inline()
        return bool(self.execute(insert, **values).rowcount)

    def add_selected(self, table: Table, columns: Sequence[str], rows: Select[Any]) -> int:
        """Insert what a select finds, without what is there already; returns how many."""
        insert = insert_into(self.connection, table).from_select(list(columns), rows)
        return self.execute(insert.on_conflict_do_nothing()).rowcount

    def many(self, statement: Many, rows: Iterable[tuple[Any, ...]]) -> int:
        """Run the statement for every row; returns how many rows of the table it touched. No two
        rows may touch the same one. Rows that are made as they are taken are fastest: thousands
        that live at once keep Python's collector busy."""
        return self._driver.many(statement, rows)

    def alone(self) -> None:
        """From here to the end, nobody else makes or changes tables."""
        self._driver.lock_schema()

    def settle(self, tables: Iterable[Table]) -> None:
        """These were filled with rows that came with their numbers: rows that number themselves go
        on after them, and the database knows how full they are when it plans a query."""
        self._driver.settle(tables)

    def finish_tables(self) -> None:
        """See to what the tables need besides their definition, before there are views on them."""
        self._driver.finish_tables()


def insert_into(connection: Connection, table: Table) -> Any:
    """An insert that knows what to do about conflicts, in the connection's dialect."""
    return import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)


def insert_of(
    connection: Connection, table: Table, columns: tuple[str, ...], conflict: Conflict
) -> Any:
    """An insert of one row; its parameters have the names of the columns."""
    values: dict[str, Any] = {name: bindparam(name) for name in columns}
    keys = [column.name for column in table.primary_key]
    insert = insert_into(connection, table).values(values)
    match conflict:
        case Conflict.FAIL:
            return insert
        case Conflict.IGNORE:
            return insert.on_conflict_do_nothing()
        case Conflict.REPLACE:
            others = {name: insert.excluded[name] for name in columns if name not in keys}
            return insert.on_conflict_do_update(index_elements=keys, set_=others)


class Driver(Protocol):
    """A connection to one kind of database: how transactions begin and end on it, and how many
    rows are written at once."""

    @property
    def connection(self) -> Connection: ...

    @property
    def forgets(self) -> bool:
        """Whether what was not `durable` may be lost while this process lives on."""

    @property
    def losses(self) -> int:
        """How often that has happened."""

    def run(self, command: str) -> None: ...
    def begin(self, *, durable: bool) -> None: ...
    def begin_reading(self) -> None: ...
    def commit(self) -> None:
        """When this returns, everything is stored; when it raises Interrupted, nothing is."""

    def roll_back(self) -> None:
        """Does nothing outside a transaction: some errors end it by themselves."""

    def listed(self, statement: Select[Any]) -> tuple[Select[Any], int]:
        """A select with an expanding parameter as this database runs it best, and how many values
        to give it at once."""

    def many(self, statement: Many, rows: Iterable[tuple[Any, ...]]) -> int:
        """See `Transaction.many`."""

    def lock_schema(self) -> None:
        """See `Transaction.alone`."""

    def finish_tables(self) -> None:
        """See `Transaction.finish_tables`."""

    def settle(self, tables: Iterable[Table]) -> None:
        """See `Transaction.settle`."""

    def close(self) -> None: ...


class Database:
    """A connection that threads may share and processes may not."""

    def __init__(self, driver: Driver, name: str) -> None:
        self.name = name
        self._driver = driver
        self._transaction = Transaction(driver)
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._busy = self._closed = False

    @property
    def forgets(self) -> bool:
        """See `Driver.forgets`."""
        return self._driver.forgets

    @property
    def losses(self) -> int:
        """See `Driver.losses`."""
        return self._driver.losses

    def write(self, step: Callable[[Transaction], Result], *, durable: bool = True) -> Result:
        """Take a step in a transaction of its own. One that the database ended before it was
        stored is taken again, so it may change nothing outside the database."""
        for _ in range(TRIES - 1):
            with suppress(Interrupted), self.transaction(durable=durable) as tx:
                return step(tx)
        with self.transaction(durable=durable) as tx:
            return step(tx)

    def read(self, step: Callable[[Transaction], Result]) -> Result:
        """As `reading`, begun again when the connection breaks."""
        for _ in range(TRIES - 1):
            with suppress(Interrupted), self.reading() as tx:
                return step(tx)
        with self.reading() as tx:
            return step(tx)

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        """Commit at the end, roll back on any error. When a `durable` one has ended, it survives
        a power cut, and everything before it does too; others survive a killed process only."""
        with self._mine(), translated(self.name):
            try:
                self._driver.begin(durable=durable)
                yield self._transaction
                self._driver.commit()
            except BaseException:
                self._driver.roll_back()
                raise

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Several selects that see one state."""
        with self._mine(), translated(self.name):
            self._driver.begin_reading()
            try:
                yield self._transaction
            finally:
                self._driver.roll_back()

    def run_alone(self, command: str) -> None:
        """Run one command outside any transaction; its errors are the driver's own."""
        with self._mine():
            self._driver.run(command)

    def close(self) -> None:
        """Close for good. Closing twice is no error; a child process leaves it alone."""
        if os.getpid() != self._process:
            return
        with self._lock, translated(self.name):
            if not self._closed:
                self._closed = True
                self._driver.close()

    @contextmanager
    def _mine(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise LedgerError(f"ledger {self.name}: opened by another process; open it anew")
        with self._lock:
            if self._closed:
                raise LedgerError(f"ledger {self.name}: it was closed already")
            if self._busy:
                raise AssertionError("a transaction inside a transaction")
            self._busy = True
            try:
                yield
            finally:
                self._busy = False
