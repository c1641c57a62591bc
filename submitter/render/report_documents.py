"""The JSON documents of `report`: the closed loop, what waits, what is alarming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypedDict

from submitter.core.alerts import Alert
from submitter.core.evidence import CallCount, RunEnd
from submitter.core.loop import Latency, Period
from submitter.core.summary import timestamp
from submitter.stories.alerting import News
from submitter.stories.overview import Lane, Overview


class AlertDoc(TypedDict):
    id: str
    """A key of the table of alarms."""
    severity: str
    """`error` or `warning`."""
    site: str | None
    """null: our own job, or the whole fleet."""
    about: str | None
    """The sitemap, the section or the account meant."""
    engine: str | None
    """The engine, or its crawler by the name in access logs."""
    since: str | None
    """Since when it is so, as far as is known."""
    message: str
    next_step: str
    numbers: dict[str, float]
    """What it was judged by; the keys depend on the id."""


class AlertsDoc(TypedDict):
    fleet: str
    """The inventory's name."""
    made_at: str
    """The moment that is reported."""
    alerts: list[AlertDoc]
    """What is alarming now, errors first."""


class NewsDoc(AlertsDoc):
    new: list[AlertDoc]
    """Alarms that nobody was told before."""
    over: list[AlertDoc]
    """Alarms that were told and hold no more."""
    text: str
    """The same in words; chats show this key."""


class ToldDoc(AlertsDoc):
    webhook: str | None
    """`told`, `nothing-new` or `failed`; null without --webhook."""
    new: int | None
    """Alarms that were new to the webhook; null without --webhook."""
    over: int | None
    """Alarms that were told before and are over; null without --webhook."""


class SubmissionsDoc(TypedDict):
    account: str
    engine: str
    kind: str
    """`sitemap`, `urls`, `removal` or `withdrawal`."""
    state: str
    """A state, or `partial`."""
    calls: int
    """Calls that ended so."""
    pages: int
    """Pages in these calls; a sitemap counts as one."""
    accepted: int
    """Pages that the engine took; 1 for a sitemap."""
    rejected: int


class SitemapsDoc(TypedDict):
    account: str
    state: str
    """A state of a sitemap."""
    sitemaps: int
    """How many are in it."""


class LaneDoc(TypedDict):
    account: str
    property: str
    day: str
    """The engine's own day."""
    limit: int | None
    spent: int
    """Accepted, in flight and unknown."""
    left: int | None
    resets_at: str | None
    waiting: int
    """Pages that still have to be told."""
    backlog_days: int | None
    """Engine days until they are, today included; 0: none waits; null: unknown."""


class PeriodDoc(TypedDict):
    name: str
    """`all`, `before` or `after`."""
    since: str
    """What was first sent from then on counts."""
    until: str
    """What was first sent from then on does not."""


class LatencyDoc(TypedDict):
    engine: str
    told_by: str
    """`sitemap`: by a sitemap that lists the page; `urls`: page by page."""
    goal: str
    """`crawl`: the crawler read the page, by access logs; `download`: the engine says that it
    read the sitemap."""
    section: str | None
    """null: all sections together; sitemaps have none."""
    period: str
    """A name of the periods."""
    sent: int
    """Pages (sitemaps) first sent in the period, as far as logs could have shown their reading."""
    reached: int
    """Read after they were sent."""
    again: int
    """Read before they were sent and again since. Of the readings of a page the first and the last
    are kept, so how soon that was is not known, and is in no median."""
    before: int
    """Read before they were sent only; no answer to the sending."""
    open: int
    """Sent and not read since."""
    median_s: int | None
    """Of those reached: half of them were read within so many seconds."""
    p90_s: int | None
    """Nine of ten were."""
    unsure: int
    """Of those sent: of sites with several sitemaps told. Which of them listed a page first is not
    remembered, so the earliest telling counts, and waits may be shorter than they are shown."""


class LastRunDoc(TypedDict):
    run: str
    started_at: str
    """When it began."""
    finished_at: str | None
    """null: it has not ended."""
    outcome: str | None
    """As in `run`."""
    exit_code: int | None


class OverviewDoc(AlertsDoc):
    since: str
    """Calls and latencies are from then on."""
    last_run: LastRunDoc | None
    """null: there was none."""
    submissions: list[SubmissionsDoc]
    """Calls by how they ended."""
    sitemaps: list[SitemapsDoc]
    """Sitemaps by what is known of them now."""
    lanes: list[LaneDoc]
    """What lanes may still spend, and what waits there; those with most waiting first."""
    periods: list[PeriodDoc]
    """The parts of the time."""
    latencies: list[LatencyDoc]
    """From first sent to first read."""


# ---------------------------------------------------------------- made from values


def overview_doc(overview: Overview) -> OverviewDoc:
    return {
        "fleet": overview.fleet,
        "made_at": _time(overview.made_at),
        "since": _time(overview.since),
        "last_run": None if overview.last_run is None else _run_doc(overview.last_run),
        "submissions": submission_docs(overview.calls),
        "sitemaps": [
            {"account": account, "state": str(state), "sitemaps": count}
            for (account, state), count in sorted(overview.sitemaps.items())
        ],
        "lanes": [_lane_doc(one) for one in overview.lanes],
        "periods": [_period_doc(one) for one in overview.periods],
        "latencies": [latency_doc(one) for one in overview.latencies],
        "alerts": alert_docs(overview.alerts),
    }


def _time(at: datetime) -> str:
    return timestamp(at) or ""


def _run_doc(run: RunEnd) -> LastRunDoc:
    return {
        "run": run.id,
        "started_at": _time(run.started_at),
        "finished_at": timestamp(run.finished_at),
        "outcome": run.outcome,
        "exit_code": run.exit_code,
    }


def submission_docs(calls: Iterable[CallCount]) -> list[SubmissionsDoc]:
    """By account, kind and state; the calls of all targets together."""
    sums: dict[tuple[str, str, str, str], Counter[str]] = {}
    for one in calls:
        total = sums.setdefault((one.account, one.engine, one.kind, one.state), Counter())
        total.update(calls=one.calls, pages=one.pages, accepted=one.accepted, rejected=one.rejected)
    return [
        {
            "account": account,
            "engine": engine,
            "kind": kind,
            "state": state,
            "calls": total["calls"],
            "pages": total["pages"],
            "accepted": total["accepted"],
            "rejected": total["rejected"],
        }
        for (account, engine, kind, state), total in sorted(sums.items())
    ]


def _lane_doc(lane: Lane) -> LaneDoc:
    one = lane.allowance
    return {
        "account": one.account,
        "property": one.property,
        "day": one.day.isoformat(),
        "limit": one.limit,
        "spent": one.spent,
        "left": lane.left,
        "resets_at": timestamp(lane.resets_at),
        "waiting": lane.waiting,
        "backlog_days": lane.days,
    }


def _period_doc(period: Period) -> PeriodDoc:
    return {"name": period.name, "since": _time(period.since), "until": _time(period.until)}


def latency_doc(one: Latency) -> LatencyDoc:
    return {
        "engine": one.engine,
        "told_by": str(one.kind),
        "goal": str(one.goal),
        "section": one.section,
        "period": one.period,
        "sent": one.sent,
        "reached": one.reached,
        "again": one.again,
        "before": one.before,
        "open": one.open,
        "median_s": one.median_s,
        "p90_s": one.p90_s,
        "unsure": one.unsure,
    }


def alert_docs(alerts: Iterable[Alert]) -> list[AlertDoc]:
    return [
        {
            "id": one.id,
            "severity": str(one.severity),
            "site": one.site or None,
            "about": one.about or None,
            "engine": one.engine or None,
            "since": timestamp(one.since),
            "message": one.message,
            "next_step": one.next_step,
            "numbers": {name: float(number) for name, number in one.numbers.items()},
        }
        for one in alerts
    ]


def alerts_doc(fleet: str, alerts: Sequence[Alert], now: datetime) -> AlertsDoc:
    return {"fleet": fleet, "made_at": _time(now), "alerts": alert_docs(alerts)}


def news_doc(fleet: str, alerts: Sequence[Alert], news: News, now: datetime) -> NewsDoc:
    return {
        **alerts_doc(fleet, alerts, now),
        "new": alert_docs(news.begun),
        "over": alert_docs(news.over),
        "text": _news_text(fleet, news),
    }


def _news_text(fleet: str, news: News) -> str:
    lines = [f"{fleet}: {len(news.begun)} new, {len(news.over)} over"]
    lines += [f"{one.severity.upper()} {alert_line(one)}. {one.next_step}" for one in news.begun]
    lines += [f"OVER {alert_line(one)}" for one in news.over]
    return "\n".join(lines)


def alert_line(one: Alert) -> str:
    """`sitemap-gone https://shop.example.com/sitemap.xml: answers 404`."""
    where = one.about if one.about.startswith(one.site or " ") else f"{one.site} {one.about}"
    return f"{one.id} {where.strip()}".strip() + f": {one.message}"


def told_doc(
    fleet: str, alerts: Sequence[Alert], news: News | None, webhook: str | None, now: datetime
) -> ToldDoc:
    return {
        **alerts_doc(fleet, alerts, now),
        "webhook": webhook,
        "new": None if news is None else len(news.begun),
        "over": None if news is None else len(news.over),
    }
