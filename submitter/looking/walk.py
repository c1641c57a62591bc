"""Walks the sitemap trees of one site and streams what they list into a `Look`.

Breadth first, each document once, inside the site's limits. Bytes stream from the source through
the reader into the look; no list of all pages is ever held. A document that was not read to its
end adds pages and never removes any. What a site does wrong is reported, never raised.

Documents may be read beside the walk, and ahead of it; it takes them up in its own order, so all
that it finds and stores is the same either way.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import chain, islice

from submitter.core import trees, urls
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Site
from submitter.core.looks import (
    DocumentKind,
    DocumentMemory,
    DocumentReading,
    RootLook,
    SiteLook,
)
from submitter.core.robots import Robots, parse_robots
from submitter.core.traits import Kind, Traits
from submitter.core.trees import Node
from submitter.errors import FetchError, SitemapError
from submitter.looking.reading import (
    DocumentScribe,
    Errand,
    Head,
    Part,
    Parts,
    Readers,
    SoleReader,
    Unchanged,
)
from submitter.looking.scope import Scope
from submitter.ports import Clock, Look, Source

ROBOTS_BYTES = 512 * 1024
"""Crawlers read at least 500 KiB of robots.txt. Source: RFC 9309 section 2.5, read 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A document to be read, and how many indexes stand above it."""

    url: str
    depth: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a walk needs besides the site: where bytes come from, time, and who else is ours."""

    source: Source
    clock: Clock
    fleet_hosts: frozenset[str] = frozenset()
    crawlers: tuple[str, ...] = ()
    engines_of: Mapping[str, tuple[Traits, ...]] = field(default_factory=dict)
    """Site → the engines that it is told to."""
    remembered_roots: tuple[str, ...] = ()
    until: float | None = None
    stopped: Callable[[], bool] = lambda: False
    partial: bool = False
    """True: some of the site's sitemaps only; what is not met keeps its memory."""
    readers: Readers = field(default_factory=SoleReader)


class SiteWalk:
    """One walk over one site."""

    def __init__(self, site: Site, look: Look, around: Surroundings) -> None:
        self._site, self._look, self._around = site, look, around
        self._at = around.clock.now()
        self._scope = Scope(site, around.fleet_hosts, self._read_small)
        self._scribe = DocumentScribe(look)
        self._begun: dict[str, Parts] = {}
        self._nodes: dict[str, Node] = {}
        self._readings: list[DocumentReading] = []
        self._findings: list[Finding] = []
        self._skipped: Counter[str] = Counter()
        self._complete, self._unfinished = True, False

    def walk(self, *, with_robots: bool = True) -> SiteLook:
        """Read robots.txt and every document. `with_robots` False: the declared sitemaps only."""
        robots = self._read_robots() if with_robots else None
        roots = self._roots(robots)
        if robots is not None:
            self._note_disallowed(robots, roots)
        try:
            self._visit_all(roots)
        finally:
            self._drop_begun()
        complete = self._complete and not (self._unfinished or self._around.partial)
        result = self._look.finish(gone_after=self._site.gone_after, complete=complete)
        crawlers = self._around.crawlers if robots else ()
        return SiteLook(
            site=self._site.origin,
            at=self._at,
            first=result.first,
            roots=tuple(self._root_look(root) for root in roots),
            documents=len(self._readings),
            listed=result.listed,
            foreign=self._scribe.foreign,
            delta=result.delta,
            since_baseline=result.since_baseline,
            baseline=result.baseline,
            closed_to=frozenset(name for name in crawlers if robots and robots.closes_site(name)),
            findings=tuple(self._findings),
            skipped=dict(self._skipped + self._scribe.skipped),
            readings=tuple(self._readings),
            unfinished=self._unfinished,
        )

    def _visit_all(self, roots: Iterable[str]) -> None:
        queue = deque(Visit(root, 0) for root in roots)
        while queue and not self._out_of_time():
            visit = queue.popleft()
            queue.extend(self._visit(visit, queue))
        self._remember(visit.url for visit in queue)

    def _remember(self, unread: Iterable[str]) -> None:
        """Documents that the deadline cut off stand as they were: none of them has changed."""
        waiting = list(unread)
        while waiting:
            url = waiting.pop()
            identity, memory = _identity(url), self._look.remembered(url)
            if memory is None or identity in self._nodes:
                continue
            self._nodes[identity] = Node.remembered(memory)
            waiting.extend(memory.children)

    def _out_of_time(self) -> bool:
        until = self._around.until
        late = until is not None and self._around.clock.monotonic() >= until
        self._unfinished = self._unfinished or late or self._around.stopped()
        return self._unfinished

    # ------------------------------------------------------------ where to begin

    def _read_robots(self) -> Robots | None:
        """The rules of the site; None when they cannot be had now (RFC 9309: 4xx = no rules)."""
        url = f"{self._site.origin}/robots.txt"
        try:
            robots = parse_robots(self._read_small(url), url=url)
        except FetchError as error:
            if error.http_status is not None and 400 <= error.http_status < 500:
                return parse_robots(b"", url=url)
            self._note("robots-unreachable", url, error.problem)
            return None
        self._findings.extend(robots.findings)
        return robots

    def _read_small(self, url: str) -> bytes:
        body = bytearray()
        with self._around.source.fetch(url, site=self._site, until=self._around.until) as fetched:
            for chunk in fetched.chunks():
                body += chunk
                if len(body) > ROBOTS_BYTES:
                    break
        return bytes(body)

    def _roots(self, robots: Robots | None) -> tuple[str, ...]:
        if self._site.sitemaps is not None:
            return self._site.sitemaps
        if robots is None:
            self._complete = False
            if not self._around.remembered_roots:
                url = f"{self._site.origin}/robots.txt"
                self._note("sitemaps-unknown", url, "it names the sitemaps and cannot be read")
            return self._around.remembered_roots
        if not robots.sitemaps:
            where = f"{self._site.origin}/robots.txt"
            self._note("no-sitemap-line", where, "robots.txt names no sitemap")
        return tuple(robots.sitemaps)

    def _note_disallowed(self, robots: Robots, roots: Iterable[str]) -> None:
        """Sitemaps of this host that an engine is told and its crawler may not fetch. A site that
        is closed as a whole is the guard's."""
        engines = self._around.engines_of.get(self._site.origin, ())
        told = {one.crawler for one in engines if Kind.SITEMAP in one.tells}
        readers = [name for name in sorted(told) if not robots.closes_site(name)]
        for root in roots:
            shut_out = [name for name in readers if not robots.allows(name, root)]
            if shut_out and not urls.leads_elsewhere(self._site.origin, root):
                self._findings.append(trees.disallowed(root, shut_out))

    # ------------------------------------------------------------ one document

    def _visit(self, visit: Visit, waiting: Iterable[Visit]) -> list[Visit]:
        """Read one document; returns the documents it names that are to be read, too."""
        begun = self._begun.pop(_identity(visit.url), None)
        identity = self._admit(visit)
        if identity is None:
            if begun is not None:
                begun.close()
            return []
        self._nodes[identity] = Node.unread()
        errand = self._errand(visit.url)
        try:
            with closing(begun or self._around.readers.read(errand)) as parts:
                self._begin_ahead(waiting)
                node = self._take(visit, identity, parts, errand.memory)
        except (FetchError, SitemapError) as error:
            node = self._lose(visit, errand.memory, error)
        self._nodes[identity] = node
        return self._children_to_read(visit, node)

    def _admit(self, visit: Visit) -> str | None:
        """The document's identity, or None when it is not to be read (again)."""
        try:
            identity = urls.normalize(visit.url)
        except urls.BadUrl as error:
            self._note("bad-sitemap-url", visit.url, error.problem)
            return None
        if identity in self._nodes:
            return None
        if len(self._nodes) >= self._site.fetch.max_documents:
            self._stop_counting(visit)
            return None
        return identity

    def _stop_counting(self, visit: Visit) -> None:
        self._complete = False
        if not self._skipped["too-many-documents"]:
            message = f"stopped after {self._site.fetch.max_documents} documents"
            self._note("too-many-documents", visit.url, message)
        self._skipped["too-many-documents"] += 1

    def _errand(self, url: str) -> Errand:
        memory = self._look.remembered(url)
        return Errand(
            url,
            self._site,
            self._around.source,
            self._at,
            memory=memory,
            validators=memory.validators if memory and self._may_ask_for_change(memory) else None,
            until=self._around.until,
        )

    def _may_ask_for_change(self, memory: DocumentMemory) -> bool:
        """A full look every N days, and whenever the last one was not to the end."""
        age = self._at - memory.read_at
        return memory.complete and age < timedelta(days=self._site.fetch.full_look_days)

    def _take(
        self, visit: Visit, identity: str, parts: Iterator[Part], memory: DocumentMemory | None
    ) -> Node:
        head = next(parts)
        assert isinstance(head, Head)  # noqa: S101 # see Part
        final = urls.normalize(head.final_url)
        if problem := self._scope.why_not(visit.url, head.final_url):
            raise SitemapError(visit.url, "foreign-sitemap", problem)
        if final != identity and final in self._nodes:
            message = f"redirects to {head.final_url}, which is read already"
            self._note("duplicate-document", visit.url, message)
            return Node.unread()
        self._nodes.setdefault(final, Node.unread())
        first = next(parts)
        if isinstance(first, Unchanged) and memory is not None:
            return self._keep(visit, head, memory, read=first.read)
        return self._read(visit, chain((first,), parts), memory)

    def _keep(self, visit: Visit, head: Head, memory: DocumentMemory, *, read: bool) -> Node:
        self._look.keep(visit.url, validators=head.validators, read=read)
        self._scribe.recall(memory)
        self._report(
            DocumentReading(
                url=visit.url,
                final_url=head.final_url,
                depth=visit.depth,
                kind=memory.kind,
                http_status=head.status,
                children=len(memory.children),
                pages=memory.pages,
                over_limit=memory.over_limit,
                complete=memory.complete,
                unchanged=True,
                findings=memory.findings,
            )
        )
        return Node.remembered(memory)

    def _read(self, visit: Visit, parts: Iterator[Part], memory: DocumentMemory | None) -> Node:
        done = self._scribe.write(visit.url, parts)
        reading, content = replace(done.report, depth=visit.depth), done.result.content
        self._report(reading)
        unchanged = memory is not None and memory.content == content
        return Node(
            content=content,
            changed_at=memory.changed_at if memory and unchanged else self._at,
            pages=reading.pages,
            kind=reading.kind,
            children=done.result.children,
            whole=reading.complete or reading.over_limit > 0,
        )

    def _report(self, reading: DocumentReading) -> None:
        if reading.kind is DocumentKind.INDEX and reading.depth > 0:
            severity, text = trees.TREE_IDS["nested-index"]
            nested = Finding("nested-index", severity, reading.url, text)
            reading = replace(reading, findings=(*reading.findings, nested))
        self._readings.append(reading)

    def _lose(
        self, visit: Visit, memory: DocumentMemory | None, error: FetchError | SitemapError
    ) -> Node:
        """A document that could not be had: reported, and its pages stand for now."""
        self._look.unreadable(visit.url, error.reason)
        status = error.http_status if isinstance(error, FetchError) else None
        finding = Finding(error.reason, Severity.ERROR, visit.url, error.problem)
        self._readings.append(
            DocumentReading(
                url=visit.url,
                final_url=visit.url,
                depth=visit.depth,
                kind=memory.kind if memory else None,
                http_status=status,
                findings=(finding,),
            )
        )
        known = Node.remembered(memory) if memory else Node.unread()
        return replace(known, problem=error.problem)

    # ------------------------------------------------------------ documents ahead

    def _begin_ahead(self, waiting: Iterable[Visit]) -> None:
        """Have the next documents read while the walk stores this one: as many as one host may be
        asked for at once."""
        for visit in islice(waiting, self._site.fetch.per_host - 1):
            if len(self._nodes) + len(self._begun) >= self._site.fetch.max_documents:
                return
            identity = _identity(visit.url)
            if not identity or identity in self._nodes or identity in self._begun:
                continue
            begun = self._around.readers.read_ahead(self._errand(visit.url))
            if begun is None:
                return
            self._begun[identity] = begun

    def _drop_begun(self) -> None:
        for parts in self._begun.values():
            parts.close()
        self._begun.clear()

    # ------------------------------------------------------------ what it names

    def _children_to_read(self, visit: Visit, node: Node) -> list[Visit]:
        if node.kind is not DocumentKind.INDEX:
            return []
        if visit.depth >= self._site.fetch.max_depth:
            self._complete = False
            message = f"more than {self._site.fetch.max_depth} levels of indexes"
            self._note("index-too-deep", visit.url, message)
            return []
        self._report_cycle(visit, node)
        children = [child for child in node.children if self._in_scope(visit, child)]
        self._around.readers.expect(sum(not self._look.remembered(one) for one in children))
        return [Visit(child, visit.depth + 1) for child in children]

    def _report_cycle(self, visit: Visit, node: Node) -> None:
        if urls.same(visit.url, node.children):
            message = "the index lists itself"
            self._note("index-self-reference", visit.url, message)

    def _in_scope(self, visit: Visit, child: str) -> bool:
        if self._scope.holds(child, beside=visit.url):
            return True
        self._skipped["foreign-sitemap"] += 1
        message = f"{child} lies on a host that is not ours and does not name it in robots.txt"
        self._note("foreign-sitemap", visit.url, message)
        return False

    # ------------------------------------------------------------ summing up

    def _root_look(self, root: str) -> RootLook:
        return trees.root_look(root, self._nodes)

    def _note(self, code: str, where: str, message: str) -> None:
        self._findings.append(Finding(code, trees.TREE_IDS[code].severity, where, message))


def walk_site(
    site: Site, look: Look, around: Surroundings, *, with_robots: bool = True
) -> SiteLook:
    """Walk all trees of the site into `look` and say what was seen."""
    return SiteWalk(site, look, around).walk(with_robots=with_robots)


def _identity(url: str) -> str:
    """The normal form; empty when there is none."""
    try:
        return urls.normalize(url)
    except urls.BadUrl:
        return ""
