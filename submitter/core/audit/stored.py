"""An audit of one site as it is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from submitter.core.audit.honesty import Trust
from submitter.core.findings import Finding


@dataclass(frozen=True, slots=True)
class AuditPart:
    """What was counted, beside the findings, for the part that goes on."""

    details: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By id of a finding about pages, how often each detail of it was met."""
    verdicts: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """What was seen of each document's dates, in the order of `honesty.Dates`."""


@dataclass(frozen=True, slots=True)
class StoredAudit:
    """`finished_at` None: it was stopped, and can go on. `chosen` is which pages were wanted, as
    the command line says it; `findings` have the severity of the site's own switches."""

    site: str
    started_at: datetime
    finished_at: datetime | None
    chosen: str
    checked: int = 0
    findings: tuple[Finding, ...] = ()
    trusts: tuple[Trust, ...] = ()
    part: AuditPart | None = None
    """Only of an audit that was stopped."""
