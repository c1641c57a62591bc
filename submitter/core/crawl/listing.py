"""The pages that a site lists, packed: a key of 8 bytes and a section of 2 for each."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence


class Listing:
    """Which pages a site lists and in which sections they are. Rows (key, section) come in
    ascending order of keys, some at a time, none of them empty."""

    def __init__(self, batches: Iterable[Sequence[tuple[int, str]]] = ()) -> None:
        numbers: dict[str, int] = {}
        self._keys, self._sections = array("q"), array("H")
        for batch in batches:
            keys, sections = zip(*batch, strict=True)
            for section in set(sections) - numbers.keys():
                numbers[section] = len(numbers)
            self._keys.extend(keys)
            self._sections.extend(map(numbers.__getitem__, sections))
        self._names = list(numbers)
        self.counts: Counter[str] = Counter()
        for number, count in Counter(self._sections).items():
            self.counts[self._names[number]] = count
        self._shift, self._starts = self._starts_of()
        self._middle = len(self._starts) // 2
        """The place of key 0: keys are signed."""

    def __len__(self) -> int:
        return len(self._keys)

    def _starts_of(self) -> tuple[int, array[int]]:
        """By the first bits of keys, where those that begin so are. Keys are hashes, so a start is
        near its keys: looking for one takes five steps, not seventeen of a hundred thousand."""
        bits = max(1, len(self._keys).bit_length() - 5)
        shift, lowest = 64 - bits, -(2**63)
        starts = [bisect_left(self._keys, lowest + (at << shift)) for at in range(2**bits)]
        return shift, array("L", [*starts, len(self._keys)])

    def section_of(self, key: int) -> str | None:
        """None: no page that is listed."""
        place = (key >> self._shift) + self._middle
        at = bisect_left(self._keys, key, self._starts[place], self._starts[place + 1])
        if at < len(self._keys) and self._keys[at] == key:
            return self._names[self._sections[at]]
        return None
