"""Pages of the sample fleet: made from a seed when asked for, so that millions cost nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote
from zlib import crc32

_WORD_LIST = (
    "amber anchor apple arrow autumn bamboo basil beacon birch bloom breeze brook canyon cedar "
    "cherry cloud clover cobalt coral crystal dawn delta desert dune ember falcon fern field "
    "forest frost garden ginger glacier granite harbor hazel heron hill indigo island ivory "
    "jasmine juniper lagoon lantern lemon linden lotus maple meadow mint moon moss oasis ocean "
    "olive orchid pearl pebble pine quartz raven river saffron"
)
WORDS = tuple(_WORD_LIST.split())

_STRIDE = 37
"""Prime, so that dates and words run through all their values before they repeat."""


class Form(StrEnum):
    """How a section's documents are written; the value is the file name's ending."""

    XML = "xml"
    TEXT = "txt"
    RSS = "rss"
    ATOM = "atom"


@dataclass(frozen=True, slots=True)
class Section:
    """A declared group of pages and the documents that list it.

    `template` makes a path out of `{section}`, `{word}` and `{n}`; `file` a document's path out of
    `{name}`, `{part}` and `{ending}`. `span_days` is how far back the first dates go. `nested` puts
    its documents into an index below the site's index.
    """

    name: str
    count: int
    template: str = "/{section}/{word}-{n}"
    form: Form = Form.XML
    gz: bool = False
    per_document: int = 50_000
    span_days: int = 360
    file: str = "/sitemap-{name}-{part}.{ending}"
    nested: bool = False


@dataclass(slots=True)
class Shelf:
    """A section as it stands now: pages are numbered from 1 and keep their number for ever.

    Only what differs from the formula is held. Guarded by the site's lock.
    """

    section: Section
    origin: str
    seed: int
    since: datetime
    """Midnight; no page's first date is later."""
    count: int = 0
    removed: set[int] = field(default_factory=set)
    changed: dict[int, str] = field(default_factory=dict)
    edits: Counter[int] = field(default_factory=Counter)
    """Part → how often it was edited."""
    edited_at: dict[int, datetime] = field(default_factory=dict)
    _base: int = 0
    _dates: tuple[str, ...] = ()
    _page: re.Pattern[str] = field(init=False)
    _document: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        section = self.section
        self.count = section.count
        self._base = crc32(f"{self.seed} {self.origin} {section.name}".encode())
        self._dates = _dates(self.since, section.span_days)
        self._page = _pattern(quote(self._filled("\0", "\1"), safe=_SAFE))
        self._document = _pattern(quote(self._named("\1"), safe=_SAFE))

    # -- pages

    def path(self, n: int) -> str:
        word = WORDS[(self._base + n * _STRIDE) % len(WORDS)]
        return quote(self._filled(word, str(n)), safe=_SAFE)

    def loc(self, n: int) -> str:
        return self.origin + self.path(n)

    def lastmod(self, n: int) -> str:
        """W3C date-time in UTC; all are of one shape, so they compare as text."""
        return self.changed.get(n) or self._dates[(self._base + n * _STRIDE) % len(self._dates)]

    def numbers(self, part: int) -> Iterator[int]:
        size = self.section.per_document
        last = min(part * size, self.count)
        return (n for n in range((part - 1) * size + 1, last + 1) if n not in self.removed)

    def pages(self, part: int) -> Iterator[tuple[str, str]]:
        """(address, lastmod) of every page of one document, in order."""
        return ((self.loc(n), self.lastmod(n)) for n in self.numbers(part))

    def locs(self) -> Iterator[str]:
        return (self.loc(n) for part in self.parts() for n in self.numbers(part))

    def find(self, path: str) -> int | None:
        """The number of the page that ever was at this path."""
        n = _number(self._page, path)
        return n if n is not None and 1 <= n <= self.count and self.path(n) == path else None

    # -- documents

    def parts(self) -> range:
        """Numbers of the documents; there is always a first one, be it empty."""
        return range(1, max(-(-self.count // self.section.per_document), 1) + 1)

    def document(self, part: int) -> str:
        """The path of a document."""
        return self._named(str(part))

    def part(self, path: str) -> int | None:
        """The document that is at a path, if one is."""
        part = _number(self._document, path)
        return part if part in self.parts() else None

    def newest(self, part: int) -> str:
        """The newest lastmod inside one document; dates repeat after `span_days` pages."""
        size = self.section.per_document
        first, last = (part - 1) * size + 1, min(part * size, self.count)
        sample = range(first, min(last, first + len(self._dates) - 1) + 1)
        edited = (n for n in self.changed if first <= n <= last)
        dates = [self.lastmod(n) for n in (*sample, *edited) if n not in self.removed]
        return max(dates, default=self.since.isoformat())

    def version(self, part: int) -> str:
        """Changes whenever the document does."""
        size = self.section.per_document
        inside = max(min(part * size, self.count) - (part - 1) * size, 0)
        return f"{self._base:08x}-{part}-{inside}-{self.edits[part]}"

    # -- editing

    def add(self, count: int, at: datetime) -> list[int]:
        numbers = list(range(self.count + 1, self.count + count + 1))
        self.count += count
        self.change(numbers, at)
        return numbers

    def remove(self, numbers: Iterable[int], at: datetime) -> None:
        for n in numbers:
            self.removed.add(n)
            self._edit(n, at)

    def change(self, numbers: Iterable[int], at: datetime) -> None:
        lastmod = at.replace(microsecond=0).isoformat()
        for n in numbers:
            self.changed[n] = lastmod
            self._edit(n, at)

    def _filled(self, word: str, n: str) -> str:
        return self.section.template.format(section=self.section.name, word=word, n=n)

    def _named(self, part: str) -> str:
        form = self.section.form
        ending = f"{form}.gz" if self.section.gz else str(form)
        return self.section.file.format(name=self.section.name, part=part, ending=ending)

    def _edit(self, n: int, at: datetime) -> None:
        part = (n - 1) // self.section.per_document + 1
        self.edits[part] += 1
        self.edited_at[part] = at


_SAFE = "/?&=-._~:@!$'()*+,;"


@lru_cache(maxsize=64)
def _dates(since: datetime, span_days: int) -> tuple[str, ...]:
    """First dates of pages, newest first; shared by all sections of all sites."""
    days = (since - timedelta(days=1 + age) for age in range(span_days))
    return tuple(
        day.replace(hour=age % 24, minute=age % 60).isoformat() for age, day in enumerate(days)
    )


def _pattern(path: str) -> re.Pattern[str]:
    """Fits quoted paths; `%00` stands for a word, `%01` for a number."""
    return re.compile(re.escape(path).replace("%00", "[a-z]+").replace("%01", "([1-9][0-9]*)"))


def _number(pattern: re.Pattern[str], path: str) -> int | None:
    """The number in a path that fits; 1 when the pattern has none."""
    match = pattern.fullmatch(path)
    if match is None:
        return None
    return int(match[1]) if pattern.groups else 1
