"""Further parts of a ledger, each for one story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from submitter.core.checklist import Item
from submitter.core.inspection import Inspected, ListedPage
from submitter.core.sights import Sight
from submitter.core.standing import Candidate
from submitter.ports.ledger import Lease


@runtime_checkable
class InspectionBook(Protocol):
    """The part of a ledger that remembers what engines said of single pages."""

    def listed_pages(self, sites: Sequence[str]) -> Iterator[ListedPage]:
        """Every page that these sites list now (none that is missing, gone or only named by
        hand), each once, in any order, streamed: the ledger is not held while they are read."""

    def record_inspections(self, lease: Lease, inspected: Sequence[Inspected]) -> None:
        """Keep these answers beside all earlier ones, in one transaction."""

    def inspections(self, account: str, *, since: datetime) -> list[Inspected]:
        """What was recorded of this account's pages from then on, oldest first."""


@runtime_checkable
class SightBook(Protocol):
    """The part of a ledger that remembers what stuck sitemaps looked like to us."""

    def record_sights(self, lease: Lease, sights: Sequence[Sight]) -> None:
        """Keep these, each in the place of the earlier one of its site, address and agent. Their
        `links` are not kept."""

    def sights(self, sites: Sequence[str] | None = None) -> list[Sight]:
        """The newest of each site, address and agent, by these; of all sites when None."""


class ChecklistBook(Protocol):
    """What is handed in by hand, remembered. One item for each engine, site and address."""

    def items(self, engine: str, site: str) -> list[Item]:
        """All of them, retired ones included, in any order."""

    def save(self, items: Sequence[Item]) -> None:
        """Add these, or put them in the place of those with the same engine, site and address.
        All or none."""


@runtime_checkable
class ManualBook(ChecklistBook, Protocol):
    """The part of a ledger that serves what is done by hand."""

    def every_item(self) -> list[Item]:
        """Of all engines and sites, by engine, site and address."""

    def gone_pages(self, site: str, *, limit: int) -> list[Candidate]:
        """Pages that left the site's sitemaps for good, those that went last before others."""
