"""A publish list held against the sitemaps: what should be listed and is not, and the reverse.

A line is an address, or a JSON object with `url` or `loc`, or a row of a CSV whose first row names
a column so.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from submitter.core.audit.duplicates import Listings
from submitter.core.audit.rules import found
from submitter.core.audit.sampling import page_key
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.fleet import Site
from submitter.core.urls import BadUrl, normalize

COLUMNS: Final = ("url", "loc")
LONGEST_LINE: Final = 65_536


@dataclass(slots=True)
class PublishedPages:
    """Pages by site: their keys, with the spelling that shows them. `name` is the file's."""

    name: str
    _sites: dict[str, dict[int, str]] = field(default_factory=dict)
    bad: int = 0
    bad_examples: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, name: str, lines: Iterable[str]) -> PublishedPages:
        listed = cls(name)
        for text in _addresses(lines):
            listed.add(text)
        return listed

    def add(self, text: str) -> None:
        try:
            identity = normalize(text.strip())
        except BadUrl:
            self.bad += 1
            if len(self.bad_examples) < MAX_EXAMPLES:
                self.bad_examples.append(text)
            return
        scheme, _, rest = identity.partition("://")
        origin = f"{scheme}://{rest.partition('/')[0]}"
        self._sites.setdefault(origin, {})[page_key(identity)] = identity

    def compare(self, listings: Listings, site: Site) -> Iterator[Finding]:
        """What of the site stands on one side only."""
        wanted = self._sites.get(site.origin, {})
        missing = dict(wanted)
        extra = 0
        for keys in listings.key_sets():
            extra += sum(key not in wanted for key in keys)
            for key in keys:
                missing.pop(key, None)
        if self.bad:
            yield found("bad-list-line", self.name, count=self.bad, examples=self.bad_examples)
        if missing:
            addresses = list(missing.values())
            yield found("not-listed", site.origin, count=len(missing), examples=addresses)
        if extra:
            yield found("not-published", site.origin, count=extra)


def _addresses(lines: Iterable[str]) -> Iterator[str]:
    """The address of each line; a line that holds none comes as it is."""
    rows = (line[:LONGEST_LINE].strip("\ufeff\r\n ") for line in lines)
    column: int | None = None
    for number, row in enumerate(row for row in rows if row):
        if row.startswith("{"):
            yield _of_json(row)
            continue
        cells = next(csv.reader([row]), [row])
        if number == 0 and (named := _column(cells)) is not None:
            column = named
        elif column is None:
            yield row
        else:
            yield cells[column] if column < len(cells) else row


def _column(cells: list[str]) -> int | None:
    names = [cell.strip().lower() for cell in cells]
    return next((names.index(name) for name in COLUMNS if name in names), None)


def _of_json(row: str) -> str:
    try:
        said = json.loads(row)
    except (ValueError, RecursionError):
        return row
    if isinstance(said, Mapping):
        for name in COLUMNS:
            if isinstance(said.get(name), str):
                return str(said[name])
    return row
