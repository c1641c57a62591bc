"""Which section a page belongs to: the first that matches, by path or by document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from fnmatch import translate
from urllib.parse import urlsplit

from submitter.core.fleet import Section

NO_SECTION = ("", 0)


def fingerprint(sections: Sequence[Section]) -> str:
    """Equal for equal rules; empty for none."""
    if not sections:
        return ""
    text = repr([(one.name, one.match, one.document, one.priority) for one in sections])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Sorter:
    """Sorts pages into sections. `place(identity, document)` gives (name, priority)."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._rules = [
            (
                re.compile(translate(section.match)).match,
                re.compile(translate(section.document)).match if section.document else None,
                (section.name, section.priority),
            )
            for section in sections
        ]

    def place(self, identity: str, document: str) -> tuple[str, int]:
        if not self._rules:
            return NO_SECTION
        path = _path_of(identity)
        for matches_path, matches_document, place in self._rules:
            if not matches_path(path):
                continue
            if matches_document is None or matches_document(document):
                return place
        return NO_SECTION


def _path_of(identity: str) -> str:
    """Path and query, as `urlsplit` parts them, in a fraction of its time where nothing is odd."""
    start, query = identity.find("/", identity.find("://") + 3), identity.find("?")
    if (
        identity.startswith(("https://", "http://"))
        and start > 0
        and (query < 0 or start < query < len(identity) - 1)
        and identity.isprintable()
        and "#" not in identity
        and "[" not in identity
        and "]" not in identity
    ):
        return identity[start:]
    parts = urlsplit(identity)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
