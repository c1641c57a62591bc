"""The kinds of XML documents that list addresses: their tags and their namespaces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from submitter.core.looks import DocumentKind

SITEMAP_NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
"""Source: https://www.sitemaps.org/protocol.html, read 2026-11-30."""

ATOM_NAMESPACE: Final = "http://www.w3.org/2005/Atom"
DUBLIN_CORE_DATE: Final = "http://purl.org/dc/elements/1.1/ date"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a kind of document keeps its entries, by local names. The root is at depth 1."""

    kind: DocumentKind
    entry: str
    entry_depth: int
    loc: str
    date: str
    known: frozenset[str] = frozenset()
    """Further tags of an entry that are no surprise; empty = nothing is one."""


_ENTRY_TAGS: Final = frozenset({"loc", "lastmod", "changefreq", "priority", "expires"})

LAYOUTS: Final = {
    "urlset": Layout(DocumentKind.URLSET, "url", 2, "loc", "lastmod", _ENTRY_TAGS),
    "sitemapindex": Layout(DocumentKind.INDEX, "sitemap", 2, "loc", "lastmod", _ENTRY_TAGS),
    "rss": Layout(DocumentKind.RSS, "item", 3, "link", "pubDate"),
    "RDF": Layout(DocumentKind.RSS, "item", 2, "link", "date"),
    "feed": Layout(DocumentKind.ATOM, "entry", 2, "link", "updated"),
}
"""By the local name of the root."""


class Kin(Enum):
    """How a namespace stands to the document's own."""

    OWN = auto()
    """The root's, none, or another one of sitemaps: only the local name counts."""
    EXTENSION = auto()
    WRONG_EXTENSION = auto()
    """Meant as an extension, and spelled so that no engine knows it."""
    FOREIGN = auto()


EXTENSIONS: Final = frozenset(
    {
        "http://www.google.com/schemas/sitemap-image/1.1",
        "http://www.google.com/schemas/sitemap-video/1.1",
        "http://www.google.com/schemas/sitemap-news/0.9",
        "http://www.google.com/schemas/sitemap-mobile/1.0",
        "http://www.google.com/schemas/sitemap-pagemap/1.0",
        "http://www.google.com/geo/schemas/sitemap/1.0",
        "http://www.baidu.com/schemas/sitemap-mobile/1/",
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/2001/XMLSchema-instance",
        ATOM_NAMESPACE,
        "http://purl.org/dc/elements/1.1/",
        "http://purl.org/rss/1.0/modules/content/",
        "http://search.yahoo.com/mrss/",
        "http://www.itunes.com/dtds/podcast-1.0.dtd",
    }
)
"""Sources: developers.google.com/search/docs (image, video, news sitemaps, hreflang), the fact
sheet of Baidu's mobile sitemaps, rssboard.org, all read 2026-11-30."""

_SITEMAP_LIKE: Final = re.compile(
    r"https?://(?:www\.)?(?:sitemaps?\.org|google\.com)/schemas/sitemaps?/[0-9.]+/?"
).fullmatch
_EXTENSION_LIKE: Final = re.compile(
    r"(?i)\bsitemap-(?:image|video|news|mobile|pagemap)\b|//www\.w3\.org/(?:1999|TR)/xhtml"
).search
_LEGACY: Final = "http://www.google.com/schemas/sitemap/0.84"
"""Google's own namespace from before sitemaps.org, which it still reads."""


def kin_of(namespace: str, root: str) -> Kin:
    """How a namespace stands to that of the root element."""
    if namespace in ("", root) or _SITEMAP_LIKE(namespace):
        return Kin.OWN
    if namespace in EXTENSIONS:
        return Kin.EXTENSION
    return Kin.WRONG_EXTENSION if _EXTENSION_LIKE(namespace) else Kin.FOREIGN


def namespace_fault(namespace: str) -> str | None:
    """The id of what is wrong with the namespace of a sitemap's own tags, if anything is."""
    if namespace in (SITEMAP_NAMESPACE, _LEGACY):
        return None
    return "wrong-namespace" if namespace else "missing-namespace"
