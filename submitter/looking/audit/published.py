"""A publish list held against the sitemaps: what should be listed and is not, and the reverse.

The list is read as `build` reads it, and what `build` would not list is not missed here.
"""

from __future__ import annotations

import tempfile
import threading
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from submitter.core.audit.duplicates import BUCKETS, Listings
from submitter.core.audit.rules import found
from submitter.core.audit.sampling import page_key
from submitter.core.building.blocks import RawBlock
from submitter.core.building.publicity import Publicity, check_fields
from submitter.core.building.reasons import FAULTY, NOT_PUBLIC
from submitter.core.building.rows import Row
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.urls import origin_of, printable, shown
from submitter.errors import ConfigError
from submitter.ports import PublishList

MEMORY_BYTES: Final = 8 * 1024 * 1024

_REASONS: Final = ("", *FAULTY, *NOT_PUBLIC)
_CODES: Final = {reason: code for code, reason in enumerate(_REASONS)}
_PUBLIC: Final = 0
_HIDDEN: Final = frozenset(_CODES[reason] for reason in NOT_PUBLIC)


@dataclass(slots=True)
class _Lines:
    """Of one site, by line of the list."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    codes: bytearray = field(default_factory=bytearray)
    places: array[int] = field(default_factory=lambda: array("Q"))


@dataclass(slots=True)
class _Group:
    count: int = 0
    places: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, place: int, reason: str = "") -> None:
        self.count += 1
        self.reasons[reason] += 1
        if len(self.places) < MAX_EXAMPLES:
            self.places.append(place)


class PublishedPages:
    """Pages by site. Seventeen bytes each in memory; the addresses wait in a file, for examples.

    `compare` may be called by several threads at once.
    """

    def __init__(self, name: str, publicity: Publicity, *, told_at: str = "") -> None:
        """`told_at` is the site whose findings tell of faulty lines: their own is often unknown."""
        self._name, self._publicity, self._told_at = name, publicity, told_at
        self._sites: dict[str, _Lines] = {}
        self._faults: Counter[str] = Counter()
        self._examples: list[str] = []
        self._layouts: set[tuple[str, ...]] = set()
        self._addresses = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 # closed by `close`
        self._end = 0
        self._reading = threading.Lock()

    @classmethod
    def read(
        cls, wanted: PublishList, publicity: Publicity, *, told_at: str = ""
    ) -> PublishedPages:
        """Raises ConfigError, also where no line is a row, and FetchError."""
        pages = cls(wanted.name, publicity, told_at=told_at)
        lines = rows = 0
        with ExitStack() as unless_read:
            unless_read.callback(pages.close)
            for raw in wanted.blocks():
                taken, unread = pages.add(raw)
                rows, lines = rows + taken, lines + taken + unread
            if lines and not rows:
                problem = "no line is a row with `url`: JSON lines, or CSV"
                raise ConfigError.one(wanted.name, problem)
            unless_read.pop_all()
        return pages

    def close(self) -> None:
        self._addresses.close()

    # ------------------------------------------------------------ taking the list

    def add(self, raw: RawBlock) -> tuple[int, int]:
        """Gives the number of lines with an address, and of the others."""
        block = raw.parse()
        for one in block.unread:
            self._fault("unreadable-line", one.line, printable(one.problem), one.count)
        bad = sum(one.count for one in block.unread)
        pairs = zip(block.rows, block.numbers, strict=True)
        taken = sum([self._take(row, number) for row, number in pairs])
        return taken, bad + len(block.rows) - taken

    def _take(self, row: Row, number: int) -> bool:
        if (layout := tuple(row)) not in self._layouts:
            check_fields(layout)
            self._layouts.add(layout)
        address = self._publicity.address(row)
        if address.fault:
            self._fault(address.fault, number, address.words)
            return False
        reason = self._publicity.why_not(row, address)
        if reason in FAULTY:
            self._fault(reason, number, shown(address.sent))
        site = self._sites.setdefault(origin_of(address.identity), _Lines())
        site.keys.append(page_key(address.identity))
        site.codes.append(_CODES[reason])
        site.places.append(self._end)
        line = f"{address.sent}\n".encode()
        self._addresses.write(line)
        self._end += len(line)
        return True

    def _fault(self, reason: str, number: int, words: str, count: int = 1) -> None:
        self._faults[reason] += count
        if len(self._examples) < MAX_EXAMPLES:
            self._examples.append(f"line {number}: {words}")

    # ------------------------------------------------------------ holding it against sitemaps

    def compare(self, listings: Listings, site: str) -> Iterator[Finding]:
        """What of the site, by its origin, stands on one side only, or where it must not."""
        if site == self._told_at and self._faults:
            detail, count = _numbered(self._faults), self._faults.total()
            yield found("bad-list-line", self._name, detail, count=count, examples=self._examples)
        lines = self._sites.get(site, _Lines())
        missing, exposed, strangers = _Group(), _Group(), 0
        for at_here, listed in zip(_by_bucket(lines.keys), listings.key_sets(), strict=True):
            strangers += len(listed.difference([lines.keys[at] for at in at_here]))
            _compare(lines, at_here, listed, missing, exposed)
        if missing.count:
            examples = self._texts(missing.places)
            yield found("not-listed", site, count=missing.count, examples=examples)
        if exposed.count:
            detail, examples = _numbered(exposed.reasons), self._texts(exposed.places)
            yield found("not-public", site, detail, count=exposed.count, examples=examples)
        if strangers:
            yield found("not-published", site, count=strangers)

    def _texts(self, places: Sequence[int]) -> list[str]:
        with self._reading:
            texts = []
            for place in sorted(places):
                self._addresses.seek(place)
                texts.append(self._addresses.readline().decode().rstrip("\n"))
            return texts


def _by_bucket(keys: Sequence[int]) -> list[array[int]]:
    """Places of the keys, parted as `Listings` parts its own."""
    parts = [array("I") for _ in range(BUCKETS)]
    for at, key in enumerate(keys):
        parts[key % BUCKETS].append(at)
    return parts


def _compare(
    lines: _Lines,
    here: Sequence[int],
    listed: frozenset[int],
    missing: _Group,
    exposed: _Group,
) -> None:
    """One bucket. A page that any line publishes is public, as it is to a build."""
    public = {lines.keys[at] for at in here if lines.codes[at] == _PUBLIC}
    told: set[int] = set()
    for at in here:
        key, code = lines.keys[at], lines.codes[at]
        if key in told:
            continue
        if code == _PUBLIC and key not in listed:
            missing.add(lines.places[at])
            told.add(key)
        elif code in _HIDDEN and key in listed and key not in public:
            exposed.add(lines.places[at], _REASONS[code])
            told.add(key)


def _numbered(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.most_common())
