"""The proof that a file says what was meant: a stranger's parser reads every text in it again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.parsers import expat

from submitter.core.sitemap_xml import NAMESPACE, unescape
from submitter.errors import PublishError

_IMAGE: Final = "http://www.google.com/schemas/sitemap-image/1.1"
_VIDEO: Final = "http://www.google.com/schemas/sitemap-video/1.1"
_NEWS: Final = "http://www.google.com/schemas/sitemap-news/0.9"
_XHTML: Final = "http://www.w3.org/1999/xhtml"

_MARKUP: Final = re.compile(rb"(?:<[^>]*>|\n)+").sub
_LINKS: Final = re.compile(
    rb'<xhtml:link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/>'
).findall
_LOC: Final = f"{NAMESPACE} loc"
_TAGS: Final = frozenset(
    f"{namespace} {name}"
    for namespace, names in {
        NAMESPACE: "urlset url loc lastmod",
        _IMAGE: "image loc",
        _VIDEO: "video thumbnail_loc title description content_loc player_loc duration rating"
        " expiration_date view_count publication_date family_friendly requires_subscription"
        " uploader live tag",
        _NEWS: "news publication name language publication_date title",
        _XHTML: "link",
    }.items()
    for name in names.split()
)
"""Every element that we write, as the parser names it. Any other one would count as a text."""
_PIECE_BYTES: Final = 131_072


class Texts:
    """Every text of a file and every link to an alternate, in order: equal files are equal."""

    def __init__(self) -> None:
        self.entries = self.links = 0
        self._texts = hashlib.blake2b(digest_size=16)
        self._links = hashlib.blake2b(digest_size=16)

    def add_lines(self, lines: bytes) -> None:
        """What is meant by whole lines that we rendered."""
        self.entries += lines.count(b"\n")
        self._texts.update(unescape(_texts_of(lines)))
        if b"<xhtml:link " in lines:
            self.add_links([unescape(part).decode() for pair in _LINKS(lines) for part in pair])

    def add_tokens(self, tokens: Sequence[str]) -> None:
        """What a parser found: texts, and the names of elements that end."""
        self.entries += tokens.count(_LOC)
        texts = "\t".join([*[one for one in tokens if one not in _TAGS], ""])
        self._texts.update(texts.replace("\n\t", "").replace("\n", "").encode())

    def add_links(self, parts: Sequence[str]) -> None:
        """Languages and addresses, in turn."""
        self.links += len(parts) // 2
        self._links.update("\t".join([*parts, ""]).encode())

    def same(self, other: Texts) -> bool:
        return self._all() == other._all()

    def _all(self) -> tuple[int, int, bytes, bytes]:
        return self.entries, self.links, self._texts.digest(), self._links.digest()


def _texts_of(lines: bytes) -> bytes:
    """Each text with a tab after it. Entries of address and date alone take the short way."""
    texts = lines.replace(b"<url><loc>", b"").replace(b"</loc><lastmod>", b"\t")
    texts = texts.replace(b"</lastmod></url>\n", b"\t").replace(b"</loc></url>\n", b"\t")
    if b"<" in texts:
        return _MARKUP(b"\t", lines)[1:]
    return texts


def read_back(chunks: Iterable[bytes], name: str, *, links: bool = False) -> Texts:
    """What a stranger's parser finds in the file, and links if asked for them; nobody asks for
    them where there are none, since it takes half as long again. PublishError if it is no XML."""
    found, reader = Texts(), _Reader(links=links)
    rest = b""
    try:
        for piece in _pieces(chunks):
            lines, end, rest = (rest + piece).rpartition(b"\n")  # the end of input cuts a text
            reader.feed(lines + end)
            reader.give(found)
        reader.feed(rest, final=True)
        reader.give(found)
    except expat.ExpatError as error:
        raise PublishError(name, f"cannot be read back: {error}") from error
    return found


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _PIECE_BYTES):
            yield chunk[start : start + _PIECE_BYTES]


class _Reader:
    """Without links, all its handlers are functions in C: the end of an element follows its
    text."""

    def __init__(self, *, links: bool) -> None:
        self._tokens: list[str] = []
        self._links: list[str] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.CharacterDataHandler = self._tokens.append
        self._parser.EndElementHandler = self._tokens.append
        if links:
            self._parser.StartElementHandler = self._begin

    def feed(self, data: bytes, *, final: bool = False) -> None:
        self._parser.Parse(data, final)

    def give(self, found: Texts) -> None:
        found.add_tokens(self._tokens)
        found.add_links(self._links)
        self._tokens.clear()
        self._links.clear()

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == f"{_XHTML} link":
            self._links += [attributes.get("hreflang", ""), attributes.get("href", "")]
