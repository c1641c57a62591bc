"""The report's tables of what needs somebody, of targets and of their allowances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from submitter.core.health import Health
from submitter.core.report import BEAT_DAYS, LaneLine, Report, TargetLine
from submitter.core.summary import timestamp
from submitter.render.html.columns import (
    ACCOUNT,
    ENGINE,
    SHOWN_ENGINE,
    SITE,
    TROUBLES,
    own_row,
    summing,
)
from submitter.render.html.table import Cell, Column, Table, Value


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
        Column(
            "pages",
            "Pages",
            "count",
            summing("documents?site={site}", "pages"),
            doc="listed at the last look",
        ),
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
    pages = "pages?site={site}&account={account}"
    columns = (
        SITE,
        ACCOUNT,
        SHOWN_ENGINE,
        Column("health", "State", "health", facet=True),
        Column("at", "Since", "time"),
        Column("why", "Why", "words"),
        Column("calls", "Calls", "count", f"{calls}&of={{calls}}", doc=f"in {BEAT_DAYS} days"),
        Column(
            "troubles", "In trouble", "count", f"{calls}&state={TROUBLES}&of={{troubles}}",
            doc="calls that were rejected, lost, not carried out or taken in part",
        ),
        Column("told", "Pages told", "count", f"{pages}&state=told&of={{told}}"),
        Column("waiting", "Waiting", "count", f"{pages}&state=waiting&of={{waiting}}"),
        Column("unknown", "Unknown", "count", f"{pages}&state=unknown&of={{unknown}}"),
        Column("rejected", "Rejected", "count", f"{pages}&state=rejected&of={{rejected}}"),
        Column("property", "Property"),
    )  # fmt: skip
    rows = [
        (
            one.site, one.account, one.engine, str(one.health), one.at, one.why, one.calls,
            one.troubles, one.told, one.waiting, one.unknown, one.rejected, one.property,
        )
        for one in report.targets
    ]  # fmt: skip
    empty, command = "No target is like that.", "submitter serve"
    return Table("targets", "Targets", columns, rows, empty, command=command, size=25)


def _beat_since(report: Report) -> str:
    return (report.made_at - timedelta(days=BEAT_DAYS - 1)).date().isoformat()


def lanes(report: Report) -> Table:
    spent = summing("log?account={account}&property={property}&since={from}", "spent")
    of_lane = "targets?account={account}&property={property}&waiting=nonzero"
    waiting = summing(of_lane, "waiting", "backlog")
    own = own_row("lanes", "account", "property")
    columns = (
        Column("property", "Lane"),
        ACCOUNT,
        ENGINE,
        Column("used", "Used", "share", own("used")),
        Column("spent", "Spent", "count", spent, doc="accepted, in flight and unknown"),
        Column("limit", "Of", "count", own("limit")),
        Column("left", "Left", "count", own("left")),
        Column("backlog", "Waiting", "count", waiting),
        Column("days", "Days left", "count", own("days"), doc="until nothing waits, today counted"),
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
