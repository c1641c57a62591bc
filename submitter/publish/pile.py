"""The entries of a list, by family, until the list has ended and it is known which repeat."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from submitter.core.buckets import Buckets
from submitter.publish.disk import Disk
from submitter.publish.scratch import Scratch

BUFFERED_BYTES: Final = 16 * 1024 * 1024
"""Lines of all families together wait in memory up to this size."""


@dataclass(slots=True)
class _Heap:
    hashes: array[int] = field(default_factory=lambda: array("q"))
    ordinals: array[int] = field(default_factory=lambda: array("I"))
    waiting: list[bytes] = field(default_factory=list)
    extents: list[tuple[int, int, int]] = field(default_factory=list)
    """Where lines lie: first byte, end, and their number."""


@dataclass(slots=True)
class Piled:
    """Some entries of one family: hashes of their pages, lines, and ordinals in the list."""

    hashes: Sequence[int]
    lines: Sequence[bytes]
    ordinals: Sequence[int]


class Pile:
    """Implements `ports.EntryPile`. Costs some thirty bytes a page; the lines are on the disk."""

    def __init__(self, disk: Disk) -> None:
        self._scratch = Scratch(disk)
        self._end = self._buffered = 0
        self._heaps: dict[str, _Heap] = {}
        self._identities = Buckets()
        self.entries = 0

    def close(self) -> None:
        self._scratch.close()

    def add(
        self, identities: Sequence[str], lines: Sequence[bytes], prefixes: Sequence[str]
    ) -> int:
        first = self.entries
        hashes = list(map(hash, identities))
        self._identities.extend(hashes, first)
        self.entries += len(lines)
        names = set(prefixes)
        if len(names) == 1:
            self._put(names.pop(), hashes, lines, range(first, self.entries))
            return first
        for name in sorted(names):
            at = [at for at, prefix in enumerate(prefixes) if prefix == name]
            ordinals = [first + one for one in at]
            self._put(name, [hashes[one] for one in at], [lines[one] for one in at], ordinals)
        return first

    def copy(
        self,
        prefix: str,
        identities: Sequence[str],
        lines: Sequence[bytes],
        ordinals: Sequence[int],
    ) -> None:
        self._put(prefix, list(map(hash, identities)), lines, ordinals)

    def prefixes(self) -> list[str]:
        return sorted(self._heaps)

    def repeats(self) -> Sequence[tuple[int, int]]:
        return sorted(self._identities.repeats(), key=itemgetter(1))

    def lists(self, hashes: Sequence[int]) -> list[bool]:
        """Of each hash of a page, whether the list has it."""
        asked = Buckets()
        asked.extend(hashes, 0)
        found = [False] * len(hashes)
        for place, _ in asked.meet(self._identities):
            found[place] = True
        return found

    def ordinals_of(self, prefix: str) -> Sequence[int]:
        heap = self._heaps.get(prefix)
        return heap.ordinals if heap else ()

    def entries_of(
        self, prefix: str, unwanted: bytearray, mend: Callable[[int, bytes], bytes] | None = None
    ) -> Iterator[Piled]:
        """In their order, without the unwanted, each mended."""
        heap = self._heaps.get(prefix)
        if heap is None:
            return
        start = 0
        self._flush_heap(heap)
        for begin, end, count in heap.extents:
            lines = self._scratch.read(begin, end).splitlines(keepends=True)
            piled = Piled(
                heap.hashes[start : start + count], lines, heap.ordinals[start : start + count]
            )
            start += count
            yield _picked(piled, unwanted, mend)

    def _put(
        self, name: str, hashes: Sequence[int], lines: Sequence[bytes], ordinals: Sequence[int]
    ) -> None:
        heap = self._heaps.setdefault(name, _Heap())
        heap.hashes.extend(hashes)
        heap.ordinals.extend(ordinals)
        heap.waiting += lines
        self._buffered += sum(map(len, lines))
        if self._buffered > BUFFERED_BYTES:
            for one in self._heaps.values():
                self._flush_heap(one)
            self._buffered = 0

    def _flush_heap(self, heap: _Heap) -> None:
        """Some thousand lines to an extent, so that they are read in such parts, too."""
        for start in range(0, len(heap.waiting), 4096):
            lines = heap.waiting[start : start + 4096]
            data = b"".join(lines)
            self._scratch.append(data)
            heap.extents.append((self._end, self._end + len(data), len(lines)))
            self._end += len(data)
        heap.waiting = []


def _picked(piled: Piled, unwanted: bytearray, mend: Callable[[int, bytes], bytes] | None) -> Piled:
    if mend is not None:
        pairs = zip(piled.ordinals, piled.lines, strict=True)
        piled.lines = [mend(ordinal, line) for ordinal, line in pairs]
    if unwanted and any(unwanted[ordinal] for ordinal in piled.ordinals):
        kept = [at for at, ordinal in enumerate(piled.ordinals) if not unwanted[ordinal]]
        piled = Piled(
            [piled.hashes[at] for at in kept],
            [piled.lines[at] for at in kept],
            [piled.ordinals[at] for at in kept],
        )
    return piled
