"""Answers the dashboard's addresses. Knows nothing of sockets; every answer is made whole."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import unquote

from submitter.core.plain import clip, plain
from submitter.core.report import Report
from submitter.dashboard.asked import (
    LARGEST,
    BadQuestion,
    call_filter,
    filters_of,
    pages_wish,
    whole_number,
)
from submitter.ports import ReportBook
from submitter.render.csv_text import csv_line
from submitter.render.html import tables
from submitter.render.html.page import Shell, report_page
from submitter.render.html.pages import (
    CallsPage,
    PagesPage,
    log_page,
    pages_page,
    problem_page,
    site_page,
)
from submitter.render.html.table import Frame, Table
from submitter.render.json_text import json_text
from submitter.stories.reporting import gather_site

FRESH = timedelta(seconds=15)
"""So long a report is shown again before the ledger is added up anew."""

CALLS = 200
"""On one page of the log, or at a site."""
MOST_CALLS = 10_000
"""In one answer for programs; `before` leads on."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    kind: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


HTML = "text/html; charset=utf-8"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Tools:
    """What the desk works with. `gather` makes a report; `metrics` the text for Prometheus."""

    book: ReportBook
    gather: Callable[[datetime], Report]
    metrics: Callable[[datetime], str]
    now: Callable[[], datetime]
    fleet: str
    version: str


class Desk:
    """One report serves everybody for some seconds; single calls are always asked anew."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._making = threading.Lock()
        self._report: Report | None = None
        self._head = 0

    def answer(self, path: str, query: Mapping[str, str]) -> Answer:
        """Raises LedgerError."""
        try:
            return self._answer(path, query)
        except BadQuestion as problem:
            return self.problem(path, 400, "This address makes no sense", f"{problem}.")

    def problem(self, path: str, status: int, title: str, words: str) -> Answer:
        """For a person, or in the form that a program asked for."""
        match path.strip("/").split("/", 1):
            case ["data", name] if name.endswith(".json"):
                return Answer(status, JSON, json_text({"status": status, "problem": words}) + "\n")
            case ["data" | "metrics", *_]:
                return Answer(status, TEXT, f"{title}: {words}\n")
        shell = Shell(self._tools.fleet, self._tools.version, Frame(self._tools.now(), live=True))
        return Answer(status, HTML, problem_page(shell, title, words))

    def _answer(self, path: str, query: Mapping[str, str]) -> Answer:
        match path.strip("/").split("/", 1):
            case [""]:
                report = self._fresh()
                page = report_page(report, version=self._tools.version, live=True, head=self._head)
                return Answer(200, HTML, page)
            case ["site", name]:
                return self._site(unquote(name))
            case ["log"]:
                return self._log(query)
            case ["pages"]:
                return self._pages(query)
            case ["metrics"]:
                return Answer(200, TEXT, self._tools.metrics(self._tools.now()))
            case ["data", *names]:
                return self._data("".join(names), query)
        return self.problem(path, 404, "There is nothing here", "The dashboard has no such page.")

    def _fresh(self) -> Report:
        """Whoever comes while a report is made waits for it and shares it."""
        with self._making:
            now = self._tools.now()
            if self._report is None or now - self._report.made_at > FRESH:
                self._head = self._tools.book.newest_call()
                self._report = self._tools.gather(now)
            return self._report

    def _shell(self, report: Report) -> Shell:
        frame = Frame(report.made_at, live=True)
        tools = self._tools
        return Shell(tools.fleet, tools.version, frame, self._head, report.inventory_sha256)

    def _site(self, site: str) -> Answer:
        report = self._fresh()
        if not any(one.site == site for one in report.targets):
            words = "Neither inventory nor ledger knows it."
            return self.problem("/site", 404, "No such site", words)
        found = gather_site(self._tools.book, report, site, calls=CALLS)
        return Answer(200, HTML, site_page(self._shell(report), found, site))

    def _log(self, query: Mapping[str, str]) -> Answer:
        which, book = call_filter(query), self._tools.book
        before = whole_number(query, "before", most=LARGEST)
        report = self._fresh()
        rows = book.calls(which, before=before, limit=CALLS + 1)
        older = rows[CALLS - 1].id if len(rows) > CALLS else None
        calls = CallsPage(rows[:CALLS], book.call_totals(which), filters_of(query), older)
        return Answer(200, HTML, log_page(self._shell(report), calls, report))

    def _pages(self, query: Mapping[str, str]) -> Answer:
        wish, book = pages_wish(query), self._tools.book
        rows = book.pages(wish.site, wish.account, wish.state, after=wish.after, limit=CALLS + 1)
        more = rows[CALLS - 1].id if len(rows) > CALLS else None
        of = whole_number(query, "of", most=LARGEST)
        pages = PagesPage(rows[:CALLS], of, wish.filters, more)
        return Answer(200, HTML, pages_page(self._shell(self._fresh()), pages))

    def _data(self, name: str, query: Mapping[str, str]) -> Answer:
        table_name, _, form = name.rpartition(".")
        if name == "head.json":
            head = self._tools.book.newest_call()
            return Answer(200, JSON, json_text({"head": head}) + "\n")
        report = self._fresh()
        table = self._table(report, table_name, query) if form in ("json", "csv") else None
        if table is None:
            return _no_table([one.id for one in tables.served_tables(report)], name)
        return _as_json(table) if form == "json" else _as_csv(table)

    def _table(self, report: Report, name: str, query: Mapping[str, str]) -> Table | None:
        if name == "log":
            limit = whole_number(query, "limit", most=MOST_CALLS) or MOST_CALLS
            before = whole_number(query, "before", most=LARGEST)
            rows = self._tools.book.calls(call_filter(query), before=before, limit=limit)
            return tables.log(list(reversed(rows)), report)
        found = {table.id: table for table in tables.served_tables(report)}
        return found.get(name)


def _no_table(known: list[str], name: str) -> Answer:
    words = f"There is no {clip(plain(name), 80)!r}; ask for TABLE.json or TABLE.csv."
    if name.endswith(".json"):
        document = {"status": 404, "problem": words, "tables": known}
        return Answer(404, JSON, json_text(document) + "\n")
    return Answer(404, TEXT, f"{words} Tables: {', '.join(known)}.\n")


def _as_json(table: Table) -> Answer:
    document = {"table": table.id, "rows": list(table.documents())}
    return Answer(200, JSON, json_text(document) + "\n")


def _as_csv(table: Table) -> Answer:
    lines = [csv_line(column.name for column in table.columns)]
    lines += [csv_line(row.values()) for row in table.documents()]
    name = f'attachment; filename="{table.id}.csv"'
    return Answer(200, CSV, "".join(lines), {"Content-Disposition": name})
