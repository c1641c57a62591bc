"""Writing sitemaps: one entry is one line, so a file can be compared, kept and mended by lines.

Percent-encoding is the work of `urls.sendable`; escaping for XML is done here, once, and proven
by reading the file back with a real parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from submitter.errors import PublishError

NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
"""Source: https://www.sitemaps.org/protocol.html, read 2026-11-30."""

DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
ROOT: Final = f'<urlset xmlns="{NAMESPACE}">\n'.encode()
END: Final = b"</urlset>\n"

_BEFORE_LOC: Final = b"<url><loc>"
_AFTER_LOC: Final = b"</loc>"
_AFTER_PAGE: Final = b"</url>\n"

_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;"}
"""The five that must be escaped in an address. Source: https://www.sitemaps.org/protocol.html,
read 2026-11-30."""

_WRITABLE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?"
).fullmatch


def escape(text: str) -> str:
    """Text fit for an element; what needs no escaping comes back as it is."""
    # five scans for one character are five times as fast as one for a class of characters
    if "&" in text or "'" in text or '"' in text or "<" in text or ">" in text:
        for char, escaped in _ESCAPES.items():  # & first: the others bring new ones
            text = text.replace(char, escaped)
    return text


def render_page(loc: str, lastmod: str = "") -> bytes:
    """One entry as one line. `loc` is sendable (ASCII), `lastmod` writable or empty."""
    if lastmod:
        return f"<url><loc>{escape(loc)}</loc><lastmod>{lastmod}</lastmod></url>\n".encode()
    return f"<url><loc>{escape(loc)}</loc></url>\n".encode()


def writable_lastmod(text: str | None) -> str:
    """The date as given when it may be written (a day, or a time with zone), else nothing.

    A time without zone is refused by Google, and no zone is invented for it. Does not depend on
    the time of writing, so that the same list always gives the same file.
    """
    stripped = text.strip() if text else ""
    if not _WRITABLE(stripped):
        return ""
    try:
        date.fromisoformat(stripped[:10])
    except ValueError:
        return ""
    return stripped


def loc_of(line: bytes) -> str:
    """The address in a line that `render_page` made. ValueError when it did not."""
    if not (line.startswith(_BEFORE_LOC) and line.endswith(_AFTER_PAGE)):
        raise ValueError("not an entry")
    return unescape(line[len(_BEFORE_LOC) : line.index(_AFTER_LOC)]).decode()


def read_head(lines: Iterator[bytes], name: str) -> bytes:
    """Take the lines before the first entry; gives the root tag, which says what entries hold.

    PublishError when they are not ours.
    """
    if next(lines, b"") != DECLARATION:
        raise not_ours(name, 1)
    root = next(lines, b"")
    if not root.startswith(ROOT[:-2]) or not root.endswith(b">\n"):
        raise not_ours(name, 2)
    return root


def not_ours(name: str, line: int) -> PublishError:
    return PublishError(
        name, f"line {line} was not written by this program; move the file out of the folder"
    )


def unescape(text: bytes) -> bytes:
    """The text of an element that we wrote."""
    if b"&" in text:
        for char, escaped in reversed(_ESCAPES.items()):  # &amp; last: it may hide another one
            text = text.replace(escaped.encode(), char.encode())
    return text
