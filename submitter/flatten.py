"""Walks one sitemap tree without a memory: what it lists, and what is wrong with it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from submitter.core.accounting import ExitCode
from submitter.core.findings import Severity
from submitter.core.fleet import Site
from submitter.core.looks import Delta, DocumentMemory, PageRow, SiteLook, Validators
from submitter.ports import DocumentResult, LookResult
from submitter.walk import Surroundings, walk_site

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


class Scrapbook:
    """Implements `ports.Look` for one look that nobody will remember.

    Distinct pages are counted by eight bytes each; among a million, two meet by chance once in
    thirty million looks.
    """

    def __init__(self, keep: Keep | None = None) -> None:
        self._keep = keep
        self._buckets = [array("q") for _ in range(BUCKETS)]

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
        for value in hashes:
            self._buckets[value % BUCKETS].append(value)
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
        self._hashes.extend(hash(page.identity) for page in pages)
        if self._with_rows:
            self._rows += pages

    def close(self, result: DocumentResult) -> None:
        del result
        self._paste(self._url, self._hashes, self._rows)
