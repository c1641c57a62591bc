"""Reads one sitemap, index, feed or list of addresses from its bytes, piece by piece.

The reader keeps what is good and says what was wrong. It decides by content what a document is,
and nothing in a document makes it load, open or run anything. However the bytes are cut when they
arrive, they are read in equal blocks, so the result is always the same.
"""

from __future__ import annotations

from codecs import IncrementalDecoder
from datetime import datetime

from submitter.core.encodings import decoder_of, find_encoding
from submitter.core.entries import Entry, Intake, Reading, ReadLimits
from submitter.core.looks import DocumentKind
from submitter.core.notes import READING_IDS, Notes
from submitter.core.sniff import HEAD, Form, form_of, title_of
from submitter.core.textlist import TextReader
from submitter.core.xmlstream import XmlReader

__all__ = ["READING_IDS", "Entry", "ReadLimits", "Reading", "SitemapReader"]

_DEFAULT_LIMITS = ReadLimits()
_MARK = "\ufeff"


class SitemapReader:
    """One document. Feed it inflated bytes, then close it; a SitemapError ends it for good.

    `now` judges dates; `charset` is what the HTTP header says. SitemapError is raised only while
    no entry was given; afterwards whatever stops the reading is a finding, and the reading is
    incomplete.
    """

    def __init__(
        self,
        url: str,
        *,
        now: datetime,
        charset: str | None = None,
        limits: ReadLimits = _DEFAULT_LIMITS,
    ) -> None:
        self._charset, self._limits = charset, limits
        self._notes = Notes(url)
        self._intake = Intake(self._notes, now=now, limits=limits)
        self._waiting = bytearray()
        self._size = 0
        self._decoder: IncrementalDecoder | None = None
        self._is_utf8 = True
        self._head = ""
        self._body: XmlReader | TextReader | None = None

    @property
    def kind(self) -> DocumentKind | None:
        """Known before the first entry is given."""
        return self._body.kind if self._body else None

    def feed(self, data: bytes) -> list[Entry]:
        """Take more bytes; give entries that have ended. Some that have may be given later.

        Raises SitemapError.
        """
        room = max(0, self._limits.bytes - self._size)
        self._size += len(data)
        self._waiting += data[:room]
        given: list[Entry] = []
        while len(self._waiting) >= (block := self._block()):
            given += self._read(bytes(self._waiting[:block]))
            del self._waiting[:block]
        return given

    def _block(self) -> int:
        """The first block must be long enough to tell the encoding by."""
        return self._limits.block if self._decoder else max(self._limits.block, HEAD)

    def close(self, *, transport_complete: bool | None) -> tuple[list[Entry], Reading]:
        """The last entries and the summing up. Raises SitemapError.

        `transport_complete`: True, every byte came; False, some are missing; None, nobody can
        tell (no length was announced), so the document's own end decides.
        """
        given = self._read(bytes(self._waiting), final=True)
        self._waiting.clear()
        body = self._body
        if body is None:
            raise self._notes.refusal("empty-document")
        if self._size > self._limits.bytes:
            body.stop("too-many-bytes")
        elif isinstance(body, TextReader):
            given += body.finish(whole=transport_complete is True)
        else:
            given += body.finish()
        return given, self._sum_up(body, transport_complete is not False)

    def _sum_up(self, body: XmlReader | TextReader, whole: bool) -> Reading:
        intake = self._intake
        if not intake.used and body.kind is DocumentKind.TEXT:
            raise self._notes.refusal("no-address")
        if intake.over_limit:
            self._notes.add("too-many-entries", count=intake.over_limit)
        if not intake.used:
            self._notes.add("no-entries")
        dates_lie = intake.judge_dates()
        assert body.kind is not None  # noqa: S101 # a root was read, else a SitemapError came
        return Reading(
            kind=body.kind,
            complete=whole and body.closed and not body.fault and not intake.over_limit,
            entries=intake.used,
            over_limit=intake.over_limit,
            content=intake.content(dated=not dates_lie),
            skipped=dict(intake.skipped),
            findings=self._notes.findings(),
            dates_lie=dates_lie,
        )

    # ------------------------------------------------------------ from bytes to a reader of text

    def _read(self, data: bytes, *, final: bool = False) -> list[Entry]:
        text = self._decode(data, final)
        if self._body is None:
            self._head += text
            if not self._open_body(final):
                return []
            text, self._head = self._head, ""
        assert self._body is not None  # noqa: S101 # just opened
        return self._body.feed(text)

    def _decode(self, data: bytes, final: bool) -> str:
        if self._decoder is None:
            encoding = find_encoding(data, self._charset)
            if encoding.conflict:
                self._notes.add("charset-conflict", detail=encoding.conflict)
            if encoding.unknown:
                self._notes.add("unknown-charset", detail=encoding.unknown)
            self._is_utf8 = encoding.codec == "utf-8"
            self._decoder = decoder_of(encoding.codec)
        return self._decoder.decode(data, final)

    def _open_body(self, final: bool) -> bool:
        """Decide what the document is, once enough of it has come. Raises SitemapError."""
        head = self._head.lstrip(_MARK + " \t\r\n")
        if len(head) < HEAD and not final:
            return False
        if not head:
            raise self._notes.refusal("empty-document")
        blank = self._head[: len(self._head) - len(head)]
        self._head = head
        line = 1 + blank.count("\n")
        match form_of(head[:HEAD]):
            case Form.XML:
                self._open_xml(head, blank, line)
            case Form.LIST:
                self._body = TextReader(self._notes, self._intake, limits=self._limits, line=line)
            case Form.PAGE:
                raise self._notes.refusal("html-instead-of-sitemap", title_of(head[:HEAD]))
            case Form.JUNK:
                raise self._notes.refusal("junk-before-xml", head[:80])
            case Form.BINARY:
                raise self._notes.refusal("not-text")
        return True

    def _open_xml(self, head: str, blank: str, line: int) -> None:
        if blank.strip(_MARK) and head.startswith("<?xml"):
            self._notes.add("leading-whitespace", line=lambda: 1)
        offset = len(blank.encode()) if self._is_utf8 else None
        self._body = XmlReader(
            self._notes, self._intake, limits=self._limits, line=line, offset=offset
        )
