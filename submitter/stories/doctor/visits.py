"""Looks at one site for all its targets: robots.txt, its sitemaps, and the same as crawlers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import DocumentKind
from submitter.core.robots import Robots, parse_robots
from submitter.core.sights import Sight, differs, spread
from submitter.errors import FetchError
from submitter.looking.scope import Scope
from submitter.looking.sighting import Eyes
from submitter.looking.walk import ROBOTS_BYTES
from submitter.ports import Source
from submitter.stories.checkup import finding_of_check

ROOTS = 10
"""Sitemaps of one site that are looked at."""
PAGES = 10
"""Pages of one document: likewise."""
CHILDREN = 3
"""Sitemaps of one index: the first, the last, and one between."""


@dataclass(frozen=True, slots=True)
class TwoSights:
    """One document, or page, as ourselves and in a crawler's name."""

    ours: Sight
    theirs: Sight

    @property
    def differ(self) -> bool:
        return differs(self.ours, self.theirs)


class SiteVisit:
    """Fetches what is asked for, each thing once, one after the other: a site is never met by two
    questions at a time."""

    def __init__(
        self,
        site: Site,
        source: Source,
        now: Callable[[], datetime],
        fleet_hosts: Iterable[str] = (),
    ) -> None:
        self.site, self._source, self._now = site, source, now
        self._scope = Scope(site, fleet_hosts, self._read)
        self.findings: list[Finding] = []
        self._seen: dict[tuple[str, str], Sight] = {}

    @cached_property
    def robots(self) -> Robots | FetchError:
        """The site's rules, none where it has no robots.txt; or why nobody can know them."""
        url = f"{self.site.origin}/robots.txt"
        try:
            robots = parse_robots(self._read(url), url=url)
        except FetchError as error:
            if error.http_status is None or not 400 <= error.http_status < 500:
                return error
            robots = parse_robots(b"", url=url)
        self.findings += robots.findings
        return robots

    @property
    def declared(self) -> tuple[str, ...]:
        """The sitemaps that an engine is told."""
        if self.site.sitemaps is not None:
            return self.site.sitemaps[:ROOTS]
        return self.robots.sitemaps[:ROOTS] if isinstance(self.robots, Robots) else ()

    def look(self, url: str, agent: str = "") -> Sight:
        """A sitemap, as ourselves or in a crawler's name. What a redirect leads to counts only
        where a run would read it."""
        if (url, agent) not in self._seen:
            seen = self._eyes(agent).see(url)
            problem = self._scope.why_not(url, seen.led_to or url) if seen.readable else None
            reason = "foreign-sitemap" if problem else seen.reason
            self._seen[url, agent] = replace(seen, reason=reason, problem=problem or seen.problem)
        return self._seen[url, agent]

    def look_at_page(self, url: str, agent: str = "") -> Sight:
        if (url, agent) not in self._seen:
            self._seen[url, agent] = self._eyes(agent).see_page(url)
        return self._seen[url, agent]

    def children(self, root: str) -> tuple[str, ...]:
        """A sample of what an index lists; nothing for any other document."""
        seen = self.look(root)
        return spread(seen.links, CHILDREN) if seen.kind is DocumentKind.INDEX else ()

    def first_page(self) -> str | None:
        """A page of the site, by the first sitemap that lists one."""
        return next(iter(self.some_pages()), None)

    def some_pages(self) -> tuple[str, ...]:
        """A sample of the site's pages, by the first sitemap that lists one."""
        documents = [one for root in self.declared for one in (root, *self.children(root))]
        for document in documents:
            seen = self.look(document)
            own = [url for url in seen.links if url.startswith(f"{self.site.origin}/")]
            if own and seen.kind is not DocumentKind.INDEX:
                return spread(tuple(own), PAGES)
        return ()

    def compare(self, url: str, crawler: str, look: Callable[[str, str], Sight]) -> TwoSights:
        """Through both pairs of eyes; a difference is a finding as well."""
        both = TwoSights(look(url, ""), look(url, crawler))
        if both.differ:
            self._note_difference(both)
        return both

    def _note_difference(self, both: TwoSights) -> None:
        seen = [f"as {one.name}: {one.words}" for one in (both.ours, both.theirs)]
        finding = finding_of_check("crawler-sees-otherwise", both.ours.url, "; ".join(seen))
        if finding not in self.findings:
            self.findings.append(finding)

    def _eyes(self, agent: str) -> Eyes:
        return Eyes(self.site, self._source, self._now(), agent=agent)

    def _read(self, url: str) -> bytes:
        body = bytearray()
        with self._source.fetch(url, site=self.site) as fetched:
            for chunk in fetched.chunks():
                body += chunk
                if len(body) > ROBOTS_BYTES:
                    break
        return bytes(body)
