"""Days as stacked bars, drawn as inline SVG. Each chart has a table beside it for whoever cannot
use a picture; today's bar, whose day is not over, is dashed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from submitter.render.html.markup import Html, element, join

HEIGHT = 100.0
GAP = 0.18
LEAST = 1.2
"""Of a hundred: a rare trouble is seen beside a busy day."""


@dataclass(frozen=True, slots=True)
class Series:
    """`name` is its class in the style sheet, `word` what people read, `link` leads to the rows
    that its total sums."""

    name: str
    word: str
    numbers: Mapping[date, int]
    link: str

    @property
    def total(self) -> int:
        return sum(self.numbers.values())


@dataclass(frozen=True, slots=True)
class Chart:
    """`link` is where a day leads: it holds `{day}`."""

    title: str
    first: date
    today: date
    series: Sequence[Series]
    link: str

    @property
    def days(self) -> list[date]:
        length = (self.today - self.first).days + 1
        return [self.first + timedelta(days=number) for number in range(length)]


def chart_html(chart: Chart) -> Html:
    """The picture with its axis and legend; series without a number are left out."""
    shown = [one for one in chart.series if one.total]
    days = chart.days
    top = max((sum(one.numbers.get(day, 0) for one in shown) for day in days), default=0)
    if not top:
        return element("p", "Nothing was counted in these days.", class_="empty")
    bars = [_bar(chart, shown, place, day, top) for place, day in enumerate(days)]
    grid = [element("line", class_="grid", x1=0, x2=len(days), y1=y, y2=y) for y in (0, 50)]
    picture = element(
        "svg",
        *grid,
        *bars,
        class_="chart",
        role="img",
        aria_label=_summary(chart, shown),
        viewBox=f"0 0 {len(days)} {HEIGHT:g}",
        preserveAspectRatio="none",
    )
    scale = element(
        "div", element("span", f"{top:,}"), element("span", "0"), class_="scale", aria_hidden="true"
    )
    return element(
        "figure",
        element("div", scale, picture, class_="plot"),
        _axis(days),
        _legend(shown),
        class_="days",
    )


def _bar(chart: Chart, shown: Sequence[Series], place: int, day: date, top: int) -> Html | None:
    parts, words, y = [], [], HEIGHT
    for one in shown:
        count = one.numbers.get(day, 0)
        if not count:
            continue
        height = max(LEAST, HEIGHT * count / top)
        y = max(0.0, y - height)
        parts.append(
            element(
                "rect",
                class_=f"c-{one.name}",
                x=f"{place + GAP / 2:g}",
                y=f"{y:.2f}",
                width=f"{1 - GAP:g}",
                height=f"{height:.2f}",
            )
        )
        words.append(f"{count:,} {one.word}")
    if not parts:
        return None
    partial = day == chart.today
    name = f"{day.isoformat()}{', so far' if partial else ''}: {', '.join(words)}"
    body = element("g", element("title", name), *parts, class_="today" if partial else None)
    return element("a", body, href=chart.link.format(day=day.isoformat()), tabindex="-1")


def _summary(chart: Chart, shown: Sequence[Series]) -> str:
    sums = ", ".join(f"{one.total:,} {one.word}" for one in shown)
    return f"{chart.title}, {chart.first} to {chart.today}: {sums}. The table below has the numbers"


def _axis(days: Sequence[date]) -> Html:
    marks = [days[0], days[len(days) // 2], days[-1]]
    labels = [element("span", f"{day:%d %b}") for day in marks[:2]]
    return element("div", *labels, element("span", f"{marks[2]:%d %b}, so far"), class_="axis")


def _legend(shown: Sequence[Series]) -> Html:
    items = [
        element(
            "li",
            _swatch(one.name),
            f"{one.word} ",
            element("a", f"{one.total:,}", href=f"{one.link}&of={one.total}"),
        )
        for one in shown
    ]
    return element("ul", *items, class_="legend")


def _swatch(name: str) -> Html:
    rect = element("rect", class_=f"c-{name}", width=10, height=10)
    return join(element("svg", rect, class_="swatch", aria_hidden="true", viewBox="0 0 10 10"))
