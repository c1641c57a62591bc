"""An audit of one site as it is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from submitter.core.audit.honesty import Trust
from submitter.core.findings import Finding


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
