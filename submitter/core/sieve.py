"""Which pages of a list may be written into a site's files, and why the others may not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from submitter.core.comparison import DUPLICATE, PageLine
from submitter.core.findings import MAX_EXAMPLES, Finding, Severity
from submitter.core.shards import Profile
from submitter.core.sitemap_xml import render_page, writable_lastmod
from submitter.core.urls import (
    MAX_CHARACTERS,
    BadUrl,
    host_of,
    normalize,
    printable,
    sendable,
    shown,
)

Row = tuple[str, str | None]
"""A page's address and its lastmod, both as the site spells them."""

BAD_ADDRESS: Final = "bad-address"
FOREIGN_HOST: Final = "foreign-host"
LOC_TOO_LONG: Final = "loc-too-long"
FRAGMENT_DUPLICATE: Final = "fragment-duplicate"

SIFTED_OUT: Final = {
    BAD_ADDRESS: "addresses that are none",
    FOREIGN_HOST: "pages on another host than the site's own",
    LOC_TOO_LONG: "addresses longer than the engine takes, counted after encoding",
}
"""Why a row is no page of these files."""

LASTMOD_LEFT_OUT: Final = "lastmod-left-out"
NOT_WRITTEN: Final = {
    **SIFTED_OUT,
    LASTMOD_LEFT_OUT: "dates that are neither a day nor a time with zone; the pages are listed"
    " without",
}
"""Ids of findings, warnings all, for the docs. They only grow."""

_DATES_REMEMBERED: Final = 4_096


class PageSieve:
    """Lets the pages of one host through, rendered. Raises BadUrl when `site` is no origin."""

    def __init__(self, site: str, profile: Profile) -> None:
        host = host_of(site)
        self._own = (f"https://{host}/", f"http://{host}/")
        self._longest = profile.max_loc_bytes or MAX_CHARACTERS
        self._site = site
        self.rows = 0
        self.dropped: Counter[str] = Counter()
        self._undated = 0
        self._dates: dict[str | None, str] = {}
        self._examples: defaultdict[str, list[str]] = defaultdict(list)

    def sift(self, rows: Iterable[Row]) -> Iterator[PageLine]:
        """Runs once for each of millions of rows; what is odd leaves by the slow way."""
        own, longest, dates = self._own, self._longest, self._dates
        for loc, lastmod in rows:
            self.rows += 1
            try:
                identity = normalize(loc)
            except BadUrl as error:
                self._drop(LOC_TOO_LONG if error.reason == "too-long" else BAD_ADDRESS, loc)
                continue
            if not identity.startswith(own):
                self._drop(FOREIGN_HOST, loc)
                continue
            sent = loc if identity == loc else sendable(loc)
            if len(sent) > longest:
                self._drop(LOC_TOO_LONG, loc)
                continue
            date = dates.get(lastmod)
            line = render_page(sent, self._date(lastmod) if date is None else date)
            yield identity, line, FRAGMENT_DUPLICATE if "#" in loc else DUPLICATE

    def findings(self) -> tuple[Finding, ...]:
        """One for each reason, and one for the dates that were not written."""
        counts = {**self.dropped, LASTMOD_LEFT_OUT: self._undated}
        return tuple(self._finding(id, counts[id]) for id in NOT_WRITTEN if counts.get(id))

    def _date(self, lastmod: str | None) -> str:
        """The date to write; good ones are remembered, since many pages share them."""
        date = writable_lastmod(lastmod)
        if date or not lastmod:
            if len(self._dates) >= _DATES_REMEMBERED:
                self._dates.clear()
            self._dates[lastmod] = date
        else:
            self._undated += 1
            self._remember(LASTMOD_LEFT_OUT, printable(lastmod))
        return date

    def _drop(self, reason: str, loc: str) -> None:
        self.dropped[reason] += 1
        self._remember(reason, shown(loc))

    def _remember(self, reason: str, example: str) -> None:
        if len(self._examples[reason]) < MAX_EXAMPLES:
            self._examples[reason].append(example)

    def _finding(self, id: str, count: int) -> Finding:
        examples = tuple(self._examples[id])
        return Finding(id, Severity.WARNING, self._site, NOT_WRITTEN[id], count, examples)
