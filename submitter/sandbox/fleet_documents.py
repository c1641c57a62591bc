"""Sitemap documents of the sample fleet, written piece by piece, and ways to break them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime
from enum import StrEnum
from itertools import islice
from xml.sax.saxutils import escape

from submitter.sandbox.fleet_pages import Form
from submitter.sandbox.wire import Answer, html_answer

Pages = Iterable[tuple[str, str]]
"""(address, lastmod)."""

_PER_PIECE = 500
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

CONTENT_TYPES = {
    Form.XML: "application/xml",
    Form.TEXT: "text/plain; charset=utf-8",
    Form.RSS: "application/rss+xml",
    Form.ATOM: "application/atom+xml",
}


class Break(StrEnum):
    """How a document can be out of order."""

    MISSING = "missing"
    GONE = "gone"
    FORBIDDEN = "forbidden"
    ERROR = "error"
    HTML = "html"
    """200 with a page for people."""
    EMPTY = "empty"
    """200 without a body."""
    CUT = "cut"
    """The first half, with a length that fits: only the missing end tag shows it."""
    BAD_XML = "bad-xml"
    """A bare `&` in the middle."""
    ALWAYS_304 = "always-304"


_STATUS = {Break.MISSING: 404, Break.GONE: 410, Break.FORBIDDEN: 403, Break.ERROR: 500}


def write_pages(form: Form, pages: Pages, origin: str) -> Iterator[bytes]:
    match form:
        case Form.XML:
            yield from _write_urlset(pages)
        case Form.TEXT:
            yield from _in_pieces(f"{loc}\n" for loc, _ in pages)
        case Form.RSS:
            yield from _write_rss(pages, origin)
        case Form.ATOM:
            yield from _write_atom(pages, origin)


def write_index(children: Pages) -> Iterator[bytes]:
    yield f'{_DECLARATION}<sitemapindex xmlns="{_NAMESPACE}">\n'.encode()
    yield from _in_pieces(
        f"<sitemap><loc>{escape(loc)}</loc><lastmod>{lastmod}</lastmod></sitemap>\n"
        for loc, lastmod in children
    )
    yield b"</sitemapindex>\n"


def zipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A gzip file without a date in it, so that equal input gives equal bytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def broken(how: Break, good: Answer) -> Answer:
    """The answer for a document that is out of order; `good` is what it would be."""
    if how in _STATUS:
        return html_answer(_STATUS[how], f"{_STATUS[how]} {how}")
    match how:
        case Break.HTML:
            return html_answer(200, "Welcome")
        case Break.EMPTY:
            return replace(good, body=b"", stream=None)
        case Break.ALWAYS_304:
            return replace(good, status=304, body=b"", stream=None)
    body = b"".join(good.pieces())
    if how is Break.CUT:
        return replace(good, body=body[: len(body) // 2], stream=None)
    plain = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
    middle = plain.find(b"</l", len(plain) // 2)
    spoiled = plain[:middle] + b"?a=1&b=2" + plain[middle:]
    return replace(good, body=spoiled, stream=None)


def _write_urlset(pages: Pages) -> Iterator[bytes]:
    yield f'{_DECLARATION}<urlset xmlns="{_NAMESPACE}">\n'.encode()
    yield from _in_pieces(
        f"<url><loc>{_escaped(loc)}</loc><lastmod>{lastmod}</lastmod></url>\n"
        for loc, lastmod in pages
    )
    yield b"</urlset>\n"


def _write_rss(pages: Pages, origin: str) -> Iterator[bytes]:
    head = f"<title>News</title><link>{origin}/</link><description>News</description>"
    yield f'{_DECLARATION}<rss version="2.0"><channel>{head}\n'.encode()
    yield from _in_pieces(
        f"<item><link>{_escaped(loc)}</link>"
        f"<pubDate>{format_datetime(datetime.fromisoformat(lastmod))}</pubDate></item>\n"
        for loc, lastmod in pages
    )
    yield b"</channel></rss>\n"


def _write_atom(pages: Pages, origin: str) -> Iterator[bytes]:
    head = f"<title>News</title><id>{origin}/</id>"
    yield f'{_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">{head}\n'.encode()
    yield from _in_pieces(
        f'<entry><id>{_escaped(loc)}</id><link href="{_escaped(loc)}"/>'
        f"<updated>{lastmod}</updated></entry>\n"
        for loc, lastmod in pages
    )
    yield b"</feed>\n"


def _escaped(loc: str) -> str:
    return escape(loc) if "&" in loc else loc


def _in_pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines joined into pieces large enough to be worth sending."""
    iterator = iter(lines)
    while piece := "".join(islice(iterator, _PER_PIECE)):
        yield piece.encode()
