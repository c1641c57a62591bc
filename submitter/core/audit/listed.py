"""What the entries of documents say: folders, parameters, limits, dates of an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from submitter.core.audit.rules import found
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.lastmod import DAY_S, Lastmod, parse_lastmod
from submitter.core.looks import DocumentReading, PageRow
from submitter.core.urls import BadUrl, normalize

NEAR: Final = 0.9
MOST_ENTRIES, MOST_BYTES = 50_000, 52_428_800
"""Source: https://www.sitemaps.org/protocol.html, read 2026-11-30."""

_TRACKS: Final = re.compile(
    r"(?i)[?&;](?:utm_[a-z]+|gclid|fbclid|msclkid|yclid|phpsessid|jsessionid|sessionid|sid)="
).search


@dataclass(slots=True)
class DocumentLedger:
    """What one document listed. `folder` is where the protocol lets its pages lie."""

    folder: str
    newest: int | None = None
    outside: int = 0
    tracking: int = 0
    outside_examples: list[str] = field(default_factory=list)
    tracking_examples: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, document: str) -> DocumentLedger:
        return cls(_identity(document).partition("?")[0].rpartition("/")[0] + "/")

    def add(self, pages: Sequence[PageRow]) -> None:
        for page in pages:
            if page.lastmod is not None:
                self.newest = max(self.newest or 0, page.lastmod)
            if not page.identity.startswith(self.folder):
                self.outside += 1
                _keep(self.outside_examples, page.loc)
            if ("?" in page.loc or ";" in page.loc) and _TRACKS(page.loc):
                self.tracking += 1
                _keep(self.tracking_examples, page.loc)


def judge_document(
    reading: DocumentReading, listed: DocumentLedger | None, *, size: int, vouched: bool
) -> Iterator[Finding]:
    """`vouched`: robots.txt names the sitemap, or one above it, which lifts the rule of folders."""
    entries = reading.pages or reading.children
    if NEAR * MOST_ENTRIES < entries <= MOST_ENTRIES or NEAR * MOST_BYTES < size <= MOST_BYTES:
        yield found("near-limit", reading.url, f"{entries:,} entries, {size:,} bytes")
    if listed is None:
        return
    if listed.outside and not vouched:
        examples = listed.outside_examples
        yield found("outside-folder", reading.url, count=listed.outside, examples=examples)
    if listed.tracking:
        examples = listed.tracking_examples
        yield found("tracking-parameter", reading.url, count=listed.tracking, examples=examples)


def judge_index(
    index: str,
    children: Sequence[tuple[str, str]],
    newest: Mapping[str, int | None],
    *,
    now: datetime,
) -> Iterator[Finding]:
    """The dates of an index against the newest page of each child. A child without dates, or that
    was not read, says nothing."""
    older: list[str] = []
    newer: list[str] = []
    for loc, text in children:
        date = parse_lastmod(text, now=now) if text else None
        inside = newest.get(_identity(loc))
        if not isinstance(date, Lastmod) or inside is None:
            continue
        end = date.at + (DAY_S if date.date_only else 1)
        if end < inside:
            older.append(loc)
        elif date.at > inside + DAY_S:
            newer.append(loc)
    for id, children_at_fault in (("index-lastmod-older", older), ("index-lastmod-newer", newer)):
        if children_at_fault:
            yield found(id, index, count=len(children_at_fault), examples=children_at_fault)


def _keep(examples: list[str], loc: str) -> None:
    if len(examples) < MAX_EXAMPLES:
        examples.append(loc)


def _identity(url: str) -> str:
    try:
        return normalize(url)
    except BadUrl:
        return url
