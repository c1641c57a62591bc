"""Reads one sitemap, index, feed or list of addresses from its bytes, piece by piece.

The reader keeps what is good and says what was wrong. It decides by content what a document is,
and nothing in a document makes it load, open or run anything. However the bytes are cut when they
arrive, they are read in equal blocks, so the result is always the same.
"""

from __future__ import annotations

from codecs import IncrementalDecoder
from datetime import datetime

from submitter.core.encodings import decoder_of, find_encoding
from submitter.core.entries import Entry, EntryColumns, Intake, Reading, ReadLimits
from submitter.core.looks import DocumentKind
from submitter.core.notes import READING_IDS, Notes
from submitter.core.sniff import HEAD, Form, form_of, title_of
from submitter.core.textlist import TextReader
from submitter.core.xmlstream import XmlReader

__all__ = ["READING_IDS", "Entry", "EntryColumns", "ReadLimits", "Reading", "SitemapReader"]

_DEFAULT_LIMITS = ReadLimits()
_MARK = "\ufeff"
_BLANKS = " \t\r\n"


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
        self._line, self._offset, self._blank_before = 1, 0, False
        self._body: XmlReader | TextReader | None = None

    @property
    def kind(self) -> DocumentKind | None:
        """Known before the first entry is given."""
        return self._body.kind if self._body else None

    def collect(self) -> EntryColumns:
        """Whoever asks before the first byte, and again now and then, gets the entries since then
        by column; `feed` and `close` give none any more."""
        collected, self._intake.columns = self._intake.columns, EntryColumns()
        return collected or EntryColumns()

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
        try:
            given = self._read(bytes(self._waiting), final=True)
            given += self._finish_body(transport_complete)
            return given, self._sum_up(transport_complete is not False)
        finally:
            self._waiting.clear()
            self._intake.forget()

    def _finish_body(self, whole: bool | None) -> list[Entry]:
        body = self._opened()
        if self._size > self._limits.bytes:
            body.stop("too-many-bytes")
            return []
        if isinstance(body, TextReader):
            return body.finish(whole=whole is True)
        return body.finish()

    def _opened(self) -> XmlReader | TextReader:
        assert self._body is not None  # noqa: S101 # the last block opens it or is refused
        return self._body

    def _sum_up(self, whole: bool) -> Reading:
        intake, body = self._intake, self._opened()
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
            self._head = self._without_blanks(self._head + text)
            if len(self._head) < HEAD and not final:
                return []
            self._body = self._open_body(self._head)
            text, self._head = self._head, ""
        return self._body.feed(text)

    def _without_blanks(self, text: str) -> str:
        """The text without marks and blanks before it; they are counted and forgotten."""
        head = text.lstrip(_MARK + _BLANKS)
        before = text[: len(text) - len(head)]
        self._line += before.count("\n") + before.count("\r") - before.count("\r\n")
        self._offset += len(before.encode())
        self._blank_before = self._blank_before or bool(before.strip(_MARK))
        return head

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

    def _open_body(self, head: str) -> XmlReader | TextReader:
        """Decide what the document is. Raises SitemapError when it is nothing we read."""
        notes, intake, limits, line = self._notes, self._intake, self._limits, self._line
        if not head:
            raise notes.refusal("empty-document")
        match form_of(head[:HEAD]):
            case Form.XML:
                if self._blank_before and head.startswith("<?xml"):
                    notes.add("leading-whitespace", line=lambda: 1)
                offset = self._offset if self._is_utf8 else None
                return XmlReader(notes, intake, limits=limits, line=line, offset=offset)
            case Form.LIST:
                return TextReader(notes, intake, limits=limits, line=line)
            case Form.PAGE:
                raise notes.refusal("html-instead-of-sitemap", title_of(head[:HEAD]))
            case Form.JUNK:
                raise notes.refusal("junk-before-xml", head[:80])
            case Form.BINARY:
                raise notes.refusal("not-text")
