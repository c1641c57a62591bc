"""Which pages are looked at: by a hash of their address, so that it is always the same ones.

Only a page that is seen again can show whether its date was true, so the sample does not wander.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from heapq import heappush, heappushpop
from typing import NamedTuple


class Pick(NamedTuple):
    """One listed page: `loc` as the sitemap spells it, `lastmod` in seconds since 1970 UTC."""

    key: int
    loc: str
    identity: str
    lastmod: int | None
    document: str


def page_key(identity: str) -> int:
    """Eight bytes, signed: a page's number in the sample's order and in the ledger."""
    digest = hashlib.blake2b(identity.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


class Draw:
    """Keeps the pages with the lowest keys of one document."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[int, Pick]] = []

    def add(self, pick: Pick) -> None:
        if len(self._heap) < self._size:
            heappush(self._heap, (-pick.key, pick))
        elif self._heap and -self._heap[0][0] > pick.key:
            heappushpop(self._heap, (-pick.key, pick))

    def picks(self) -> list[Pick]:
        """Lowest keys first."""
        return sorted(pick for _, pick in self._heap)


def spread_picks(draws: Iterable[Draw], size: int) -> list[Pick]:
    """`size` pages at most, as evenly over the documents as they have some, each page once."""
    columns = sorted((draw.picks() for draw in draws), key=_lowest)
    chosen: dict[int, Pick] = {}
    for rank in range(max(map(len, columns), default=0)):
        for column in columns:
            if len(chosen) == size:
                return list(chosen.values())
            if rank < len(column):
                chosen.setdefault(column[rank].key, column[rank])
    return list(chosen.values())


def _lowest(column: Sequence[Pick]) -> int:
    return column[0].key if column else 1 << 64
