"""How a document was served, judged by its headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from submitter.core.audit.rules import found
from submitter.core.findings import Finding
from submitter.core.looks import DocumentKind, Validators

SLOW_S: Final = 2.0
"""Practice: beyond this engines begin to slow down."""
LONG_CACHE_S: Final = 86_400

_XML: Final = frozenset(
    {
        "application/xml",
        "text/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
    }
)
_GZIP: Final = frozenset({"application/gzip", "application/x-gzip", "application/gzipped"})
_MAX_AGE: Final = re.compile(r"(?i)(s-maxage|max-age)\s*=\s*\"?(\d{1,12})").findall
_SPARED: Final = re.compile(r"(?i)\b(?:no-cache|no-store|must-revalidate|private)\b").search


@dataclass(frozen=True, slots=True)
class Delivery:
    """One answer. `size` counts inflated bytes, `waited_s` seconds until the answer began."""

    url: str
    status: int
    content_type: str
    size: int
    waited_s: float = 0.0
    digest: str = ""
    validators: Validators = Validators()
    robots_tags: tuple[str, ...] = ()
    cache_control: str = ""
    local: bool = False
    """A file of this machine: nobody served it."""


def judge_delivery(served: Delivery, kind: DocumentKind | None) -> Iterator[Finding]:
    """What is wrong with how it came; `kind` None: it could not be read."""
    if served.local or served.status != 200:
        return
    if kind is not None and not fits(served.content_type, kind):
        shown = served.content_type or "no Content-Type"
        yield found("wrong-content-type", served.url, shown)
    if served.robots_tags:
        yield found("sitemap-robots-tag", served.url, ", ".join(served.robots_tags)[:200])
    if (seconds := cached_for(served.cache_control)) > LONG_CACHE_S:
        yield found("cached-too-long", served.url, f"{seconds:,} seconds")
    if served.validators == Validators():
        yield found("no-validators", served.url)
    if served.waited_s > SLOW_S:
        yield found("slow-answer", served.url, f"{served.waited_s:.1f} seconds")


def judge_asked_again(first: Delivery, again: Delivery) -> Iterator[Finding]:
    """`again` was asked for by the validators of the first."""
    if again.status == 304 or not again.digest or again.digest != first.digest:
        return
    yield found("conditional-ignored", first.url)
    before, after = first.validators.etag, again.validators.etag
    if before and after and before != after:
        yield found("etag-unstable", first.url)


def fits(content_type: str, kind: DocumentKind) -> bool:
    if content_type in _GZIP:
        return True
    if kind is DocumentKind.TEXT:
        return content_type == "text/plain"
    return content_type in _XML


def cached_for(cache_control: str) -> int:
    """Seconds that shared caches may keep an answer without asking; 0: no word of it."""
    if _SPARED(cache_control):
        return 0
    ages = {name.lower(): int(seconds) for name, seconds in _MAX_AGE(cache_control)}
    return ages.get("s-maxage", ages.get("max-age", 0))
