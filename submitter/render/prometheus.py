"""Metrics in the text format of Prometheus, under the names that its users expect.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/ and
https://prometheus.io/docs/practices/naming/, read 2026-11-30.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from submitter import __version__
from submitter.core.evidence import CALL_STEPS_S
from submitter.core.states import PARTIAL, TOLD, State
from submitter.stories.metrics import LaneMetric, Metrics

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
MOST_SITES: Final = 1_000
"""Up to so many sites of the inventory, metrics have a label `site`; beyond, sites are added up.
Every value of a label is a series of its own in Prometheus."""

Labels = Mapping[str, str]
Sample = tuple[Labels, float]


@dataclass(frozen=True, slots=True)
class Histogram:
    """`within` counts what is no larger than each of `ends`, the next larger ones included."""

    labels: Labels
    ends: tuple[float, ...]
    within: tuple[int, ...]
    count: int
    sum: float


@dataclass(frozen=True, slots=True)
class Metric:
    """One family: its name without suffix rules of ours, what it counts, and its samples."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: list[Sample] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    """In place of samples."""


def metrics_text(metrics: Metrics) -> str:
    """A whole scrape; families in a fixed order, samples by their labels."""
    families = (
        *_of_calls(metrics),
        *_of_times(metrics),
        *_of_sitemaps(metrics),
        *_of_lanes(metrics),
        *_of_job(metrics),
    )
    return "".join(line + "\n" for family in families for line in _lines(family))


def _lines(metric: Metric) -> Iterator[str]:
    if not (metric.samples or metric.histograms):
        return
    yield f"# HELP {metric.name} {_escaped(metric.help)}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for labels, value in sorted(metric.samples, key=lambda one: sorted(one[0].items())):
        yield _line(metric.name, labels, value)
    for one in metric.histograms:
        for end, count in zip((*one.ends, math.inf), (*one.within, one.count), strict=True):
            yield _line(f"{metric.name}_bucket", {**one.labels, "le": _end(end)}, count)
        yield _line(f"{metric.name}_sum", one.labels, one.sum)
        yield _line(f"{metric.name}_count", one.labels, one.count)


def _line(name: str, labels: Labels, value: float) -> str:
    named = ",".join(f'{label}="{_quoted(text)}"' for label, text in labels.items())
    return f"{name}{{{named}}} {_number(value)}" if named else f"{name} {_number(value)}"


def _end(end: float) -> str:
    """As Prometheus's own clients write it: `0.5`, `1.0`, `+Inf`."""
    return "+Inf" if math.isinf(end) else repr(float(end))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _number(value: float) -> str:
    """Whole numbers without a point; a number that nobody knows is `NaN`."""
    if math.isfinite(value) and value == int(value):
        return str(int(value))
    return "NaN" if math.isnan(value) else repr(float(value))


# ---------------------------------------------------------------- families


class _Sums:
    """Adds up under labels; without `site` where there are too many sites."""

    def __init__(self, metrics: Metrics) -> None:
        self._by_site = len(metrics.sites) <= MOST_SITES
        self.sums: Counter[tuple[tuple[str, str], ...]] = Counter()
        self.latest: dict[tuple[tuple[str, str], ...], float] = {}
        self.oldest: dict[tuple[tuple[str, str], ...], float] = {}

    def key(self, site: str, **labels: str) -> tuple[tuple[str, str], ...]:
        named = {"site": site} | labels if self._by_site else labels
        return tuple(named.items())

    @staticmethod
    def samples(values: Mapping[tuple[tuple[str, str], ...], float]) -> list[Sample]:
        return [(dict(labels), value) for labels, value in values.items()]


def _of_calls(metrics: Metrics) -> Iterator[Metric]:
    sums = _Sums(metrics)
    for one in metrics.calls:
        if one.state == State.SENDING:
            continue  # it will end as something else, and a counter never goes down
        sums.sums[sums.key(one.site, engine=one.engine, kind=one.kind, outcome=one.state)] += (
            one.calls
        )
        if one.state in TOLD or one.state == PARTIAL:
            key = sums.key(one.site, engine=one.engine)
            sums.latest[key] = max(sums.latest.get(key, 0), _seconds(one.last_at))
    yield Metric(
        "submitter_submissions_total",
        "counter",
        "Calls to engines, by how they ended.",
        sums.samples(sums.sums),
    )
    yield Metric(
        "submitter_last_success_timestamp_seconds",
        "gauge",
        "When the last call that an engine took was sent.",
        sums.samples(sums.latest),
    )


def _of_times(metrics: Metrics) -> Iterator[Metric]:
    times = [
        Histogram(
            {"engine": one.engine, "kind": one.kind},
            CALL_STEPS_S,
            one.within,
            one.calls,
            one.seconds,
        )
        for one in metrics.times
    ]
    yield Metric(
        "submitter_request_duration_seconds",
        "histogram",
        "How long calls to engines took, from the stored intent to the answer or its absence.",
        histograms=times,
    )


def _of_sitemaps(metrics: Metrics) -> Iterator[Metric]:
    sums = _Sums(metrics)
    pages: dict[tuple[str, str], int] = {}
    errors: Counter[tuple[tuple[str, str], ...]] = Counter()
    for engine, one in metrics.statuses:
        if one.urls_ours is not None:
            pages[one.site, one.sitemap] = one.urls_ours
        key = sums.key(one.site, engine=engine)
        if one.check is not None and one.check.last_downloaded is not None:
            read_at = _seconds(one.check.last_downloaded)
            sums.oldest[key] = min(sums.oldest.get(key, math.inf), read_at)
        if one.check is not None and one.check.errors is not None:
            errors[key] += one.check.errors
    for (site, _), count in pages.items():
        sums.sums[sums.key(site)] += count
    yield Metric(
        "submitter_sitemap_urls", "gauge", "Pages that sitemaps list.", sums.samples(sums.sums)
    )
    yield Metric(
        "submitter_sitemap_last_download_timestamp_seconds",
        "gauge",
        "When an engine last read a sitemap, in its own word; the one that waits longest.",
        sums.samples(sums.oldest),
    )
    yield Metric(
        "submitter_sitemap_errors",
        "gauge",
        "Errors that engines found in sitemaps, in their own word.",
        sums.samples(errors),
    )


def _of_lanes(metrics: Metrics) -> Iterator[Metric]:
    """`credential` is the account; a lane's property may be a site, so lanes are added up."""
    yield _lane_sum(
        "submitter_quota_limit",
        "Pages that an account may tell on the engine's day, over its properties.",
        ((one, one.allowance.limit) for one in metrics.lanes),
    )
    yield _lane_sum(
        "submitter_quota_remaining",
        "Pages that an account may still tell on the engine's day, over its properties.",
        ((one, one.left) for one in metrics.lanes),
    )
    yield _lane_sum(
        "submitter_quota_used",
        "Pages spent on the engine's day: accepted, in flight and unknown.",
        ((one, one.allowance.spent) for one in metrics.lanes),
    )
    waiting: list[Sample] = [
        (
            {
                "engine": metrics.engines[account],
                "credential": account,
                "kind": str(kind),
            },
            pages,
        )
        for (account, kind), pages in metrics.waiting.items()
        if account in metrics.engines
    ]
    yield Metric("submitter_waiting_urls", "gauge", "Pages that still have to be told.", waiting)


def _lane_sum(name: str, help: str, lanes: Iterable[tuple[LaneMetric, int | None]]) -> Metric:
    """Lanes of which the number is not known are left out."""
    sums: Counter[tuple[str, str]] = Counter()
    for lane, value in lanes:
        if value is not None:
            sums[lane.engine, lane.allowance.account] += value
    samples: list[Sample] = [
        ({"engine": engine, "credential": account}, value)
        for (engine, account), value in sums.items()
    ]
    return Metric(name, "gauge", help, samples)


def _of_job(metrics: Metrics) -> Iterator[Metric]:
    last = metrics.last_run
    if last is not None and last.finished_at is not None:
        length = (last.finished_at - last.started_at).total_seconds()
        yield _single(
            "submitter_run_last_finish_timestamp_seconds",
            "When the last run ended.",
            _seconds(last.finished_at),
        )
        yield _single(
            "submitter_run_duration_seconds", "How long the last run that ended took.", length
        )
        yield _single(
            "submitter_run_last_exit_code",
            "Exit code of the last run that ended.",
            last.exit_code if last.exit_code is not None else math.nan,
        )
    alarms: list[Sample] = [({"id": id}, count) for id, count in metrics.alerts.items()]
    yield Metric("submitter_alerts", "gauge", "Alarms now, by id.", alarms)
    yield _single("submitter_sites", "Sites of the inventory.", len(metrics.sites))
    info: list[Sample] = [({"version": __version__, "fleet": metrics.fleet}, 1)]
    yield Metric("submitter_build_info", "gauge", "The program, always 1.", info)
    yield _single(
        "submitter_metrics_timestamp_seconds",
        "When these metrics were made.",
        _seconds(metrics.made_at),
    )


def _single(name: str, help: str, value: float) -> Metric:
    return Metric(name, "gauge", help, [({}, value)])


def _seconds(at: datetime) -> float:
    return float(int(at.timestamp()))
