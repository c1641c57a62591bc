"""Tables and paragraphs that fit: long cells fold, nothing is cut off, wide characters count two.

An address that would fold in the first column gets a line of its own, so that it can be copied.
Every text that enters here leaves it `plain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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


NARROWINGS = (
    ((Folds.WORDS, 24),),
    ((Folds.WORDS, 14),),
    ((Folds.WORDS, 24), (Folds.ADDRESS, 12), (Folds.LAST, LEAST_CELL)),
)
"""How narrow columns get before those that fold less well give way, too; the first that is enough
is taken."""

BREAKS_AFTER = frozenset("/-_,;?&=")
BREAKS_BEFORE = frozenset(".")
"""Where a word without blanks is best parted; a dot begins the next line, lest it end a phrase."""


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
    return _lines(text, width, _chop)


def wrap(text: str, width: int) -> list[str]:
    """As `fold`, but broken at blanks only: a word that is wider is whole all the same."""
    return _lines(text, width, lambda word, width: [word])


Chop = Callable[[str, int], list[str]]


def _lines(text: str, width: int, chop: Chop) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    words = text.lstrip(" ")
    indent = min(len(text) - len(words), width // 2)
    return [" " * indent + line for line in _fold_words(words.split(" "), width - indent, chop)]


def _fold_words(words: Iterable[str], width: int, chop: Chop) -> list[str]:
    lines, line = [], ""
    for word in words:
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = chop(word, width)
        lines += full
    return [*lines, line]


def _chop(word: str, width: int) -> list[str]:
    """Pieces of at most `width` cells, parted where names and addresses have a joint."""
    pieces = []
    while cell_len(word) > width:
        at = _joint(word, _chars_within(word, width))
        pieces.append(word[:at])
        word = word[at:]
    return [*pieces, word]


def _chars_within(word: str, width: int) -> int:
    used = 0
    for count, char in enumerate(word):
        used += cell_len(char)
        if used > width:
            return max(1, count)
    return len(word)


def _joint(word: str, most: int) -> int:
    """The last place to part it at, not more than two thirds before `most`; else that."""
    for at in range(most, most // 3, -1):
        before, after = word[at - 1], word[at]
        if after in BREAKS_BEFORE or (before in BREAKS_AFTER and after not in BREAKS_AFTER):
            return at
    return most


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
    fitted = widths
    for narrowing in NARROWINGS:
        fitted = list(widths)
        for least_folding, least in narrowing:
            choice = [at for at, column in enumerate(columns) if column.folds >= least_folding]
            _narrow(fitted, choice, least=least, room=room)
        if sum(fitted) <= room:
            break
    return fitted


def _narrow(widths: list[int], choice: Sequence[int], *, least: int, room: int) -> None:
    while sum(widths) > room:
        widest = max(choice, key=lambda at: widths[at], default=None)
        if widest is None or widths[widest] <= least:
            return
        widths[widest] -= 1


def _row_lines(
    columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int], screen: Screen
) -> list[str]:
    first, *others = row
    if not _stands_alone(columns[0], first.text, widths[0], screen):
        return _cell_lines(columns, row, widths, screen)
    rest = _cell_lines(columns, [Cell(""), *others], widths, screen)
    return [screen.paint(first.text, first.ink), *(line for line in rest if line)]


def _stands_alone(column: Column, text: str, width: int, screen: Screen) -> bool:
    """Whether it is one word that would be broken in its column, and fits the screen."""
    is_word = column.folds is Folds.ADDRESS and " " not in text.lstrip(" ")
    return is_word and width < cell_len(text) <= screen.width


def _cell_lines(
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
