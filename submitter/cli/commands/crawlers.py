"""`submitter crawlers`: what crawlers really did, from access logs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option, moment_ago, wait_option
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.accounting import ExitCode
from submitter.core.choosing import NoMatch
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.core.crawl.ranges import RangeList
    from submitter.core.fleet import Fleet, Site
    from submitter.ports import CrawlIntake, CrawlSums
    from submitter.stories.crawling import CrawlReading, CrawlReport
    from submitter.wiring import Wiring

HELP = """Read access logs: what crawlers really did.

FILE is a log, plain or gzip, or - for stdin. Formats are found line by line: common and combined,
with or without a virtual host, nginx and Caddy JSON, Cloudflare, CloudFront, AWS and Google load
balancers, IIS; --mask names any other. Numbers are kept in the ledger, each line once, however
often it is read. Without FILE the report is of what the ledger knows.

Lines that name no host belong to the site that --site selects, or to the only one. Without an
inventory every host in the lines is a site, and nothing is kept.

Exits 4 when more than 5 % of the lines cannot be read or a log breaks off, 7 when nothing matches:
also when each line of a bot is left out, because it names no host or an unknown one.
"""
REPORT_DAYS = 30
"""What a report without logs is about."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person asked for. `bots` are names of the catalogue."""

    files: tuple[str, ...]
    sites: tuple[str, ...]
    tags: tuple[str, ...]
    since: datetime | None
    mask: str | None
    bots: frozenset[str]
    ranges: tuple[str, ...]
    dns: bool
    wait: float

    @property
    def selects(self) -> bool:
        return bool(self.sites or self.tags or self.since or self.bots)


def _bots(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
    from submitter.core.crawl.bots import BY_NAME

    names = {name.lower(): name for name in BY_NAME}
    for value in values:
        if value.lower() not in names:
            near = get_close_matches(value.lower(), names, n=1)
            hint = f"; did you mean {names[near[0]]!r}?" if near else ""
            raise click.BadParameter(f"{value[:200]!r} is no known bot{hint}", ctx, param)
    return frozenset(names[value.lower()] for value in values)


@click.command(help=HELP)
@click.argument("files", metavar="[FILE | -]...", nargs=-1)
@click.option("--since", metavar="TIME|2d", type=moment_ago, help="Lines from then on.")
@click.option("--bot", "bots", metavar="NAME", multiple=True, callback=_bots, help="Only this bot.")
@click.option(
    "--mask",
    metavar="FORMAT",
    help="How lines look: an nginx log_format, an Apache LogFormat, or a regex with named groups.",
)
@click.option(
    "--ranges",
    metavar="[BOT=]FILE",
    multiple=True,
    help="A bot's addresses as its operator publishes them (googlebot.json).",
)
@click.option("--dns", is_flag=True, help="Ask DNS for names of addresses that no list holds.")
@click.option("--site", "sites", metavar="GLOB", multiple=True, help="Sites by host or address.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Sites with this tag.")
@wait_option
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    files: tuple[str, ...],
    since: datetime | None,
    bots: frozenset[str],
    mask: str | None,
    ranges: tuple[str, ...],
    dns: bool,
    sites: tuple[str, ...],
    tags: tuple[str, ...],
    wait: float,
    as_json: bool,
) -> int:
    from submitter.render.crawl_documents import crawlers_doc
    from submitter.render.crawl_report import crawlers_text

    wish = Wish(files, sites, tags, since, mask, bots, ranges, dns, wait)
    fleet = _fleet(invocation, wish)
    with invocation.working(fleet or _no_fleet()) as (parts, stopped):
        lists = parts.range_lists(ranges)
        with parts.crawl_intake(kept=fleet is not None) as book:
            with _without_collector():
                reading = _read(wish, fleet, parts, book, lists) if files else None
            report = _report(wish, fleet, book, reading)
    invocation.exit_code = stopped.exit_code(_judge(wish, reading, report))
    document = crawlers_doc(reading, report, lists.values())
    if as_json:
        write_json(document)
    else:
        write_lines(crawlers_text(document, screen_of_stdout(invocation.environ)))
    return invocation.exit_code


@contextmanager
def _without_collector() -> Iterator[None]:
    """The search for cycles takes a fifth of the time, and a reading makes none."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _fleet(invocation: Invocation, wish: Wish) -> Fleet | None:
    """None: there is no inventory, so hosts speak for themselves."""
    if invocation.inventory_named or invocation.inventory.exists():
        return invocation.load_fleet()
    if wish.tags:
        raise ConfigError.one("--tag", "sites have tags in an inventory only")
    if not wish.files:
        raise ConfigError.one("crawlers", "name a log; without an inventory nothing is remembered")
    return None


def _no_fleet() -> Fleet:
    from submitter.core.fleet import Fleet

    return Fleet("crawlers", "", {}, ())


def _read(
    wish: Wish,
    fleet: Fleet | None,
    parts: Wiring,
    book: CrawlIntake,
    lists: Mapping[str, RangeList],
) -> CrawlReading:
    from submitter.core.crawl.lines import LineReader
    from submitter.core.crawl.verdicts import Judge
    from submitter.kit.owners import this_owner
    from submitter.stories.crawling import CrawlRequest, CrawlTools, read_crawls

    sites = _sites(wish, fleet)
    request = CrawlRequest(
        sites,
        this_owner(),
        takes_any=fleet is None and not sites,
        since=wish.since,
        wait_s=wish.wait,
    )
    tools = CrawlTools(
        book,
        parts.access_logs(wish.files, sys.stdin.buffer),
        LineReader(wish.mask),
        Judge(lists, parts.name_checks() if wish.dns else None),
        parts.clock,
        parts.progress,
        parts.stop,
    )
    return read_crawls(request, tools)


def _sites(wish: Wish, fleet: Fleet | None) -> Sequence[Site]:
    """Those selected. Raises NoMatch when there are none in the inventory."""
    if fleet is None:
        return [_made(name) for name in wish.sites]
    globs = [glob.lower().rstrip("/") for glob in wish.sites]
    found = [
        site
        for site in fleet.sites
        if (not globs or any(_fits(glob, site) for glob in globs))
        and (not wish.tags or site.tags.intersection(wish.tags))
    ]
    if not found:
        raise NoMatch("no site of the inventory matches --site and --tag")
    return found


def _fits(glob: str, site: Site) -> bool:
    return fnmatchcase(site.host, glob) or fnmatchcase(site.origin, glob)


def _made(name: str) -> Site:
    """A site by its address or host, where there is no inventory."""
    from submitter.core import urls
    from submitter.core.fleet import Site

    try:
        origin = urls.origin_of(name if "://" in name else f"https://{name}")
    except urls.BadUrl as error:
        raise ConfigError.one("--site", error.problem) from error
    scheme, _, host = origin.partition("://")
    return Site(host, scheme)


def _report(
    wish: Wish, fleet: Fleet | None, book: CrawlSums, reading: CrawlReading | None
) -> CrawlReport | None:
    """Of the days that were read, or of the newest ones. None: no day was read."""
    from submitter.stories.crawling import report_crawls

    today = now().date()
    if reading is None:
        since, until = (wish.since or now() - timedelta(days=REPORT_DAYS)).date(), today
        sites = {site.origin for site in _sites(wish, fleet)}
    elif reading.days:
        since, until = _day(min(reading.days)), _day(max(reading.days))
        sites = reading.sites
    else:
        return None
    return report_crawls(book, sites=sites, since=since, until=until, crawlers=wish.bots)


def _day(number: int) -> date:
    return datetime.fromtimestamp(number * 86_400, UTC).date()


def _judge(wish: Wish, reading: CrawlReading | None, report: CrawlReport | None) -> ExitCode:
    """Of the reading; 7 also when there is nothing of what was asked for."""
    from submitter.stories.crawling import judge_reading

    verdict = ExitCode.OK if reading is None else judge_reading(reading)
    found = report is not None and report.days
    if verdict is ExitCode.OK and not found and (wish.selects or reading is None):
        return ExitCode.NO_MATCH
    return verdict
