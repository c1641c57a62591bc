"""Alternates have to name each other: a link that is not returned is ignored.

Source: https://developers.google.com/search/docs/specialty/international/localized-versions,
read 2026-11-30. Costs some thirty bytes a link.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from submitter.core.buckets import Buckets
from submitter.core.building.extensions import Alternate

DIGESTS: Final = 1 << 128


def links_digest(identity: str, alternates: Iterable[Alternate]) -> int:
    """Of the links of one entry, the same in every process. The digests of entries add up, so the
    links of some entries are those of others when their sums are equal."""
    return sum([_digest(identity, one.identity) for one in alternates]) % DIGESTS


def _digest(page: str, named: str) -> int:
    return int.from_bytes(blake2b(f"{page}\n{named}".encode(), digest_size=16).digest(), "big")


def number_elsewhere(site: str, alternates: Iterable[Alternate]) -> int:
    """Links to other hosts, of which the list says nothing."""
    return sum(not one.identity.startswith(f"{site}/") for one in alternates)


class LinkProof:
    """Takes the alternates of every entry of a list, then tells which are not returned.

    `site` is the origin that the list speaks for: what lies elsewhere cannot be proven by it.
    """

    def __init__(self, site: str) -> None:
        self._own = f"{site}/"
        self._there, self._back = Buckets(), Buckets()
        self._proven = bytearray()
        self._ordinals, self._firsts = array("I"), array("I", [0])

    def __bool__(self) -> bool:
        return bool(self._proven)

    def add(self, ordinal: int, identity: str, alternates: Sequence[Alternate]) -> None:
        """Of each entry that has some; ordinals come in order."""
        for one in alternates:
            self._there.add(hash((identity, one.identity)), len(self._proven))
            self._back.add(hash((one.identity, identity)), len(self._proven))
            self._proven.append(one.identity == identity)
        self._ordinals.append(ordinal)
        self._firsts.append(len(self._proven))
        self._elsewhere(identity, alternates)

    def _elsewhere(self, identity: str, alternates: Sequence[Alternate]) -> None:
        """A link to another host stands as it is given."""
        first = len(self._proven) - len(alternates)
        for at, one in enumerate(alternates, first):
            if not one.identity.startswith(self._own):
                self._proven[at] = True

    def prove(self) -> None:
        """Once, after the last."""
        for _, returned in self._there.meet(self._back):
            self._proven[returned] = True
        self._there, self._back = Buckets(), Buckets()

    def entries(self) -> Iterator[tuple[int, list[int]]]:
        """The ordinals of entries with links that are not returned, and which those are."""
        for at, ordinal in enumerate(self._ordinals):
            if links := self._unreturned(at):
                yield ordinal, links

    def unreturned(self, ordinal: int) -> list[int]:
        """Which links of an entry are not returned, counted from 0 in their order."""
        at = bisect_left(self._ordinals, ordinal)
        if at == len(self._ordinals) or self._ordinals[at] != ordinal:
            return []
        return self._unreturned(at)

    def _unreturned(self, at: int) -> list[int]:
        first, end = self._firsts[at], self._firsts[at + 1]
        if self._proven.find(0, first, end) < 0:
            return []
        return [link - first for link in range(first, end) if not self._proven[link]]
