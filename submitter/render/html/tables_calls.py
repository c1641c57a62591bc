"""The report's tables of calls: by day, by cause, by run, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from submitter.core.records import LogRow
from submitter.core.report import PageLine, Report
from submitter.render.html.columns import ACCOUNT, ENGINE, SITE, own_row, summing
from submitter.render.html.table import Column, Table


def days(report: Report) -> Table:
    link = "log?day={day}&account={account}&kind={kind}&state={state}"
    columns = (
        Column("day", "Day (UTC)"),
        ACCOUNT,
        ENGINE,
        Column("kind", "Kind", facet=True),
        Column("state", "State", "call", facet=True),
        Column("calls", "Calls", "count", f"{link}&of={{calls}}"),
        Column("pages", "Pages in them", "count", summing(link, "urls", "pages")),
    )
    rows = [
        (one.day.isoformat(), one.account, one.engine, one.kind, one.state, one.calls, one.pages)
        for one in reversed(report.days)
    ]
    return Table("days", "Calls by day", columns, rows, "No call was made in this time.")


def causes(report: Report) -> Table:
    since = report.since.date().isoformat()
    link = f"log?since={since}&account={{account}}&state={{state}}&cause={{cause}}&code={{code}}"
    columns = (
        Column("state", "State", "call", facet=True),
        Column("cause", "Cause"),
        ACCOUNT,
        ENGINE,
        Column("code", "Code"),
        Column("calls", "Calls", "count", f"{link}&of={{calls}}"),
        Column("targets", "Targets", "count", f"{link}&each=site,account&of={{targets}}"),
        Column("last_at", "Last", "time"),
        Column("message", "In the engine's words", "words"),
        Column("next_step", "Next step", "words"),
    )
    rows = [
        (
            one.state, one.cause, one.account, one.engine, one.code, one.calls, one.targets,
            one.last_at, one.message, one.next_step,
        )
        for one in report.causes
    ]  # fmt: skip
    return Table("causes", "Troubles by cause", columns, rows, "No call ended in trouble.")


def log(rows: Sequence[LogRow], report: Report) -> Table:
    """Newest first."""
    columns = (
        Column("sent_at", "When", "time"),
        Column("state", "State", "call", facet=True),
        SITE,
        ACCOUNT,
        ENGINE,
        Column("kind", "Kind", facet=True),
        Column("target", "Sitemap or first page", "address"),
        Column("message", "In the engine's words", "words"),
        Column("urls", "Pages", "count"),
        Column("accepted", "Taken", "count"),
        Column("rejected", "Rejected", "count"),
        Column("spent", "Spent", "count", doc="of the lane's day"),
        Column("http_status", "HTTP", "count"),
        Column("code", "Code"),
        Column("cause", "Cause"),
        Column("next_step", "Next step", "words"),
        Column("run", "Run", link="log?run={run}"),
        Column("id", "Call", "count"),
        Column("property", "", "hidden"),
    )
    found = [
        (
            one.sent_at, one.state, one.site, one.account, one.engine, one.kind, one.target,
            one.message, one.urls, one.accepted, one.rejected, one.spent, one.http_status,
            one.code, one.cause, one.next_step, one.run, one.id, one.property,
        )
        for one in reversed(rows)
    ]  # fmt: skip
    note = f"This file holds the newest {report.calls_each:,} calls of each target."
    return Table("log", "Calls", columns, found, "No call is like that.", note, "submitter log", 25)


def pages(rows: Sequence[PageLine]) -> Table:
    """Single pages of one target. A page in one file holds none: there are millions."""
    columns = (
        Column("loc", "Page", "address"),
        Column("state", "Last call, or why it waits", facet=True),
        Column("reason", "Reason", "words"),
        Column("call", "Call", "count", "log?id={call}&sum=id&of={call}"),
    )
    found = [(one.loc, one.state, one.reason, one.call) for one in rows]
    note = "This file holds no single pages."
    return Table(
        "pages", "Pages", columns, found, "No page is like that.", note, "submitter log --pages", 50
    )


def runs(report: Report) -> Table:
    own = own_row("runs", "run")
    columns = (
        Column("run", "Run", link="log?run={run}&of={calls}"),
        Column("outcome", "Outcome", "outcome", facet=True),
        Column("started", "Started", "time"),
        Column("took", "Took", "span", own("took")),
        Column("calls", "Calls", "count", "log?run={run}&of={calls}"),
        Column("good", "Taken", "count", "log?run={run}&state=accepted,received,already&of={good}"),
        Column("exit_code", "Exit", "count", own("exit_code")),
        Column("forced", "Forced because", "words"),
    )
    rows = [
        (
            one.run, one.outcome or "unfinished", one.started_at,
            _seconds(one.started_at, one.finished_at), one.calls, one.good, one.exit_code,
            one.forced,
        )
        for one in report.runs
    ]  # fmt: skip
    return Table("runs", "Runs", columns, rows, "No run was made yet.")


def _seconds(start: datetime, end: datetime | None) -> int | None:
    return None if end is None else max(0, int((end - start).total_seconds()))
