"""Reads one hostile document under an address-space limit; run by its test in a child process.

Prints how reading ended and the peak of resident memory in MiB.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

MIB = 1 << 20
LIMIT = 300 * MIB
SIZE = 24 * MIB
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
IMAGES = "http://www.google.com/schemas/sitemap-image/1.1"
FIRST = b"<url><loc>https://h/first</loc></url>"


def _many(piece: Callable[[int], str], size: int = SIZE) -> Iterator[bytes]:
    """Numbered pieces until so many bytes have come."""
    sent = number = 0
    while sent < size:
        block = "".join(piece(n) for n in range(number, number + 1000)).encode()
        number, sent = number + 1000, sent + len(block)
        yield block


def _in_sitemap(*parts: Iterator[bytes] | bytes) -> Iterator[bytes]:
    yield HEAD + FIRST
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            yield from part
    yield b"</urlset>"


def _same(piece: bytes, size: int = SIZE) -> Iterator[bytes]:
    return islice(iter(lambda: piece * 1000, None), max(1, size // len(piece) // 1000))


LAUGHS = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 20) for n in range(1, 8))
DOCUMENTS: dict[str, Callable[[], Iterator[bytes]]] = {
    "deep-nesting": lambda: _in_sitemap(_same(b"<a>")),
    "deep-nesting-in-an-entry": lambda: _in_sitemap(b"<url><loc>", _same(b"<a>")),
    "a-million-attributes": lambda: _in_sitemap(b"<a", _many(lambda n: f" a{n}=''"), b"/>"),
    "a-huge-attribute": lambda: _in_sitemap(b"<a b='", _same(b"xx>yy"), b"'/>"),
    "a-huge-attribute-without-end": lambda: _in_sitemap(b"<a b='", _same(b"x")),
    "a-huge-comment": lambda: _in_sitemap(b"<!--", _same(b" x >\n"), b"-->"),
    "a-huge-comment-without-end": lambda: _in_sitemap(b"<!--", _same(b"x")),
    "a-huge-instruction": lambda: _in_sitemap(b"<?p ", _same(b"x >"), b"?>"),
    "a-huge-name": lambda: _in_sitemap(b"<", _same(b"x"), b"/>"),
    "a-huge-text": lambda: _in_sitemap(b"<url><loc>", _same(b"https://h/"), b"</loc></url>"),
    "a-huge-text-with-brackets": lambda: _in_sitemap(
        b"<url><loc>", _same(b"https://h/>"), b"</loc></url>"
    ),
    "a-huge-cdata": lambda: _in_sitemap(b"<url><loc><![CDATA[", _same(b"a>"), b"]]></loc></url>"),
    "many-names": lambda: _in_sitemap(_many(lambda n: f"<a{n}/>")),
    "many-attribute-names": lambda: _in_sitemap(_many(lambda n: f"<a b{n}=''/>")),
    "many-namespaces": lambda: _in_sitemap(_many(lambda n: f"<p{n}:a xmlns:p{n}='u{n}'/>")),
    "many-prefixes-of-one-extension": lambda: iter(
        [
            b"<urlset",
            *_many(lambda n: f' xmlns:p{"p" * (n % 999)}{n}="{IMAGES}"', MIB // 2),
            b">" + FIRST + b"</urlset>",
        ]
    ),
    "many-faults": lambda: _in_sitemap(_many(lambda n: f"<url><loc>ftp://{n}</loc></url>")),
    "many-empty-entries": lambda: _in_sitemap(_same(b"<url/>", 4 * MIB)),
    "many-entries": lambda: _in_sitemap(
        _many(lambda n: f"<url><loc>https://h/{n}</loc><lastmod>{n}</lastmod></url>\n")
    ),
    "many-odd-entries": lambda: _in_sitemap(
        _many(
            lambda n: f"<url id='1'><loc>https://h/{n}</loc></url><url><loc>https://h/</loc></url>",
            4 * MIB,
        )
    ),
    "many-duplicates": lambda: _in_sitemap(_same(FIRST)),
    "many-ampersands": lambda: _in_sitemap(_same(b"&&&")),
    "an-entry-of-blanks": lambda: _in_sitemap(b"<url>", _same(b" \n"), b"</url>"),
    "an-entry-without-end": lambda: _in_sitemap(
        b"<url><loc>https://h/a</loc>", _same(b"<changefreq>x</changefreq>\n")
    ),
    "blanks": lambda: _same(b" \r\n\t"),
    "a-prolog-of-comments": lambda: _same(b"<!-- x -->", 8 * MIB),
    "entity-bomb": lambda: iter(
        [b"<!DOCTYPE u [<!ENTITY a0 'ha'>", LAUGHS, b"]>", HEAD, b"<url><loc>&a7;</loc></url>"]
    ),
    "quadratic-entity": lambda: iter(
        [b"<!DOCTYPE u [<!ENTITY a '", b"x" * 50_000, b"'>]>", HEAD, b"<url>", b"&a;" * 10_000]
    ),
    "one-line": lambda: _same(b"https://h/"),
    "many-lines": lambda: _same(b"x\n"),
    "many-addresses": lambda: _many(lambda n: f"https://h/{n}\r\n"),
    "json-lines": lambda: _many(lambda n: f'{{"url": "https://h/{n}"}}\n'),
    "zeros": lambda: _same(b"\0"),
    "odd-utf-16": lambda: iter([b"\xff\xfe", *_same(b"\x00\xd8", 8 * MIB)]),
}


def main() -> None:
    from submitter.core.sitemap import SitemapReader
    from submitter.errors import SitemapError

    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    reader = SitemapReader("https://h/s.xml", now=NOW)
    given = 0
    try:
        for piece in DOCUMENTS[sys.argv[1]]():
            given += len(reader.feed(piece))
        rest, reading = reader.close(transport_complete=True)
        given += len(rest)
        end = ",".join(finding.id for finding in reading.findings) or "nothing"
    except SitemapError as error:
        end = error.reason
    print(end, given, _peak_mib())  # its parent reads this


def _peak_mib() -> int:
    """Of this process alone; `ru_maxrss` would count the parent that it was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


if __name__ == "__main__":
    main()
