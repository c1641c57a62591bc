"""What a run makes of an audit: the site is not told, or it is only said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from submitter.core.audit.rules import RULES
from submitter.core.audit.stored import StoredAudit
from submitter.core.audit.switches import weigh
from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.fleet import OnRun, Site
from submitter.core.looks import SiteLook

HOLD_IDS: Final = {
    "audit-errors": Meaning(
        Severity.ERROR,
        "the last audit, or this look, found errors, and the inventory's `audit.on_run` minds",
    ),
}
"""Ids of findings by which an audit holds a site, for the docs. They only grow."""
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class AuditWord:
    """`holds` are reasons not to tell the site, `notes` are only said."""

    holds: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()


def word_of_audit(site: Site, look: SiteLook | None, stored: StoredAudit | None) -> AuditWord:
    """Of the last audit counts what only an audit finds; what reading finds is in this look."""
    rule = site.audit
    if look is None or rule.on_run is OnRun.OFF:
        return AuditWord()
    audited = [one for one in (stored.findings if stored else ()) if one.id in RULES]
    now = [*look.findings, *(one for reading in look.readings for one in reading.findings)]
    errors = [
        one for one in weigh((*audited, *now), rule).findings if one.severity is Severity.ERROR
    ]
    if not errors:
        return AuditWord()
    if rule.on_run is OnRun.REFUSE:
        return AuditWord(holds=(_finding(site, errors, Severity.ERROR),))
    return AuditWord(notes=(_finding(site, errors, Severity.WARNING),))


def words_of_audits(
    sites: Sequence[Site], looks: Mapping[str, SiteLook], stored: Mapping[str, StoredAudit]
) -> Mapping[str, AuditWord]:
    return {
        site.origin: word_of_audit(site, looks.get(site.origin), stored.get(site.origin))
        for site in sites
    }


def _finding(site: Site, errors: Sequence[Finding], severity: Severity) -> Finding:
    counts: Counter[str] = Counter()
    for one in errors:
        counts[one.id] += one.count
    named = ", ".join(f"{id} ({count:,})" for id, count in counts.most_common(_NAMED))
    more = f" and {len(counts) - _NAMED} more" if len(counts) > _NAMED else ""
    message = f"errors of the audit: {named}{more}; see `submitter audit --site {site.host}`"
    return Finding("audit-errors", severity, site.origin, message, len(counts))
