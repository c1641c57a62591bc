"""What a document lists, packed small: enough to see what changed without touching a page row.

A page is 12 bytes: an 8-byte key (the salted hash of its identity) and a 4-byte check of all that
a page row would have to repeat: lastmod, section, priority and spelling. Keys and checks stand in
two byte strings, so that the keys can be read alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from zlib import crc32

from submitter.core.looks import PageRow

KEY_BYTES = 8
MASK = 0xFFFFFFFF


class Marker:
    """Turns pages into keys and checks. The salt is the ledger's own secret, so nobody outside
    can choose addresses that meet in one key; by chance two of ten million do once in 370,000
    ledgers, and are then one page."""

    def __init__(self, salt: bytes) -> None:
        self._hash = blake2b(digest_size=KEY_BYTES, salt=salt)
        self._marks = _SectionMarks()

    def keys(self, identities: Iterable[str]) -> tuple[int, ...]:
        return unpack_keys(b"".join([self._digest(text) for text in identities]))

    def key(self, identity: str) -> int:
        """That of one page."""
        return int.from_bytes(self._digest(identity), "little", signed=True)

    def _digest(self, identity: str) -> bytes:
        """A copy of the prepared hash takes a third of the time of a new one."""
        own = self._hash.copy()
        own.update(identity.encode())
        return own.digest()

    def checks(self, pages: Sequence[PageRow]) -> list[int]:
        marks = self._marks
        return [
            (0 if lastmod is None else lastmod + 1 & MASK)
            ^ marks[section, priority]
            ^ (0 if loc == identity else crc32(loc.encode()))
            for identity, loc, lastmod, section, priority, _ in pages
        ]


class _SectionMarks(dict[tuple[str, int], int]):
    """One number for each section and priority, made when first asked for."""

    def __missing__(self, key: tuple[str, int]) -> int:
        mark = self[key] = crc32(f"{key[1]} {key[0]}".encode())
        return mark


def pack(entries: Mapping[int, int]) -> tuple[bytes, bytes]:
    """Keys and checks of a document, in the order in which it lists them."""
    size = len(entries)
    return struct.pack(f"<{size}q", *entries), struct.pack(f"<{size}I", *entries.values())


def unpack(keys: bytes, checks: bytes) -> dict[int, int]:
    return dict(zip(unpack_keys(keys), struct.unpack(f"<{len(checks) // 4}I", checks), strict=True))


def unpack_keys(keys: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(keys) // KEY_BYTES}q", keys)


def lists(keys: bytes, key: int) -> bool:
    """Whether a packed document lists this key."""
    wanted, start = struct.pack("<q", key), -1
    while (start := keys.find(wanted, start + 1)) >= 0:
        if start % KEY_BYTES == 0:
            return True
    return False
