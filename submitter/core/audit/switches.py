"""A site's own word on severities, and what was known before: nothing is dropped unsaid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from submitter.core.audit.rules import STRICTER
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import AuditRule

_PLACE: Final = re.compile(r" line \d+$").sub


@dataclass(frozen=True, slots=True)
class Weighed:
    """Findings with the severity that counts. `off` counts those switched off, by id."""

    findings: tuple[Finding, ...]
    off: Mapping[str, int]


def weigh(findings: Iterable[Finding], rule: AuditRule) -> Weighed:
    """What the site says goes before what an audit thinks, and that before the finding's own."""
    kept: list[Finding] = []
    off: Counter[str] = Counter()
    for finding in findings:
        if finding.id in rule.off:
            off[finding.id] += finding.count
        else:
            kept.append(replace(finding, severity=severity_of(finding, rule)))
    return Weighed(tuple(kept), dict(off))


def severity_of(finding: Finding, rule: AuditRule) -> Severity:
    if finding.id in rule.errors:
        return Severity.ERROR
    if finding.id in rule.warnings:
        return Severity.WARNING
    return STRICTER.get(finding.id, finding.severity)


Baseline = Mapping[tuple[str, str], int]
"""(id, place without its line) → how many there were when it was written down."""


def key_of(finding: Finding) -> tuple[str, str]:
    return (finding.id, _PLACE("", finding.where))


def baseline_of(findings: Iterable[Finding]) -> dict[tuple[str, str], int]:
    """What is known from now on. Several findings at one place count together."""
    counts: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        counts[key_of(finding)] += finding.count
    return dict(sorted(counts.items()))


GROWTH: Final = 2
"""A known finding that has grown to more than so many times its number is new again."""


def split_known(
    findings: Iterable[Finding], baseline: Baseline
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Those that are new, and those that are known."""
    all_of_them = tuple(findings)
    counts = baseline_of(all_of_them)
    known = {
        key for key, count in counts.items() if key in baseline and count <= GROWTH * baseline[key]
    }
    return (
        tuple(one for one in all_of_them if key_of(one) not in known),
        tuple(one for one in all_of_them if key_of(one) in known),
    )
