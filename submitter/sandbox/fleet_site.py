"""One site of the sample fleet: its robots.txt, its sitemaps, its pages, and edits to them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import islice
from zlib import crc32

from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.fleet_documents import (
    CONTENT_TYPES,
    Break,
    broken,
    write_index,
    write_pages,
    zipped,
)
from submitter.sandbox.fleet_pages import Form, Section, Shelf
from submitter.sandbox.wire import Answer, Request, html_answer

ROBOTS_OPEN = "User-agent: *\nDisallow: /private/\n"
ROBOTS_CLOSED = "User-agent: *\nDisallow: /\n"

_WHOLE = 1_000
"""Documents of up to so many pages are sent with their length, larger ones in chunks."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A document ready to be sent, and what a client may ask about it."""

    answer: Answer
    version: str
    changed_at: datetime


class FleetSite:
    """Serves itself and can be edited while it does. Thread-safe.

    With an `index` path the site has an index over its documents, and robots.txt names that;
    without one robots.txt names the documents themselves.
    """

    def __init__(
        self,
        host: str,
        sections: tuple[Section, ...],
        *,
        clock: SandboxClock,
        since: datetime,
        seed: int = 0,
        index: str | None = "/sitemap-index.xml",
    ) -> None:
        self.host, self.origin, self.index = host, f"http://{host}", index
        self.nested_index = "/sitemap-nested.xml"
        self.extra_children: list[str] = []
        """Further paths that the index lists, whether or not they exist."""
        self.robots = ROBOTS_OPEN
        self._clock, self._since = clock, since
        self._lock = threading.RLock()
        self._shelves = {
            section.name: Shelf(section, self.origin, seed, since) for section in sections
        }
        self._breaks: dict[str, Break] = {}
        self._files: dict[str, _Written] = {}
        self._shut_out: list[tuple[str, str]] = []

    # -- reading

    def sitemaps(self) -> list[str]:
        """The addresses a search engine is told."""
        if self.index:
            return [self.origin + self.index]
        with self._lock:
            return [self.origin + path for path in self._paths(nested=False)]

    def urls(self, section: str | None = None) -> Iterator[str]:
        """Every page listed now, in order of appearance."""
        names = [section] if section else list(self._shelves)
        return (loc for name in names for loc in self._shelves[name].locs())

    def count(self) -> int:
        """Pages listed now."""
        with self._lock:
            return sum(shelf.count - len(shelf.removed) for shelf in self._shelves.values())

    # -- editing

    def add_pages(self, count: int = 1, section: str | None = None) -> list[str]:
        """New pages at the end of a section (the first one by default), dated now."""
        with self._lock:
            shelf = self._shelf(section)
            return [shelf.loc(n) for n in shelf.add(count, self._clock.now())]

    def remove_pages(self, count: int = 1, section: str | None = None) -> list[str]:
        """Take the first pages away; they answer 410 from now on."""
        with self._lock:
            shelf = self._shelf(section)
            numbers = _first(shelf, count)
            shelf.remove(numbers, self._clock.now())
            return [shelf.loc(n) for n in numbers]

    def change_pages(self, count: int = 1, section: str | None = None) -> list[str]:
        """Date the first pages now."""
        with self._lock:
            shelf = self._shelf(section)
            numbers = _first(shelf, count)
            shelf.change(numbers, self._clock.now())
            return [shelf.loc(n) for n in numbers]

    def break_document(self, path: str, how: Break | str) -> None:
        with self._lock:
            self._breaks[path] = Break(how)

    def mend(self, path: str) -> None:
        with self._lock:
            self._breaks.pop(path, None)
            self._files.pop(path, None)

    def put(self, path: str, body: bytes | str, content_type: str = "application/xml") -> None:
        """Serve these bytes at a path, whatever stood there before."""
        text = body.encode() if isinstance(body, str) else body
        self._put(path, Answer(200, text, content_type))

    def redirect(self, path: str, to: str, status: int = 301) -> None:
        """Send whoever asks for a path to another address (relative or absolute)."""
        self._put(path, Answer(status, headers=(("Location", to),)))

    def shut_out(self, agent: str, path: str = "*") -> None:
        """Answer 403 to whoever bears this name in the user agent, at paths of this glob."""
        with self._lock:
            self._shut_out.append((agent.lower(), path))

    def let_in(self) -> None:
        """Everybody again."""
        with self._lock:
            self._shut_out.clear()

    def close(self) -> None:
        """robots.txt shuts everybody out."""
        self.robots = ROBOTS_CLOSED

    @property
    def is_closed(self) -> bool:
        return self.robots == ROBOTS_CLOSED

    def _put(self, path: str, answer: Answer) -> None:
        version = sha256(answer.body).hexdigest()[:16]
        with self._lock:
            self._files[path] = _Written(answer, version, self._clock.now())

    # -- serving

    def answer(self, request: Request) -> Answer:
        address = f"{request.path}?{request.query}" if request.query else request.path
        with self._lock:
            if self._turns_away(request.header("user-agent").lower(), address):
                return html_answer(403, "Forbidden")
            written = self._find(address)
            if written is None:
                return self._page(address)
            how = self._breaks.get(address)
        if how is not None:
            return broken(how, written.answer)
        return _conditional(written, request)

    def _turns_away(self, agent: str, address: str) -> bool:
        return any(name in agent and fnmatchcase(address, path) for name, path in self._shut_out)

    def _find(self, address: str) -> _Written | None:
        if address in self._files:
            return self._files[address]
        if address == "/robots.txt":
            return self._robots()
        if self.index and address == self.index:
            nested = [self.nested_index] if self._has_nested() else []
            return self._index([*self._paths(nested=False), *nested, *self.extra_children])
        if address == self.nested_index and self._has_nested():
            return self._index(self._paths(nested=True))
        found = self._at(address)
        return self._document(*found) if found else None

    def _robots(self) -> _Written:
        lines = "".join(f"Sitemap: {address}\n" for address in self.sitemaps())
        body = f"{self.robots}\n{lines}".encode()
        return _Written(Answer(200, body), f"{crc32(body):08x}", self._clock.now())

    def _paths(self, *, nested: bool) -> list[str]:
        """Documents in one of the two indexes."""
        return [
            shelf.document(part)
            for shelf in self._shelves.values()
            if shelf.section.nested == nested
            for part in shelf.parts()
        ]

    def _has_nested(self) -> bool:
        return any(shelf.section.nested for shelf in self._shelves.values())

    def _at(self, path: str) -> tuple[Shelf, int] | None:
        """The section and part whose document is at a path."""
        for shelf in self._shelves.values():
            if part := shelf.part(path):
                return shelf, part
        return None

    def _index(self, paths: list[str]) -> _Written:
        children = [(self.origin + path, self._newest(path)) for path in paths]
        body = b"".join(write_index(children))
        newest = max((lastmod for _, lastmod in children), default=self._since.isoformat())
        answer = Answer(200, body, CONTENT_TYPES[Form.XML])
        return _Written(answer, f"{crc32(body):08x}", datetime.fromisoformat(newest))

    def _newest(self, path: str) -> str:
        found = self._at(path)
        return found[0].newest(found[1]) if found else self._since.isoformat()

    def _document(self, shelf: Shelf, part: int) -> _Written:
        section = shelf.section
        pages = list(shelf.numbers(part))

        def stream() -> Iterator[bytes]:
            listed = ((shelf.loc(n), shelf.lastmod(n)) for n in pages)
            pieces = write_pages(section.form, listed, self.origin)
            return zipped(pieces) if section.gz else pieces

        kind = "application/gzip" if section.gz else CONTENT_TYPES[section.form]
        changed = shelf.edited_at.get(part) or datetime.fromisoformat(shelf.newest(part))
        small = len(pages) <= _WHOLE
        answer = Answer(200, b"".join(stream()) if small else b"", kind)
        return _Written(
            answer if small else replace(answer, stream=stream), shelf.version(part), changed
        )

    def _page(self, path: str) -> Answer:
        for shelf in self._shelves.values():
            if n := shelf.find(path):
                gone = n in shelf.removed
                return html_answer(410 if gone else 200, f"{'Gone: ' if gone else ''}page {n}")
        return html_answer(200, self.host) if path == "/" else html_answer(404, "Not found")

    def _shelf(self, section: str | None) -> Shelf:
        return self._shelves[section] if section else next(iter(self._shelves.values()))


def _first(shelf: Shelf, count: int) -> list[int]:
    return list(islice((n for part in shelf.parts() for n in shelf.numbers(part)), count))


def _conditional(written: _Written, request: Request) -> Answer:
    """Add validators; 304 without a body when the client has this very version."""
    etag = f'"{written.version}"'
    stamp = written.changed_at.astimezone(UTC).replace(microsecond=0)
    headers = (("ETag", etag), ("Last-Modified", format_datetime(stamp, usegmt=True)))
    answer = replace(written.answer, headers=(*written.answer.headers, *headers))
    if _is_known(request, etag, stamp):
        return replace(answer, status=304, body=b"", stream=None)
    return answer


def _is_known(request: Request, etag: str, stamp: datetime) -> bool:
    if tags := request.header("if-none-match"):
        return tags == "*" or etag in (tag.strip().removeprefix("W/") for tag in tags.split(","))
    try:
        return parsedate_to_datetime(request.header("if-modified-since")) >= stamp
    except (ValueError, TypeError):
        return False
