"""Walks one sitemap tree without a memory: what it lists, and what is wrong with it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from submitter.core.accounting import ExitCode
from submitter.core.findings import Severity
from submitter.core.fleet import Site
from submitter.core.looks import Delta, DocumentMemory, PageRow, SiteLook, Validators
from submitter.core.pagebatch import identities_of
from submitter.core.summary import timestamp
from submitter.looking.walk import Surroundings, walk_site
from submitter.ports import DocumentResult, LookResult

BUCKETS = 256
"""Hashes are told apart one bucket at a time, so that no set of all of them is ever held."""

Keep = Callable[[str, Sequence[PageRow]], None]
"""Takes the pages of one document after it was read."""


def flatten(site: Site, around: Surroundings, *, keep: Keep | None = None) -> SiteLook:
    """Read the tree under the site's sitemaps (None: those that its robots.txt names)."""
    return walk_site(site, Scrapbook(keep), around, with_robots=site.sitemaps is None)


def judge_flat(look: SiteLook) -> ExitCode:
    """0 all was read and is well · 4 something is wrong · 5 nothing could be read."""
    if not any(reading.complete or reading.pages for reading in look.readings):
        return ExitCode.NOTHING_SUCCEEDED
    findings = [*look.findings, *(one for reading in look.readings for one in reading.findings)]
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    return ExitCode.PARTIAL if broken else ExitCode.OK


def keep_both(first: Keep | None, second: Keep) -> Keep:
    """One that gives each document to both."""
    if first is None:
        return second

    def keep(document: str, pages: Sequence[PageRow]) -> None:
        first(document, pages)
        second(document, pages)

    return keep


class Scrapbook:
    """Implements `ports.Look` for one look that nobody will remember.

    Distinct pages are counted by eight bytes each; among a million, two meet by chance once in
    thirty million looks.
    """

    def __init__(self, keep: Keep | None = None) -> None:
        self._keep = keep
        self._buckets = [array("q") for _ in range(BUCKETS)]
        self._put = [bucket.append for bucket in self._buckets]

    def remembered(self, url: str) -> DocumentMemory | None:
        del url
        return None

    def open(self, url: str) -> Leaf:
        return Leaf(url, self._paste, with_rows=self._keep is not None)

    def keep(self, url: str, *, validators: Validators | None = None, read: bool = False) -> None:
        """Never called: nothing is remembered, so nothing can be as it was."""

    def unreadable(self, url: str, reason: str) -> None:
        """The walk reports it, and there are no pages that could stand."""

    def finish(self, *, gone_after: int, complete: bool) -> LookResult:
        del gone_after, complete
        listed = sum(len(set(bucket)) for bucket in self._buckets)
        return LookResult(True, listed, Delta(new=listed), 0, Delta(new=listed))

    def _paste(self, url: str, hashes: array[int], rows: Sequence[PageRow]) -> None:
        put = self._put
        for value in hashes:
            put[value % BUCKETS](value)
        if self._keep is not None:
            self._keep(url, rows)


class Leaf:
    """Implements `ports.DocumentSink`: pages count only once their document was read."""

    def __init__(
        self,
        url: str,
        paste: Callable[[str, array[int], Sequence[PageRow]], None],
        *,
        with_rows: bool,
    ) -> None:
        self._url, self._paste, self._with_rows = url, paste, with_rows
        self._hashes = array("q")
        self._rows: list[PageRow] = []

    def add(self, pages: Sequence[PageRow]) -> None:
        self._hashes.extend(map(hash, identities_of(pages)))
        if self._with_rows:
            self._rows += pages

    def close(self, result: DocumentResult) -> None:
        del result
        self._paste(self._url, self._hashes, self._rows)


def rows_of(pages: Sequence[PageRow]) -> Iterator[tuple[str, str | None]]:
    """Each page's address with its date as a sitemap may spell it: as the site does, so that a
    day stays a day. A date that decides nothing is left out."""
    for page in pages:
        yield page.loc, None if page.lastmod is None else _spelled(page.lastmod, page.lastmod_text)


def _spelled(seconds: int, text: str | None) -> str | None:
    """RSS spells dates in a way of its own, which no sitemap may use."""
    if text and text[:4].isdigit():
        return text
    return timestamp(datetime.fromtimestamp(seconds, UTC))
