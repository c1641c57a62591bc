"""What the elements of a document mean, told by the parser one tag at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.parsers.expat import XMLParserType

from submitter.core.entries import Entry, Intake, ReadLimits
from submitter.core.looks import DocumentKind
from submitter.core.notes import Notes
from submitter.core.vocabulary import (
    DUBLIN_CORE_DATE,
    LAYOUTS,
    Kin,
    Layout,
    kin_of,
    namespace_fault,
)

_NOWHERE: Final = 1 << 30
"""Depth of entries while the kind of document is unknown."""


class TreeFault(Exception):
    """Ends the work of the parser at a limit; `id` is the finding. Never leaves the reader."""

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(id)


class Tree:
    """Follows the tags of one document and hands its entries to the intake."""

    def __init__(
        self, notes: Notes, intake: Intake, *, limits: ReadLimits, line_now: Callable[[], int]
    ) -> None:
        self._notes, self._intake, self._limits, self._line = notes, intake, limits, line_now
        self.kind: DocumentKind | None = None
        self.closed = False
        self._layout = Layout(DocumentKind.URLSET, "", _NOWHERE, "", "")
        self._entry_depth = _NOWHERE
        self._depth = 0
        self._bound: dict[str, str] = {}
        self._root_namespace = self._entry_namespace = self._entry_name = ""
        self._roles: dict[str, str] = {}
        self._forget_harvest()
        self._in_entry = False
        self._forget_entry()
        self._field = ""
        self._nested = False
        self._parts: list[str] = []
        self._length = 0

    def listen(self, parser: XMLParserType) -> None:
        """Be told of tags, and of text inside addresses and dates.

        No handler loads an entity or a DTD, so none is ever loaded.
        """
        self._parser = parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartNamespaceDeclHandler = self._bind

    def harvest(self) -> list[Entry]:
        """The entries that ended since the last harvest."""
        if not self._ripe:
            return []
        locs, dates, lines = self._ripe, self._ripe_dates, self._ripe_lines
        self._forget_harvest()
        return self._intake.take(locs, dates, lines.__getitem__)

    def _forget_harvest(self) -> None:
        self._ripe: list[str] = []
        self._ripe_dates: list[str] = []
        self._ripe_lines: list[int] = []

    @property
    def is_between_entries(self) -> bool:
        return self._depth == self._entry_depth - 1

    @property
    def entry_tag(self) -> str | None:
        """The tag of entries where it has no prefix, else None. Known once the root is open."""
        has_default = self._root_namespace == self._bound.get("", "")
        return self._layout.entry if self._layout.known and has_default else None

    @property
    def extension_prefixes(self) -> frozenset[str]:
        """Prefixes that the root binds to extensions, for all of the document."""
        return frozenset(
            prefix
            for prefix, namespace in self._bound.items()
            if prefix and self._kin(namespace) is Kin.EXTENSION
        )

    # ------------------------------------------------------------ what the parser calls

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > self._limits.depth:
            raise TreeFault("too-deep")
        level = self._depth - self._entry_depth
        if level == 1:
            if self._in_entry:
                role = self._roles.get(name)
                if role is None:
                    role = self._role_of(name)
                if role:
                    self._open_field(role, attributes)
        elif level > 1:
            self._nested = True
        elif level == 0:
            self._open_entry(name)
        elif self._depth == 1:
            self._open_root(name)

    def _end(self, _name: str) -> None:
        level = self._depth - self._entry_depth
        self._depth -= 1
        if level == 1:
            if self._field:
                self._close_field()
        elif level == 0:
            if self._in_entry:
                self._close_entry()
        elif self._depth == 0:
            self.closed = True

    def _text(self, data: str) -> None:
        if self._length <= self._limits.text:
            self._parts.append(data)
            self._length += len(data)

    def _doctype(self, name: str, _system: object, _public: object, has_subset: int) -> None:
        if has_subset:
            raise self._notes.refusal("doctype-declarations", name)
        self._notes.add("doctype", line=self._line, detail=name)

    def _bind(self, prefix: str | None, namespace: str | None) -> None:
        if self._depth == 0:
            self._bound[prefix or ""] = namespace or ""

    # ------------------------------------------------------------ root

    def _open_root(self, name: str) -> None:
        namespace, _, local = name.rpartition(" ")
        layout = LAYOUTS.get(local)
        if layout is None:
            is_page = local.lower() == "html"
            id = "html-instead-of-sitemap" if is_page else "no-sitemap-root"
            raise self._notes.refusal(id, f"<{local}>")
        self.kind, self._layout = layout.kind, layout
        self._entry_depth, self._root_namespace = layout.entry_depth, namespace
        if layout.kind is DocumentKind.RSS:
            self._intake.expect_pubdates()
        if layout.known:
            self._note_namespace(namespace)

    def _note_namespace(self, namespace: str) -> None:
        fault = namespace_fault(namespace)
        if fault:
            self._notes.add(fault, line=self._line, detail=namespace)

    def _kin(self, namespace: str) -> Kin:
        return kin_of(namespace, self._root_namespace)

    # ------------------------------------------------------------ entries

    def _open_entry(self, name: str) -> None:
        if name == self._entry_name:
            self._in_entry, self._entry_namespace = True, self._root_namespace
            return
        namespace, _, local = name.rpartition(" ")
        kin = self._kin(namespace)
        self._in_entry = local == self._layout.entry and kin in (Kin.OWN, Kin.FOREIGN)
        if not self._in_entry:
            self._note_stranger(kin, namespace, local)
            return
        self._entry_namespace = namespace
        if namespace == self._root_namespace:
            self._entry_name = name
        elif self._layout.known:
            self._note_namespace(namespace)

    def _note_stranger(self, kin: Kin, namespace: str, local: str) -> None:
        if kin is Kin.WRONG_EXTENSION:
            self._notes.add("wrong-extension-namespace", line=self._line, detail=namespace)
        elif kin is not Kin.EXTENSION and self._layout.known:
            self._notes.add("unknown-tag", line=self._line, example=f"<{local}>")

    def _close_entry(self) -> None:
        self._in_entry = False
        locs = self._locs
        if len(locs) != 1 or self._guid:
            locs = self._judged_locs()
        self._ripe += locs
        self._ripe_dates += [self._date] * len(locs)
        self._ripe_lines += [self._line()] * len(locs)
        self._forget_entry()

    def _judged_locs(self) -> list[str]:
        """The addresses of an entry that has none, several, or only a guid."""
        locs = self._locs
        if not "".join(locs).strip() and self._guid.strip().lower().startswith("http"):
            locs = [self._guid]
        if len(locs) > 1:
            self._notes.add("several-locs", line=self._line, example=locs[1].strip())
        if not locs and not self._flawed:
            self._intake.skip("missing-loc", "", self._line)
        return locs

    def _forget_entry(self) -> None:
        self._locs: list[str] = []
        self._date = self._guid = ""
        self._flawed = False

    # ------------------------------------------------------------ fields of an entry

    def _role_of(self, name: str) -> str:
        """What a field of an entry holds; empty = nothing we read. Known names are remembered."""
        namespace, _, local = name.rpartition(" ")
        kin = self._kin(namespace)
        if kin is Kin.FOREIGN and namespace == self._entry_namespace:
            return self._own_role(local)
        role = ""
        if kin is Kin.OWN:
            role = self._own_role(local)
        elif name == DUBLIN_CORE_DATE and not self._layout.known:
            role = "date"
        if role or kin is Kin.EXTENSION or (kin is Kin.OWN and local in self._layout.known):
            self._roles[name] = role
        else:
            self._note_stranger(kin, namespace, local)
        return role

    def _own_role(self, local: str) -> str:
        layout = self._layout
        if local == layout.loc:
            return "link" if layout.kind is DocumentKind.ATOM else "loc"
        if local == layout.date:
            return "date"
        return "guid" if local == "guid" and layout.kind is DocumentKind.RSS else ""

    def _open_field(self, role: str, attributes: Mapping[str, str]) -> None:
        if role == "link":
            self._take_link(attributes)
            return
        self._field = role
        self._parts, self._length, self._nested = [], 0, False
        self._parser.CharacterDataHandler = self._text

    def _take_link(self, attributes: Mapping[str, str]) -> None:
        """The first link that is the entry's page. Source: RFC 4287 section 4.2.7, 2026-11-30."""
        if not self._locs and attributes.get("rel", "alternate") == "alternate":
            self._locs.append(attributes.get("href", ""))

    def _close_field(self) -> None:
        self._parser.CharacterDataHandler = None
        text = "".join(self._parts)
        if self._field == "date":
            self._date = text
        elif self._field == "guid":
            self._guid = text
        elif self._nested:
            self._flawed = True
            self._intake.skip("markup-in-loc", text.strip(), self._line)
        else:
            self._locs.append(text)
        self._field = ""
