"""The text of a page as a few bytes, so that a later look can say whether it moved.

Words count; numbers, dates and tokens do not, because counters and nonces move with every answer.
Prices do: a new price is a change of a shop's page.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

NEAR_BITS: Final = 3
"""Fingerprints that differ in at most so many of 64 bits are of nearly the same text. Source:
Manku, Jain, Das Sarma: Detecting Near-Duplicates for Web Crawling, WWW 2007, from memory."""
LEAST_WORDS: Final = 20
"""Of fewer words nothing can be said but whether they are equal."""
MOST_CHARACTERS: Final = 200_000

_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS: Final = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_ALL_BITS: Final = (1 << 64) - 1
_PART: Final = "-"
_MIX: Final = 0x9E3779B97F4A7C15
"""An odd number that spreads 32 bits over 64."""
_RUNS: Final = 256
_FIELD: Final = 16
_SPREAD: Final = tuple(
    sum(((byte >> bit) & 1) << (_FIELD * bit) for bit in range(8)) for byte in range(256)
)
"""The bits of a byte, each in a field of its own, so that eight are counted by one addition."""


class Moved(StrEnum):
    """What became of a text between two looks."""

    NO = "no"
    NEARLY_NOT = "nearly-not"
    """So little that it may be a counter or a mended word: nothing is concluded from it."""
    YES = "yes"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`digest` is equal for equal words and prices, and its part before the dash for equal words;
    `sketch` is near for nearly equal words."""

    digest: str
    sketch: int
    words: int


def words_of(text: str) -> list[str]:
    """The words that count, in order."""
    found = _WORDS.findall(text.casefold()[:MOST_CHARACTERS])
    return [word for word in found if word.isalpha()]


def fingerprint_of(words: Sequence[str], prices: Iterable[str] = ()) -> Fingerprint:
    of_words, of_prices = _digest(words, 12), _digest(sorted(prices), 4)
    return Fingerprint(f"{of_words}{_PART}{of_prices}", _sketch(words), len(words))


def _digest(texts: Sequence[str], size: int) -> str:
    data = "\n".join(texts).encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=size).hexdigest()


def fingerprint_of_bytes(data: bytes) -> Fingerprint:
    """Of what is no page: equal or not, nothing between."""
    return Fingerprint(hashlib.blake2b(data, digest_size=12).hexdigest(), 0, 0)


def moved(before: Fingerprint | None, after: Fingerprint | None) -> Moved:
    if before is None or after is None:
        return Moved.UNKNOWN
    if before.digest == after.digest:
        return Moved.NO
    if before.words and before.digest.partition(_PART)[0] == after.digest.partition(_PART)[0]:
        return Moved.YES  # the same words at other prices
    if min(before.words, after.words) >= LEAST_WORDS and _near(before, after):
        return Moved.NEARLY_NOT
    return Moved.YES


def _near(one: Fingerprint, other: Fingerprint) -> bool:
    return ((one.sketch ^ other.sketch) & _ALL_BITS).bit_count() <= NEAR_BITS


def _sketch(words: Sequence[str]) -> int:
    """A simhash of 64 bits over runs of three words, signed so that databases take it. Of a long
    text, over the runs with the lowest hashes: those are nearly the same of nearly equal texts."""
    hashes = {word: zlib.crc32(word.encode("utf-8", "replace")) for word in set(words)}
    line = [hashes[word] for word in words]
    triples = zip(line, line[1:], line[2:], strict=False)
    runs = {(a * 3 + b * 5 + c * 7) * _MIX & _ALL_BITS for a, b, c in triples}
    fields = [0] * 8
    chosen = sorted(runs)[:_RUNS]
    for run in chosen:
        mixed = ((run ^ run >> 29) * _MIX) & _ALL_BITS
        for place, byte in enumerate((mixed ^ mixed >> 32).to_bytes(8, "little")):
            fields[place] += _SPREAD[byte]
    bits = _majority(fields, len(chosen))
    return bits - (1 << 64) if bits >> 63 else bits


def _majority(fields: Sequence[int], runs: int) -> int:
    """The bits that more than half of the runs have."""
    bits = 0
    for place, field in enumerate(fields):
        for bit in range(8):
            count = (field >> (_FIELD * bit)) & 0xFFFF
            bits |= (2 * count > runs) << (8 * place + bit)
    return bits
