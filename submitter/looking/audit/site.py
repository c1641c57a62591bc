"""The audit of one site: walk its sitemaps, judge how they are served, visit their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime

from submitter.core import urls
from submitter.core.audit.delivery import Delivery, judge_delivery
from submitter.core.audit.honesty import PageMemory, Verdict
from submitter.core.audit.languages import SiteLinks
from submitter.core.audit.listed import judge_document, judge_index
from submitter.core.audit.outcome import SiteAudit, sum_up
from submitter.core.audit.pages import TOO_FAST, Tally
from submitter.core.audit.rules import found
from submitter.core.audit.stored import AuditPart, StoredAudit
from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import DocumentKind, SiteLook
from submitter.core.robots import Robots, parse_robots
from submitter.core.trees import TREE_IDS
from submitter.errors import FetchError
from submitter.looking.audit.documents import ask_again, show_to_crawlers
from submitter.looking.audit.listing import PageChoice, Scope, SiteListing
from submitter.looking.audit.page import PageEyes
from submitter.looking.audit.published import PublishedPages
from submitter.looking.audit.visiting import PageRound, Visits
from submitter.looking.audit.watching import WatchedSource
from submitter.looking.flatten import flatten
from submitter.looking.reading import SoleReader
from submitter.looking.walk import ROBOTS_BYTES, Surroundings
from submitter.ports import AuditBook

Compare = Callable[[SiteLook], Sequence[Finding]]
"""What else is known of a site, held against what its sitemaps list."""


@dataclass(frozen=True, slots=True)
class AuditOrder:
    """What to audit of a site, and how. `local` is the address that stands for a file of this
    machine. `before`: the unfinished audit to go on with."""

    site: Site
    choice: PageChoice = PageChoice()
    book: AuditBook | None = None
    local: str = ""
    before: StoredAudit | None = None
    published: PublishedPages | None = None
    compare: Compare = lambda look: ()
    advance: Callable[[], None] = field(default=lambda: None)


def audit_site(order: AuditOrder, around: Surroundings) -> SiteAudit:
    """Raises LedgerError only: what the site does wrong is in the findings."""
    return _Audit(order, around).run()


class _Audit:
    def __init__(self, order: AuditOrder, around: Surroundings) -> None:
        self._order, self._site, self._around = order, order.site, around
        self._links = SiteLinks(order.site.origin)
        self._source = WatchedSource(around.source, around.clock, self._links, local=order.local)
        before = order.before
        self._started_at = before.started_at if before else around.clock.now()
        self._visits = Visits(Tally(self._site.origin))
        if before is not None:
            self._recall(before)

    def _recall(self, before: StoredAudit) -> None:
        """What the earlier parts met counts as if this one had."""
        part, tally = before.part or AuditPart(), self._visits.tally
        languages = self._order.book.named_languages(before) if self._order.book else {}
        tally.recall(before.checked, part.details, before.findings, languages)
        self._visits.honesty.recall(part.verdicts, part.documents, before.findings)

    def run(self) -> SiteAudit:
        robots, robots_findings = self._read_robots()
        with closing(SiteListing(self._order.choice)) as listing:
            watched = replace(self._around, source=self._source, readers=SoleReader())
            look = flatten(self._site, watched, keep=listing.keep)
            served = {url: one.delivery() for url, one in self._source.watched.items()}
            more = list(robots_findings)
            vouched = self._is_vouched_for(robots)
            more += self._judge_documents(look, served, listing, vouched=vouched)
            if robots is not None:
                more += self._judge_declaration(look, robots)
            more += self._judge_served(look, served)
            more += listing.listings.findings(self._site.origin)
            more += self._links.findings(listing.listings, whole=self._is_whole(look))
            if self._order.published is not None:
                more += self._order.published.compare(listing.listings, self._site.origin)
            more += self._order.compare(look)
            self._visit(robots, listing)
        return self._summed_up(look, more, served)

    # ------------------------------------------------------------ documents

    def _read_robots(self) -> tuple[Robots | None, tuple[Finding, ...]]:
        """None: it cannot be had now, so nobody knows what may be fetched (RFC 9309)."""
        url = f"{self._site.origin}/robots.txt"
        body = bytearray()
        try:
            with self._around.source.fetch(
                url, site=self._site, until=self._around.until
            ) as answer:
                for chunk in answer.chunks():
                    body += chunk
                    if len(body) > ROBOTS_BYTES:
                        break
        except FetchError as error:
            status = error.http_status
            if status is not None and 400 <= status < 500 and status not in TOO_FAST:
                return parse_robots(b"", url=url), ()
            if self._order.local or self._site.sitemaps is None:
                return None, ()  # nobody asked for the site, or the walk says it
            severity, text = TREE_IDS["robots-unreachable"]
            return None, (Finding("robots-unreachable", severity, url, text),)
        robots = parse_robots(bytes(body), url=url)
        return robots, () if self._site.sitemaps is None else robots.findings

    def _is_vouched_for(self, robots: Robots | None) -> bool:
        """robots.txt names what the audit begins with, so its pages may lie anywhere on the site.
        Of a file of this machine nobody knows where it will lie."""
        roots = self._site.sitemaps
        if roots is None or self._order.local:
            return True
        return robots is not None and any(urls.same(root, robots.sitemaps) for root in roots)

    def _judge_documents(
        self,
        look: SiteLook,
        served: Mapping[str, Delivery],
        listing: SiteListing,
        *,
        vouched: bool,
    ) -> Iterator[Finding]:
        newest = {_identity(url): one.newest for url, one in listing.documents.items()}
        for reading in look.readings:
            watched = self._source.watched.get(reading.url)
            size = served[reading.url].size if reading.url in served else 0
            listed = listing.documents.get(reading.url)
            yield from judge_document(reading, listed, size=size, vouched=vouched)
            if watched is None or reading.kind is None:
                continue
            yield from watched.schema.findings()
            if reading.kind is DocumentKind.INDEX:
                children = watched.schema.children
                yield from judge_index(reading.url, children, newest, now=look.at)

    def _is_whole(self, look: SiteLook) -> bool:
        """Every sitemap was read to its end."""
        urlsets = [one for one in look.readings if one.kind is not DocumentKind.INDEX]
        watched = [self._source.watched.get(one.url) for one in urlsets]
        return not look.unfinished and all(
            reading.complete
            and (reading.kind is not DocumentKind.URLSET or (one and one.schema.whole))
            for reading, one in zip(urlsets, watched, strict=True)
        )

    def _judge_served(self, look: SiteLook, served: Mapping[str, Delivery]) -> Iterator[Finding]:
        documents = {one.url: served[one.url] for one in look.readings if one.url in served}
        for reading in look.readings:
            if reading.url in documents:
                yield from judge_delivery(documents[reading.url], reading.kind)
        if not look.unfinished:
            yield from ask_again(self._site, documents, self._around)
            readings = [one for one in look.readings if one.url != self._order.local]
            yield from show_to_crawlers(self._site, readings, self._around)

    def _judge_declaration(self, look: SiteLook, robots: Robots) -> Iterator[Finding]:
        where = f"{self._site.origin}/robots.txt"
        documents = [one.url for one in look.readings if one.url != self._order.local]
        for crawler in self._around.crawlers:
            closed = [url for url in documents if not robots.allows(crawler, url)]
            if closed:
                count = len(closed)
                yield found("sitemap-disallowed", where, crawler, count=count, examples=closed)
        if self._site.sitemaps is None or self._order.local:
            return
        for root in look.roots:
            named = urls.same(root.sitemap, robots.sitemaps)
            if not named and (root.is_index or not robots.sitemaps):
                yield found("not-declared", where, examples=(root.sitemap,))
        others = [url for url in robots.sitemaps if not urls.same(url, documents)]
        if others:
            yield found("declared-elsewhere", where, count=len(others), examples=others)

    # ------------------------------------------------------------ pages

    def _visit(self, robots: Robots | None, listing: SiteListing) -> None:
        if self._order.choice.scope is Scope.NONE:
            return
        if robots is None:
            unasked = sum(1 for _ in listing.picks())
            if unasked:
                detail = "robots.txt cannot be had"
                self._visits.tally.count("page-not-asked", detail=detail, number=unasked)
            return
        pages = PageRound(
            self._site,
            PageEyes(self._site, robots, self._around),
            self._around,
            book=self._order.book,
            since=self._started_at,
            save=self._save_progress,
            advance=self._order.advance,
        )
        pages.visit(listing.picks(), self._visits)

    def _save_progress(self, visits: Visits, pages: Sequence[PageMemory]) -> None:
        """What a killed audit leaves to the one that goes on."""
        book = self._order.book
        if book is not None:
            stored = self._stored(self._of_pages(visits), None)
            book.save_audit(stored, pages=pages, languages=visits.tally.unsaved_languages())

    def _of_pages(self, visits: Visits) -> list[Finding]:
        return [*visits.tally.findings(), *visits.honesty.findings(self._site.origin)]

    def _stored(self, findings: Sequence[Finding], finished_at: datetime | None) -> StoredAudit:
        return StoredAudit(
            site=self._site.origin,
            started_at=self._started_at,
            finished_at=finished_at,
            chosen=str(self._order.choice),
            checked=self._visits.tally.checked,
            findings=tuple(findings),
            trusts=tuple(self._visits.honesty.trusts()),
            part=self._part() if finished_at is None else None,
        )

    def _part(self) -> AuditPart:
        tally, honesty = self._visits.tally, self._visits.honesty
        verdicts = {str(verdict): count for verdict, count in honesty.verdicts.items()}
        return AuditPart(tally.details(), verdicts, honesty.counted())

    # ------------------------------------------------------------ summing up

    def _summed_up(
        self, look: SiteLook, more: Sequence[Finding], served: Mapping[str, Delivery]
    ) -> SiteAudit:
        visits = self._visits
        of_pages = self._of_pages(visits)
        weighed, findings, off = sum_up(look, [*more, *of_pages], self._site.audit)
        unfinished = look.unfinished or visits.unfinished
        audit = SiteAudit(
            site=self._site.origin,
            look=weighed,
            findings=findings,
            off=off,
            chosen=str(self._order.choice),
            checked=visits.tally.checked,
            verdicts=_verdicts(visits),
            trusts=tuple(visits.honesty.trusts()),
            deliveries=served,
            started_at=self._started_at,
            unfinished=unfinished,
        )
        if self._order.book is not None and not self._order.local:
            finished_at = None if unfinished else self._around.clock.now()
            kept = of_pages if unfinished else audit.every_finding()
            self._order.book.save_audit(self._stored(kept, finished_at))
        return audit


def _verdicts(visits: Visits) -> Mapping[Verdict, int]:
    return {verdict: visits.honesty.verdicts[verdict] for verdict in Verdict}


def _identity(url: str) -> str:
    try:
        return urls.normalize(url)
    except urls.BadUrl:
        return url
