"""One guarded connection: transactions, bulk statements, and nothing of what they mean.

All threads of a process share the connection under a lock, so a transaction is never seen half
done and never waits for itself. What is special about SQLite stands in `sqlite.py`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
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
from sqlalchemy.dialects import sqlite

from submitter.errors import LedgerError
from submitter.ledger.troubles import translated

Item = TypeVar("Item")
INSERTS: dict[str, Callable[[Table], Any]] = {"sqlite": sqlite.insert}
"""The inserts that know what to do about conflicts, by dialect."""

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

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._texts: dict[Many, str] = {}
        self._puts: dict[tuple[str, ...], Any] = {}

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
        for chunk in chunks(ids):
            yield from self.rows(statement, ids=chunk, **values)

    def put(self, table: Table, **values: Any) -> None:
        """Insert the row, or replace these columns where its primary key is there already."""
        shape = (table.name, *values)
        if shape not in self._puts:
            self._puts[shape] = self._insert(table, tuple(values), Conflict.REPLACE)
        self.execute(self._puts[shape], **values)

    def add(self, table: Table, **values: Any) -> int:
        """Insert a row that numbers itself; returns its number."""
        key = self.execute(table.insert(), **values).inserted_primary_key
        return int(key[0]) if key else 0

    def add_selected(self, table: Table, columns: Sequence[str], rows: Select[Any]) -> int:
        """Insert what a select finds, without what is there already; returns how many."""
        insert = INSERTS[self.connection.dialect.name](table).from_select(list(columns), rows)
        return self.execute(insert.on_conflict_do_nothing()).rowcount

    def many(self, statement: Many, rows: Sequence[tuple[Any, ...]]) -> int:
        """Run the statement for every row; returns how many rows of the table it touched."""
        if not rows:
            return 0
        text = self._texts.get(statement) or self._compile(statement)
        return self.connection.exec_driver_sql(text, list(rows)).rowcount

    def _compile(self, many: Many) -> str:
        made = many.statement
        if isinstance(made, Table):
            made = self._insert(made, many.columns, many.conflict)
        compiled = made.compile(self.connection.engine)
        if tuple(getattr(compiled, "positiontup", None) or ()) != many.columns:
            raise AssertionError(f"the parameters of {compiled} are not {many.columns}")
        self._texts[many] = str(compiled)
        return self._texts[many]

    def _insert(self, table: Table, columns: tuple[str, ...], conflict: Conflict) -> Any:
        values: dict[str, Any] = {name: bindparam(name) for name in columns}
        keys = [column.name for column in table.primary_key]
        insert = INSERTS[self.connection.dialect.name](table).values(values)
        match conflict:
            case Conflict.FAIL:
                return insert
            case Conflict.IGNORE:
                return insert.on_conflict_do_nothing()
            case Conflict.REPLACE:
                others = {name: insert.excluded[name] for name in columns if name not in keys}
                return insert.on_conflict_do_update(index_elements=keys, set_=others)


class Driver(Protocol):
    """How one kind of database begins and ends a transaction on its connection."""

    def run(self, command: str) -> None: ...
    def begin(self, *, durable: bool) -> None: ...
    def begin_reading(self) -> None: ...
    def commit(self) -> None: ...
    def roll_back(self) -> None:
        """Does nothing outside a transaction: some errors end it by themselves."""


class Database:
    """A connection that threads may share and processes may not."""

    def __init__(self, connection: Connection, driver: Driver, name: str) -> None:
        self.name = name
        self._connection, self._driver = connection, driver
        self._transaction = Transaction(connection)
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._busy = False

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
            if not self._connection.closed:
                engine = self._connection.engine
                self._connection.close()
                engine.dispose()

    @contextmanager
    def _mine(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise LedgerError(f"ledger {self.name}: opened by another process; open it anew")
        with self._lock:
            if self._connection.closed:
                raise LedgerError(f"ledger {self.name}: it was closed already")
            if self._busy:
                raise AssertionError("a transaction inside a transaction")
            self._busy = True
            try:
                yield
            finally:
                self._busy = False
