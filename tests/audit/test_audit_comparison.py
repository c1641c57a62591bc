"""What engines have read and what crawlers fetched, held against what is listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from audit_support import MAP, SITE, S, around, ids, web

from submitter.core.audit.rules import RULES
from submitter.core.calls import Check
from submitter.core.crawl.records import Coverage, CrawlDay
from submitter.core.records import SitemapStatus
from submitter.kit.progress import NoProgress
from submitter.looking.audit.listing import PageChoice, Scope
from submitter.stories.auditing import AuditReport, AuditRequest, audit_fleet
from support.twins import NOON


@dataclass
class Shelf:
    """The parts of `ports.Ledger` and `ports.CrawlBook` that a comparison reads."""

    counted: int | None = None
    days: list[CrawlDay] = field(default_factory=list)

    def statuses(self, sites: Sequence[str] | None = None) -> list[SitemapStatus]:
        del sites
        check = Check("p", MAP, last_downloaded=NOON, urls_submitted=self.counted)
        return [SitemapStatus(S, "gsc", MAP, None, check, NOON, None)]

    def crawl_days(
        self, sites: Sequence[str] | None, *, since: date, until: date
    ) -> list[CrawlDay]:
        del sites
        return [one for one in self.days if since <= one.day <= until]

    def coverage(self, site: str, *, since: datetime | None = None) -> list[Coverage]:
        del since
        return [
            Coverage(site, "", "", "", 10, 7, 100, NOON),
            Coverage(site, "", "Googlebot", "search", 10, 2, 90, NOON),
        ]

    def never_crawled(self, site: str, *, limit: int) -> list[str]:
        return [f"{site}/never"][:limit]

    def unused(self, *args: object, **named: object) -> None:
        raise AssertionError("a comparison only reads")

    page_key = listing = lines_of = record_crawls = close_old_hours = crawls_of = unused
    acquire = renew = release = documents_of = marker = record_logs = unused


def day(**counts: int) -> CrawlDay:
    names = "claimed verified unverifiable bytes ok not_modified redirected client_errors"
    names += " server_errors other parameter_hits pages listed_pages"
    given = {**dict.fromkeys(names.split(), 0), **counts}
    return CrawlDay(
        S, NOON.date(), "", "Googlebot", "search", at_least=False, listed=10, first_at=None,
        last_at=None, **given,
    )  # fmt: skip


def compare(shelf: Shelf) -> AuditReport:
    request = AuditRequest((SITE,), choice=PageChoice(Scope.NONE), ledger=shelf)  # type: ignore[arg-type]
    return audit_fleet(request, around(web(*(f"p{n}" for n in range(9)))), NoProgress())


def test_an_engine_that_counts_as_we_do_is_no_finding() -> None:
    assert "engine-counts-otherwise" not in ids(compare(Shelf(counted=9)))
    assert "engine-counts-otherwise" not in ids(compare(Shelf(counted=None)))


def test_an_engine_that_counts_otherwise_is_said_with_when_it_read() -> None:
    report = compare(Shelf(counted=4))
    messages = [one.message for one in report.new if one.id == "engine-counts-otherwise"]
    assert messages == [
        f"{RULES['engine-counts-otherwise'].text}: gsc counts 4, we count 9; read 2026-11-30"
    ]


def test_without_access_logs_that_is_said() -> None:
    assert "no-crawler-data" in {one.id for one in compare(Shelf()).new}


def test_fetches_of_crawlers_are_compared_with_what_is_listed() -> None:
    report = compare(Shelf(days=[day(hits=30, contradicted=5, listed_hits=20)]))
    found = ids(report)
    assert (found["listed-not-crawled"], found["crawled-not-listed"]) == (3, 5)
    (never,) = [one for one in report.new if one.id == "listed-not-crawled"]
    assert never.examples == (f"{S}/never",)


def test_everything_crawled_and_nothing_else_is_no_finding() -> None:
    report = compare(Shelf(days=[day(hits=20, contradicted=0, listed_hits=20)]))
    assert "crawled-not-listed" not in ids(report)
