"""The index over all files: each child with the newest date inside that child."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from submitter.core.findings import Severity
from submitter.core.looks import DocumentKind
from submitter.core.sitemap import SitemapReader
from submitter.core.sitemap_xml import DECLARATION, NAMESPACE, escape, unescape
from submitter.errors import PublishError

_ROOT: Final = f'<sitemapindex xmlns="{NAMESPACE}">\n'.encode()
_END: Final = b"</sitemapindex>\n"
_CHILD: Final = re.compile(
    rb"<sitemap><loc>([^<]*)</loc>(?:<lastmod>([^<]*)</lastmod>)?</sitemap>\n"
).fullmatch

MAX_CHILDREN: Final = 50_000
"""Source: https://www.sitemaps.org/protocol.html#index, read 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Child:
    """`lastmod` is empty when no page in it has a date."""

    address: str
    lastmod: str


def render_index(children: Iterable[Child]) -> Iterator[bytes]:
    yield DECLARATION
    yield _ROOT
    for child in children:
        lastmod = f"<lastmod>{child.lastmod}</lastmod>" if child.lastmod else ""
        yield f"<sitemap><loc>{escape(child.address)}</loc>{lastmod}</sitemap>\n".encode()
    yield _END


def parse_index(data: bytes) -> Mapping[str, str]:
    """The dates in an index that we rendered, by address; empty for any other document."""
    first, second, *lines = data.splitlines(keepends=True) or (b"", b"")
    if first != DECLARATION or second != _ROOT:
        return {}
    found = filter(None, map(_CHILD, lines))
    return {unescape(one[1]).decode(): (one[2] or b"").decode() for one in found}


def check_index(chunks: Iterable[bytes], name: str, meant: Sequence[Child], now: datetime) -> None:
    """Read the index as every sitemap is read. PublishError unless it says what is meant."""
    reader = SitemapReader(name, now=now)
    entries = [entry for chunk in chunks for entry in reader.feed(chunk)]
    last, reading = reader.close(transport_complete=True)
    found = [(entry.loc, entry.lastmod_text or "") for entry in (*entries, *last)]
    broken = any(finding.severity is Severity.ERROR for finding in reading.findings)
    if broken or reading.kind is not DocumentKind.INDEX or not reading.complete:
        raise PublishError(name, "does not read back as a whole index")
    if found != [(child.address, child.lastmod) for child in meant]:
        raise PublishError(name, "reads back differently from what was written")
