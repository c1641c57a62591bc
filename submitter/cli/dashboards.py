"""What the report's page and the live dashboard are made from."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from submitter.errors import LedgerError

if TYPE_CHECKING:
    from submitter.core.report import Report
    from submitter.core.selection import Selection
    from submitter.ports import ReportBook
    from submitter.wiring import Wiring


def report_book(parts: Wiring) -> ReportBook:
    """Raises LedgerError."""
    from submitter.ports import KeepsReports

    if not isinstance(parts.ledger, KeepsReports):
        raise LedgerError("ledger: it cannot be added up for a dashboard")
    return parts.ledger.reports


def gather_report(parts: Wiring, selection: Selection, now: datetime) -> Report:
    """Raises LedgerError."""
    from submitter.stories.reporting import Scope, gather
    from submitter.wiring import TRAITS

    surveys = {name: survey for name, (survey, _) in parts.ledger.surveys().items()}
    scope = Scope(
        parts.fleet,
        TRAITS,
        lambda target: parts.property_of(target, surveys.get(target.account.name)),
        selection,
    )
    return gather(parts.ledger, report_book(parts), scope, now=now)
