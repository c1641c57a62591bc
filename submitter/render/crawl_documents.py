"""The JSON shape of what crawlers did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypedDict

from submitter.core.crawl.ranges import RangeList
from submitter.core.crawl.records import Coverage, CrawlDay
from submitter.core.summary import timestamp
from submitter.stories.crawling import CrawlReading, CrawlReport

ZONE: Final = "UTC"
STATUSES: Final = (
    "ok",
    "not_modified",
    "redirected",
    "client_errors",
    "server_errors",
    "other",
)


class LineReasonDoc(TypedDict):
    reason: str
    """A key of the table of reasons of log lines."""
    count: int
    """How many lines."""
    examples: list[str]
    """The beginning of some lines, or some hosts; never a query."""


class SomePagesDoc(TypedDict):
    site: str
    examples: list[str]
    """Ten of them at most, without their queries where they are not listed."""


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
    unlisted: list[SomePagesDoc]
    """Some of the addresses that bots read, as new lines say, and that their site does not list."""
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
    """Distinct pages that were listed; 0 where `listed` is null."""
    at_least: bool
    """There were more addresses than `pages` says, maybe far more: those that are listed nowhere
    are told apart as far as there is room, and the first ones that came fill it for good."""
    listed: int | None
    """Pages that the section listed then; null: it is not known what the site lists (without an
    inventory nothing is), or it lists nothing."""
    share: float | None
    """`listed_pages` of `listed`."""
    depth: float | None
    """Hits on listed pages for each page listed."""
    listed_hits: int
    """Hits on listed pages; 0 where `listed` is null."""
    unlisted_hits: int | None
    """Hits on what is not listed; 0 for `(files)`; null where `listed` is."""
    parameter_hits: int
    """Hits on addresses with parameters, without those that are known to be listed."""
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
    crawled: int | None
    """Of these, pages that were ever read; null, like the next three: no line of the site's access
    logs was ever read, so nobody knows."""
    never: int | None
    """Of these, pages that were never read."""
    share: float | None
    """`crawled` of `listed`."""
    hits: int | None
    """Ever, on these pages."""
    last_at: str | None
    """The newest hit on one of them."""


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
    never: list[SomePagesDoc]
    """Some of the listed pages that no bot ever read, of sites whose access logs were read."""
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
        "never": [] if report is None else _some_pages(report.never),
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
        "unlisted": _some_pages(found.unlisted),
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


def _some_pages(pages: Mapping[str, list[str]]) -> list[SomePagesDoc]:
    return [{"site": site, "examples": some} for site, some in sorted(pages.items()) if some]


def _ratio(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else round(part / whole, 4)
