"""Transactions on a PostgreSQL server, over a connection that may break at any moment.

A connection that is found broken when a transaction begins is made anew. One that breaks while a
transaction is under way takes it back. One that breaks while a transaction is being stored leaves
open which of both happened; therefore each transaction first writes its number into a row that only
this connection's successors write, and afterwards the row tells. The row stays locked until the
server has done with the transaction, so it cannot be stored after we looked.

Everything holds for one transaction only, and nothing is kept in the session: a pooler that gives
every transaction another session changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Select, Table
from sqlalchemy.exc import SQLAlchemyError

from submitter.errors import LedgerError
from submitter.ledger.database import Many
from submitter.ledger.postgres_bulk import LISTED, Bulk
from submitter.ledger.troubles import Interrupted, translation

BOUNDS = (
    "SET LOCAL lock_timeout = '15s'; SET LOCAL statement_timeout = '10min';"
    " SET LOCAL idle_in_transaction_session_timeout = '60s';"
)
"""Who is stopped in the middle of a transaction loses it, before its lease runs out."""

WRITE = (
    f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {BOUNDS}"
    " SET LOCAL synchronous_commit = {synchronous};{mark}"
)
READ = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {BOUNDS}"

MARK = (
    " INSERT INTO counter (name, value) VALUES ('{name}', {number})"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
SIGN = (
    "DELETE FROM counter WHERE name LIKE 'commit %'"
    " AND value < extract(epoch FROM now() - interval '7 days') * 1000000;"
    " INSERT INTO counter (name, value)"
    " VALUES ('{name}', (extract(epoch FROM now()) * 1000000)::bigint) RETURNING value"
)
"""Numbers begin with the server's time, so that rows which dead processes left can be told."""

LOOK = "BEGIN; {bounds} SELECT value FROM counter WHERE name = '{name}' FOR UPDATE"
FORGET = "DELETE FROM counter WHERE name = '{name}'"
IDLE = TransactionStatus.IDLE

SCHEMA_LOCK = "SELECT pg_advisory_xact_lock(1400204653, 1)"
"""Ours by its first number, `Sumt`. Held to the end of the transaction, not of the session."""

BY_BYTES = """
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS name, string_agg(
            format('ALTER COLUMN %I TYPE text COLLATE "C"', a.attname), ', '
        ) AS changes
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
            AND a.atttypid = 'text'::regtype AND a.attcollation <> '"C"'::regcollation
        GROUP BY c.oid
    LOOP
        EXECUTE format('ALTER TABLE %s %s', one.name, one.changes);
    END LOOP;
END $$
"""
"""Texts have the order of their bytes, as on SQLite, whatever the language of the database; and no
index of ours changes its order with the operating system's."""

NUMBER_ON = (
    "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column}))"
    " FROM {table} HAVING max({column}) IS NOT NULL"
)

LOOKS = 3
"""So often it is looked what became of a transaction, over a new connection each time."""

WAITS_S = (0.0, 0.1, 0.3, 0.6, 1.0, 2.0, 3.0, 4.0, 4.0)
"""How long a server that restarts is waited for, in all: 15 seconds."""


class PostgresDriver:
    """See `database.Driver`. `connect` opens a connection or raises what SQLAlchemy raises."""

    forgets = True
    losses = 0

    def __init__(
        self,
        connect: Callable[[], Connection],
        name: str,
        *,
        sleep: Callable[[float], None],
    ) -> None:
        self._connect, self._name, self._sleep = connect, name, sleep
        self._mark, self._number = "", 0
        self._stored = self._durable = 0
        """The numbers of the last transaction that was stored, and of the last durable one."""
        self._is_durable = True
        self._bulk = Bulk()
        self.connection = connect()

    @property
    def _session(self) -> psycopg.Connection[Any]:
        session: Any = self.connection.connection.driver_connection
        return session  # type: ignore[no-any-return]  # SQLAlchemy does not know the driver

    def sign(self, name: str) -> None:
        """From now on every transaction leaves its number in the row of this name."""
        self.begin(durable=True)
        self._number = self._last_value(SIGN.format(name=f"commit {name}"))
        self.commit()
        self._mark = f"commit {name}"
        self._stored = self._durable = self._number

    # ------------------------------------------------------------ transactions

    def run(self, command: str) -> None:
        self._session.execute(command.encode())

    def begin(self, *, durable: bool) -> None:
        self._number += 1
        self._is_durable = durable
        mark = MARK.format(name=self._mark, number=self._number) if self._mark else ""
        self._begin(WRITE.format(synchronous="on" if durable else "off", mark=mark))

    def begin_reading(self) -> None:
        self._begin(READ)

    def commit(self) -> None:
        try:
            ended = self._session.execute(b"COMMIT").statusmessage
        except psycopg.Error as error:
            if not self._is_broken():
                raise
            if not self._was_stored():
                raise Interrupted(f"ledger {self._name}: the connection broke") from error
        else:
            if ended != "COMMIT":  # a statement failed before, and somebody went on
                raise LedgerError(f"ledger {self._name}: the server took the step back")
        self._stored = self._number
        if self._is_durable:
            self._durable = self._number

    def roll_back(self) -> None:
        if self._is_broken():
            return
        try:
            self._session.rollback()
        except psycopg.Error:
            self._session.close()

    def lock_schema(self) -> None:
        self.run(SCHEMA_LOCK)

    def finish_tables(self) -> None:
        self.run(BY_BYTES)

    def settle(self, tables: Iterable[Table]) -> None:
        quote = self.connection.dialect.identifier_preparer.quote
        for table in tables:
            column = table.autoincrement_column
            if column is not None:
                self.run(NUMBER_ON.format(table=quote(table.name), column=quote(column.name)))
            self.run(f"ANALYZE {quote(table.name)}")

    def listed(self, statement: Select[Any]) -> tuple[Select[Any], int]:
        return self._bulk.listed(statement), LISTED

    def many(self, statement: Many, rows: Iterable[tuple[Any, ...]]) -> int:
        return self._bulk.run(self.connection, statement, rows)

    def close(self) -> None:
        if self._mark and not self._is_broken():
            with suppress(psycopg.Error):
                self.run(FORGET.format(name=self._mark))
        self._drop()

    # ------------------------------------------------------------ the connection

    def _begin(self, frame: str) -> None:
        if self._is_broken() or self._session.info.transaction_status != IDLE:
            self._recover()
        try:
            self.run(frame)
        except psycopg.Error:
            if not self._is_broken():
                raise
            self._recover()
            self.run(frame)

    def _is_broken(self) -> bool:
        return self.connection.closed or self.connection.invalidated or self._session.closed

    def _drop(self) -> None:
        engine = self.connection.engine
        with suppress(SQLAlchemyError, psycopg.Error):
            self.connection.close()
        engine.dispose()

    def _reconnect(self) -> None:
        """Raises LedgerError when the server stays away."""
        self._drop()
        problem: SQLAlchemyError = SQLAlchemyError()
        for wait_s in WAITS_S:
            self._sleep(wait_s)
            try:
                self.connection = self._connect()
            except SQLAlchemyError as error:
                problem = error
            else:
                return
        origin = getattr(problem, "orig", problem)
        raise LedgerError(str(translation(self._name, origin))) from problem

    def _recover(self) -> int:
        """Connect anew, and see whether the server still has what it had stored: a crash may cost
        what was not durable, and a standby that takes over, more. Returns the number of the last
        transaction that is there."""
        if not self._mark:
            self._reconnect()
            return 0
        found = self._found_number()
        if found < self._durable:
            self._session.close()  # and whoever goes on nevertheless is told the same
            raise LedgerError(
                f"ledger {self._name}: the server lost what it had stored; see whether it is the"
                " right one, then run again"
            )
        if found < self._stored:
            self.losses += 1
            self._stored = found
        return found

    def _was_stored(self) -> bool:
        """Whether the last transaction was, once the server has done with it."""
        if not self._mark:
            raise LedgerError(f"ledger {self._name}: the connection broke; open it again")
        return self._recover() >= self._number

    def _found_number(self) -> int:
        """The number of the last transaction that the server has stored."""
        for _ in range(LOOKS):
            self._reconnect()
            try:
                found = self._last_value(LOOK.format(bounds=BOUNDS, name=self._mark))
                self._session.rollback()
            except psycopg.OperationalError:  # it broke again, or the lock is held too long
                continue
            if found:
                return found
        raise LedgerError(
            f"ledger {self._name}: the connection broke, and it cannot be told whether the last"
            " step was stored"
        )

    def _last_value(self, commands: str) -> int:
        """What the last of several commands selects; 0: nothing."""
        cursor = self._session.execute(commands.encode())
        while cursor.nextset():
            pass
        row = cursor.fetchone()
        return int(row[0]) if row else 0
