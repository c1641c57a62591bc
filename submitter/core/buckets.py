"""Millions of hashes, compared in small parts: twelve bytes each instead of a hundred.

`hash` is keyed with a secret of the process, so a stranger who chooses the addresses cannot choose
hashes; among ten million, two meet by chance once in four hundred thousand runs. Hashes never
leave the process.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

_BUCKETS: Final = 256


class Buckets:
    """Hashes with an ordinal each, spread so that only one part at a time is a set or a dict."""

    def __init__(self) -> None:
        self._hashes = [array("q") for _ in range(_BUCKETS)]
        self._ordinals = [array("I") for _ in range(_BUCKETS)]

    def extend(self, hashes: Iterable[int], first: int) -> None:
        """Add hashes with the ordinals `first`, `first` + 1, …"""
        put_hash = [part.append for part in self._hashes]
        put_ordinal = [part.append for part in self._ordinals]
        for ordinal, value in enumerate(hashes, first):
            bucket = value % _BUCKETS
            put_hash[bucket](value)
            put_ordinal[bucket](ordinal)

    def add(self, value: int, ordinal: int) -> None:
        self._hashes[value % _BUCKETS].append(value)
        self._ordinals[value % _BUCKETS].append(ordinal)

    def repeats(self) -> Iterator[tuple[int, int]]:
        """The first ordinal of a hash with each further one."""
        for hashes, ordinals in zip(self._hashes, self._ordinals, strict=True):
            if len(set(hashes)) < len(hashes):
                first: dict[int, int] = {}
                for value, ordinal in zip(hashes, ordinals, strict=True):
                    if first.setdefault(value, ordinal) != ordinal:
                        yield first[value], ordinal

    def meet(self, other: Buckets) -> Iterator[tuple[int, int]]:
        """Pairs of our ordinal and theirs with one hash. Of several of ours the first added
        counts; each of theirs comes once at most."""
        parts = zip(self._hashes, self._ordinals, other._hashes, other._ordinals, strict=True)
        for ours, our_ordinals, theirs, their_ordinals in parts:
            first = dict(zip(reversed(ours), reversed(our_ordinals), strict=True))
            for value, ordinal in zip(theirs, their_ordinals, strict=True):
                if value in first:
                    yield first[value], ordinal
