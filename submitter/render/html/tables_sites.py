"""The report's tables of sitemaps, pages and what crawlers made of them."""

from __future__ import annotations

from submitter.core.loop import Goal
from submitter.core.report import CrawlSum, Report
from submitter.core.traits import Kind
from submitter.render.html.columns import ACCOUNT, ENGINE, SHOWN_ENGINE, SITE
from submitter.render.html.table import Column, Table, Value


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
        Column("unread", "Unread since", "time", doc="told, and not read since"),
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
            one.downloaded_at, one.read_after_s, one.unread_since, one.theirs, one.ours,
            one.drift, one.errors, one.warnings, one.checked_at,
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


def latencies(report: Report) -> Table:
    columns = (
        SHOWN_ENGINE,
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
    return Table("site_crawls", "Crawled, by site and bot", columns, rows, empty)


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
