"""One long list of pages in many files: what a file may hold, and what became of each file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from submitter.core.sitemap_xml import DECLARATION, END, ROOT
from submitter.errors import ConfigError

_FILE_NAME: Final = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9_-]{0,63})-([1-9][0-9]{0,8})\.xml(?:\.gz)?"
).fullmatch


@dataclass(frozen=True, slots=True)
class Profile:
    """What one engine takes in a file and in all. `max_bytes` are rendered, before compression,
    and may be reached exactly; `max_loc_bytes` count after percent-encoding; None = no limit."""

    name: str
    max_pages: int
    max_bytes: int
    max_loc_bytes: int | None = None
    max_files: int | None = None
    index: bool = True
    """An index over the files may be handed in; else each file is."""
    extensions: bool = True
    """Images, alternates and the like may stand in an entry."""


GOOGLE: Final = Profile("google", max_pages=50_000, max_bytes=52_428_800, max_files=50_000)
"""Source: https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap and
https://www.sitemaps.org/protocol.html (an index names 50,000 files), read 2026-11-30."""

BAIDU: Final = Profile(
    "baidu",
    max_pages=50_000,
    max_bytes=10_485_759,
    max_loc_bytes=256,
    max_files=200,
    index=False,
    extensions=False,
)
"""50,000 pages and less than 10 MiB, addresses of 256 bytes; about 200 files for a common site,
the true figure stands in the site's console. Source: Baidu's sitemap help, known through
reproductions; no index since 2020-07-08:
https://www.wbolt.com/submit-sitemap-url-to-baidu.html, read 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Family:
    """The files `PREFIX-1.xml`, `PREFIX-2.xml`, …: numbers are never changed, gaps are allowed.

    Raises ConfigError when the prefix does not make a plain file name.
    """

    prefix: str
    profile: Profile
    root: bytes = ROOT
    gz: bool = False
    """The files are packed, and end in `.xml.gz`; limits count before packing."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", self.prefix):
            raise ConfigError.one("prefix", f"no name for a file: {self.prefix[:200]!r}")

    def name(self, number: int) -> str:
        return f"{self.prefix}-{number}{self._ending}"

    def number(self, name: str) -> int | None:
        """The number of one of the family's files; None for any other name."""
        stem, found = split_name(name)
        return found if stem == self.prefix and name == self.name(found) else None

    @property
    def _ending(self) -> str:
        return ".xml.gz" if self.gz else ".xml"

    @property
    def frame_bytes(self) -> int:
        """Size of a file without entries."""
        return len(DECLARATION) + len(self.root) + len(END)


def split_name(name: str) -> tuple[str, int]:
    """Prefix and number of a file of some family; an empty prefix for any other name."""
    found = _FILE_NAME(name)
    return (found[1], int(found[2])) if found else ("", 0)


class Fate(StrEnum):
    """What becomes of a file."""

    KEPT = "kept"
    """Not touched: bytes and times are as before."""
    CHANGED = "changed"
    NEW = "new"
    EMPTIED = "emptied"
    """No page of the list is left in it; its last one stays, since an empty file is invalid."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ShardFile:
    name: str
    number: int
    pages: int
    bytes: int
    """Before packing."""
    fate: Fate = Fate.KEPT
    newest: str | None = None
    """The latest date in it, empty for none; None: it was not written, so nobody looked."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a file without reading it: how many entries it has, and that all of them
    stand as they are but those of `open_lines`, counted from 0, of which a list has the word."""

    pages: int
    open_lines: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Where rows stand: the number of the file, and the line in it from 0."""

    numbers: Sequence[int]
    lines: Sequence[int]
    after: Mapping[int, Sequence[int]]
    """Of each file that stood there before, the new place of each old line that stayed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a list says against the files, in distinct pages.

    `known` = `same` + `changed` + `gone` + `kept`.
    """

    known: int = 0
    same: int = 0
    changed: int = 0
    new: int = 0
    gone: int = 0
    kept: int = 0
    """Not named by a list that was not whole."""
    duplicates: Mapping[str, int] = field(default_factory=dict)
    """Rows for pages that the list had named before, by what they are counted as."""

    @property
    def listed(self) -> int:
        return self.same + self.changed + self.new


@dataclass(frozen=True, slots=True)
class FamilyChange:
    """What bringing a family up to a list did, or will do once the edition is published."""

    files: tuple[ShardFile, ...]
    """By number; removed ones included."""
    difference: Difference
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Pages without a file, by reason."""
    examples: tuple[str, ...] = ()
    """Some of the addresses left out."""
    moved: int = 0
    """Pages that no longer fitted into their file because entries in it grew."""
    missing: tuple[int, ...] = ()
    """Numbers of registered files that are not there, and no page was left for them."""
