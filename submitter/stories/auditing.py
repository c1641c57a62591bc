"""The audit of some sites, side by side, with what engines and crawlers are known to have read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final

from submitter.core.accounting import ExitCode
from submitter.core.audit.outcome import SiteAudit
from submitter.core.audit.rules import found
from submitter.core.audit.stored import StoredAudit
from submitter.core.audit.switches import Baseline, split_known
from submitter.core.building.leaks import Parameters
from submitter.core.building.publicity import Publicity
from submitter.core.findings import MAX_EXAMPLES, Finding, Severity
from submitter.core.fleet import Site
from submitter.core.looks import SiteLook
from submitter.core.records import SitemapStatus
from submitter.looking.audit.listing import PageChoice
from submitter.looking.audit.published import PublishedPages
from submitter.looking.audit.site import AuditOrder, audit_site
from submitter.looking.walk import Surroundings
from submitter.ports import AuditBook, CrawlBook, Ledger, Progress, PublishList

SIDE_BY_SIDE: Final = 8
"""Sites audited at once; within one, politeness says how many pages."""
LOOK_BACK: Final = timedelta(days=90)
"""So much of what access logs say counts."""
TOLERANCE: Final = 0.02
"""An engine may count so much more or less than we do: pages come and go between two looks."""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What to audit. `ledger` None: nothing is remembered. `local`: see `AuditOrder`."""

    sites: Sequence[Site]
    choice: PageChoice = PageChoice()
    ledger: Ledger | None = None
    resume: bool = False
    local: str = ""
    wanted: PublishList | None = None
    """What should be listed."""
    parameters: Parameters = Parameters()
    """Those by which a page of that list is not."""
    baseline: Baseline = field(default_factory=dict)
    fail_on: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What came of it, site by site. Findings that the baseline knows decide nothing."""

    audits: tuple[SiteAudit, ...]
    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    fail_on: Severity
    unaudited: tuple[str, ...] = ()
    """Sites that the deadline left out."""

    @property
    def unfinished(self) -> bool:
        return bool(self.unaudited) or any(audit.unfinished for audit in self.audits)

    @property
    def exit_code(self) -> ExitCode:
        """6 work is left · 4 something new is as bad as `fail_on` or worse · 0 all is well."""
        if self.unfinished:
            return ExitCode.DEADLINE
        bad = any(_as_bad(one.severity, self.fail_on) for one in self.new)
        return ExitCode.PARTIAL if bad else ExitCode.OK


_ORDER: Final = (Severity.INFO, Severity.WARNING, Severity.ERROR)


def _as_bad(severity: Severity, limit: Severity) -> bool:
    return _ORDER.index(severity) >= _ORDER.index(limit)


def audit_fleet(request: AuditRequest, around: Surroundings, progress: Progress) -> AuditReport:
    """Audit every site. Raises LedgerError, and what a publish list raises that cannot be read; all
    that sites do wrong is in the report."""
    with ExitStack() as until_the_end:
        published = _published(request)
        if published is not None:
            until_the_end.enter_context(closing(published))
        return _audit_all(request, published, around, progress)


def _published(request: AuditRequest) -> PublishedPages | None:
    if request.wanted is None or not request.sites:
        return None
    publicity = Publicity(request.parameters)
    return PublishedPages.read(request.wanted, publicity, told_at=request.sites[0].origin)


def _audit_all(
    request: AuditRequest,
    published: PublishedPages | None,
    around: Surroundings,
    progress: Progress,
) -> AuditReport:
    statuses = _statuses(request)
    steps = threading.Lock()

    def advance() -> None:
        with steps:
            progress.advance()

    def audit(site: Site) -> SiteAudit | None:
        if _out_of_time(around):
            return None
        order = _order(site, request, statuses, advance)
        return audit_site(replace(order, published=published), around)

    progress.start("auditing pages", None)
    try:
        with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="audit") as pool:
            audits = list(pool.map(audit, request.sites))
    finally:
        progress.stop()
    return _report(request, audits)


def _report(request: AuditRequest, audits: Sequence[SiteAudit | None]) -> AuditReport:
    done = tuple(audit for audit in audits if audit is not None)
    left = [site.origin for site, one in zip(request.sites, audits, strict=True) if one is None]
    findings = [finding for audit in done for finding in audit.every_finding()]
    new, known = split_known(findings, request.baseline)
    return AuditReport(done, new, known, request.fail_on, tuple(left))


def _out_of_time(around: Surroundings) -> bool:
    until = around.until
    return around.stopped() or (until is not None and around.clock.monotonic() >= until)


def _order(
    site: Site,
    request: AuditRequest,
    statuses: Mapping[str, Sequence[SitemapStatus]],
    advance: Callable[[], None],
) -> AuditOrder:
    book = _book_of(request.ledger)
    before = book.unfinished_audit(site.origin) if book and request.resume else None

    def compare(look: SiteLook) -> list[Finding]:
        engines = _engines_word(look, statuses.get(site.origin, ()))
        crawls = _crawls_of(request.ledger)
        today = look.at.date()
        return [*engines, *(_crawlers_word(site.origin, crawls, today) if crawls else ())]

    return AuditOrder(
        site,
        choice=request.choice,
        book=book,
        local=request.local,
        before=before if _goes_on(before, request) else None,
        compare=compare,
        advance=advance,
    )


def _book_of(ledger: Ledger | None) -> AuditBook | None:
    return ledger if isinstance(ledger, AuditBook) else None


def _crawls_of(ledger: Ledger | None) -> CrawlBook | None:
    return ledger if isinstance(ledger, CrawlBook) else None


def _goes_on(before: StoredAudit | None, request: AuditRequest) -> bool:
    """Only the audit of the same choice of pages can go on, and one that says where it is."""
    return before is not None and before.part is not None and before.chosen == str(request.choice)


# ---------------------------------------------------------------- what engines have read


def _statuses(request: AuditRequest) -> Mapping[str, Sequence[SitemapStatus]]:
    by_site: dict[str, list[SitemapStatus]] = {}
    if request.ledger is not None:
        for row in request.ledger.statuses([site.origin for site in request.sites]):
            by_site.setdefault(row.site, []).append(row)
    return by_site


def _engines_word(look: SiteLook, statuses: Sequence[SitemapStatus]) -> Iterator[Finding]:
    """An engine's own count of a sitemap's pages against ours."""
    ours = {root.sitemap: root.pages for root in look.roots if root.readable}
    for row in statuses:
        counted = row.check.urls_submitted if row.check else None
        if counted is None or row.sitemap not in ours or row.check is None:
            continue
        pages = ours[row.sitemap]
        if abs(counted - pages) <= TOLERANCE * pages:
            continue
        read = row.check.last_downloaded
        when = f"read {read:%Y-%m-%d}" if read else "when it read it is unknown"
        detail = f"{row.account} counts {counted:,}, we count {pages:,}; {when}"
        yield found("engine-counts-otherwise", row.sitemap, detail, examples=(row.sitemap,))


def _crawlers_word(site: str, book: CrawlBook, today: date) -> Iterator[Finding]:
    """What access logs say, against what the site listed at the last run."""
    days = book.crawl_days([site], since=today - LOOK_BACK, until=today)
    if not days:
        yield found("no-crawler-data", site)
        return
    sections = [one for one in book.coverage(site) if not one.crawler]
    listed, never = sum(one.listed for one in sections), sum(one.never or 0 for one in sections)
    if never:
        detail = f"{never:,} of {listed:,} listed at the last run"
        examples = book.never_crawled(site, limit=MAX_EXAMPLES)
        yield found("listed-not-crawled", site, detail, count=never, examples=examples)
    hits = sum(one.genuine for one in days)
    if strays := sum(one.unlisted_hits or 0 for one in days):
        detail = f"{strays:,} of {hits:,} fetches in {LOOK_BACK.days} days"
        yield found("crawled-not-listed", site, detail, count=strays)


# ---------------------------------------------------------------- a file of this machine


def named_report(
    report: AuditReport,
    baseline: Baseline,
    *,
    named: Callable[[SiteLook], SiteLook],
    name_of: Callable[[str], str],
) -> AuditReport:
    """The report with a file's own name in place of the address we gave it."""
    audits = tuple(
        replace(
            audit,
            site=name_of(audit.site),
            look=named(audit.look),
            findings=tuple(_renamed(one, name_of) for one in audit.findings),
            trusts=tuple(replace(one, document=name_of(one.document)) for one in audit.trusts),
            deliveries={name_of(url): one for url, one in audit.deliveries.items()},
        )
        for audit in report.audits
    )
    findings = [finding for audit in audits for finding in audit.every_finding()]
    new, known = split_known(findings, baseline)
    return replace(report, audits=audits, new=new, known=known)


def _renamed(finding: Finding, name_of: Callable[[str], str]) -> Finding:
    document, mark, line = finding.where.partition(" line ")
    return replace(finding, where=f"{name_of(document)}{mark}{line}")
