"""The report's tables of sitemaps, pages and what crawlers made of them."""

from __future__ import annotations

from collections.abc import Sequence

from submitter.core.loop import Goal, Latency
from submitter.core.report import CrawlSum, Report
from submitter.core.traits import Kind
from submitter.render.html.columns import ACCOUNT, ENGINE, SHOWN_ENGINE, SITE, own_row, summing
from submitter.render.html.table import Column, Table, Value


def sitemaps(report: Report) -> Table:
    own = own_row("sitemaps", "site", "account", "sitemap")
    documents = summing("documents?site={site}&sitemap={sitemap}", "pages", "ours")
    columns = (
        SITE,
        Column("sitemap", "Sitemap", "address"),
        ACCOUNT,
        ENGINE,
        Column("state", "State", "sitemap", facet=True),
        Column("told", "Told", "time", link="log?site={site}&account={account}&kind=sitemap"),
        Column("read", "Read", "time", doc="the engine's own word"),
        Column("after", "Read after", "span", own("after")),
        Column("unread", "Unread since", "time", doc="told, and not read since"),
        Column("theirs", "They count", "count", own("theirs")),
        Column("ours", "We count", "count", documents),
        Column("drift", "Drift", "signed", own("drift"), doc="theirs less ours"),
        Column("errors", "Errors", "count", own("errors")),
        Column("warnings", "Warnings", "count", own("warnings")),
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


def documents(report: Report) -> Table:
    columns = (
        SITE,
        Column("sitemap", "Under", "address"),
        Column("document", "Document", "address"),
        Column("kind", "Kind", facet=True),
        Column("pages", "Pages", "count"),
        Column("read_at", "Last read well", "time"),
        Column("trouble", "Trouble", facet=True),
    )
    rows = [
        (one.site, one.sitemap, one.url, one.kind, one.pages, one.read_at, one.trouble)
        for one in report.documents
    ]
    note = "A page that several documents list is counted once at its site."
    return Table(
        "documents", "Documents", columns, rows, "No document was read.", note,
        command="submitter flatten", size=25,
    )  # fmt: skip


def page_days(report: Report) -> Table:
    counted = [("new", "New"), ("changed", "Changed"), ("gone", "Gone")]
    columns = (
        Column("day", "Day (UTC)"),
        *(
            Column(name, title, "count", summing("looks?day={day}", name))
            for name, title in counted
        ),
    )
    rows = [
        (one.day.isoformat(), one.new, one.changed, one.gone) for one in reversed(report.page_days)
    ]
    return Table("page_days", "Pages by day", columns, rows, "No site was looked at in this time.")


def looks(report: Report) -> Table:
    columns = (
        SITE,
        Column("at", "When", "time"),
        Column("listed", "Listed", "count"),
        Column("new", "New", "count"),
        Column("changed", "Changed", "count"),
        Column("gone", "Gone", "count"),
    )
    rows = [(one.site, one.at, one.listed, one.new, one.changed, one.gone) for one in report.looks]
    return Table(
        "looks", "Looks that found something", columns, rows, "No look found anything.",
        _newest(rows), "SELECT * FROM v_page_daily", 25,
    )  # fmt: skip


def _newest(rows: Sequence[object], which: str = "newest") -> str:
    return f"Here are the {which} {len(rows):,}."


def latencies(report: Report) -> Table:
    of_row = "waits?engine={engine}&kind={kind}&goal={goal}&section={section}"
    since = f"{of_row}&outcome={SINCE}"
    columns = (
        SHOWN_ENGINE,
        Column("kind", "Told", doc="sitemaps, or page by page"),
        Column("goal", "Until", facet=True),
        Column("section", "Section"),
        Column("sent", "Sent", "count", summing(of_row, "things", "sent")),
        Column("reached", "Read since", "count", summing(since, "things", "reached")),
        Column("median", "Half of them within", "span", f"{since}&within=-{{median}}&sum=things"),
        Column("p90", "Nine of ten within", "span", f"{since}&within=-{{p90}}&sum=things"),
        Column(
            "again", "Read before and since", "count",
            summing(f"{of_row}&outcome={AGAIN}", "things", "again"),
            doc="how soon it was read again is not kept; in no median",
        ),
        Column(
            "before", "Read before", "count",
            summing(f"{of_row}&outcome={BEFORE}", "things", "before"),
            doc="no answer to the sending",
        ),
        Column(
            "open", "Not read yet", "count", summing(f"{of_row}&outcome={OPEN}", "things", "open")
        ),
        Column(
            "unsure", "Start unsure", "count",
            own_row("latencies", "engine", "kind", "goal", "section")("unsure"),
            doc="of sites with several sitemaps told: which of them listed a page first is not"
            " remembered, so the earliest telling counts, and waits may be shorter than shown",
        ),
    )  # fmt: skip
    rows = [
        (
            *_of_latency(one), one.sent, one.reached, one.median_s, one.p90_s, one.again,
            one.before, one.open, one.unsure,
        )
        for one in report.latencies
    ]  # fmt: skip
    empty = "Nothing is known yet of what was read: `submitter verify` asks, access logs show."
    return Table("latencies", "From told to read", columns, rows, empty)


SINCE, OPEN = "read since", "not read yet"
AGAIN, BEFORE = "read before and since", "read before"


def waits(report: Report) -> Table:
    """What the numbers of `latencies` are made of."""
    columns = (
        SHOWN_ENGINE,
        Column("kind", "Told", facet=True),
        Column("goal", "Until", facet=True),
        Column("section", "Section", facet=True),
        Column("outcome", "Outcome", facet=True),
        Column("within", "Within", "span", doc="and not within the step before"),
        Column("things", "Pages or sitemaps", "count"),
    )
    rows: list[tuple[Value, ...]] = []
    for one in report.latencies:
        about = _of_latency(one)
        rows += [(*about, SINCE, step.within_s, step.things) for step in one.steps]
        rows += [
            (*about, outcome, None, things)
            for outcome, things in ((AGAIN, one.again), (BEFORE, one.before), (OPEN, one.open))
            if things
        ]
    empty = "Nothing of this kind was read."
    return Table("waits", "Waits, step by step", columns, rows, empty, size=50)


def _of_latency(one: Latency) -> tuple[Value, ...]:
    whole = one.section is None and one.goal is Goal.CRAWL
    section = "all sections" if whole else one.section
    return one.engine, _TOLD[one.kind], _GOALS[one.goal], section


_TOLD = {Kind.SITEMAP: "by sitemap", Kind.URLS: "page by page"}
_GOALS = {Goal.CRAWL: "first crawl, by access logs", Goal.DOWNLOAD: "download, by its own word"}


def crawls(report: Report) -> Table:
    link = "site_crawls?section={section}&crawler={crawler}"
    columns = (Column("section", "Section", facet=True), *_crawl_columns(link))
    rows = [(one.section or NO_SECTION, *_crawl(one)) for one in report.crawls]
    return Table("crawls", "Crawled, by section and bot", columns, rows, NO_FETCH)


def crawl_days(report: Report) -> Table:
    own = own_row("crawl_days", "day", "crawler")
    columns = (
        Column("day", "Day (UTC)"),
        Column("crawler", "Bot", facet=True),
        Column("kind", "Kind", facet=True),
        Column("hits", "Fetches", "count", own("hits")),
        Column(
            "contradicted",
            "Impostors",
            "count",
            own("contradicted"),
            doc="by somebody else; not in Fetches",
        ),
    )
    rows = [
        (one.day.isoformat(), one.crawler, one.kind, one.hits, one.contradicted)
        for one in reversed(report.crawl_days)
    ]
    return Table(
        "crawl_days", "Fetches by day", columns, rows, NO_FETCH,
        command=_CRAWLERS,
    )  # fmt: skip


def site_crawls(report: Report) -> Table:
    columns = (SITE, Column("section", "Section", facet=True), *_crawl_columns(""))
    rows = [(one.site, one.section or NO_SECTION, *_crawl(one)) for one in report.site_crawls]
    empty = "No bot's fetch of it in the last four weeks is known."
    return Table(
        "site_crawls", "Crawled, by site, section and bot", columns, rows, empty,
        _newest(rows, "busiest"), _CRAWLERS,
    )  # fmt: skip


NO_SECTION = "(none)"
NO_FETCH = (
    "No bot's fetch of the last four weeks is known (`submitter crawlers` reads access logs)."
)
_CRAWLERS = "submitter crawlers --since 28d"
_CRAWL = (
    ("hits", "Fetches", ""),
    ("verified", "Proven", "from an address that is the bot's"),
    ("contradicted", "Impostors", "by somebody else; not in Fetches"),
    ("listed", "On listed pages", ""),
    ("not_modified", "304", "impostors among them"),
    ("errors", "4xx and 5xx", "impostors among them"),
)


def _crawl_columns(link: str) -> tuple[Column, ...]:
    return (
        Column("crawler", "Bot", facet=True),
        Column("kind", "Kind", facet=True),
        *(
            Column(name, title, "count", summing(link, name) if link else "", doc=doc)
            for name, title, doc in _CRAWL
        ),
        Column("last", "Last", "time"),
    )


def _crawl(one: CrawlSum) -> tuple[Value, ...]:
    return (
        one.crawler, one.kind, one.hits, one.verified, one.contradicted, one.listed_hits,
        one.not_modified, one.errors, one.last_at,
    )  # fmt: skip
