"""The part of a ledger that adds up for people. It only reads, and never holds up a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Protocol, runtime_checkable

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


class ReportBook(Protocol):
    """Sums over the log and single calls of it. Days are UTC days; `targets` are pairs (site
    origin, account), None = all."""

    # -- single calls
    def calls(self, which: CallFilter, *, before: int | None = None, limit: int) -> list[LogRow]:
        """Newest first; with `before`, those with a smaller number: the next page."""

    def call_totals(self, which: CallFilter) -> CallTotals: ...

    def newest_call(self) -> int:
        """Its number; 0 when there is none."""

    def newest_calls(
        self, each: int, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[LogRow]:
        """At most `each` of every target, oldest first."""

    # -- sums over the log
    def call_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[CallSum]:
        """Oldest day first."""

    def beat_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[BeatSum]:
        """In any order."""

    def cause_sums(
        self, since: datetime, *, targets: frozenset[tuple[str, str]] | None = None
    ) -> list[CauseSum]:
        """Calls that ended as rejected, unknown, failed or partial; the most frequent first."""

    def run_sums(self, limit: int) -> list[RunSum]:
        """Newest first."""

    # -- sites and sitemaps
    def site_sums(self) -> list[SiteSum]:
        """Every site that was ever named, by origin."""

    def document_troubles(self, limit: int) -> list[DocumentTrouble]:
        """Documents that could not be read at the last look, by site."""

    def documents(self, limit: int, site: str | None = None) -> list[DocumentLine]:
        """Documents under declared sitemaps, by site (None: of all); of the first `limit`."""

    def page_day_sums(self, since: datetime) -> list[PageDaySum]:
        """Days on which a site was looked at, oldest first."""

    def looks(self, since: datetime, limit: int) -> list[LookLine]:
        """Looks that found something, the newest first."""

    def pages(
        self, site: str, account: str, state: str, *, after: int = 0, limit: int
    ) -> list[PageLine]:
        """Pages of one target that are `waiting`, or `told`, or whose last call ended in this
        state; by number, those after `after`."""

    def first_tellings(self) -> Mapping[tuple[str, str, str], datetime]:
        """By site, account and sitemap, of those that an engine was asked about and has not
        fetched since they were told: when that was first so."""

    def target_engines(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """Engine and property as last planned, by site and account; empty where never planned."""

    # -- crawlers
    def crawl_sums(self, since: date) -> list[CrawlSum]:
        """By site, section and crawler, in any order."""

    def site_crawl_sums(self, since: date, site: str) -> list[CrawlSum]:
        """Of one site, by section and crawler, the busiest first."""

    def crawl_day_sums(self, since: date) -> list[CrawlDaySum]:
        """By day and crawler, oldest first."""


@runtime_checkable
class KeepsReports(Protocol):
    """A ledger that can add up."""

    @property
    def reports(self) -> ReportBook: ...
