"""What a ledger holds and what was copied: the JSON shapes, and the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from submitter.render.screen import Screen
from submitter.render.tables import Column, Folds, paragraph, table

if TYPE_CHECKING:
    from submitter.ledger.copying import LedgerCount


class TableDoc(TypedDict):
    table: str
    """Its name in the database."""
    rows: int
    """Rows in it."""


class LedgerDoc(TypedDict):
    ledger: str
    """Where it is, without a user or a password."""
    version: str
    """The version of its tables."""
    tables: list[TableDoc]
    """Every table, one that others point to before them."""
    rows: int
    """In all tables."""


class CopyDoc(TypedDict):
    source: str
    """Where it was copied from, without a user or a password."""
    target: str
    """Where it was copied to."""
    version: str
    """The version of the tables at both ends."""
    tables: list[TableDoc]
    """Every table, with the rows that were counted at both ends."""
    rows: int
    """In all tables."""


_COLUMNS = (Column("TABLE", folds=Folds.ADDRESS), Column("ROWS", right=True))


def ledger_doc(found: LedgerCount) -> LedgerDoc:
    return {
        "ledger": found.name,
        "version": found.version,
        "tables": _tables(found),
        "rows": found.rows,
    }


def copy_doc(source: LedgerCount, target: LedgerCount) -> CopyDoc:
    return {
        "source": source.name,
        "target": target.name,
        "version": target.version,
        "tables": _tables(target),
        "rows": target.rows,
    }


def _tables(found: LedgerCount) -> list[TableDoc]:
    return [{"table": one.name, "rows": one.rows} for one in found.tables]


def ledger_text(document: LedgerDoc, screen: Screen) -> list[str]:
    head = f"{document['ledger']} (version {document['version']}): {document['rows']:,} rows"
    return [*paragraph(head, screen), *_rows(document["tables"], screen)]


def copy_text(document: CopyDoc, screen: Screen) -> list[str]:
    words = (
        f"Copied {document['source']} to {document['target']}: {document['rows']:,} rows, counted"
        " at both ends. Name the new one in the inventory; nothing reads the old one any more."
    )
    return [*_rows(document["tables"], screen), "", *paragraph(words, screen)]


def _rows(tables: list[TableDoc], screen: Screen) -> list[str]:
    """Tables that hold something."""
    rows = [(one["table"], f"{one['rows']:,}") for one in tables if one["rows"]]
    return table(_COLUMNS, rows, screen)
