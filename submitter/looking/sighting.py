"""Looks at one document through somebody's eyes: fetched once, read as far as needed, judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from submitter.core.agents import USER_AGENTS
from submitter.core.findings import Severity
from submitter.core.fleet import Site
from submitter.core.sights import Sight
from submitter.core.sitemap import Entry, Reading, SitemapReader
from submitter.errors import FetchError, SitemapError
from submitter.ports import Fetched, Source

HEAD_BYTES = 262_144
"""Enough to tell what a document is, and of an index to take a sample of some hundred children."""
LINKS = 500
"""Addresses kept of a document at most."""
CUT = ("document-cut", "it ends early")


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks, and at which site. `agent` is a crawler's token, empty for ourselves; `until` a
    monotonic time."""

    site: Site
    source: Source
    at: datetime
    until: float | None = None
    agent: str = ""

    def see(self, url: str, limit: int = HEAD_BYTES) -> Sight:
        """Fetch a sitemap and read it, `limit` bytes at most. Raises nothing: what went wrong is
        in the sight."""
        return self._look(url, lambda seen, answer: _read(seen, answer, limit))

    def see_page(self, url: str) -> Sight:
        """As `see`, of a page: whether it answers, without reading what it holds."""
        return self._look(url, lambda seen, answer: replace(seen, http_status=answer.status))

    def _look(self, url: str, read: Callable[[Sight, Fetched], Sight]) -> Sight:
        seen = Sight(self.site.origin, url, self.agent, self.at)
        name = USER_AGENTS.get(self.agent)
        try:
            with self.source.fetch(
                url, site=self.site, until=self.until, user_agent=name
            ) as answer:
                led_to = answer.final_url if answer.final_url != url else ""
                return read(replace(seen, led_to=led_to), answer)
        except FetchError as error:
            return replace(
                seen,
                http_status=error.http_status,
                reason=error.reason,
                problem=error.problem,
                led_to=error.led_to,
            )


def _read(seen: Sight, answer: Fetched, limit: int) -> Sight:
    """What stands there. A document that is longer than what was read counts by its beginning."""
    reader = SitemapReader(seen.url, now=seen.at, charset=answer.charset)
    entries: list[Entry] = []
    size, whole = 0, True
    seen = replace(seen, http_status=answer.status)
    try:
        for chunk in answer.chunks():
            size += len(chunk)
            entries += reader.feed(chunk)[: LINKS - len(entries)]
            if size >= limit:
                whole = False
                break
        rest, reading = reader.close(transport_complete=whole and _came_whole(answer))
    except SitemapError as error:
        return replace(seen, size=size, reason=error.reason, problem=error.problem)
    links = tuple(entry.loc for entry in (*entries, *rest)[:LINKS])
    seen = replace(seen, size=size, whole=whole, kind=reading.kind, links=links)
    return _judged(seen, reading) if whole else seen


def _came_whole(answer: Fetched) -> bool | None:
    """None: the transport cannot tell, so the document's own end decides."""
    return answer.complete if answer.delimited else None


def _judged(seen: Sight, reading: Reading) -> Sight:
    """A document that was read to its end, by what the end shows."""
    if not (reading.complete or reading.over_limit):
        faults = [one for one in reading.findings if one.severity is Severity.ERROR]
        reason, problem = (faults[0].id, faults[0].message) if faults else CUT
        return replace(seen, reason=reason, problem=problem)
    if not reading.entries:
        return replace(seen, reason="no-entries", problem="it lists nothing")
    return seen
