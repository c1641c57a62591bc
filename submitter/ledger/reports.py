"""The ledger's `ports.ReportBook`: each question is a snapshot of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from submitter.core.records import LogRow
from submitter.core.report import (
    BeatSum,
    CallFilter,
    CallSum,
    CallTotals,
    CauseSum,
    CrawlDaySum,
    CrawlSum,
    DocumentLine,
    DocumentTrouble,
    LookLine,
    PageDaySum,
    PageLine,
    RunSum,
    SiteSum,
)
from submitter.ledger import reporting, reporting_crawls, reporting_sites
from submitter.ledger.database import Database


class SqlReports:
    """See `ports.ReportBook`; the contract stands there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def calls(self, which: CallFilter, *, before: int | None = None, limit: int) -> list[LogRow]:
        return self._database.read(
            lambda tx: reporting.calls(tx, which, before=before, limit=limit)
        )

    def call_totals(self, which: CallFilter) -> CallTotals:
        return self._database.read(lambda tx: reporting.call_totals(tx, which))

    def newest_call(self) -> int:
        return self._database.read(reporting.newest_call)

    def newest_calls(
        self, each: int, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[LogRow]:
        return self._database.read(lambda tx: reporting.newest_calls(tx, each, targets))

    def call_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[CallSum]:
        return self._database.read(lambda tx: reporting.call_sums(tx, since, targets))

    def beat_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[BeatSum]:
        return self._database.read(lambda tx: reporting.beat_sums(tx, since, targets))

    def cause_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[CauseSum]:
        return self._database.read(lambda tx: reporting.cause_sums(tx, since, targets))

    def run_sums(self, limit: int) -> list[RunSum]:
        return self._database.read(lambda tx: reporting.run_sums(tx, limit))

    def site_sums(self) -> list[SiteSum]:
        return self._database.read(reporting_sites.site_sums)

    def document_troubles(self, limit: int) -> list[DocumentTrouble]:
        return self._database.read(lambda tx: reporting_sites.document_troubles(tx, limit))

    def documents(self, limit: int, site: str | None = None) -> list[DocumentLine]:
        return self._database.read(lambda tx: reporting_sites.documents(tx, limit, site))

    def looks(self, since: datetime, limit: int) -> list[LookLine]:
        return self._database.read(lambda tx: reporting_sites.looks(tx, since, limit))

    def pages(
        self, site: str, account: str, state: str, *, after: int = 0, limit: int
    ) -> list[PageLine]:
        return self._database.read(
            lambda tx: reporting_sites.pages_of(tx, (site, account), state, after, limit)
        )

    def page_day_sums(self, since: datetime) -> list[PageDaySum]:
        return self._database.read(lambda tx: reporting_sites.page_day_sums(tx, since))

    def first_tellings(self) -> Mapping[tuple[str, str, str], datetime]:
        return self._database.read(reporting.first_tellings)

    def target_engines(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        return self._database.read(reporting.target_engines)

    def crawl_sums(self, since: date) -> list[CrawlSum]:
        return self._database.read(lambda tx: reporting_crawls.crawl_sums(tx, since))

    def site_crawl_sums(self, since: date, site: str) -> list[CrawlSum]:
        return self._database.read(lambda tx: reporting_crawls.site_crawl_sums(tx, since, site))

    def crawl_day_sums(self, since: date) -> list[CrawlDaySum]:
        return self._database.read(lambda tx: reporting_crawls.crawl_day_sums(tx, since))
