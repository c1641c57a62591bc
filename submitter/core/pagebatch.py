"""Rows of pages as columns: made, checked and sent to another process by the thousand."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, overload

from submitter.core.looks import PageRow

_new_row: Final = partial(tuple.__new__, PageRow)
"""Rows are made by the million, and the class's own way takes twice as long."""

_SEPARATOR: Final = "\n"
"""Stands in no address."""

_Column = Sequence[Any] | str
"""Values; or one value for all, or texts joined to one."""


class PageBatch(Sequence[PageRow]):
    """At least one page of one document, as columns in the order of `PageRow`. A column may hold
    one value for all pages.

    Takes a fifth of the time of rows to pickle. Rows are made when one is first looked at, so
    that a batch that waits stays small.
    """

    def __init__(self, identities: Sequence[str], *others: Sequence[Any]) -> None:
        self._length = len(identities)
        self._columns: tuple[_Column, ...] = (identities, *others)
        self._rows: list[PageRow] | None = None

    @property
    def identities(self) -> Sequence[str]:
        return _values(self._columns[0], self._length)

    @property
    def size(self) -> int:
        """Bytes that it takes while it is packed, about."""
        return sum(len(one) if isinstance(one, str) else 8 * len(one) for one in self._columns)

    def __reduce__(self) -> tuple[Any, ...]:
        identities, locs, lastmods, *others = self._columns
        columns = (
            _joined(identities),
            () if locs == identities else _joined(locs),
            _numbers(lastmods),
            *map(_joined, others),
        )
        return _received, (self._length, columns)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> PageRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PageRow]: ...
    def __getitem__(self, index: int | slice) -> PageRow | Sequence[PageRow]:
        return self._made()[index]

    def __iter__(self) -> Iterator[PageRow]:
        return iter(self._made())

    def _made(self) -> list[PageRow]:
        if self._rows is None:
            identities, locs, *others = (_values(one, self._length) for one in self._columns)
            columns = (identities, locs or identities, *others)
            self._rows = list(map(_new_row, zip(*columns, strict=True)))
        return self._rows


def all_begin_with(prefix: str, addresses: Sequence[str]) -> bool:
    """Found out much quicker than one by one."""
    joined = _SEPARATOR + _SEPARATOR.join(addresses)
    return joined.count(_SEPARATOR + prefix) == len(addresses)


def identities_of(pages: Sequence[PageRow]) -> Sequence[str]:
    """Their identities, without making rows where there are none yet."""
    return pages.identities if isinstance(pages, PageBatch) else [page.identity for page in pages]


def _received(length: int, columns: tuple[_Column, ...]) -> PageBatch:
    batch = PageBatch((), *columns[1:])
    batch._length, batch._columns = length, columns
    return batch


def _joined(column: _Column) -> _Column:
    """Texts as one text, where they can be told apart in it; equal values as one."""
    if isinstance(column, str) or len(column) < 2:
        return column
    if column.count(column[0]) == len(column):
        return column[:1]
    try:
        joined = _SEPARATOR.join(column)
    except TypeError:  # not only texts
        return column
    return joined if joined.count(_SEPARATOR) == len(column) - 1 else column


def _numbers(column: _Column) -> _Column:
    try:
        return array("q", column)
    except TypeError:  # not only numbers
        return column


def _values(column: _Column, length: int) -> Sequence[Any]:
    if isinstance(column, str):
        return column.split(_SEPARATOR)
    return [column[0]] * length if len(column) == 1 else column
