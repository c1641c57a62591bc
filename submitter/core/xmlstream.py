"""The XML side of a document: text in, entries out, and where and why it stopped.

Regular entries are skimmed; the parser sees everything else, the root element above all. It loads
nothing, never recurses, and holds no more than one unfinished token.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

from submitter.core.encodings import REPLACED
from submitter.core.entries import Entry, Intake, ReadLimits
from submitter.core.looks import DocumentKind
from submitter.core.mending import Mender
from submitter.core.notes import Notes
from submitter.core.skim import Skimmer, is_regular
from submitter.core.tree import Tree, TreeFault

_RUNS_A_PIECE: Final = 64
"""How often skimming starts again after an irregular entry before the parser takes the rest."""

_ROOT: Final = re.compile(r"<(?:urlset|sitemapindex)\b[^>]*>").search


class XmlReader:
    """Reads one document from its text, which begins on `line` at byte `offset` of the document.

    `offset` None: bytes cannot be counted, because the document is not in UTF-8.
    """

    def __init__(
        self, notes: Notes, intake: Intake, *, limits: ReadLimits, line: int, offset: int | None
    ) -> None:
        self._notes, self._intake, self._limits = notes, intake, limits
        self._mender = Mender(notes)
        self._tree = Tree(notes, intake, limits=limits, line_now=self._line_now)
        self._skimmer: Skimmer | None = None
        self._parser = expat.ParserCreate("utf-8", " ")
        self._parser.buffer_text = True
        self._tree.listen(self._parser)
        self._pending = ""
        self._lines_parsed = self._bytes_parsed = 0
        self._lines_skipped, self._bytes_skipped = line - 1, offset
        self.fault = ""
        """The id of what stopped the reading; empty = nothing did."""

    @property
    def kind(self) -> DocumentKind | None:
        return self._tree.kind

    @property
    def closed(self) -> bool:
        """Whether the end tag of the root was seen."""
        return self._tree.closed

    def feed(self, text: str) -> list[Entry]:
        """Entries whose end tag lies in the text so far. Raises SitemapError."""
        if self.fault:
            return []
        text = self._pending + text
        cut = self._cut(text)
        self._pending = text[cut:]
        given = self._read(text[:cut]) if cut else []
        if len(self._pending) > self._limits.token:
            self.stop("token-too-long")
        return given

    def finish(self) -> list[Entry]:
        """The last entries; the text has ended. Raises SitemapError."""
        if self.fault:
            return []
        cut = self._pending.rfind(">") + 1
        given = self._read(self._pending[:cut])
        rest = self._pending[cut:]
        if self.closed and rest.strip():
            given += self._parse(rest)
        given += self._parse("", final=True)
        if not self.closed and not self.fault:
            self.stop("document-cut")
        return given

    def stop(self, id: str, detail: str = "") -> None:
        """Read no further. What was given stays; without any entry the document is refused."""
        self.fault = id
        place = f"{detail} {self._place()}".strip()
        if not self._intake.used:
            raise self._notes.refusal(id, place)
        self._notes.add(id, line=self._line_now, detail=place)

    def _cut(self, text: str) -> int:
        """Where the text may be cut: after an entry, or else after a tag."""
        if self._skimmer:
            end = text.rfind(self._skimmer.closer)
            if end >= 0 and len(text) - end < self._limits.token // 2:
                return end + len(self._skimmer.closer)
        return text.rfind(">") + 1

    # ------------------------------------------------------------ one piece of text

    def _read(self, piece: str) -> list[Entry]:
        piece = self._cleaned(piece)
        given: list[Entry] = []
        at = 0
        if not self._may_skim():
            at = self._resume_at(piece)
            given += self._parse(piece[:at])
        if at < len(piece) and self._may_skim() and is_regular(piece):
            at = self._skim(piece, at, given)
        if at < len(piece):
            given += self._parse(piece[at:])
        return given

    def _skim(self, piece: str, at: int, given: list[Entry]) -> int:
        """Skim as far as it goes; irregular entries one by one go to the parser."""
        for _ in range(_RUNS_A_PIECE):
            start = at
            at = self._skim_run(piece, start, given)
            if at == start or at == len(piece):
                break
            start, at = at, self._resume_at(piece, at)
            given += self._parse(piece[start:at])
            if at == len(piece) or not self._may_skim():
                break
        return at

    def _skim_run(self, piece: str, at: int, given: list[Entry]) -> int:
        assert self._skimmer is not None  # noqa: S101 # _may_skim() said so
        locs, dates, end = self._skimmer.skim(piece, at)
        closer, first_line = self._skimmer.closer, self._line_next()

        def line_of(number: int) -> int:
            place = at
            for _ in range(number + 1):
                place = piece.index(closer, place) + len(closer)
            return first_line + piece.count("\n", at, place)

        given += self._intake.take(locs, dates, line_of)
        self._lines_skipped += piece.count("\n", at, end)
        if self._bytes_skipped is not None:
            self._bytes_skipped += _size(piece[at:end])
        return end

    def _resume_at(self, piece: str, at: int = 0) -> int:
        """Up to where the parser has to read before skimming can begin (again)."""
        if self.kind is None:
            root = _ROOT(piece)
            return root.end() if root else len(piece)
        if self._skimmer is None:
            return len(piece)
        end = piece.find(self._skimmer.closer, at)
        return end + len(self._skimmer.closer) if end >= 0 else len(piece)

    def _may_skim(self) -> bool:
        """Whether the parser stands between two entries and has nothing unfinished."""
        return (
            self._skimmer is not None
            and not self.fault
            and self._tree.is_between_entries
            and not self._mender.inside
            and self._parser.CurrentByteIndex == self._bytes_parsed
        )

    def _cleaned(self, piece: str) -> str:
        """Newlines as XML wants them; bytes that were replaced are noted."""
        cleaned = piece
        if "\r" in piece:
            cleaned = piece.replace("\r\n", "\n").replace("\r", "\n")
            if self._bytes_skipped is not None:
                self._bytes_skipped += len(piece) - len(cleaned)
        if REPLACED in piece:
            self._bytes_skipped = None
            self._notes.add(
                "undecodable-bytes",
                line=lambda: self._line_next() + cleaned.count("\n", 0, cleaned.index(REPLACED)),
                count=piece.count(REPLACED),
            )
        return cleaned

    # ------------------------------------------------------------ the parser

    def _parse(self, text: str, *, final: bool = False) -> list[Entry]:
        if self.fault:
            return []
        mended = self._mender.mend(text, self._line_next())
        if self._bytes_skipped is not None:
            self._bytes_skipped += _size(text) - _size(mended)
        self._bytes_parsed += _size(mended)
        fault = self._run_parser(mended, final)
        given = self._tree.harvest()
        if fault:
            self.stop(*fault)
        self._lines_parsed += mended.count("\n")
        if self._skimmer is None and self._tree.entry_tag and self._limits.skim:
            self._skimmer = Skimmer(self._tree.entry_tag, self._tree.extension_prefixes)
        return given

    def _run_parser(self, text: str, final: bool) -> tuple[str, str] | None:
        """The id of what went wrong, with the parser's own word for it."""
        try:
            self._parser.Parse(text, final)
        except expat.ExpatError as error:
            return None if final else ("not-well-formed", expat.ErrorString(error.code))
        except TreeFault as fault:
            return fault.id, ""
        if self._bytes_parsed - self._parser.CurrentByteIndex > self._limits.token:
            return "token-too-long", ""
        return ("too-many-names", "") if len(self._parser.intern) > self._limits.names else None

    def _place(self) -> str:
        if self._bytes_skipped is None:
            return f"at line {self._line_now()}"
        return f"at byte {self._bytes_skipped + self._parser.CurrentByteIndex}"

    def _line_now(self) -> int:
        """The line of the tag that the parser is at."""
        return self._lines_skipped + self._parser.CurrentLineNumber

    def _line_next(self) -> int:
        """The line on which the next piece of text begins."""
        return self._lines_skipped + self._lines_parsed + 1


def _size(text: str) -> int:
    """In bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
