"""Many rows in one statement: COPY where rows are only added, arrays where they meet others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

import psycopg
from sqlalchemy import ARRAY, Connection, Delete, Select, Table, Update, any_, bindparam
from sqlalchemy.sql.elements import BinaryExpression, BindParameter
from sqlalchemy.sql.visitors import replacement_traverse

from submitter.ledger.database import Conflict, Many

LISTED = 5_000
"""Values in one array."""

STATEMENTS = 256
"""So many are remembered with arrays in them; some are made anew for every use."""


class Bulk:
    """Knows the statements that it made before."""

    def __init__(self) -> None:
        self._texts: dict[Many, bytes] = {}
        self.listed = lru_cache(STATEMENTS)(with_arrays)

    def run(self, connection: Connection, many: Many, rows: Iterable[tuple[Any, ...]]) -> int:
        """See `Transaction.many`."""
        session: Any = connection.connection.driver_connection
        text = self._texts.get(many)
        if text is None:
            text = self._texts[many] = _text(connection, many).encode()
        if _only_adds(many):
            return copy_rows(session, text, rows)
        arrays = [array_of(column) for column in zip(*rows, strict=True)]
        return int(session.execute(text, arrays).rowcount) if arrays else 0


def with_arrays(statement: Select[Any]) -> Select[Any]:
    """The select with one array in the place of each expanding parameter: a server reads that much
    faster than as many parameters."""
    return cast(Select[Any], replacement_traverse(statement, {}, _with_array))


def _with_array(element: Any, **_: Any) -> Any:
    if not isinstance(element, BinaryExpression) or not isinstance(element.right, BindParameter):
        return None
    if not element.right.expanding:
        return None
    array = bindparam(element.right.key, type_=ARRAY(element.left.type))
    return element.left == any_(array)


def copy_rows(
    session: psycopg.Connection[Any], text: bytes, rows: Iterable[tuple[Any, ...]]
) -> int:
    """COPY rows into a table; returns how many."""
    with session.cursor() as cursor:
        with cursor.copy(text) as copy:
            for row in rows:
                copy.write_row(row)
        return cursor.rowcount


def array_of(values: Sequence[Any]) -> str:
    """Numbers, texts and bytes as PostgreSQL writes an array of them."""
    if all(type(value) is int for value in values):
        return "{" + ",".join(map(str, values)) + "}"
    return "{" + ",".join([_element(value) for value in values]) + "}"


def _element(value: int | str | bytes | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        return rf'"\\x{value.hex()}"'
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _only_adds(many: Many) -> bool:
    return isinstance(many.statement, Table) and many.conflict is Conflict.FAIL


def _text(connection: Connection, many: Many) -> str:
    if _only_adds(many):
        return _copy(connection, many)
    if isinstance(many.statement, Table):
        return _insert(connection, many, many.statement)
    return _change(connection, many, many.statement)


def _copy(connection: Connection, many: Many) -> str:
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(quote(name) for name in many.columns)
    return f"COPY {quote(many.statement.name)} ({columns}) FROM STDIN"  # type: ignore[union-attr]  # COPY is for tables alone


def _insert(connection: Connection, many: Many, table: Table) -> str:
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(quote(name) for name in many.columns)
    types = [table.c[name].type.compile(connection.dialect) for name in many.columns]
    keys = ", ".join(quote(column.name) for column in table.primary_key)
    others = [name for name in many.columns if name not in table.primary_key.columns]
    action = f"({keys}) DO UPDATE SET " + ", ".join(
        f"{quote(name)} = excluded.{quote(name)}" for name in others
    )
    if many.conflict is Conflict.IGNORE:
        action = "DO NOTHING"
    return (
        f"INSERT INTO {quote(table.name)} ({columns}) SELECT {columns}"  # noqa: S608  # names are quoted
        f" FROM {_unnested(connection, many.columns, types)} ON CONFLICT {action}"
    )


def _change(connection: Connection, many: Many, statement: Update | Delete) -> str:
    """The statement with the columns of an unnested list in the place of its parameters."""
    compiled = statement.compile(dialect=connection.dialect)
    types = [compiled.binds[name].type.compile(connection.dialect) for name in many.columns]
    if set(compiled.binds) != set(many.columns):
        raise AssertionError(f"the parameters of {compiled} are not {many.columns}")
    text = str(compiled) % {name: f"v.{name}" for name in many.columns}
    head, where, condition = text.partition(" WHERE ")
    word = "USING" if isinstance(statement, Delete) else "FROM"
    return f"{head} {word} {_unnested(connection, many.columns, types)}{where}{condition}"


def _unnested(connection: Connection, columns: Sequence[str], types: Sequence[str]) -> str:
    quote = connection.dialect.identifier_preparer.quote
    arrays = ", ".join(f"%s::{kind}[]" for kind in types)
    names = ", ".join(quote(name) for name in columns)
    return f"unnest({arrays}) AS v({names})"
