"""Which family of files an entry belongs to: by its type, by pattern, and which archive.

An archive is chosen by what never moves, the day of first publication or the number of the page;
a date of change would carry a page from archive to archive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fnmatch import translate
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from submitter.core.building.rows import Row
from submitter.errors import ConfigError

PAGES: Final = "pages"
"""The family of what no rule and no type places."""
DELTA: Final = "delta"
FRESH_NEWS: Final = "google-news"
NO_KEY: Final = "no-archive-key"
RESERVED: Final = frozenset({DELTA, FRESH_NEWS})

MAX_FAMILIES: Final = 2_000
"""More types, or archives, than any site has: the field is not one of content types."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}").fullmatch
_DAY: Final = re.compile(r"((?:19|20)[0-9]{2})-([0-9]{2})(?:-[0-9]{2})?(?:[ T].*)?").fullmatch


@dataclass(frozen=True, slots=True)
class FamilyRule:
    """Pages go to `name` when `match`, a glob, fits `field`; without a field, their path."""

    name: str
    match: str
    field: str = ""


def read_rule(text: str) -> FamilyRule:
    """`NAME=/path/*` or `NAME=FIELD:GLOB`. Raises ConfigError."""
    name, equals, match = text.partition("=")
    if not equals or not match:
        raise ConfigError.one("--family", f"{text[:200]!r} is not NAME=/PATH* or NAME=FIELD:GLOB")
    _check_name(name)
    if match.startswith("/") or ":" not in match:
        return FamilyRule(name, match)
    field, _, glob = match.partition(":")
    return FamilyRule(name, glob, field)


def _check_name(name: str) -> None:
    if not _NAME(name) or name in RESERVED:
        raise ConfigError.one("--family", f"no name for a family of files: {name[:200]!r}")


class Archive(Protocol):
    """Gives the archive of a row, empty when the row does not say."""

    def key(self, row: Row) -> str: ...


@dataclass(frozen=True, slots=True)
class ByDate:
    """`2026-11` or `2026`, by the field `published` as the list spells it."""

    length: int

    def key(self, row: Row) -> str:
        value = row.get("published")
        if isinstance(value, date | datetime):
            value = value.isoformat()
        found = _DAY(value) if isinstance(value, str) else None
        if found is None or not 1 <= int(found[2]) <= 12:
            return ""
        return f"{found[1]}-{found[2]}"[: self.length]


@dataclass(frozen=True, slots=True)
class ById:
    """`id-200000-299999`, by the field `id`."""

    size: int

    def key(self, row: Row) -> str:
        value = row.get("id")
        text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not re.fullmatch(r"[0-9]{1,18}", text):
            return ""
        start = int(text) // self.size * self.size
        return f"id-{start}-{start + self.size - 1}"


def read_archive(text: str) -> tuple[str, Archive]:
    """`month`, `year` or `id:N`, for all families or, as `NAME=month`, for one.
    Raises ConfigError."""
    name, equals, kind = text.rpartition("=")
    if equals:
        _check_name(name)
    if kind == "month":
        return name, ByDate(7)
    if kind == "year":
        return name, ByDate(4)
    if found := re.fullmatch(r"id:([1-9][0-9]{0,11})", kind):
        return name, ById(int(found[1]))
    problem = f"{text[:200]!r} is not month, year or id:N, with NAME= before it or not"
    raise ConfigError.one("--archive", problem)


class FamilySorter:
    """Gives each row the prefix of its family's files."""

    def __init__(
        self, rules: Sequence[FamilyRule] = (), archives: Mapping[str, Archive] | None = None
    ) -> None:
        self._rules = [(rule, re.compile(translate(rule.match)).match) for rule in rules]
        self._archives = dict(archives or {})
        self._known: dict[Any, str] = {None: PAGES, "": PAGES}
        self._prefixes: set[str] = set()

    def all_placed(self, types: Sequence[Any] | None, size: int) -> list[str | None] | None:
        """The prefixes of many rows where their types, if they have any, alone decide; None for a
        type not met before, and for all where there is more to look at."""
        if self._rules or self._archives:
            return None
        if types is None:
            return [PAGES] * size
        try:
            return list(map(self._known.get, types))
        except TypeError:  # a type that is a list
            return None

    def place(self, row: Row, identity: str) -> tuple[str, str]:
        """The prefix, and the id of what is to be said about it, empty for nothing.

        Raises ConfigError when there come to be more families than a site can have.
        """
        name, note = self._ruled(row, identity), ""
        if not name:
            name, note = self._of_type(row.get("type"))
        archive = self._archives.get(name) or self._archives.get("")
        if archive is None:
            return self._noted(name), note
        key = archive.key(row)
        return (self._noted(f"{name}-{key}"), note) if key else (self._noted(name), NO_KEY)

    def _ruled(self, row: Row, identity: str) -> str:
        for rule, matches in self._rules:
            value = _path(identity) if not rule.field else row.get(rule.field)
            if value is not None and matches(str(value)):
                return rule.name
        return ""

    def _of_type(self, value: Any) -> tuple[str, str]:
        if value is None or value == "":
            return PAGES, ""
        if isinstance(value, str) and _NAME(value) and value not in RESERVED:
            self._known[value] = value
            return value, ""
        return PAGES, "bad-type"

    def _noted(self, prefix: str) -> str:
        self._prefixes.add(prefix)
        if len(self._prefixes) > MAX_FAMILIES:
            problem = f"more than {MAX_FAMILIES:,} families of files: is it the right field?"
            raise ConfigError.one("type", problem)
        return prefix


def _path(identity: str) -> str:
    parts = urlsplit(identity)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
