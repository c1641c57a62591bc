"""What `audit` prints as JSON: `flatten`'s document, and what only an audit knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict, cast

from submitter.core.audit.delivery import Delivery
from submitter.core.audit.outcome import SiteAudit
from submitter.core.audit.rules import next_step
from submitter.core.audit.switches import key_of
from submitter.core.findings import Finding, Severity
from submitter.core.looks import DocumentReading
from submitter.core.summary import timestamp
from submitter.render.documents import FindingDoc, ReadingDoc
from submitter.render.shapes import finding_doc, reading_doc
from submitter.stories.auditing import AuditReport


class AuditFindingDoc(FindingDoc):
    next_step: str | None
    known: bool
    """The baseline has it, so it decides nothing."""


class DeliveryDoc(TypedDict):
    content_type: str
    """Lower case, without parameters; empty when the site does not say."""
    bytes: int
    etag: str | None
    """The header as it came; null: it did not."""
    last_modified: str | None
    """The header as it came; null: it did not."""
    cache_control: str | None
    """The header as it came; null: it did not."""
    robots_tag: str | None
    """X-Robots-Tag of the sitemap itself."""
    waited_s: float
    """Seconds until the answer began."""


class TrustDoc(TypedDict):
    checked: int
    """Pages of it whose date could be judged."""
    borne_out: int
    """Those whose date was borne out."""
    share: float | None
    """The second by the first; null: nothing was checked."""


class AuditReadingDoc(ReadingDoc):
    site: str
    audit_findings: list[AuditFindingDoc]
    """`findings` again, with the next step of each."""
    delivery: DeliveryDoc | None
    """How it was served; null: it did not come."""
    trust: TrustDoc | None
    """Null: none of its pages was looked at."""


class AuditSummaryDoc(TypedDict):
    errors: int
    warnings: int
    infos: int
    """Number of remarks."""
    known: int
    """Findings of any severity that the baseline has."""
    switched_off: int
    """What sites switched off, counted where it was met."""


class AuditSiteDoc(TypedDict):
    site: str
    started_at: str | None
    """When it began; an audit that went on keeps its beginning."""
    finished: bool
    """False: the deadline came first; `--resume` goes on."""
    documents: int
    """Sitemap files that were read."""
    pages: int
    """Different pages that they list."""
    chosen: str
    """Which pages were wanted: `none`, `sample:N` or `all`."""
    checked: int
    """Pages that were asked for."""
    verdicts: dict[str, int]
    """What was said of lastmods → pages."""
    switched_off: dict[str, int]
    """Id of a finding that the site switched off → how many there were."""


class AuditDoc(TypedDict):
    documents: list[AuditReadingDoc]
    """The sitemap files of all sites, in the order they were read."""
    pages: int
    """Different pages of each site, added up."""
    findings: list[AuditFindingDoc]
    summary: AuditSummaryDoc
    """Over all findings, those of documents included."""
    sites: list[AuditSiteDoc]
    """One for each site."""
    unaudited: list[str]
    """Sites that the deadline left out."""
    exit_code: int


def audit_doc(report: AuditReport, *, exit_code: int) -> AuditDoc:
    known = {key_of(one) for one in report.known}
    audits = report.audits
    return {
        "documents": [
            _reading_doc(audit, reading, known)
            for audit in audits
            for reading in audit.look.readings
        ],
        "pages": sum(audit.look.listed for audit in audits),
        "findings": [audit_finding_doc(one, known) for audit in audits for one in audit.findings],
        "summary": _summary(report),
        "sites": [_site_doc(audit) for audit in audits],
        "unaudited": list(report.unaudited),
        "exit_code": exit_code,
    }


def audit_finding_doc(finding: Finding, known: Iterable[tuple[str, str]]) -> AuditFindingDoc:
    is_known = key_of(finding) in known
    return {**finding_doc(finding), "next_step": next_step(finding.id), "known": is_known}


def _reading_doc(
    audit: SiteAudit, reading: DocumentReading, known: Iterable[tuple[str, str]]
) -> AuditReadingDoc:
    trust = {one.document: one for one in audit.trusts}.get(reading.url)
    served = audit.deliveries.get(reading.url)
    more: Mapping[str, object] = {
        "site": audit.site,
        "audit_findings": [audit_finding_doc(one, known) for one in reading.findings],
        "delivery": _delivery_doc(served) if served and not served.local else None,
        "trust": {
            "checked": trust.checked,
            "borne_out": trust.borne_out,
            "share": None if trust.share is None else round(trust.share, 3),
        }
        if trust
        else None,
    }
    return cast(AuditReadingDoc, {**reading_doc(reading), **more})


def _delivery_doc(served: Delivery) -> DeliveryDoc:
    return {
        "content_type": served.content_type,
        "bytes": served.size,
        "etag": served.validators.etag,
        "last_modified": served.validators.last_modified,
        "cache_control": served.cache_control or None,
        "robots_tag": ", ".join(served.robots_tags) or None,
        "waited_s": round(served.waited_s, 3),
    }


def _summary(report: AuditReport) -> AuditSummaryDoc:
    severities = [one.severity for audit in report.audits for one in audit.every_finding()]
    return {
        "errors": severities.count(Severity.ERROR),
        "warnings": severities.count(Severity.WARNING),
        "infos": severities.count(Severity.INFO),
        "known": len(report.known),
        "switched_off": sum(sum(audit.off.values()) for audit in report.audits),
    }


def _site_doc(audit: SiteAudit) -> AuditSiteDoc:
    return {
        "site": audit.site,
        "started_at": timestamp(audit.started_at),
        "finished": not audit.unfinished,
        "documents": len(audit.look.readings),
        "pages": audit.look.listed,
        "chosen": audit.chosen,
        "checked": audit.checked,
        "verdicts": {str(verdict): count for verdict, count in audit.verdicts.items() if count},
        "switched_off": dict(sorted(audit.off.items())),
    }
