"""The doors between the use cases and the outside. The contract stands in the docstrings.

Implementations live in `engines/`, `sources/`, `ledger/`; one contract suite runs over all
implementations of a port. Only `wiring` knows which one is behind a door.
"""

from submitter.ports.books import ChecklistBook, InspectionBook, ManualBook, SightBook
from submitter.ports.engines import DomainOwnership, Engine, Inspector, Permits, QuotaReader
from submitter.ports.ledger import Lease, Ledger, LogFilter
from submitter.ports.looks import DocumentResult, DocumentSink, Look, LookResult
from submitter.ports.publishing import Edition, FamilyDraft, SitemapFolder
from submitter.ports.sources import Fetched, Source
from submitter.ports.surroundings import Clock, Progress, Secret, Secrets

__all__ = [
    "ChecklistBook",
    "Clock",
    "DocumentResult",
    "DocumentSink",
    "DomainOwnership",
    "Edition",
    "Engine",
    "FamilyDraft",
    "Fetched",
    "InspectionBook",
    "Inspector",
    "Lease",
    "Ledger",
    "LogFilter",
    "Look",
    "LookResult",
    "ManualBook",
    "Permits",
    "Progress",
    "QuotaReader",
    "Secret",
    "Secrets",
    "SightBook",
    "SitemapFolder",
    "Source",
]
