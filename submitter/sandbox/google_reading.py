"""What Google makes of a sitemap when it comes to read it: counts, never texts.

A plain reader of its own, so that the sandbox does not share the mistakes of the product's.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

Fetch = Callable[[str], bytes | None]
"""The body of an address, or None when it cannot be had."""

_GZIP_MAGIC = b"\x1f\x8b"
_TYPES = {"urlset": "sitemap", "sitemapindex": "sitemap", "rss": "rssFeed", "feed": "atomFeed"}
_ENTRIES = {"urlset": "url", "sitemapindex": "sitemap", "rss": "item", "feed": "entry"}


@dataclass(slots=True)
class Reading:
    """`pages` are those under the property; a page outside it is an error, as are empty files."""

    type: str
    is_index: bool = False
    pages: int = 0
    images: int = 0
    errors: int = 0
    warnings: int = 0
    children: dict[str, Reading | None] = field(default_factory=dict)
    """Of an index, by address; None: could not be fetched."""


@dataclass(slots=True)
class _Tree:
    """The few facts of an XML document that count."""

    root: str = ""
    entries: int = 0
    images: int = 0
    locs: list[str] = field(default_factory=list)
    broken: bool = False


def read_sitemap(
    address: str, fetch: Fetch, covers: Callable[[str], bool], *, inside_index: bool = False
) -> Reading | None:
    """None: it could not be fetched. An index inside an index is an error, as Google says."""
    body = fetch(address)
    if body is None:
        return None
    try:
        plain = gzip.decompress(body) if body.startswith(_GZIP_MAGIC) else body
    except (OSError, EOFError, zlib.error):
        return Reading("notSitemap", errors=1)
    if not plain.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_text(plain, covers)
    tree = _parse(plain)
    if tree.root == "sitemapindex":
        return _read_index(tree, fetch, covers, inside_index)
    return _read_pages(tree, covers)


def _read_text(body: bytes, covers: Callable[[str], bool]) -> Reading:
    lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()]
    pages = [line for line in lines if line]
    own = sum(1 for page in pages if covers(page))
    return Reading("urlList", pages=own, errors=len(pages) - own or int(not pages))


def _read_pages(tree: _Tree, covers: Callable[[str], bool]) -> Reading:
    if tree.root not in _TYPES:
        return Reading("notSitemap", errors=1)
    foreign = sum(1 for loc in tree.locs if not covers(loc))
    errors = foreign + int(tree.broken or not tree.entries)
    pages = tree.entries - foreign
    return Reading(_TYPES[tree.root], pages=pages, images=tree.images, errors=errors)


def _read_index(
    tree: _Tree, fetch: Fetch, covers: Callable[[str], bool], inside_index: bool
) -> Reading:
    reading = Reading("sitemap", is_index=True, errors=int(tree.broken or not tree.locs))
    if inside_index:
        reading.errors += 1
        return reading
    for child in tree.locs:
        part = read_sitemap(child, fetch, covers, inside_index=True)
        reading.children[child] = part
        reading.errors += part.errors if part else 1
        reading.pages += part.pages if part else 0
        reading.images += part.images if part else 0
    return reading


def _parse(body: bytes) -> _Tree:
    """Stops at the first fault and keeps what stood before it."""
    tree, path, text = _Tree(), list[str](), list[str]()

    def start(tag: str, _: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        tree.root = tree.root or name
        path.append(name if "}" not in tag or "sitemap-image" not in tag else f"image:{name}")
        text.clear()

    def end(_: str) -> None:
        name = path.pop()
        parent = path[-1] if path else ""
        if name == "loc" and parent in ("url", "sitemap"):
            tree.locs.append("".join(text).strip())
        tree.images += name == "image:image"
        tree.entries += name == _ENTRIES.get(tree.root, "")
        text.clear()

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    try:
        parser.Parse(body, True)
    except expat.ExpatError:
        tree.broken = True
    return tree
