"""What crawlers did: the JSON shape, and the words for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypedDict

from submitter.core.crawl.hits import LEFT_OUT, REJECTED
from submitter.core.crawl.ranges import RangeList
from submitter.core.crawl.records import Coverage, CrawlDay
from submitter.core.summary import timestamp
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, Row, grouped_table, paragraph
from submitter.render.text_parts import number, several
from submitter.stories.crawling import CrawlReading, CrawlReport

ZONE: Final = "UTC"
DAYS_SHOWN: Final = 7
"""Newest days of the text; JSON has them all."""


class LineReasonDoc(TypedDict):
    reason: str
    """A key of the table of reasons of log lines."""
    count: int
    """How many lines."""
    examples: list[str]
    """The beginning of some lines, or some hosts; never a query."""


class LogReadingDoc(TypedDict):
    files: int
    """Logs that were read."""
    lines: int
    """`bots` + `others` + `rejected`; blank lines and comments are none."""
    bots: int
    """Lines of bots: `new` + `known` + those left out."""
    others: int
    """Lines of everybody else."""
    new: int
    """Lines that were counted now."""
    known: int
    """Lines that were counted before."""
    formats: dict[str, int]
    """Format → lines."""
    rejected: int
    """Lines that could not be read."""
    rejections: list[LineReasonDoc]
    """Why they could not be read, the most frequent first."""
    left_out: list[LineReasonDoc]
    """Lines of bots that were read and are not counted."""
    problems: list[str]
    """Logs that ended before their end, and why."""
    stopped: bool
    """A signal ended the reading; what was read is stored."""


class CrawlDayDoc(TypedDict):
    day: str
    """In `zone`."""
    site: str
    section: str
    """The section of the pages; `(files)`: robots.txt and sitemaps."""
    crawler: str
    """The bot's name."""
    kind: str
    """`search`, `ai`, `ai-user`, `tool` or `other`."""
    hits: int
    """`claimed` + `verified` + `unverifiable` + `contradicted`."""
    claimed: int
    """By a name that could be checked; nothing decided it."""
    verified: int
    """From an address that is proven to be the bot's."""
    unverifiable: int
    """By a name that cannot be checked, or through a proxy."""
    contradicted: int
    """By somebody else who uses the name. What comes after `statuses` leaves these out."""
    bytes: int
    """Sent, where the log says so."""
    statuses: dict[str, int]
    """`ok` (200), `not_modified` (304), `redirected` (other 3xx), `client_errors`,
    `server_errors`, `other`."""
    pages: int
    """Distinct addresses."""
    listed_pages: int
    """Distinct pages that were listed."""
    at_least: bool
    """There were more addresses than `pages` says."""
    listed: int | None
    """Pages that the section listed then; null: the site listed none."""
    share: float | None
    """`listed_pages` of `listed`."""
    depth: float | None
    """Hits on listed pages for each page listed."""
    listed_hits: int
    """Hits on listed pages."""
    unlisted_hits: int
    """Hits on what is not listed; 0 for `(files)`."""
    parameter_hits: int
    """Of `unlisted_hits`, those on addresses with parameters."""
    first_at: str | None
    """The first hit of the day."""
    last_at: str | None
    """The last hit of the day."""


class CoverageDoc(TypedDict):
    site: str
    section: str
    crawler: str | None
    """The bot's name; null: any."""
    listed: int
    """Pages that the section lists now."""
    crawled: int
    """Of these, pages that were ever read."""
    never: int
    """Of these, pages that were never read."""
    share: float | None
    """`crawled` of `listed`."""
    hits: int
    """Ever, on these pages."""
    last_at: str | None
    """The newest hit on one of them."""


class NeverDoc(TypedDict):
    site: str
    examples: list[str]
    """Some listed pages that no bot ever read."""


class RangesDoc(TypedDict):
    name: str
    """The list of published addresses."""
    source: str
    """Where its operator publishes it, or the file that was given."""
    made_on: str | None
    """How old it is; null: not known, so what it lacks proves nothing."""


class CrawlersDoc(TypedDict):
    reading: LogReadingDoc | None
    """Null: no log was given."""
    zone: str
    """The zone of the days."""
    since: str | None
    """The first day of the report; null: nothing was read."""
    until: str | None
    """The last day of the report."""
    days: list[CrawlDayDoc]
    """By day, site, section and bot, all that the ledger knows of these days."""
    coverage: list[CoverageDoc]
    """By site, section and bot, of the pages listed now."""
    never: list[NeverDoc]
    """By site."""
    ranges: list[RangesDoc]
    """The lists that addresses were looked up in."""


def crawlers_doc(
    reading: CrawlReading | None, report: CrawlReport | None, lists: Iterable[RangeList]
) -> CrawlersDoc:
    return {
        "reading": None if reading is None else _reading_doc(reading),
        "zone": ZONE,
        "since": None if report is None else report.since.isoformat(),
        "until": None if report is None else report.until.isoformat(),
        "days": [] if report is None else [_day_doc(day) for day in report.days],
        "coverage": [] if report is None else [_coverage_doc(one) for one in report.coverage],
        "never": [] if report is None else _never_docs(report),
        "ranges": [
            {
                "name": one.name,
                "source": one.source,
                "made_on": one.made_on.isoformat() if one.made_on else None,
            }
            for one in lists
        ],
    }


def _reading_doc(found: CrawlReading) -> LogReadingDoc:
    reading = found.reading
    return {
        "files": found.files,
        "lines": reading.lines,
        "bots": reading.bots,
        "others": reading.others,
        "new": found.new,
        "known": found.known,
        "formats": dict(reading.formats.most_common()),
        "rejected": reading.rejected.total(),
        "rejections": _reason_docs(reading.rejected, reading.examples),
        "left_out": _reason_docs(found.left_out, found.examples),
        "problems": [f"{name}: {problem}" for name, problem in found.problems],
        "stopped": found.stopped,
    }


def _reason_docs(reasons: Counter[str], examples: Mapping[str, list[str]]) -> list[LineReasonDoc]:
    return [
        {"reason": reason, "count": count, "examples": examples.get(reason, [])}
        for reason, count in reasons.most_common()
    ]


def _day_doc(day: CrawlDay) -> CrawlDayDoc:
    return {
        "day": day.day.isoformat(),
        "site": day.site,
        "section": day.section,
        "crawler": day.crawler,
        "kind": day.kind,
        "hits": day.hits,
        "claimed": day.claimed,
        "verified": day.verified,
        "unverifiable": day.unverifiable,
        "contradicted": day.contradicted,
        "bytes": day.bytes,
        "statuses": {name: getattr(day, name) for name in STATUSES},
        "pages": day.pages,
        "listed_pages": day.listed_pages,
        "at_least": day.at_least,
        "listed": day.listed,
        "share": _ratio(day.listed_pages, day.listed),
        "depth": _ratio(day.listed_hits, day.listed),
        "listed_hits": day.listed_hits,
        "unlisted_hits": day.unlisted_hits,
        "parameter_hits": day.parameter_hits,
        "first_at": timestamp(day.first_at),
        "last_at": timestamp(day.last_at),
    }


def _coverage_doc(one: Coverage) -> CoverageDoc:
    return {
        "site": one.site,
        "section": one.section,
        "crawler": one.crawler or None,
        "listed": one.listed,
        "crawled": one.crawled,
        "never": one.never,
        "share": _ratio(one.crawled, one.listed),
        "hits": one.hits,
        "last_at": timestamp(one.last_at),
    }


def _never_docs(report: CrawlReport) -> list[NeverDoc]:
    return [{"site": site, "examples": pages} for site, pages in report.never.items()]


def _ratio(part: int, whole: int | None) -> float | None:
    return round(part / whole, 4) if whole else None


# ---------------------------------------------------------------- for a terminal

STATUSES: Final = (
    "ok",
    "not_modified",
    "redirected",
    "client_errors",
    "server_errors",
    "other",
)
_BOTS = (
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("VERIFIED", right=True),
    Column("FALSE", right=True),
    Column("200", right=True),
    Column("304", right=True),
    Column("3XX", right=True),
    Column("4XX", right=True),
    Column("5XX", right=True),
    Column("BYTES", right=True),
)
_PAGES = (
    Column("SECTION", folds=Folds.ADDRESS),
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("LISTED", right=True),
    Column("READ", right=True),
    Column("SHARE", right=True),
    Column("DEPTH", right=True),
    Column("UNLISTED", right=True),
    Column("PARAMS", right=True),
)
_DAYS = (
    Column("DAY"),
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("PAGES", right=True),
    Column("LISTED PAGES", right=True),
    Column("UNLISTED", right=True),
    Column("ERRORS", right=True),
)
_WHAT = (
    "Days are UTC. Verified: from an address that is proven to be the bot's. False: by somebody"
    " else who uses the name; pages leave such hits out. Read: pages listed now that the bot ever"
    " read. Depth: hits in these days for each page listed. Unlisted: hits on what no sitemap lists."
    " Params: of these, on addresses with parameters."
)


def crawlers_text(document: CrawlersDoc, screen: Screen) -> list[str]:
    lines: list[str] = []
    if document["reading"] is not None:
        lines += _reading_text(document["reading"], screen)
    if document["days"]:
        lines += [
            *_block(f"Bots, {document['since']} to {document['until']}", screen),
            *grouped_table(_BOTS, _by_site(document["days"], _bot_rows), screen),
            *_block("Pages", screen),
            *grouped_table(_PAGES, _page_groups(document), screen),
            *_block("Days", screen),
            *grouped_table(_DAYS, _by_site(document["days"], _day_rows), screen),
            "",
            *paragraph(_WHAT, screen, ink=Ink.DIM),
        ]
    elif document["reading"] is None or not document["reading"]["bots"]:
        lines += paragraph("No bot was seen.", screen)
    return [*lines, *_never_text(document, screen)]


def _block(title: str, screen: Screen) -> list[str]:
    return ["", screen.heading(title)]


def _reading_text(found: LogReadingDoc, screen: Screen) -> list[str]:
    head = (
        f"{several(found['files'], 'log')}, {several(found['lines'], 'line')}:"
        f" {number(found['bots'])} of bots ({number(found['new'])} new,"
        f" {number(found['known'])} known), {number(found['others'])} of others,"
        f" {number(found['rejected'])} rejected."
    )
    lines = paragraph(head, screen)
    for problem in found["problems"]:
        lines += paragraph(problem, screen, indent=2, ink=Ink.BAD)
    for one in found["rejections"]:
        lines += _reason_text("rejected", one, REJECTED, screen)
    for one in found["left_out"]:
        lines += _reason_text("left out", one, LEFT_OUT, screen)
    return lines


def _reason_text(
    what: str, one: LineReasonDoc, words: Mapping[str, str], screen: Screen
) -> list[str]:
    head = f"{number(one['count'])} {what}: {words[one['reason']]} ({one['reason']})"
    lines = paragraph(head, screen, indent=2, ink=Ink.WAIT)
    for example in one["examples"]:
        lines += paragraph(example, screen, indent=4, ink=Ink.DIM)
    return lines


def _by_site(
    days: Sequence[CrawlDayDoc], rows: Callable[[Sequence[CrawlDayDoc]], list[Row]]
) -> list[tuple[str, Sequence[Row]]]:
    sites: dict[str, list[CrawlDayDoc]] = {}
    for day in days:
        sites.setdefault(day["site"], []).append(day)
    return [(_site(site), rows(found)) for site, found in sorted(sites.items())]


def _site(site: str) -> str:
    return "(no host in the lines)" if site == "-" else site


def _bot_rows(days: Sequence[CrawlDayDoc]) -> list[Row]:
    sums: dict[str, Counter[str]] = {}
    for day in days:
        row = sums.setdefault(day["crawler"], Counter())
        row.update({**day["statuses"], "hits": day["hits"], "bytes": day["bytes"]})
        row.update({name: day[name] for name in ("verified", "contradicted")})
    return [
        (
            f"  {crawler}",
            number(row["hits"]),
            number(row["verified"]),
            Cell(number(row["contradicted"]), Ink.BAD if row["contradicted"] else None),
            *(number(row[name]) for name in STATUSES[:-1]),
            _size(row["bytes"]),
        )
        for crawler, row in sorted(sums.items(), key=lambda item: (-item[1]["hits"], item[0]))
    ]


def _page_groups(document: CrawlersDoc) -> list[tuple[str, Sequence[Row]]]:
    covered = {(one["site"], one["section"], one["crawler"]): one for one in document["coverage"]}
    sums: dict[tuple[str, str, str], Counter[str]] = {}
    for day in document["days"]:
        row = sums.setdefault((day["site"], day["section"], day["crawler"]), Counter())
        for name in ("hits", "listed_hits", "unlisted_hits", "parameter_hits"):
            row[name] += day[name]
    groups: dict[str, list[Row]] = {}
    for (site, section, crawler), row in sorted(sums.items()):
        listed = covered.get((site, section, None))
        read = covered.get((site, section, crawler))
        groups.setdefault(_site(site), []).append(_page_row(section, crawler, row, listed, read))
    return list(groups.items())


def _page_row(
    section: str,
    crawler: str,
    row: Counter[str],
    listed: CoverageDoc | None,
    read: CoverageDoc | None,
) -> Row:
    known = None if listed is None else listed["listed"]
    crawled = None if listed is None else read["crawled"] if read else 0
    return (
        f"  {section or '(none)'}",
        crawler,
        number(row["hits"]),
        number(known),
        number(crawled),
        _percent(crawled, known),
        "-" if not known else f"{row['listed_hits'] / known:.2f}",
        number(row["unlisted_hits"]),
        number(row["parameter_hits"]),
    )


def _day_rows(days: Sequence[CrawlDayDoc]) -> list[Row]:
    newest = sorted({day["day"] for day in days})[-DAYS_SHOWN:]
    sums: dict[tuple[str, str], Counter[str]] = {}
    more: set[tuple[str, str]] = set()
    for day in days:
        key = (day["day"], day["crawler"])
        if day["day"] not in newest:
            continue
        row = sums.setdefault(key, Counter())
        row.update({"hits": day["hits"], "pages": day["pages"], "listed": day["listed_pages"]})
        row["unlisted"] += day["unlisted_hits"]
        row["errors"] += day["statuses"]["client_errors"] + day["statuses"]["server_errors"]
        if day["at_least"]:
            more.add(key)
    return [
        (
            f"  {day}",
            crawler,
            number(row["hits"]),
            ("> " if (day, crawler) in more else "") + number(row["pages"]),
            number(row["listed"]),
            number(row["unlisted"]),
            number(row["errors"]),
        )
        for (day, crawler), row in sorted(sums.items())
    ]


def _never_text(document: CrawlersDoc, screen: Screen) -> list[str]:
    counts = Counter[str]()
    for one in document["coverage"]:
        if one["crawler"] is None:
            counts[one["site"]] += one["never"]
    lines: list[str] = []
    for never in document["never"]:
        pages = several(counts[never["site"]], "listed page")
        lines += paragraph(f"{never['site']}: {pages}", screen, ink=Ink.WAIT)
        for page in never["examples"][:3]:
            lines += paragraph(page, screen, indent=4, ink=Ink.DIM)
    return [*_block("Never read by any bot", screen), *lines] if lines else []


def _percent(part: int | None, whole: int | None) -> str:
    return "-" if part is None or not whole else f"{part / whole:.1%}"


def _size(count: int) -> str:
    """`1.2 MB`; decimal, as traffic is counted."""
    for power, unit in enumerate(("B", "kB", "MB", "GB", "TB")):
        size = count / 1_000**power
        if size < 1_000 or unit == "TB":
            digits = 1 if power and size < 100 else 0
            return f"{size:,.{digits}f} {unit}"
    raise AssertionError("the last unit takes any size")
