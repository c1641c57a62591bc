"""The closed loop and what is alarming, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal

from submitter.render.report_documents import AlertDoc, LaneDoc, LatencyDoc, OverviewDoc, PeriodDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, Row, paragraph, table
from submitter.render.text_parts import number, several, state_cell
from submitter.render.times import moment, read, span

MOST_LANES = 20
MOST_OF_AN_ID = 5
"""Alarms of one id that are shown; JSON has them all."""
_SEVERITY_INK = {"error": Ink.BAD, "warning": Ink.WAIT}
_EARLIER = {
    "again": "AGAIN were read before they were sent and since: how soon is not kept, so no median"
    " counts them.",
    "before": "BEFORE were read before they were sent only.",
}
_NO_LOOP = (
    "Nothing to measure: of what was first sent {when}, no sitemap was asked about again,"
    " and no access log that was read (`submitter crawlers`) covers a page."
)


def overview_text(overview: OverviewDoc, now: datetime, screen: Screen) -> list[str]:
    """What is alarming first, then what was told, what waits, and how soon it was read."""
    lines = [screen.heading(f"{overview['fleet']} since {overview['since'][:10]}")]
    lines += paragraph(_last_run(overview, now), screen)
    lines += ["", screen.heading("Alarms"), *alerts_text(overview["alerts"], now, screen)]
    lines += _titled("Submissions", _submissions(overview, screen), screen)
    lines += _titled("Sitemaps now", _sitemaps(overview, screen), screen)
    lines += _titled("Lanes", _lanes(overview["lanes"], now, screen), screen)
    loop = _loop(overview, screen) or paragraph(_no_loop(overview["periods"]), screen)
    return lines + _titled("From first sent to first read", loop, screen)


def _titled(title: str, lines: Sequence[str], screen: Screen) -> list[str]:
    return ["", screen.heading(title), *lines] if lines else []


def _last_run(overview: OverviewDoc, now: datetime) -> str:
    last = overview["last_run"]
    if last is None:
        return "No run is remembered."
    ended = read(last["finished_at"])
    if ended is None:
        return f"Run {last['run']} has not ended."
    return f"Last run {last['run']}: {last['outcome']}, {moment(ended, now)}"


# ---------------------------------------------------------------- alarms


def alerts_text(alerts: Sequence[AlertDoc], now: datetime, screen: Screen) -> list[str]:
    """By id, with the next step once."""
    if not alerts:
        return ["Nothing is alarming."]
    lines: list[str] = []
    for id in dict.fromkeys(one["id"] for one in alerts):
        group = [one for one in alerts if one["id"] == id]
        first = group[0]
        head = f"{first['severity']}: {id}, {len(group):,}x"
        lines += paragraph(head, screen, ink=_SEVERITY_INK.get(first["severity"]))
        for one in group[:MOST_OF_AN_ID]:
            lines += paragraph(_alert(one, now), screen, indent=4)
        if len(group) > MOST_OF_AN_ID:
            lines.append(f"    and {len(group) - MOST_OF_AN_ID:,} more (--json has them all)")
        lines += paragraph(f"Next: {first['next_step']}", screen, indent=4)
    return lines


def _alert(one: AlertDoc, now: datetime) -> str:
    about, site = one["about"], one["site"]
    named = about and site and about.startswith(site)
    where = " ".join(part for part in (None if named else site, about, one["engine"]) if part)
    since = read(one["since"])
    words = f"{where}: {one['message']}" if where else one["message"]
    return words if since is None else f"{words} (since {moment(since, now)})"


# ---------------------------------------------------------------- tables


def _submissions(overview: OverviewDoc, screen: Screen) -> list[str]:
    columns = (
        Column("ACCOUNT", folds=Folds.ADDRESS),
        Column("OF"),
        Column("STATE"),
        Column("CALLS", right=True),
        Column("PAGES", right=True),
        Column("TAKEN", right=True),
        Column("REFUSED", right=True),
    )
    rows = [
        (
            one["account"],
            one["kind"],
            state_cell(one["state"]),
            number(one["calls"]),
            number(one["pages"]),
            number(one["accepted"]),
            number(one["rejected"]),
        )
        for one in overview["submissions"]
    ]
    return table(columns, rows, screen) or ["Nothing was sent."]


def _sitemaps(overview: OverviewDoc, screen: Screen) -> list[str]:
    accounts: dict[str, list[str]] = {}
    for one in overview["sitemaps"]:
        words = f"{one['sitemaps']:,} {one['state'].replace('_', ' ')}"
        accounts.setdefault(one["account"], []).append(words)
    lines = (f"{account}: {', '.join(words)}" for account, words in accounts.items())
    return [part for line in lines for part in paragraph(line, screen)]


def _lanes(lanes: Sequence[LaneDoc], now: datetime, screen: Screen) -> list[str]:
    columns = (
        Column("ACCOUNT", folds=Folds.ADDRESS),
        Column("PROPERTY", folds=Folds.ADDRESS),
        Column("SPENT", right=True),
        Column("LEFT", right=True),
        Column("WAITING", right=True),
        Column("DAYS", right=True),
        Column("NEW DAY", folds=Folds.WORDS),
    )
    rows = [
        (
            one["account"],
            one["property"],
            number(one["spent"]),
            number(one["left"]),
            number(one["waiting"]),
            number(one["backlog_days"]),
            moment(read(one["resets_at"]), now),
        )
        for one in lanes[:MOST_LANES]
    ]
    lines = table(columns, rows, screen)
    if len(lanes) > MOST_LANES:
        lines.append(f"and {several(len(lanes) - MOST_LANES, 'more lane')} (--json has them all)")
    return lines


def _loop(overview: OverviewDoc, screen: Screen) -> list[str]:
    earlier = _earlier(overview)
    columns = (
        Column("ENGINE"),
        Column("BY"),
        Column("UNTIL"),
        Column("SECTION", folds=Folds.ADDRESS),
        *((Column("PERIOD"),) if len(overview["periods"]) > 1 else ()),
        Column("SENT", right=True),
        Column("READ", right=True),
        *(Column(name.upper(), right=True) for name in earlier),
        Column("OPEN", right=True),
        Column("MEDIAN", right=True),
        Column("P90", right=True),
    )
    lines = table(columns, _loop_rows(overview), screen)
    if earlier:
        lines += paragraph(" ".join(_EARLIER[name] for name in earlier), screen)
    unsure = max((one["unsure"] for one in overview["latencies"]), default=0)
    if unsure:
        lines += paragraph(
            f"Of {several(unsure, 'page')} it is not certain when they were first sent: their sites"
            " have several sitemaps, and the earliest telling counts. Waits may be shorter.",
            screen,
        )
    return lines


def _no_loop(periods: Sequence[PeriodDoc]) -> str:
    spans = (f"from {one['since'][:10]} to {one['until'][:10]}" for one in periods)
    return _NO_LOOP.format(when=" and ".join(spans))


def _loop_rows(overview: OverviewDoc) -> Iterable[Row]:
    several_periods, earlier = len(overview["periods"]) > 1, _earlier(overview)
    for one in _side_by_side(overview["latencies"]):
        yield (
            one["engine"],
            "sitemap" if one["told_by"] == "sitemap" else "page",
            one["goal"],
            _section(one),
            *((one["period"],) if several_periods else ()),
            number(one["sent"]),
            number(one["reached"]),
            *(number(one[name]) for name in earlier),
            Cell(number(one["open"]), Ink.WAIT if one["open"] else None),
            _wait(one["median_s"]),
            _wait(one["p90_s"]),
        )


def _earlier(overview: OverviewDoc) -> list[Literal["again", "before"]]:
    """Which columns of what was read before it was sent have anything to say."""
    names: tuple[Literal["again", "before"], ...] = ("again", "before")
    return [name for name in names if any(one[name] for one in overview["latencies"])]


def _side_by_side(latencies: Sequence[LatencyDoc]) -> list[LatencyDoc]:
    """The periods of one section below each other."""
    order: dict[tuple[str, str, str, str | None], int] = {}
    for one in latencies:
        order.setdefault((one["engine"], one["told_by"], one["goal"], one["section"]), len(order))
    return sorted(
        latencies,
        key=lambda one: order[one["engine"], one["told_by"], one["goal"], one["section"]],
    )


def _section(one: LatencyDoc) -> str:
    if one["section"] is None:
        return "-" if one["goal"] == "download" else "all"
    return one["section"] or "(none)"


def _wait(seconds: int | None) -> str:
    return "-" if seconds is None else span(timedelta(seconds=seconds))
