"""The days on which a crawler read a page, in a few bytes: the first day, then a bit for each day
from it on. Days count from 1970-01-01 UTC."""

from __future__ import annotations

from collections.abc import Collection

FIRST_BYTES = 3


def pack(days: Collection[int]) -> bytes:
    """Of at least one day, all different."""
    first = min(days)
    if len(days) == 1:
        return first.to_bytes(FIRST_BYTES, "little") + b"\1"
    bits = sum([1 << day - first for day in days])
    return first.to_bytes(FIRST_BYTES, "little") + bits.to_bytes(
        -(-bits.bit_length() // 8), "little"
    )


def unpack(packed: bytes) -> set[int]:
    first = int.from_bytes(packed[:FIRST_BYTES], "little")
    bits = int.from_bytes(packed[FIRST_BYTES:], "little")
    return {first + at for at in range(bits.bit_length()) if bits >> at & 1}
