"""The audit of one site, as reports are made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from submitter.core.audit.delivery import Delivery
from submitter.core.audit.honesty import Trust, Verdict
from submitter.core.audit.switches import weigh
from submitter.core.findings import Finding
from submitter.core.fleet import AuditRule
from submitter.core.looks import DocumentReading, SiteLook


@dataclass(frozen=True, slots=True)
class SiteAudit:
    """Findings have the severity that counts for the site: those of a document stand with its
    reading in the look, the others here. `off` counts those that the site switched off, by id."""

    site: str
    look: SiteLook
    findings: tuple[Finding, ...]
    off: Mapping[str, int]
    chosen: str
    """Which pages were wanted: `none`, `sample:N` or `all`."""
    checked: int = 0
    """Pages that were asked for."""
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)
    trusts: tuple[Trust, ...] = ()
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    started_at: datetime | None = None
    unfinished: bool = False
    """The deadline came first; `--resume` goes on."""

    def every_finding(self) -> tuple[Finding, ...]:
        of_documents = (one for reading in self.look.readings for one in reading.findings)
        return (*self.findings, *of_documents)


def sum_up(
    look: SiteLook, more: Iterable[Finding], rule: AuditRule
) -> tuple[SiteLook, tuple[Finding, ...], Mapping[str, int]]:
    """The look with its documents' findings weighed, the site's own findings, and what was
    switched off. `more` goes to its document where it has one."""
    by_document: dict[str, list[Finding]] = {reading.url: [] for reading in look.readings}
    of_site = list(look.findings)
    for finding in more:
        by_document.get(document_of(finding, by_document), of_site).append(finding)
    off: dict[str, int] = {}
    readings = tuple(
        _weighed(reading, by_document[reading.url], rule, off) for reading in look.readings
    )
    weighed = weigh(of_site, rule)
    _add(off, weighed.off)
    return replace(look, readings=readings, findings=weighed.findings), weighed.findings, off


def document_of(finding: Finding, documents: Iterable[str] | Mapping[str, object]) -> str:
    """The address it is about, without the line; empty when it is none of these."""
    where = finding.where.partition(" line ")[0]
    return where if where in documents else ""


def _weighed(
    reading: DocumentReading, more: Sequence[Finding], rule: AuditRule, off: dict[str, int]
) -> DocumentReading:
    weighed = weigh((*reading.findings, *more), rule)
    _add(off, weighed.off)
    return replace(reading, findings=weighed.findings)


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for id, count in more.items():
        total[id] = total.get(id, 0) + count
