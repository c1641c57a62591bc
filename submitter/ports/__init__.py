"""The doors between the use cases and the outside. The contract stands in the docstrings.

Implementations live in `engines/`, `sources/`, `ledger/`; one contract suite runs over all
implementations of a port. Only `wiring` knows which one is behind a door.
"""

from submitter.ports.books import (
    AlarmBook,
    AuditBook,
    ChecklistBook,
    EvidenceBook,
    InspectionBook,
    ManualBook,
    SightBook,
    WorkBook,
)
from submitter.ports.crawls import CrawlBook, CrawlIntake, CrawlSums
from submitter.ports.engines import DomainOwnership, Engine, Inspector, Permits, QuotaReader
from submitter.ports.ledger import Lease, Ledger, LogFilter
from submitter.ports.looks import DocumentResult, DocumentSink, Look, LookResult
from submitter.ports.publishing import (
    Edition,
    EntryPile,
    FamilyDraft,
    PublishList,
    SitemapFolder,
)
from submitter.ports.reports import KeepsReports, ReportBook
from submitter.ports.sources import Fetched, Source
from submitter.ports.surroundings import Clock, Progress, Secret, Secrets, Webhook

__all__ = [
    "AlarmBook",
    "AuditBook",
    "ChecklistBook",
    "Clock",
    "CrawlBook",
    "CrawlIntake",
    "CrawlSums",
    "DocumentResult",
    "DocumentSink",
    "DomainOwnership",
    "Edition",
    "Engine",
    "EntryPile",
    "EvidenceBook",
    "FamilyDraft",
    "Fetched",
    "InspectionBook",
    "Inspector",
    "KeepsReports",
    "Lease",
    "Ledger",
    "LogFilter",
    "Look",
    "LookResult",
    "ManualBook",
    "Permits",
    "Progress",
    "PublishList",
    "QuotaReader",
    "ReportBook",
    "Secret",
    "Secrets",
    "SightBook",
    "SitemapFolder",
    "Source",
    "Webhook",
    "WorkBook",
]
