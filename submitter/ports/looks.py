"""How a look at a site is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from submitter.core.findings import Finding
from submitter.core.looks import (
    Delta,
    DocumentKind,
    DocumentMemory,
    PageRow,
    Validators,
)


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """How reading a document ended; handed to `DocumentSink.close`."""

    kind: DocumentKind
    complete: bool
    body_sha256: str
    content: str
    validators: Validators = Validators()
    children: tuple[str, ...] = ()
    over_limit: int = 0
    findings: tuple[Finding, ...] = ()
    dates_lie: bool = False
    """Its dates are the time of reading: they say nothing of what changed."""


class DocumentSink(Protocol):
    """Receives the pages of one document while it streams."""

    def add(self, pages: Sequence[PageRow]) -> None: ...

    def close(self, result: DocumentResult) -> None:
        """Store the document and what changed in it, in one transaction. Without `close` nothing
        of this document is kept."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """`baseline` = pages at the last look that passed the guard; `since_baseline` compares with
    it, so a held look stays held until it is forced or the site is well again."""

    first: bool
    listed: int
    delta: Delta
    baseline: int
    since_baseline: Delta


class Look(Protocol):
    """One look at one site. Only complete documents can make a page gone, and only after
    `gone_after` looks without it in any document. A page that moves between documents is neither
    new nor gone. Unchanged documents cost no page rows."""

    def remembered(self, url: str) -> DocumentMemory | None:
        """What the last look that read this document left behind."""

    def open(self, url: str) -> DocumentSink:
        """Start storing a document that is being read."""

    def keep(self, url: str, *, validators: Validators | None = None, read: bool = False) -> None:
        """The document is as remembered (304, or equal bytes when `read`): its pages stand."""

    def unreadable(self, url: str, reason: str) -> None:
        """The document is still listed but could not be read: its pages stand for now."""

    def finish(self, *, gone_after: int, complete: bool) -> LookResult:
        """End the look. `complete` False (an index was cut, the deadline came): documents that
        were not mentioned keep their pages and nothing becomes gone because of them."""
