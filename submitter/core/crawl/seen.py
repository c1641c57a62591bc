"""Which lines were counted before, so that reading them again changes nothing.

A line is known by 8 bytes of a salted hash within its site and hour. Of equal lines, the second one
of a file has a mark of its own, and so on. So a line counts as often as it stands in one file at
most, however often, in whichever pieces and order files are read.

Memory is bounded: hours that were not met for a while are forgotten and loaded again when they are
met. Equal lines of one file that lie so far apart count once.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Final, TypeAlias

MARK_BYTES: Final = 8
SALT_BYTES: Final = 16
_STEP: Final = 0x9E3779B97F4A7C15
"""Parts the marks of equal lines: odd, so no two of them meet."""
_MASK: Final = 2**64 - 1
_COUNT: Final = 2**24 - 1
"""Equal lines of one file and hour that are told apart."""

Marks: TypeAlias = "array[int]"


def packed(marks: Iterable[int]) -> bytes:
    """Sorted, 8 bytes each, the same on every machine."""
    made = array("Q", sorted(marks))
    if sys.byteorder == "big":
        made.byteswap()
    return made.tobytes()


def unpacked(marks: bytes) -> Marks:
    made = array("Q", marks)
    if sys.byteorder == "big":
        made.byteswap()
    return made


def marker(salt: bytes) -> Callable[[Iterable[bytes]], Marks]:
    """Gives the marks of lines, in which the half of an end `\\r\\n` is nothing; only who knows the
    salt can make two lines meet in one."""
    empty = blake2b(digest_size=MARK_BYTES, salt=salt[:SALT_BYTES], person=b"line")

    def marks_of(lines: Iterable[bytes]) -> Marks:
        digests = []
        for line in lines:
            hashed = empty.copy()  # takes half the time of making one anew
            hashed.update(line.rstrip(b"\r"))
            digests.append(hashed.digest())
        return unpacked(b"".join(digests))

    return marks_of


class Hour:
    """The lines of one site and hour. `known` are sorted marks of what the ledger counted when the
    hour was opened."""

    __slots__ = ("fresh", "known", "states")

    def __init__(self, known: Sequence[Marks]) -> None:
        self.known = known
        self.fresh = array("Q")
        self.states: dict[int, int] = {}
        """Mark of a line → see `first_state`."""

    def is_fresh(self, mark: int, file: int) -> bool:
        """Whether this line of that file was never counted; then it is now."""
        state = self.states.get(mark)
        if state is None:
            held, counted = 1, 1 if _holds(self.known, mark) else 0
        else:
            held = (state >> 24 & _COUNT) + 1 if state >> 48 == file else 1
            held, counted = min(held, _COUNT), state & _COUNT
        fresh = held > counted and not (held > 1 and _holds(self.known, _numbered(mark, held)))
        if fresh:
            self.fresh.append(_numbered(mark, held))
        self.states[mark] = file << 48 | held << 24 | max(held, counted)
        return fresh


def first_state(file: int) -> int:
    """Of a line met for the first time: the number of the file that held it last, how many of it
    that file held, and how many are counted; 24 bits for each of the last two."""
    return file << 48 | 1 << 24 | 1


def _numbered(mark: int, number: int) -> int:
    """The mark of the nth of equal lines."""
    return (mark + (number - 1) * _STEP) & _MASK


def _holds(known: Sequence[Marks], mark: int) -> bool:
    for marks in known:
        at = bisect_left(marks, mark)
        if at < len(marks) and marks[at] == mark:
            return True
    return False


class SeenLines:
    """All hours that are open now. `load` gives what is known of an hour: None, it is closed."""

    def __init__(self, load: Callable[[str, int], Sequence[Marks] | None]) -> None:
        self._load = load
        self._hours: dict[tuple[str, int], Hour | None] = {}

    def hour(self, site: str, hour: int) -> Hour | None:
        """None: the hour is closed."""
        key = (site, hour)
        if key not in self._hours:
            known = self._load(site, hour)
            self._hours[key] = None if known is None else Hour(known)
        return self._hours[key]

    @property
    def weight(self) -> int:
        """Lines in memory; packed ones weigh a tenth."""
        return sum(map(_weight, self._hours.values()))

    def take(self) -> dict[str, dict[int, Marks]]:
        """The fresh ones, by site and hour; from now on they count as stored."""
        found: dict[str, dict[int, Marks]] = {}
        for (site, hour), lines in self._hours.items():
            if lines is not None and lines.fresh:
                found.setdefault(site, {})[hour] = lines.fresh
                lines.fresh = array("Q")
        return found

    def make_room(self, most: int) -> None:
        """Forget hours, those first that were opened first, until the others weigh no more. None
        may hold fresh lines."""
        weight = self.weight
        for key, lines in list(self._hours.items()):
            if weight <= most:
                return
            weight -= _weight(lines)
            del self._hours[key]


def _weight(lines: Hour | None) -> int:
    return 10 if lines is None else 10 + len(lines.states) + sum(map(len, lines.known)) // 10
