"""The days on which a crawler read a page, in a few bytes: the first day, then a bit for each day
from it on. Days count from 1970-01-01 UTC."""

from __future__ import annotations

from collections.abc import Collection, Iterable

FIRST_BYTES = 3


def pack(days: Collection[int]) -> bytes:
    """Of at least one day, all different."""
    first = min(days)
    if len(days) == 1:
        return first.to_bytes(FIRST_BYTES, "little") + b"\1"
    return _packed(first, sum([1 << day - first for day in days]))


def _packed(first: int, bits: int) -> bytes:
    size = -(-bits.bit_length() // 8)
    return first.to_bytes(FIRST_BYTES, "little") + bits.to_bytes(size, "little")


def add(packed: bytes, days: Iterable[int]) -> tuple[bytes, tuple[int, ...]]:
    """With these days, too; and those of them that were not there."""
    first = int.from_bytes(packed[:FIRST_BYTES], "little")
    bits = int.from_bytes(packed[FIRST_BYTES:], "little")
    new = tuple([day for day in days if day < first or not bits >> day - first & 1])
    if not new:
        return packed, new
    lowest = min(first, *new)
    bits <<= first - lowest
    for day in new:
        bits |= 1 << day - lowest
    return _packed(lowest, bits), new


def unpack(packed: bytes) -> set[int]:
    first = int.from_bytes(packed[:FIRST_BYTES], "little")
    bits = int.from_bytes(packed[FIRST_BYTES:], "little")
    return {first + at for at in range(bits.bit_length()) if bits >> at & 1}


def count(packed: bytes, first: int, end: int) -> int:
    """How many of the days are from `first` on and before `end`."""
    start = int.from_bytes(packed[:FIRST_BYTES], "little")
    bits = int.from_bytes(packed[FIRST_BYTES:], "little")
    after = bits >> first - start if first > start else bits << start - first
    return (after & (1 << end - first) - 1).bit_count()
