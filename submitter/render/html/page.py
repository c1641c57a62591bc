"""The page: a report from top to bottom, in one file that asks nobody for anything."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from functools import cache
from importlib.resources import files

from submitter.core.health import BAD, GOOD, ODD, Health
from submitter.core.report import BEAT_DAYS, Report
from submitter.core.summary import timestamp
from submitter.render.html import tables
from submitter.render.html.charts import Chart, Series, chart_html
from submitter.render.html.markup import Content, Html, element, join, json_block, raw
from submitter.render.html.table import (
    NEAR,
    Frame,
    Pool,
    Table,
    badge,
    icon,
    table_data,
    table_html,
    time_html,
)
from submitter.render.html.words import CALLS, HEALTH, LOOKS, Look
from submitter.render.times import exact, span, span_of_seconds

__all__ = ["Shell", "asset", "page", "policy", "report_page"]


@dataclass(frozen=True, slots=True)
class Shell:
    """What all pages of one dashboard share. `head` is the number of the newest call, by which a
    served page sees that it is old."""

    fleet: str
    version: str
    frame: Frame
    head: int = 0
    inventory: str = ""


def report_page(report: Report, *, version: str, live: bool = False, head: int = 0) -> str:
    """The whole dashboard. `live`: single calls are asked of the server; otherwise the newest are
    in the file."""
    shell = Shell(report.fleet, version, Frame(report.made_at, live), head, report.inventory_sha256)
    shown = tables.all_tables(report, calls=not live)
    by_id = {table.id: table for table in shown}
    sections = [
        _counters(report),
        _section("alerts", "Alerts", [by_id["alerts"]], shell, count=len(report.alerts)),
        _fleet(by_id["fleet"], report, shell),
        _section("changes", "Newly in trouble, newly well", [by_id["changes"]], shell),
        _section("lanes", "Today’s allowance", [by_id["lanes"]], shell, lead=_LANES),
        _submissions(report, by_id, shell),
        _section(
            "sitemaps", "Sitemaps, ours and theirs", [by_id["sitemaps"], by_id["troubles"]],
            shell, lead=_SITEMAPS,
        ),
        _section("latencies", "From told to read", [by_id["latencies"]], shell, lead=_LATENCIES),
        _crawl(report, by_id, shell),
        _section("runs", "Runs", [by_id["runs"]], shell),
    ]  # fmt: skip
    return page(shell, shell.fleet, sections, shown, header=_run_line(report))


_LANES = (
    "Each lane has so many pages a day, on the day of its engine. What does not fit waits in order."
)
_SITEMAPS = (
    "Read is the engine’s own word. Drift is what they count less what we count: a sitemap that"
    " was read before it changed drifts until it is read again."
)
_LATENCIES = (
    "Accepted is not read, and read is not crawled: here is how long it took from telling to the"
    " engine’s own word of a download, and to the first crawl that access logs show. Where a start"
    " is unsure, the earliest one counts, so waits may be shorter than shown."
)


def page(
    shell: Shell,
    title: str,
    sections: Sequence[Content],
    shown: Sequence[Table],
    *,
    header: Content = None,
) -> str:
    """Any page around these sections; its script gets the rows of the tables."""
    pool = Pool()
    data = [table_data(table, pool, shell.frame.made_at) for table in shown]
    facts = {
        "made": int(shell.frame.made_at.timestamp()),
        "live": shell.frame.live,
        "head": shell.head,
        "title": title,
        "looks": _looks(),
        "pool": pool.texts,
        "tables": data,
    }
    body = join(
        element("a", "Skip to the content", href="#home", class_="skip"),
        raw(asset("page.svg")),
        _top(shell, header),
        element("main", *sections, id="home", tabindex="-1"),
        element("section", id="view", hidden=True, tabindex="-1", aria_live="off"),
        _foot(shell),
        json_block("facts", facts),
        raw(f"<script>{asset('page.js')}</script>"),
    )
    return "<!doctype html>\n" + element("html", _head(shell, title), _body(body), lang="en") + "\n"


def _body(content: Html) -> Html:
    return element("body", element("div", content, class_="page"))


def _looks() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return {
        kind: {key: (look.word, look.tone, look.icon) for key, look in looks.items()}
        for kind, looks in LOOKS.items()
    }


@cache
def asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def policy(*, live: bool) -> str:
    """Nothing is loaded from anywhere; only this script and this style run. A served page asks its
    own server whether it is old."""
    script, style = _hash(asset("page.js")), _hash(asset("page.css"))
    asks = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:;"
        f" connect-src {asks}; base-uri 'none'; form-action 'none'"
    )


def _hash(body: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(body.encode()).digest()).decode()


def _head(shell: Shell, title: str) -> Html:
    rules = policy(live=shell.frame.live)
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=rules),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="robots", content="noindex"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", f"{title} · submitter"),
        raw(f"<style>{asset('page.css')}</style>"),
    )


# ---------------------------------------------------------------- top and foot


_NAV = (
    ("fleet", "Fleet"),
    ("lanes", "Allowance"),
    ("submissions", "Submissions"),
    ("sitemaps", "Sitemaps"),
    ("latencies", "Reading"),
    ("crawl", "Crawl"),
    ("runs", "Runs"),
)


def _top(shell: Shell, header: Content) -> Html:
    home = "/" if shell.frame.live else "#/"
    made = shell.frame.made_at
    links = [
        element("li", element("a", word, href=f"{'/' if shell.frame.live else ''}#{name}"))
        for name, word in _NAV
    ]
    stamp = element("time", exact(made), datetime=timestamp(made), id="made")
    return element(
        "header",
        element(
            "div",
            element("h1", element("a", shell.fleet, href=home)),
            element("p", "As of ", stamp, element("span", id="age"), header, class_="as-of"),
            class_="name",
        ),
        element("button", "Theme", type="button", id="theme", hidden=True),
        element("nav", element("ul", *links), aria_label="Sections"),
        element("p", id="stale", role="status", hidden=True),
        class_="top",
    )


def _run_line(report: Report) -> Html | None:
    if not report.runs:
        return element("span", " · no run was made yet")
    last = report.runs[0]
    outcome = LOOKS["outcome"].get(last.outcome or "unfinished")
    took = f" in {span(last.finished_at - last.started_at)}" if last.finished_at else ""
    return join(
        " · last run ",
        time_html(last.started_at, report.made_at),
        " ",
        badge(outcome) if outcome else last.outcome,
        took,
    )


def _foot(shell: Shell) -> Html:
    inventory = f" · inventory {shell.inventory[:12]}" if shell.inventory else ""
    names = ("fleet", "targets", "lanes", "days", "causes", "sitemaps", "crawls", "runs")
    links = [
        join(" ", element("a", name, href=f"/data/{name}.{form}"), f" ({form})")
        for name in names
        for form in ("json",)
    ]
    data = join("Data:", *links) if shell.frame.live else join(
        "The same from the command line: ", element("code", "submitter status --json"), " and ",
        element("code", "submitter log --jsonl"), "; live: ", element("code", "submitter serve"),
    )  # fmt: skip
    return element(
        "footer",
        element("p", data),
        element(
            "p",
            f"submitter {shell.version}{inventory}. All times are UTC; ages are measured at the"
            " moment above. Accepted, received, read and crawled are four different facts.",
        ),
    )


# ---------------------------------------------------------------- sections


def _section(
    id: str,
    title: str,
    shown: Sequence[Table],
    shell: Shell,
    *,
    lead: str = "",
    count: int | None = None,
) -> Html:
    heading = element("h2", title, _count(id, count) if count else None)
    parts: list[Html] = []
    for table in shown:
        if len(shown) > 1 and table is not shown[0]:
            parts.append(element("h3", table.title))
        parts.append(table_html(table, shell.frame))
    return element(
        "section", heading, element("p", lead, class_="lead") if lead else None, *parts, id=id
    )


def _count(table: str, count: int) -> Html:
    return element("a", f"{count:,}", href=f"#/{table}?of={count}", class_="count")


def _counters(report: Report) -> Html:
    """Grey at zero, loud only where somebody may have something to do."""
    by_health = Counter(one.health for one in report.targets)
    waiting = sum(one.waiting for one in report.targets)
    near = sum(1 for one in report.lanes if one.limit and 100 * one.spent >= NEAR * one.limit)
    unread = [
        int((report.made_at - one.unread_since).total_seconds())
        for one in report.sitemaps
        if one.unread_since is not None
    ]
    everything = len(report.targets)
    tiles = [
        _tile("targets in trouble", _sum(by_health, BAD), "bad", "cross", _at(BAD)),
        _tile("held, late or unknown", _sum(by_health, ODD), "odd", "late", _at(ODD)),
        _tile("read or taken", _sum(by_health, GOOD), "good", "check", _at(GOOD), of=everything),
        _tile("pages waiting", waiting, "wait", "clock", "#/targets?waiting=nonzero&sum=waiting"),
        _tile(f"lanes over {NEAR} %", near, "odd", "pause", "#/lanes?used=80-"),
        _age_tile("longest unread", max(unread, default=None)),
    ]  # fmt: skip
    return element(
        "section", element("h2", "At a glance", class_="sr"), element("ul", *tiles, class_="tiles")
    )


def _sum(counts: Mapping[Health, int], of: Iterable[Health]) -> int:
    return sum(counts[one] for one in of)


def _at(healths: Iterable[Health]) -> str:
    return "#/targets?health=" + ",".join(sorted(map(str, healths)))


def _tile(
    word: str, number: int, tone: str, drawing: str, href: str, *, of: int | None = None
) -> Html:
    total = element("small", f" of {of:,}") if of is not None else None
    shown = element("b", f"{number:,}", total)
    label = element("span", icon(drawing), word)
    tone = tone if number else "none"
    href = f"{href}&of={number}"
    body = element("a", shown, label, href=href) if number else element("div", shown, label)
    return element("li", body, class_=f"tile t-{tone}")


def _age_tile(word: str, seconds: int | None) -> Html:
    label = element("span", icon("late"), word)
    if seconds is None:
        return element("li", element("div", element("b", "–"), label), class_="tile t-none")
    shown = element("b", span_of_seconds(seconds))
    body = element("a", shown, label, href="#/sitemaps?state=queued,stuck")
    return element("li", body, class_="tile t-wait")


def _fleet(table: Table, report: Report, shell: Shell) -> Html:
    counts = Counter(one.health for one in report.targets)
    legend = [_state(HEALTH[one], one, counts[one]) for one in Health if counts[one]]
    lead = (
        f"Each cell: what is known, since when, and the last {BEAT_DAYS} days of calls;"
        " trouble is taller."
    )
    return element(
        "section",
        element("h2", "Fleet", _count("fleet", len(table.rows)) if table.rows else None),
        element("p", lead, class_="lead"),
        element("ul", *legend, class_="states"),
        table_html(table, shell.frame),
        id="fleet",
    )


def _state(look: Look, health: Health, count: int) -> Html:
    href = f"#/targets?health={health}&of={count}"
    shown = join(badge(look), " ", element("b", f"{count:,}"))
    return element("li", element("a", shown, href=href, title=look.meaning))


def _submissions(report: Report, by_id: Mapping[str, Table], shell: Shell) -> Html:
    first, today = report.since.astimezone(UTC).date(), report.made_at.astimezone(UTC).date()
    states: dict[str, Counter[date]] = defaultdict(Counter)
    for one in report.days:
        states[one.state][one.day] += one.calls
    series = [
        Series(state, look.word, states[state], f"#/days?state={state}&sum=calls")
        for state, look in CALLS.items()
    ]
    calls = Chart("Calls by day and state", first, today, series, "#/days?sum=calls&day={day}")
    counted = {name: {one.day: getattr(one, name) for one in report.page_days} for name in _FOUND}
    pages = [Series(name, name, counted[name], f"#/page_days?sum={name}") for name in _FOUND]
    found = Chart("Pages found by day", first, today, pages, "#/page_days?day={day}")
    return element(
        "section",
        element("h2", "Submissions"),
        chart_html(calls),
        _fold("The numbers, day by day", table_html(by_id["days"], shell.frame)),
        element("h3", "Troubles by cause"),
        table_html(by_id["causes"], shell.frame),
        element("h3", "What changed on the sites"),
        chart_html(found),
        _fold("The numbers, day by day", table_html(by_id["page_days"], shell.frame)),
        id="submissions",
    )


_FOUND = ("new", "changed", "gone")


def _crawl(report: Report, by_id: Mapping[str, Table], shell: Shell) -> Html:
    table = by_id["crawls"]
    kinds: dict[str, Counter[date]] = defaultdict(Counter)
    for one in report.crawl_days:
        kinds[one.kind][one.day] += one.hits
    parts: list[Content] = []
    if report.crawl_days:
        today = report.made_at.astimezone(UTC).date()
        series = [
            Series(f"kind{n % 5}", kind, kinds[kind], f"#/crawl_days?kind={kind}&sum=hits")
            for n, kind in enumerate(sorted(kinds))
        ]
        first, link = min(one.day for one in report.crawl_days), "#/crawl_days?sum=hits&day={day}"
        parts.append(chart_html(Chart("Fetches by crawlers", first, today, series, link)))
        parts.append(_fold("The numbers, day by day", table_html(by_id["crawl_days"], shell.frame)))
    lead = "From access logs: what bots fetched in the last four weeks, by section of the sites."
    return element(
        "section",
        element("h2", "Crawl"),
        element("p", lead, class_="lead"),
        *parts,
        table_html(table, shell.frame),
        id="crawl",
    )


def _fold(title: str, content: Html) -> Html:
    return element("details", element("summary", title), content)
