"""What the tests of reading share: one call that reads a whole document, and documents to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from submitter.core.sitemap import Entry, Reading, ReadLimits, SitemapReader
from submitter.errors import SitemapError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "https://shop.example.com/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE_NS = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
XHTML_NS = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
NO_CORPUS = f"the shared corpus is not at {CORPUS}"


@dataclass(frozen=True)
class Outcome:
    """Everything a reading gave."""

    entries: tuple[Entry, ...]
    reading: Reading

    @property
    def locs(self) -> list[str]:
        return [entry.loc for entry in self.entries]

    @property
    def ids(self) -> dict[str, int]:
        """Count by id of finding."""
        return {finding.id: finding.count for finding in self.reading.findings}

    def finding(self, id: str) -> str:
        """Where and what, of the finding with that id."""
        found = next(finding for finding in self.reading.findings if finding.id == id)
        return f"{found.where}: {found.message}"


def read_pieces(
    pieces: Iterable[bytes],
    *,
    charset: str | None = None,
    transport: bool | None = True,
    limits: ReadLimits | None = None,
) -> Outcome:
    """Read a document that arrives in these pieces."""
    reader = SitemapReader(URL, now=NOW, charset=charset, limits=limits or ReadLimits())
    entries: list[Entry] = []
    for piece in pieces:
        entries += reader.feed(piece)
        assert not entries or reader.kind is not None
    rest, reading = reader.close(transport_complete=transport)
    return Outcome((*entries, *rest), reading)


def read(
    data: bytes | str,
    *,
    charset: str | None = None,
    transport: bool | None = True,
    limits: ReadLimits | None = None,
) -> Outcome:
    """Read a document that arrives in one piece; text is sent as UTF-8."""
    data = data.encode() if isinstance(data, str) else data
    return read_pieces([data], charset=charset, transport=transport, limits=limits)


def outcome(pieces: Sequence[bytes], **how: object) -> Outcome | tuple[str, str]:
    """What reading gives, or the reason and words with which it is refused."""
    try:
        return read_pieces(pieces, **how)  # type: ignore[arg-type]
    except SitemapError as error:
        return error.reason, error.problem


def refusal(data: bytes | str, **how: object) -> str:
    """The reason for which the document is refused; empty when it is not."""
    data = data.encode() if isinstance(data, str) else data
    found = outcome([data], **how)
    return found[0] if isinstance(found, tuple) else ""


def urlset(*entries: str, namespaces: str = NS) -> str:
    """A sitemap of entries that are addresses, or whole `<url>` elements."""
    body = "\n".join(
        entry if entry.startswith("<") else f"<url><loc>{entry}</loc></url>" for entry in entries
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{head}\n<urlset {namespaces}>\n{body}\n</urlset>\n"
