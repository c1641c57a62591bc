"""Pages that several files list, counted without holding their addresses."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from submitter.core.audit.rules import found
from submitter.core.findings import Finding

BUCKETS: Final = 64
NO_DATE: Final = -(2**62)


class Listings:
    """Sixteen bytes for each listed page; compared bucket by bucket, so that no table of all of
    them is ever held. Two pages of a million meet by chance once in ten million audits."""

    def __init__(self) -> None:
        self._documents: list[str] = []
        self._keys = [array("q") for _ in range(BUCKETS)]
        self._dates = [array("q") for _ in range(BUCKETS)]
        self._places = [array("i") for _ in range(BUCKETS)]

    def add(self, document: str, keys: Sequence[int], lastmods: Sequence[int | None]) -> None:
        place = len(self._documents)
        self._documents.append(document)
        for key, lastmod in zip(keys, lastmods, strict=True):
            bucket = key % BUCKETS
            self._keys[bucket].append(key)
            self._dates[bucket].append(NO_DATE if lastmod is None else lastmod)
            self._places[bucket].append(place)

    def key_sets(self) -> Iterator[frozenset[int]]:
        """All keys, bucket by bucket."""
        return (frozenset(bucket) for bucket in self._keys)

    def findings(self, site: str) -> Iterator[Finding]:
        pairs: Counter[tuple[int, int]] = Counter()
        contradictions: Counter[tuple[int, int]] = Counter()
        for bucket in range(BUCKETS):
            self._compare(bucket, pairs, contradictions)
        for id, counts in (
            ("duplicate-across-files", pairs),
            ("lastmod-contradiction", contradictions),
        ):
            if counts:
                yield self._finding(id, site, counts)

    def _compare(
        self,
        bucket: int,
        pairs: Counter[tuple[int, int]],
        contradictions: Counter[tuple[int, int]],
    ) -> None:
        first: dict[int, tuple[int, int]] = {}
        for key, date, place in zip(
            self._keys[bucket], self._dates[bucket], self._places[bucket], strict=True
        ):
            other, date_there = first.setdefault(key, (place, date))
            if other == place:
                continue
            pairs[other, place] += 1
            if date != date_there and NO_DATE not in (date, date_there):
                contradictions[other, place] += 1

    def _finding(self, id: str, site: str, counts: Counter[tuple[int, int]]) -> Finding:
        names = self._documents
        (one, other), most = counts.most_common(1)[0]
        detail = f"{most:,} of them in {names[one]} and {names[other]}"
        files = dict.fromkeys(names[place] for pair, _ in counts.most_common() for place in pair)
        return found(id, site, detail, count=sum(counts.values()), examples=files)
