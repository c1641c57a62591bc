"""What a worker and its owner say to each other. Every message but `Drop` gets one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from submitter.core.looks import PageRow
from submitter.core.pagereader import PageReading, ReadOrder


@dataclass(frozen=True, slots=True)
class Feed:
    """More bytes of a job's document; with the first come its rules."""

    job: int
    piece: bytes
    order: ReadOrder | None


@dataclass(frozen=True, slots=True)
class Finish:
    """The document is over; see `PageReader.finish`."""

    job: int
    order: ReadOrder | None
    complete: bool
    delimited: bool


@dataclass(frozen=True, slots=True)
class Drop:
    """Nobody wants the job any more."""

    job: int


Question = Feed | Finish | Drop


@dataclass(frozen=True, slots=True)
class Ready:
    """Said once, unasked: the worker could be started."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Answers `Feed`, and `Finish` with what was `found`."""

    rows: Sequence[PageRow]
    found: PageReading | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Answers either: a SitemapError; the job is over."""

    url: str
    reason: str
    problem: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Answers either: a fault in our own code, as the worker saw it; the job is over."""

    trace: str


Answer = Pages | Refused | Failed
