"""A report as tables, each with a name that addresses and links use."""

from __future__ import annotations

from dataclasses import replace

from submitter.core.report import Report
from submitter.render.html.table import Table
from submitter.render.html.tables_calls import causes, days, log, pages, runs
from submitter.render.html.tables_fleet import alerts, changes, fleet, lanes, targets
from submitter.render.html.tables_sites import (
    crawl_days,
    crawls,
    documents,
    latencies,
    looks,
    page_days,
    site_crawls,
    sitemaps,
    troubles,
    waits,
)

__all__ = ["all_tables", "log", "pages", "served_tables", "site_tables"]


def all_tables(report: Report, *, calls: bool = True) -> list[Table]:
    """Every table of the page, in its order."""
    tables = [
        alerts(report),
        changes(report),
        fleet(report),
        lanes(report),
        days(report),
        page_days(report),
        causes(report),
        sitemaps(report),
        troubles(report),
        documents(report),
        looks(report),
        latencies(report),
        waits(report),
        crawls(report),
        crawl_days(report),
        site_crawls(report),
        runs(report),
        targets(report),
    ]
    return [*tables, log(report.calls, report), pages([])] if calls else tables


def served_tables(report: Report) -> list[Table]:
    """Those that `/data/` answers with."""
    return [*all_tables(report, calls=False), log(report.calls, report)]


def site_tables(report: Report) -> list[Table]:
    """What a view of one site shows; `report` is about this site only."""
    shown = [
        alerts(report),
        targets(report),
        sitemaps(report),
        troubles(report),
        documents(report),
        site_crawls(report),
        log(report.calls, report),
    ]
    always = ("targets", "log")
    return [_without_site(table) for table in shown if table.rows or table.id in always]


def _without_site(table: Table) -> Table:
    columns = tuple(
        replace(column, kind="hidden") if column.name == "site" else column
        for column in table.columns
    )
    return replace(table, columns=columns)
