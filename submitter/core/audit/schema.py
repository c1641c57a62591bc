"""What the protocol's own schema says of a document, checked while its bytes pass by.

Follows the elements as the schemas for sitemaps and indexes do (Source: see `SCHEMA_RULES`), and
nothing else: whether the document can be read at all, its limits and its addresses are the
reader's business. Feeds and lists have no such schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from xml.parsers import expat

from submitter.core.audit.document_rules import SCHEMA_RULES
from submitter.core.findings import Finding, Meaning
from submitter.core.notes import Notes
from submitter.core.vocabulary import SITEMAP_NAMESPACE

SHORTEST, LONGEST = 12, 2_048
"""Characters of a loc."""
MOST_BYTES: Final = 52_428_800
CHANGEFREQS: Final = frozenset(
    {"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
)
MOST_CHILDREN: Final = 50_000
MOST_TOKEN: Final = 1_048_576
"""Bytes of one unfinished tag: older parsers read it again with every piece."""
DEEPEST: Final = 256
MOST_LINKS: Final = 1_000
"""Alternates of one entry: there are not as many languages."""

_ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "url": ("loc", "lastmod", "changefreq", "priority"),
    "sitemap": ("loc", "lastmod"),
}
_ENTRIES: Final = {"urlset": "url", "sitemapindex": "sitemap"}
_LINK: Final = "http://www.w3.org/1999/xhtml link"
_INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance"
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)").fullmatch
_ZONE: Final = r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DATE: Final = re.compile(
    rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}"
    rf"(?:T(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?))?{_ZONE}"
).fullmatch
_MEANINGS: Final = {id: Meaning(rule.severity, rule.text) for id, rule in SCHEMA_RULES.items()}
_LONGEST_TEXT: Final = 4_096


@dataclass(slots=True)
class _Entry:
    last: int = -1
    """Place in the order of the element before."""
    seen: set[str] = field(default_factory=set)
    loc: str = ""
    lastmod: str = ""
    line: int = 0
    links: list[tuple[str, str]] = field(default_factory=list)


Links = Callable[[int, str, Sequence[tuple[str, str]]], None]
"""Takes the line of an entry's first alternate, its loc, and (hreflang, href) of all."""


class SchemaCheck:
    """Feed it the document's bytes, then ask for its findings. Never raises: where the XML ends
    to make sense, it stops and says nothing of the rest, which the reader reports."""

    def __init__(self, url: str, links: Links = lambda line, loc, links: None) -> None:
        self._links = links
        self._notes = Notes(url, _MEANINGS)
        self._parser = expat.ParserCreate(None, " ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._stopped = False
        self._size = 0
        self._path: list[str] = []
        self._depth = 0
        self._entry: _Entry | None = None
        self._parts: list[str] = []
        self._length = 0
        self._is_strayed = False
        """The text since the last tag was noted already."""
        self.children: list[tuple[str, str]] = []
        """(loc, lastmod) of an index, as spelled."""

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        if self._stopped:
            return
        try:
            self._parser.Parse(data, False)
        except (expat.ExpatError, _Stop):
            self._stopped = True
        except (ValueError, LookupError):
            self._stopped = True
            self._notes.add("xsd-not-checked")
        unfinished = self._size - self._parser.CurrentByteIndex
        self._stopped = self._stopped or unfinished > MOST_TOKEN or self._size > MOST_BYTES

    @property
    def whole(self) -> bool:
        """Every entry so far was followed."""
        return not self._stopped

    def findings(self) -> tuple[Finding, ...]:
        return self._notes.findings()

    # ------------------------------------------------------------ what the parser calls

    def _doctype(self, *_: object) -> None:
        """The reader judges it; entities are none of our business."""
        raise _Stop

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        self._is_strayed = False
        if self._depth > DEEPEST:
            raise _Stop
        if self._depth == 1:
            self._open_root(name, attributes)
        elif len(self._path) == self._depth - 1:
            self._open(name, attributes)

    def _open_root(self, name: str, attributes: Mapping[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if namespace != SITEMAP_NAMESPACE or local not in _ENTRIES:
            raise _Stop
        self._path = [local]
        self._judge_attributes(local, attributes, allowed=(_INSTANCE,))

    def _open(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element whose parent is one of the protocol's own."""
        namespace, _, local = name.rpartition(" ")
        own = namespace == SITEMAP_NAMESPACE
        if len(self._path) == 1:
            self._open_under_root(local, own)
        elif len(self._path) == 2:
            self._open_field(name, attributes)
        else:
            self._note("xsd-unknown-element", f"<{local}>")
        if len(self._path) == self._depth:
            self._judge_attributes(local, attributes)

    def _open_under_root(self, local: str, own: bool) -> None:
        if own and local == _ENTRIES[self._path[0]]:
            self._path.append(local)
            self._entry = _Entry()
        elif own or self._path[0] == "sitemapindex":
            self._note("xsd-unknown-element", f"<{local}>")

    def _open_field(self, name: str, attributes: Mapping[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        own = namespace == SITEMAP_NAMESPACE
        entry, order = self._entry, _ORDER[self._path[1]]
        assert entry is not None  # noqa: S101 # set with the path
        if not own and self._path[1] == "url":
            entry.last = len(order)
            self._take_link(entry, name, attributes)
            return
        if not own or local not in order:
            self._note("xsd-unknown-element", f"<{local}>")
            return
        if local in entry.seen:
            self._note("xsd-repeated-element", f"<{local}>")
        elif order.index(local) < entry.last:
            self._note("xsd-order", f"<{local}>")
        entry.last = max(entry.last, order.index(local))
        entry.seen.add(local)
        self._path.append(local)
        self._parts, self._length = [], 0

    def _take_link(self, entry: _Entry, name: str, attributes: Mapping[str, str]) -> None:
        if name != _LINK or attributes.get("rel", "").lower() != "alternate":
            return
        if "hreflang" in attributes and len(entry.links) < MOST_LINKS:
            entry.line = entry.line or self._parser.CurrentLineNumber
            href = attributes.get("href", "")[:_LONGEST_TEXT].strip()
            entry.links.append((attributes["hreflang"][:_LONGEST_TEXT].strip(), href))

    def _end(self, _name: str) -> None:
        self._is_strayed = False
        if len(self._path) == self._depth:
            local = self._path.pop()
            if self._depth == 3:
                self._close_field(local)
            elif self._depth == 2:
                self._close_entry()
        self._depth -= 1

    def _text(self, data: str) -> None:
        if len(self._path) != self._depth:
            return
        if self._depth == 3:
            if self._length <= _LONGEST_TEXT:
                self._parts.append(data)
                self._length += len(data)
        elif not (self._is_strayed or data.isspace()):
            self._is_strayed = True
            self._note("xsd-text", data.strip())

    # ------------------------------------------------------------ values

    def _close_field(self, local: str) -> None:
        text = " ".join("".join(self._parts).split())
        entry = self._entry
        assert entry is not None  # noqa: S101 # set with the path
        match local:
            case "loc":
                entry.loc = entry.loc or text
                if not SHORTEST <= len(text) <= LONGEST:
                    self._note("xsd-loc-length", text)
            case "lastmod":
                entry.lastmod = text
                if not _is_date(text):
                    self._note("xsd-lastmod", text)
            case "changefreq" if text not in CHANGEFREQS:
                self._note("xsd-changefreq", text)
            case "priority" if not _is_priority(text):
                self._note("xsd-priority", text)

    def _close_entry(self) -> None:
        entry, self._entry = self._entry, None
        assert entry is not None  # noqa: S101 # set with the path
        if "loc" not in entry.seen:
            self._note("xsd-missing-loc", "")
        elif entry.links:
            self._links(entry.line, entry.loc, entry.links)
        elif self._path[0] == "sitemapindex" and len(self.children) < MOST_CHILDREN:
            self.children.append((entry.loc, entry.lastmod))

    def _judge_attributes(
        self, local: str, attributes: Mapping[str, str], allowed: tuple[str, ...] = ()
    ) -> None:
        for name in attributes:
            namespace, _, attribute = name.rpartition(" ")
            if namespace not in (*allowed, _INSTANCE):
                self._note("xsd-unknown-element", f"<{local} {attribute}=…>")

    def _note(self, id: str, example: str) -> None:
        self._notes.add(id, line=lambda: self._parser.CurrentLineNumber, example=example)


class _Stop(Exception):
    """Ends the work of the parser. Never leaves the check."""


def _is_date(text: str) -> bool:
    if not _DATE(text):
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _is_priority(text: str) -> bool:
    return len(text) < 100 and _DECIMAL(text) is not None and 0 <= float(text) <= 1
