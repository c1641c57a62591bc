"""A report as tables, each with a name that addresses and links use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from submitter.core.health import TROUBLED, Health
from submitter.core.loop import Goal
from submitter.core.records import LogRow
from submitter.core.report import BEAT_DAYS, CrawlSum, LaneLine, Report, TargetLine
from submitter.core.summary import timestamp
from submitter.core.traits import Kind
from submitter.render.html.table import Cell, Column, Table, Value

TROUBLES = ",".join(str(state) for state in TROUBLED)
SITE = Column("site", "Site", "site", link="site/{site}")
ACCOUNT = Column("account", "Account", facet=True)
ENGINE = Column("engine", "Engine", "hidden", facet=True)
"""An account has one engine, so where accounts are shown it is only a choice."""


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
        latencies(report),
        crawls(report),
        crawl_days(report),
        site_crawls(report),
        runs(report),
        targets(report),
    ]
    return [*tables, log(report.calls, report)] if calls else tables


def site_tables(report: Report) -> list[Table]:
    """What a view of one site shows; `report` is about this site only."""
    shown = [
        alerts(report),
        targets(report),
        sitemaps(report),
        troubles(report),
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


# ---------------------------------------------------------------- what needs somebody


def alerts(report: Report) -> Table:
    columns = (
        Column("severity", "Severity", "severity", facet=True),
        Column("id", "Alert", facet=True),
        SITE,
        Column("about", "About", "address"),
        Column("engine", "Engine or bot"),
        Column("message", "What", "words"),
        Column("next_step", "Next step", "words"),
        Column("since", "Since", "time"),
    )
    rows = [
        (
            str(one.severity), one.id, one.site or None, one.about, one.engine, one.message,
            one.next_step, one.since,
        )
        for one in report.alerts
    ]  # fmt: skip
    return Table("alerts", "Alerts", columns, rows, "Nothing is alarming now.", size=5)


def changes(report: Report) -> Table:
    columns = (
        SITE,
        ACCOUNT,
        ENGINE,
        Column("before", "Before", "call"),
        Column("after", "Now", "call", facet=True, link="log?site={site}&account={account}"),
        Column("at", "When", "time"),
    )
    rows = [
        (one.site, one.account, one.engine, one.before, one.after, one.at) for one in report.changes
    ]
    empty = "No target's newest call ended otherwise than the one before."
    return Table("changes", "Newly in trouble, newly well", columns, rows, empty)


# ---------------------------------------------------------------- fleet


def engines_of(report: Report) -> list[str]:
    """In the order in which targets name them."""
    return list(dict.fromkeys(one.engine for one in report.targets))


def fleet(report: Report) -> Table:
    """Sites × engines, the worst first."""
    engines = engines_of(report)
    cells = [
        Column(engine, engine, "cell", link=f"log?site={{site}}&engine={engine}")
        for engine in engines
    ]
    columns = (
        SITE,
        Column("pages", "Pages", "count", link="site/{site}", doc="listed at the last look"),
        Column("looked", "Looked at", "time"),
        *cells,
    )
    by_site: dict[str, list[TargetLine]] = {}
    for one in report.targets:
        by_site.setdefault(one.site, []).append(one)
    sums = {one.site: one for one in report.sites}
    rows: list[tuple[Value, ...]] = []
    for site in sorted(by_site, key=lambda site: (_worst(by_site[site]), site)):
        known = sums.get(site)
        pages, looked = (known.listed, known.looked_at) if known else (None, None)
        rows.append((site, pages, looked, *(_cell(by_site[site], engine) for engine in engines)))
    empty = "No site is told to any engine yet."
    return Table(
        "fleet", "Sites and engines", columns, rows, empty, command="submitter status", size=25
    )


_RANK = {health: rank for rank, health in enumerate(Health)}


def _worst(lines: Iterable[TargetLine]) -> int:
    return min(_RANK[one.health] for one in lines)


def _cell(lines: Sequence[TargetLine], engine: str) -> Cell | None:
    """Of several accounts at one engine, the one that stands worst."""
    of_engine = [one for one in lines if one.engine == engine]
    if not of_engine:
        return None
    worst = min(of_engine, key=lambda one: _RANK[one.health])
    return Cell(worst.health, worst.at, worst.why, worst.beat, worst.account)


def targets(report: Report) -> Table:
    calls = f"log?site={{site}}&account={{account}}&since={_beat_since(report)}"
    columns = (
        SITE,
        ACCOUNT,
        replace(ENGINE, kind="text"),
        Column("health", "State", "health", facet=True),
        Column("at", "Since", "time"),
        Column("why", "Why", "words"),
        Column("calls", "Calls", "count", f"{calls}&of={{calls}}", doc=f"in {BEAT_DAYS} days"),
        Column(
            "troubles", "In trouble", "count", f"{calls}&state={TROUBLES}&of={{troubles}}",
            doc="calls that were rejected, lost, not carried out or taken in part",
        ),
        Column("told", "Pages told", "count"),
        Column("waiting", "Waiting", "count"),
        Column("unknown", "Unknown", "count"),
        Column("rejected", "Rejected", "count"),
        Column("property", "Property"),
    )  # fmt: skip
    rows = [
        (
            one.site, one.account, one.engine, str(one.health), one.at, one.why, one.calls,
            one.troubles, one.told, one.waiting, one.unknown, one.rejected, one.property,
        )
        for one in report.targets
    ]  # fmt: skip
    empty, command = "No target is like that.", "submitter log --pages --limit 0"
    return Table("targets", "Targets", columns, rows, empty, command=command, hidden=True, size=25)


def _beat_since(report: Report) -> str:
    return (report.made_at - timedelta(days=BEAT_DAYS - 1)).date().isoformat()


# ---------------------------------------------------------------- allowance


def lanes(report: Report) -> Table:
    spent = "log?account={account}&property={property}&since={from}"
    waiting = "targets?account={account}&property={property}&waiting=nonzero"
    columns = (
        Column("property", "Lane"),
        ACCOUNT,
        ENGINE,
        Column("used", "Used", "share"),
        Column("spent", "Spent", "count", spent, doc="accepted, in flight and unknown"),
        Column("limit", "Of", "count"),
        Column("left", "Left", "count"),
        Column("backlog", "Waiting", "count", waiting),
        Column("days", "Days left", "count", doc="until nothing waits, today counted"),
        Column("resets_at", "Starts anew", "time"),
        Column("closed", "Closed until", "time"),
        Column("reason", "Why closed", "words"),
        Column("from", "", "hidden"),
    )
    rows = [
        (
            one.property, one.account, one.engine, _share(one), one.spent, one.limit, one.left,
            one.backlog, one.days_left, one.resets_at, one.closed_until, one.closed_reason,
            timestamp(one.resets_at - timedelta(days=1)),
        )
        for one in report.lanes
    ]  # fmt: skip
    empty = "No engine of this fleet gives out a number of pages a day."
    return Table("lanes", "Allowance of the engine's day", columns, rows, empty)


def _share(lane: LaneLine) -> int | None:
    return None if not lane.limit else min(100, 100 * lane.spent // lane.limit)


# ---------------------------------------------------------------- submissions


def days(report: Report) -> Table:
    link = "log?day={day}&account={account}&kind={kind}&state={state}&of={calls}"
    columns = (
        Column("day", "Day (UTC)"),
        ACCOUNT,
        ENGINE,
        Column("kind", "Kind", facet=True),
        Column("state", "Ended as", "call", facet=True),
        Column("calls", "Calls", "count", link),
        Column("pages", "Pages in them", "count"),
    )
    rows = [
        (one.day.isoformat(), one.account, one.engine, one.kind, one.state, one.calls, one.pages)
        for one in reversed(report.days)
    ]
    return Table("days", "Calls by day", columns, rows, "No call was made in this time.")


def page_days(report: Report) -> Table:
    columns = (
        Column("day", "Day (UTC)"),
        Column("new", "New", "count"),
        Column("changed", "Changed", "count"),
        Column("gone", "Gone", "count"),
    )
    rows = [
        (one.day.isoformat(), one.new, one.changed, one.gone) for one in reversed(report.page_days)
    ]
    return Table("page_days", "Pages by day", columns, rows, "No site was looked at in this time.")


def causes(report: Report) -> Table:
    since = report.since.date().isoformat()
    link = (
        f"log?since={since}&account={{account}}&state={{state}}&cause={{cause}}&code={{code}}"
        "&of={calls}"
    )
    columns = (
        Column("state", "Ended as", "call", facet=True),
        Column("cause", "Cause"),
        ACCOUNT,
        ENGINE,
        Column("code", "Code"),
        Column("calls", "Calls", "count", link),
        Column("targets", "Targets", "count", link),
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
        Column("state", "Ended as", "call", facet=True),
        SITE,
        ACCOUNT,
        ENGINE,
        Column("kind", "Kind", facet=True),
        Column("target", "Sitemap or first page", "address"),
        Column("urls", "Pages", "count"),
        Column("accepted", "Taken", "count"),
        Column("rejected", "Rejected", "count"),
        Column("http_status", "HTTP", "count"),
        Column("code", "Code"),
        Column("message", "In the engine's words", "words"),
        Column("cause", "Cause"),
        Column("next_step", "Next step", "words"),
        Column("run", "Run", link="log?run={run}"),
        Column("id", "Call", "count"),
        Column("property", "", "hidden"),
    )
    found = [
        (
            one.sent_at, one.state, one.site, one.account, one.engine, one.kind, one.target,
            one.urls, one.accepted, one.rejected, one.http_status, one.code, one.message,
            one.cause, one.next_step, one.run, one.id, one.property,
        )
        for one in reversed(rows)
    ]  # fmt: skip
    note = f"This file holds the newest {report.calls_each:,} calls of each target."
    return Table(
        "log", "Calls", columns, found, "No call is like that.", note, "submitter log", True, 25
    )


# ---------------------------------------------------------------- sitemaps


def sitemaps(report: Report) -> Table:
    columns = (
        SITE,
        Column("sitemap", "Sitemap", "address"),
        ACCOUNT,
        ENGINE,
        Column("state", "State", "sitemap", facet=True),
        Column("told", "Told", "time", link="log?site={site}&account={account}&kind=sitemap"),
        Column("read", "Read", "time", doc="the engine's own word"),
        Column("after", "Read after", "span"),
        Column("theirs", "They count", "count"),
        Column("ours", "We count", "count"),
        Column("drift", "Drift", "signed", doc="theirs less ours"),
        Column("errors", "Errors", "count"),
        Column("warnings", "Warnings", "count"),
        Column("asked", "Asked", "time"),
    )
    rows = [
        (
            one.site, one.sitemap, one.account, one.engine, str(one.state), one.told_at,
            one.downloaded_at, one.read_after_s, one.theirs, one.ours, one.drift, one.errors,
            one.warnings, one.checked_at,
        )
        for one in sorted(report.sitemaps, key=lambda one: (-abs(one.drift or 0), one.site))
    ]  # fmt: skip
    empty = "No sitemap was told yet."
    return Table("sitemaps", "Sitemaps", columns, rows, empty, command="submitter status")


def troubles(report: Report) -> Table:
    columns = (
        SITE,
        Column("document", "Document", "address"),
        Column("trouble", "Trouble", facet=True),
        Column("read_at", "Last read well", "time"),
    )
    rows = [(one.site, one.url, one.trouble, one.read_at) for one in report.troubles]
    empty = "Every document could be read at the last look."
    return Table("troubles", "Documents that could not be read", columns, rows, empty)


def latencies(report: Report) -> Table:
    columns = (
        replace(ENGINE, kind="text"),
        Column("kind", "Told", doc="sitemaps, or page by page"),
        Column("goal", "Until", facet=True),
        Column("section", "Section"),
        Column("sent", "Sent", "count"),
        Column("reached", "Read since", "count"),
        Column("median", "Half of them within", "span"),
        Column("p90", "Nine of ten within", "span"),
        Column("before", "Read before", "count", doc="no answer to the sending"),
        Column("open", "Not read yet", "count"),
    )
    rows = [
        (
            one.engine, _TOLD[one.kind], _GOALS[one.goal], one.section, one.sent, one.reached,
            one.median_s, one.p90_s, one.before, one.open,
        )
        for one in report.latencies
    ]  # fmt: skip
    empty = "Nothing is known yet of what was read: `submitter verify` asks, access logs show."
    return Table("latencies", "From told to read", columns, rows, empty)


_TOLD = {Kind.SITEMAP: "by sitemap", Kind.URLS: "page by page"}
_GOALS = {Goal.CRAWL: "first crawl, by access logs", Goal.DOWNLOAD: "download, by its own word"}


# ---------------------------------------------------------------- crawlers and runs


def crawls(report: Report) -> Table:
    columns = (Column("section", "Section", facet=True), *_CRAWL)
    rows = [(one.section or "(none)", *_crawl(one)) for one in report.crawls]
    empty = "No access log was read yet."
    return Table("crawls", "Crawled, by section and bot", columns, rows, empty)


def crawl_days(report: Report) -> Table:
    link = "crawls?kind={kind}"
    columns = (
        Column("day", "Day (UTC)"),
        Column("kind", "Kind", facet=True, link=link),
        Column("hits", "Fetches", "count"),
    )
    rows = [(one.day.isoformat(), one.kind, one.hits) for one in reversed(report.crawl_days)]
    return Table("crawl_days", "Fetches by day", columns, rows, "No access log was read yet.")


def site_crawls(report: Report) -> Table:
    by_section = any(one.section for one in report.site_crawls)
    section = [Column("section", "Section", facet=True)] if by_section else []
    columns = (SITE, *section, *_CRAWL)
    rows = [
        (one.site, *([one.section] if by_section else []), *_crawl(one))
        for one in report.site_crawls
    ]
    empty = "No access log of it was read in the last four weeks."
    return Table("site_crawls", "Crawled, by site and bot", columns, rows, empty, hidden=True)


_CRAWL = (
    Column("crawler", "Bot", facet=True),
    Column("kind", "Kind", facet=True),
    Column("hits", "Fetches", "count", "site_crawls?crawler={crawler}"),
    Column("verified", "Proven", "count", doc="from an address that is the bot's"),
    Column("contradicted", "Impostors", "count", doc="by somebody else; in no other number"),
    Column("listed", "On listed pages", "count"),
    Column("not_modified", "304", "count"),
    Column("errors", "4xx and 5xx", "count"),
    Column("last", "Last", "time"),
)


def _crawl(one: CrawlSum) -> tuple[Value, ...]:
    return (
        one.crawler, one.kind, one.hits, one.verified, one.contradicted, one.listed_hits,
        one.not_modified, one.errors, one.last_at,
    )  # fmt: skip


def runs(report: Report) -> Table:
    columns = (
        Column("run", "Run", link="log?run={run}&of={calls}"),
        Column("outcome", "Outcome", "outcome", facet=True),
        Column("started", "Started", "time"),
        Column("took", "Took", "span"),
        Column("calls", "Calls", "count", "log?run={run}&of={calls}"),
        Column("good", "Taken", "count", "log?run={run}&state=accepted,received,already&of={good}"),
        Column("exit_code", "Exit", "count"),
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
