"""A site on paper with a ledger in a file, and its audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paper_web import PaperWeb, Sheet, document, entry, page, urlset

from submitter.core.audit.outcome import SiteAudit
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import AuditRule, FetchRules, Site
from submitter.kit.progress import NoProgress
from submitter.ledger import open_ledger
from submitter.ledger.ledger import SqlLedger
from submitter.looking.audit.listing import PageChoice
from submitter.looking.audit.site import AuditOrder, audit_site
from submitter.looking.walk import Surroundings
from submitter.stories.auditing import AuditReport, AuditRequest, audit_fleet
from support.twins import HandClock

S = "https://shop.example"
MAP = f"{S}/sitemap.xml"
ROBOTS = f"{S}/robots.txt"
SITE = Site("shop.example", sitemaps=(MAP,), fetch=FetchRules(per_host=4))
SAMPLE = PageChoice()
CRAWLERS = ("Googlebot", "bingbot")


def web(*pages: str, lastmod: str = "2026-11-20", robots: str = "", **more: Sheet) -> PaperWeb:
    """A site in good order: a declared sitemap and its pages, each with a text of its own."""
    del more
    sheets = {f"{S}/{name}": page(title=f"Page {name}") for name in pages}
    sheets[MAP] = document(urlset(*(entry(f"{S}/{name}", lastmod) for name in pages)))
    sheets[ROBOTS] = Sheet(f"{robots}\nSitemap: {MAP}\n".encode(), content_type="text/plain")
    return PaperWeb(sheets)


def around(source: PaperWeb, until: float | None = None) -> Surroundings:
    return Surroundings(source=source, clock=source.clock, crawlers=CRAWLERS, until=until)


def audit(source: PaperWeb, *, site: Site = SITE, rule: AuditRule | None = None) -> SiteAudit:
    """Without a memory."""
    chosen = site if rule is None else replace(site, audit=rule)
    return audit_site(AuditOrder(chosen), around(source))


def audit_again(
    source: PaperWeb,
    ledger: SqlLedger,
    *,
    choice: PageChoice = SAMPLE,
    until: float | None = None,
    resume: bool = False,
    site: Site = SITE,
) -> AuditReport:
    """With a memory; time passes before it."""
    clock = source.clock
    assert isinstance(clock, HandClock)
    clock.move(hours=1)
    request = AuditRequest((site,), choice=choice, ledger=ledger, resume=resume)
    return audit_fleet(request, around(source, until), NoProgress())


def ledger_in(folder: Path) -> SqlLedger:
    ledger = open_ledger(f"sqlite:///{folder}/ledger.db", is_dead=lambda owner: False)
    assert isinstance(ledger, SqlLedger)
    return ledger


def ids(audited: SiteAudit | AuditReport) -> dict[str, int]:
    """Id → how many, without the remark that there are no access logs."""
    audits = audited.audits if isinstance(audited, AuditReport) else (audited,)
    findings = [one for audit in audits for one in audit.every_finding()]
    return {one.id: one.count for one in findings if one.id != "no-crawler-data"}


def the(audited: SiteAudit, id: str) -> Finding:
    (finding,) = [one for one in audited.every_finding() if one.id == id]
    assert isinstance(finding.severity, Severity)
    return finding
