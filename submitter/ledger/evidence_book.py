"""The book that reports, alarms and the dashboard are made from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from submitter.core.alerts import Alert
from submitter.core.evidence import (
    CallCount,
    CallTimes,
    LogSpan,
    LookRow,
    LyingDates,
    RunEnd,
    SectionCrawl,
    SiteCallCount,
    Trouble,
    Unread,
)
from submitter.core.loop import Reached, Sent, Way
from submitter.core.run_shares import RunShare
from submitter.ledger import (
    evidence,
    evidence_looks,
    evidence_runs,
    waits,
    waits_pages,
    waits_sitemaps,
)
from submitter.ledger.desk import Desk
from submitter.ledger.reports import SqlReports


class SqlEvidence(Desk):
    """Reads what the other books were told."""

    # -- the dashboard

    @property
    def reports(self) -> SqlReports:
        return SqlReports(self._database)

    # -- evidence

    def calls(self, *, since: datetime, until: datetime) -> list[CallCount]:
        return self._database.read(lambda tx: evidence.calls(tx, since, until))

    def calls_ever(self) -> list[SiteCallCount]:
        return self._database.read(evidence.calls_ever)

    def call_times(self) -> list[CallTimes]:
        return self._database.read(evidence.call_times)

    def run_ends(self, *, limit: int) -> list[RunEnd]:
        return self._database.read(lambda tx: evidence.run_ends(tx, limit))

    def run_shares(self, *, limit: int) -> list[RunShare]:
        return self._database.read(lambda tx: evidence_runs.run_shares(tx, limit))

    def page_waits(
        self, way: Way, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        return self._database.read(
            lambda tx: waits_pages.pages_of(tx, way, waits.Window(since, until, sites))
        )

    def sitemap_waits(
        self, engine: str, *, since: datetime, until: datetime, sites: Sequence[str] | None = None
    ) -> tuple[list[Sent], list[Reached]]:
        return self._database.read(
            lambda tx: waits_sitemaps.sitemaps_of(tx, engine, waits.Window(since, until, sites))
        )

    def looks(self, *, since: datetime) -> list[LookRow]:
        return self._database.read(lambda tx: evidence_looks.looks(tx, since))

    def troubles(self) -> list[Trouble]:
        return self._database.read(evidence.troubles)

    def lying_dates(self, *, since: datetime) -> list[LyingDates]:
        return self._database.read(lambda tx: evidence.lying_dates(tx, since))

    def unread(self, *, for_s: int) -> list[Unread]:
        return self._database.read(lambda tx: evidence.unread(tx, for_s * 1_000_000))

    def section_crawls(
        self, crawlers: Sequence[str], *, first: date, lately: date, today: date, least: int
    ) -> list[SectionCrawl]:
        return self._database.read(
            lambda tx: evidence.section_crawls(
                tx, crawlers, first=first, lately=lately, today=today, least=least
            )
        )

    def log_spans(self) -> list[LogSpan]:
        return self._database.read(evidence.log_spans)

    def alarms(self) -> list[Alert]:
        return self._database.read(evidence.alarms)

    def save_alarms(self, alerts: Sequence[Alert], *, at: datetime) -> None:
        with self._database.transaction() as tx:
            evidence.save_alarms(tx, alerts, at)
