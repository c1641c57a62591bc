"""The pages that a walk lists: counted, drawn from, and kept outside of memory when all of them
are wanted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Final

from submitter.core.audit.duplicates import Listings
from submitter.core.audit.listed import DocumentLedger
from submitter.core.audit.sampling import Draw, Pick, page_key, spread_picks
from submitter.core.looks import PageRow

MEMORY_BYTES: Final = 8 * 1024 * 1024
DEFAULT_SAMPLE: Final = 100


class Scope(StrEnum):
    """Which pages are looked at."""

    NONE = "none"
    SAMPLE = "sample"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class PageChoice:
    """`size` is how many pages of a site a sample has."""

    scope: Scope = Scope.SAMPLE
    size: int = DEFAULT_SAMPLE

    def __str__(self) -> str:
        return f"sample:{self.size}" if self.scope is Scope.SAMPLE else str(self.scope)


class SiteListing:
    """Takes the pages of each document after it was read (a `flatten.Keep`)."""

    def __init__(self, choice: PageChoice) -> None:
        self._choice = choice
        self.listings = Listings()
        self.documents: dict[str, DocumentLedger] = {}
        self._draws: list[Draw] = []
        self._spool: IO[str] | None = None
        if choice.scope is Scope.ALL:
            self._spool = tempfile.SpooledTemporaryFile(  # noqa: SIM115 # closed by `close`
                max_size=MEMORY_BYTES, mode="w+", encoding="utf-8", newline="\n"
            )

    def keep(self, document: str, pages: Sequence[PageRow]) -> None:
        keys = [page_key(page.identity) for page in pages]
        self.listings.add(document, keys, [page.lastmod for page in pages])
        self.documents.setdefault(document, DocumentLedger.of(document)).add(pages)
        draw = Draw(self._choice.size if self._choice.scope is Scope.SAMPLE else 0)
        for key, page in zip(keys, pages, strict=True):
            pick = Pick(key, page.loc, page.identity, page.lastmod, document)
            draw.add(pick)
            self._note(pick)
        self._draws.append(draw)

    def _note(self, pick: Pick) -> None:
        if self._spool is not None:
            date = "" if pick.lastmod is None else str(pick.lastmod)
            self._spool.write(f"{pick.loc}\t{pick.identity}\t{date}\t{pick.document}\n")

    def picks(self) -> Iterator[Pick]:
        """The pages to look at, each once for each document; a sample has each page once."""
        if self._spool is None:
            yield from spread_picks(self._draws, self._choice.size)
            return
        self._spool.seek(0)
        for line in self._spool:
            loc, identity, date, document = line.rstrip("\n").split("\t")
            lastmod = int(date) if date else None
            yield Pick(page_key(identity), loc, identity, lastmod, document)

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()
