"""What reading a document can find wrong, one root cause each, and the book that groups it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.urls import BAD_URL_REASONS, printable, shown
from submitter.errors import SitemapError

_REFUSED: Final = {
    "empty-document": "no byte but blanks: a broken server, never a site without pages",
    "html-instead-of-sitemap": "a web page was served in place of the document",
    "not-text": "binary data, neither XML nor a list of addresses",
    "no-address": "a text without one line that is an address",
    "junk-before-xml": "text stands before the XML",
    "no-sitemap-root": "XML whose root is no sitemap, index or feed",
    "doctype-declarations": "a DOCTYPE with declarations; entities are never read",
    "reader-killed": "the process that read it was killed, for want of memory for example",
}
"""Reasons of SitemapError that are never findings: nothing of the document may be used."""

_HURT: Final = {
    "not-well-formed": "the XML is broken; the whole entries before the fault are used",
    "document-cut": "the document ends early; the whole entries before its end are used",
    "too-deep": "elements nested deeper than any sitemap",
    "too-many-names": "more element and attribute names than any sitemap has",
    "token-too-long": "a tag, comment or text longer than any sitemap has",
    "too-many-entries": "entries over 50,000 are not used",
    "too-many-bytes": "bytes over 52,428,800 are not read",
    "no-entries": "a sitemap without entries",
    "bare-ampersand": "& that is not written &amp; was read as the character it stands for",
}
_SKIPPED: Final = {
    "missing-loc": "an entry without address",
    "empty-loc": "an entry with an empty address",
    "markup-in-loc": "an element inside an address",
    "undeclared-entity": "an entity that XML does not know (&eacute; …); never used in an address",
    "undecodable-bytes": "bytes that the encoding does not have; never used in an address",
    "not-an-address": "lines that are no addresses",
    **BAD_URL_REASONS,
}
_DOUBTFUL: Final = {
    "leading-whitespace": "blanks before the XML declaration",
    "charset-conflict": "HTTP header, XML declaration and bytes disagree about the encoding",
    "unknown-charset": "an encoding that we do not know",
    "wrong-namespace": "a namespace that no engine knows; tags are read by their local names",
    "missing-namespace": "no namespace; tags are read by their local names",
    "wrong-extension-namespace": "an extension's namespace that no engine knows",
    "several-locs": "more than one address in one entry",
    "invalid-lastmod": "a date that is not in W3C form; the page is used without it",
    "future-lastmod": "a date in the future; never used to decide what changed",
    "early-lastmod": "a date before 1990; never used to decide what changed",
    "lastmod-without-zone": "a time without zone, taken as UTC; Google refuses it",
    "lastmod-is-now": "over 90 % of the dates are the time of reading: they say nothing",
    "lastmod-all-equal": "all dates are one: they are the time of a build, not of a change",
    "maybe-cut": "the list ends in mid-line and its length is unknown: the last line is not used",
}
_HARMLESS: Final = {
    "doctype": "a DOCTYPE without declarations; nothing is loaded for it",
    "unknown-tag": "tags that the protocol does not know, ignored",
    "duplicate": "addresses listed more than once",
}


def _meanings() -> dict[str, Meaning]:
    parts = (
        (Severity.ERROR, _REFUSED),
        (Severity.ERROR, _HURT),
        (Severity.WARNING, _SKIPPED),
        (Severity.WARNING, _DOUBTFUL),
        (Severity.INFO, _HARMLESS),
    )
    return {id: Meaning(severity, text) for severity, ids in parts for id, text in ids.items()}


READING_IDS: Final = MappingProxyType(_meanings())
"""Every id of a finding, of a skipped entry and of a SitemapError, for the docs. Only grows."""


@dataclass(slots=True)
class _Group:
    place: str
    detail: str
    count: int = 0
    examples: list[str] = field(default_factory=list)


class Notes:
    """The findings of one document, grouped by id as they come. `meanings` explain the ids."""

    def __init__(self, url: str, meanings: Mapping[str, Meaning] = READING_IDS) -> None:
        self._url, self._meanings = url, meanings
        self._groups: dict[str, _Group] = {}

    def add(
        self,
        id: str,
        *,
        line: Callable[[], int] | None = None,
        detail: str = "",
        example: str = "",
        count: int = 1,
    ) -> None:
        """Note one fault. The first of its kind says where; `line` is asked for that one only.
        `count` 0 adds an example to faults that were counted before."""
        group = self._groups.get(id)
        if group is None:
            place = f"line {line()}" if line else ""
            group = self._groups[id] = _Group(place, detail)
        group.count += count
        if example and len(group.examples) < MAX_EXAMPLES:
            text = shown(example) or printable(example.partition("?")[0])
            if text not in group.examples:
                group.examples.append(text)

    def __contains__(self, id: object) -> bool:
        return id in self._groups

    def findings(self) -> tuple[Finding, ...]:
        """In the order of the table of ids, so that equal documents give equal reports."""
        return tuple(
            self._finding(id, self._groups[id]) for id in self._meanings if id in self._groups
        )

    def _finding(self, id: str, group: _Group) -> Finding:
        severity, text = self._meanings[id]
        where = f"{self._url} {group.place}" if group.place else self._url
        message = f"{text}: {printable(group.detail)}" if group.detail else text
        return Finding(id, severity, where, message, group.count, tuple(group.examples))

    def refusal(self, id: str, detail: str = "") -> SitemapError:
        """The error to raise when nothing of the document may be used."""
        text = self._meanings[id].text
        problem = f"{text}: {printable(detail)}" if detail else text
        return SitemapError(shown(self._url), id, problem)
