"""Pages on their way between processes: as columns, which takes a fifth of the time of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, overload

from submitter.core.looks import PageRow

_new_row: Final = partial(tuple.__new__, PageRow)


class PackedRows(Sequence[PageRow]):
    """Rows of pages that are small and quick to pickle, and unpacked when first looked at."""

    def __init__(self, rows: Sequence[PageRow]) -> None:
        identities, locs, lastmods, sections, priorities, texts = zip(*rows, strict=True)
        self._identities = "\n".join(identities)  # no address holds a control character
        self._locs = None if locs == identities else "\n".join(locs)
        self._lastmods: tuple[int | None, ...] = lastmods
        self._sections: tuple[str, ...] = _shortened(sections)
        self._priorities: tuple[int, ...] = _shortened(priorities)
        self._texts: tuple[str | None, ...] = _shortened(texts)
        self._rows: list[PageRow] | None = None

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return len(self._identities) + len(self._locs or "") + 8 * len(self) + 24 * len(self._texts)

    def __len__(self) -> int:
        return len(self._lastmods)

    @overload
    def __getitem__(self, index: int) -> PageRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PageRow]: ...
    def __getitem__(self, index: int | slice) -> PageRow | Sequence[PageRow]:
        return self._unpacked()[index]

    def __iter__(self) -> Iterator[PageRow]:
        return iter(self._unpacked())

    def _unpacked(self) -> list[PageRow]:
        if self._rows is None:
            identities = self._identities.split("\n")
            locs = identities if self._locs is None else self._locs.split("\n")
            sections = _stretched(self._sections, len(self))
            priorities = _stretched(self._priorities, len(self))
            texts = _stretched(self._texts, len(self))
            columns = (identities, locs, self._lastmods, sections, priorities, texts)
            self._rows = list(map(_new_row, zip(*columns, strict=True)))
        return self._rows


def _shortened(column: tuple[Any, ...]) -> tuple[Any, ...]:
    """One value where all are equal."""
    return column[:1] if column.count(column[0]) == len(column) else column


def _stretched(column: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    return column * length if len(column) == 1 else column
