"""The proof that a file says what was meant: a stranger's parser reads every text in it again.

The bytes are those that were rendered, by a digest; and what the parser finds in them is what was
escaped, by doing it again in the plain case, and by undoing it where there is more in an entry.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from xml.parsers import expat

from submitter.core.sitemap_xml import END, NAMESPACE, escape, read_head, unescape
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
_LASTMOD: Final = f"{NAMESPACE} lastmod"
_URL: Final = f"{NAMESPACE} url"
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
_FRAME: Final = frozenset({"\n", f"{NAMESPACE} urlset"})
"""What is no part of an entry."""
_PIECE_BYTES: Final = 131_072


class ReadBack(NamedTuple):
    """The entries of a file, by their number and a digest of their lines."""

    entries: int
    digest: bytes


class Lines:
    """Takes the lines of entries; gives what `read_back` has to find."""

    def __init__(self) -> None:
        self.entries = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def add(self, lines: bytes) -> None:
        self.entries += lines.count(b"\n")
        self._digest.update(lines)

    def sum(self) -> ReadBack:
        return ReadBack(self.entries, self._digest.digest())


def read_back(chunks: Iterable[bytes], name: str) -> ReadBack:
    """What a stranger's parser finds in a file of ours. PublishError when the file is no XML, is
    not framed as ours are, or a text in it is not what its line was escaped from."""
    found, reader, framed = Lines(), _Reader(), False
    try:
        for piece in _pieces(chunks):
            lines = piece
            if not framed:
                lines, framed = _without_head(piece, name), True
            lines = lines.removesuffix(END)
            tokens, links = reader.read(piece)
            if not (_is_plain(lines, tokens) or _is_same(lines, tokens, links)):
                raise PublishError(name, "a text reads back differently from what was written")
            found.add(lines)
        reader.end()
    except expat.ExpatError as error:
        raise PublishError(name, f"cannot be read back: {error}") from error
    return found.sum()


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, since the end of input cuts a text; the head comes with the first of them."""
    rest, least = b"", 2
    for chunk in chunks:
        for start in range(0, len(chunk), _PIECE_BYTES):
            lines, end, tail = (rest + chunk[start : start + _PIECE_BYTES]).rpartition(b"\n")
            if lines.count(b"\n", 0, 1_000) + len(end) < least:
                rest = lines + end + tail
                continue
            yield lines + end
            rest, least = tail, 1
    if rest:
        yield rest


def _without_head(piece: bytes, name: str) -> bytes:
    lines = iter(piece.split(b"\n", 2))
    head = [next(lines, b"") + b"\n" for _ in range(2)]
    read_head(iter(head), name)
    return next(lines, b"")


def _is_plain(lines: bytes, tokens: Sequence[str]) -> bool:
    """Entries of an address and a date each: rendered again, they are the lines."""
    size = len(tokens) // 5
    ends = (tokens[1::5].count(_LOC), tokens[3::5].count(_LASTMOD), tokens[4::5].count(_URL))
    if len(tokens) != 5 * size or ends != (size, size, size):
        return False
    locs = escape("\0".join(tokens[::5])).replace("\n", "").split("\0")
    pairs = zip(locs, tokens[2::5], strict=bool(size))
    rendered = [f"<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>\n" for loc, date in pairs]
    return "".join(rendered).encode() == lines


def _is_same(lines: bytes, tokens: Sequence[str], links: Sequence[str]) -> bool:
    """Entries of any kind: their lines without markup are the texts, in their order."""
    texts = "\t".join([one.removeprefix("\n") for one in tokens if one not in _TAGS])
    meant = unescape(_MARKUP(b"\t", lines).strip(b"\t"))
    meant_links = [unescape(part).decode() for pair in _LINKS(lines) for part in pair]
    return (
        texts.encode() == meant
        and links == meant_links
        and tokens.count(_LOC) == lines.count(b"\n")
    )


class _Reader:
    """All its handlers are functions in C, but where there are links: the end of an element
    follows its text."""

    def __init__(self) -> None:
        self._tokens: list[str] = []
        self._links: list[str] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.CharacterDataHandler = self._tokens.append
        self._parser.EndElementHandler = self._tokens.append

    def read(self, data: bytes) -> tuple[Sequence[str], Sequence[str]]:
        """Texts and names of elements that end, as they come; languages and addresses of links."""
        self._tokens.clear()
        self._links.clear()
        self._parser.StartElementHandler = self._begin if b"<xhtml:link " in data else None
        self._parser.Parse(data, False)
        return [one for one in self._tokens if one not in _FRAME], self._links

    def end(self) -> None:
        self._parser.Parse(b"", True)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == f"{_XHTML} link":
            self._links += [attributes.get("hreflang", ""), attributes.get("href", "")]
