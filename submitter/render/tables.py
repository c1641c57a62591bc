"""Tables and paragraphs that fit: long cells fold, nothing is cut off, wide characters count two.

Every text that enters here leaves it `plain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from rich.cells import cell_len

from submitter.core.plain import plain
from submitter.render.screen import Ink, Screen

GAP = "  "
LEAST_CELL = 4
"""No column gets narrower than this; two wide characters still fit."""


class Folds(IntEnum):
    """How well a column can be read in several lines."""

    LAST = 0
    ADDRESS = 1
    WORDS = 2


LEAST_CELLS = {Folds.WORDS: 24, Folds.ADDRESS: 12, Folds.LAST: LEAST_CELL}
"""How narrow columns get before those that fold less well give way, too."""


@dataclass(frozen=True, slots=True)
class Column:
    """`folds` says which columns give way when the table is too wide: the highest first."""

    title: str
    right: bool = False
    folds: Folds = Folds.LAST


class Cell(NamedTuple):
    """A text with an ink."""

    text: str
    ink: Ink | None = None


Row = Sequence[str | Cell]


def table(columns: Sequence[Column], rows: Iterable[Row], screen: Screen) -> list[str]:
    """The lines of a table, titles first; none when there are no rows."""
    return grouped_table(columns, [("", list(rows))], screen)


def grouped_table(
    columns: Sequence[Column], groups: Sequence[tuple[str, Sequence[Row]]], screen: Screen
) -> list[str]:
    """As `table`, each group under a heading of its own (none for an empty one)."""
    cells = [
        (heading, [[_cell(value) for value in row] for row in rows]) for heading, rows in groups
    ]
    every = [row for _, rows in cells for row in rows]
    if not every:
        return []
    widths = _fit(columns, _natural_widths(columns, every), screen.width)
    lines = _row_lines(columns, [Cell(column.title, Ink.DIM) for column in columns], widths, screen)
    for heading, rows in cells:
        lines += paragraph(heading, screen, ink=Ink.BOLD) if heading else []
        lines += [line for row in rows for line in _row_lines(columns, row, widths, screen)]
    return lines


def paragraph(text: str, screen: Screen, *, indent: int = 0, ink: Ink | None = None) -> list[str]:
    """Words folded to the screen's width, each line indented."""
    margin = " " * indent
    lines = fold(plain(text), max(LEAST_CELL, screen.width - indent))
    return [margin + screen.paint(line, ink) for line in lines]


def fold(text: str, width: int) -> list[str]:
    """Lines of at most `width` cells, broken at blanks where there are any; blanks before the
    text indent all of them. Never empty."""
    if cell_len(text) <= width:
        return [text]
    words = text.lstrip(" ")
    indent = min(len(text) - len(words), width // 2)
    return [" " * indent + line for line in _fold_words(words.split(" "), width - indent)]


def _fold_words(words: Iterable[str], width: int) -> list[str]:
    lines, line = [], ""
    for word in words:
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _chop(word, width)
        lines += full
    return [*lines, line]


def _chop(word: str, width: int) -> list[str]:
    pieces, piece, used = [], "", 0
    for char in word:
        size = cell_len(char)
        if used + size > width:
            pieces.append(piece)
            piece, used = "", 0
        piece += char
        used += size
    return [*pieces, piece]


def _cell(value: str | Cell) -> Cell:
    return Cell(plain(value)) if isinstance(value, str) else Cell(plain(value.text), value.ink)


def _natural_widths(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[int]:
    widths = [cell_len(column.title) for column in columns]
    for row in rows:
        widths = [max(width, cell_len(cell.text)) for width, cell in zip(widths, row, strict=True)]
    return widths


def _fit(columns: Sequence[Column], widths: list[int], available: int) -> list[int]:
    """Narrow the widest column again and again: prose first, then addresses, then any."""
    room = available - len(GAP) * (len(widths) - 1)
    for least_folding, least in LEAST_CELLS.items():
        choice = [at for at, column in enumerate(columns) if column.folds >= least_folding]
        while sum(widths) > room:
            widest = max(choice, key=lambda at: widths[at], default=None)
            if widest is None or widths[widest] <= least:
                break
            widths[widest] -= 1
    return widths


def _row_lines(
    columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int], screen: Screen
) -> list[str]:
    folded = [fold(cell.text, width) for cell, width in zip(row, widths, strict=True)]
    return [
        GAP.join(
            _padded(lines[at] if at < len(lines) else "", column, cell.ink, width, screen)
            for lines, column, cell, width in zip(folded, columns, row, widths, strict=True)
        ).rstrip()
        for at in range(max(len(lines) for lines in folded))
    ]


def _padded(text: str, column: Column, ink: Ink | None, width: int, screen: Screen) -> str:
    space = " " * (width - cell_len(text))
    painted = screen.paint(text, ink)
    return space + painted if column.right else painted + space
