"""Tables that are there without a script, and whose rows a script can sort, filter and page.

A table is columns and rows of plain values. Its first rows become markup here; all rows become
data, column by column, with every text once in a pool that all tables of a page share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from submitter.core.health import BEATS, Health
from submitter.core.plain import plain
from submitter.core.summary import timestamp
from submitter.render.html.markup import Content, Html, element, join, text
from submitter.render.html.words import BEAT_LOOKS, HEALTH, LOOKS, Look, look_of
from submitter.render.times import exact, relative, span_of_seconds

NOTHING = "–"
NEAR = 80
"""Percent of a day's allowance: from here on it is said to be near its limit."""


@dataclass(frozen=True, slots=True)
class Column:
    """`kind`: `text`, `words` (may be long), `site`, `address` (of the row's site), `count`,
    `signed`, `share` (of a hundred), `time`, `span` (seconds), `cell`, `hidden` (only for links
    and choices), or one of `words.LOOKS`.

    `link` is where a value leads, with `{name}` for the value of a column: `log?…`, `pages?…` and
    `site/…` are views, anything else is a table of the page, filtered. `of=` is the number that
    the rows there give: so many rows, or what the column named by `sum=` adds up to, or so many
    different values of the columns named by `each=`. `facet`: offered as a filter.
    """

    name: str
    title: str
    kind: str = "text"
    link: str = ""
    facet: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A target in the matrix."""

    health: Health
    at: datetime | None
    why: str
    beat: str
    account: str


SERVED = ("log?", "pages?", "site/")
"""Views that a live page asks its server for."""

Value = str | int | datetime | Cell | None


@dataclass(frozen=True, slots=True)
class Table:
    """`note` says what is not in it; `command` lists all of it."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    empty: str
    note: str = ""
    command: str = ""
    size: int = 10
    """Rows on its first page; all of them are data."""

    def documents(self) -> Iterable[dict[str, object]]:
        """Its rows as JSON, by name of column."""
        for row in self.rows:
            yield {
                column.name: _plain_value(value)
                for column, value in zip(self.columns, row, strict=True)
            }


def _plain_value(value: Value) -> object:
    if isinstance(value, datetime):
        return timestamp(value)
    return str(value.health) if isinstance(value, Cell) else value


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page knows. `live`: served, so that its links are addresses of the server."""

    made_at: datetime
    live: bool = False

    def href(self, template: str, values: Mapping[str, Value]) -> str:
        """Fill in a column's link."""
        for name, value in values.items():
            if f"{{{name}}}" in template:
                template = template.replace(f"{{{name}}}", quote(_in_link(value), safe=""))
        if not self.live:
            return f"#/{template}"
        return f"/{template}" if template.startswith(SERVED) else f"/#/{template}"


def _in_link(value: Value) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).date().isoformat()
    if isinstance(value, Cell):
        return value.account
    return "" if value is None else str(value)


# ---------------------------------------------------------------- markup


def table_html(table: Table, frame: Frame) -> Html:
    """The table with its first rows; the script finds it by its id."""
    caption = element("caption", table.title, class_="sr")
    heads = [
        element("th", column.title, scope="col", title=column.doc or None, class_=_kind(column))
        for column in table.columns
        if column.kind != "hidden"
    ]
    rows = [_row(table, row, frame) for row in table.rows[: table.size]]
    body = element(
        "table",
        caption,
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
    )
    more = len(table.rows) - table.size
    words = f"{more:,} more rows need a script" if more > 0 else ""
    if not table.rows:
        return element("div", element("p", table.empty, class_="empty"), data_table=table.id)
    return element(
        "div",
        element("div", body, class_="scroll"),
        element("noscript", element("p", words, class_="note")) if words else None,
        data_table=table.id,
    )


def _row(table: Table, row: Sequence[Value], frame: Frame) -> Html:
    values = {column.name: value for column, value in zip(table.columns, row, strict=True)}
    cells = []
    for position, (column, value) in enumerate(zip(table.columns, row, strict=True)):
        if column.kind == "hidden":
            continue
        shown = value_html(column, value, values, frame)
        label = {"data_label": column.title, "class_": _kind(column)}
        if position == 0:
            cells.append(element("th", shown, scope="row", **label))
        else:
            cells.append(element("td", shown, **label))
    return element("tr", *cells)


def _kind(column: Column) -> str:
    return f"k-{column.kind if column.kind not in LOOKS else 'look'}"


def value_html(column: Column, value: Value, values: Mapping[str, Value], frame: Frame) -> Html:
    """One value; what it sums, or is about, is where it leads."""
    if value is None or value == "":
        return element("span", NOTHING, class_="nil")
    shown = _shown(column, value, values, frame)
    if not column.link or value == 0:
        return shown
    return element("a", shown, href=frame.href(column.link, values))


def _shown(column: Column, value: Value, values: Mapping[str, Value], frame: Frame) -> Html:
    if isinstance(value, Cell):
        return _cell(value, frame)
    if isinstance(value, datetime):
        return time_html(value, frame.made_at)
    if column.kind in LOOKS:
        return badge(look_of(column.kind, str(value)))
    if isinstance(value, int):
        return _number(column.kind, value)
    full = str(value)
    short = _short(column.kind, full, str(values.get("site") or ""))
    return element("bdi", short, title=full if short != full else None)


def _short(kind: str, full: str, site: str) -> str:
    """A host without its scheme where that is https, an address without the site it is on."""
    if kind == "site":
        return full.removeprefix("https://")
    if kind == "address" and site and full.startswith(f"{site}/"):
        return full[len(site) :]
    return full


def _number(kind: str, value: int) -> Html:
    match kind:
        case "span":
            return text(span_of_seconds(value))
        case "signed":
            return text(f"{value:+,}" if value else "0")
        case "share":
            return join(_bar_of(value), f"{value} %")
        case _:
            return text(f"{value:,}")


def _bar_of(share: int) -> Html:
    tone = "odd" if share >= NEAR else "mild"
    return element(
        "svg",
        element("rect", class_="b-track", width=100, height=8),
        element("rect", class_=f"b-{tone}", width=share, height=8),
        class_="bar",
        aria_hidden="true",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
    )


def time_html(at: datetime, now: datetime) -> Html:
    return element("time", relative(at, now), datetime=timestamp(at), title=exact(at))


def icon(name: str) -> Html:
    return element(
        "svg",
        element("use", href=f"#i-{name}"),
        class_="i",
        aria_hidden="true",
        viewBox="0 0 16 16",
    )


def badge(look: Look, *more: Content) -> Html:
    return element("span", icon(look.icon), look.word, *more, class_=f"s t-{look.tone}")


def _cell(cell: Cell, frame: Frame) -> Html:
    look = HEALTH[cell.health]
    age = time_html(cell.at, frame.made_at) if cell.at is not None else None
    return join(badge(look), age, beat_svg(cell.beat))


_HEIGHTS = {"good": 7, "mild": 7, "wait": 5, "odd": 10, "bad": 14}
BEAT_HEIGHT = 14


def beat_svg(beat: str) -> Html:
    """A bar a day: trouble is taller, so that it is seen without colours."""
    bars = [
        element(
            "rect",
            class_=f"b-{tone}",
            x=day * 4,
            y=BEAT_HEIGHT - height,
            width=3,
            height=height,
        )
        for day, letter in enumerate(beat)
        for tone, height in [_bar(letter)]
    ]
    return element(
        "svg",
        *bars,
        class_="beat",
        role="img",
        aria_label=beat_words(beat),
        viewBox=f"0 0 {len(beat) * 4} {BEAT_HEIGHT}",
    )


def _bar(letter: str) -> tuple[str, int]:
    look = BEAT_LOOKS.get(letter)
    return ("none", 1) if look is None else (look.tone, _HEIGHTS[look.tone])


def beat_words(beat: str) -> str:
    """`28 days: 20 accepted, 1 failed, 7 without calls`."""
    letters = [letter for letter in dict.fromkeys(BEATS.values()) if letter in beat]
    parts = [f"{beat.count(letter)} {BEAT_LOOKS[letter].word}" for letter in letters[::-1]]
    quiet = len(beat) - sum(map(beat.count, letters))
    return f"{len(beat)} days: " + ", ".join([*parts, *([f"{quiet} without calls"] * bool(quiet))])


# ---------------------------------------------------------------- data


@dataclass(slots=True)
class Pool:
    """Every text of a page once; tables hold its number."""

    texts: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, value: str | None) -> int:
        """-1 for nothing."""
        if value is None or value == "":
            return -1
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = len(self.texts)
            self.texts.append(plain(value))
        return found


def table_data(table: Table, pool: Pool, now: datetime) -> dict[str, object]:
    """What the script needs: columns of numbers."""
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    return {
        "id": table.id,
        "title": table.title,
        "empty": table.empty,
        "note": table.note,
        "command": table.command,
        "page": table.size,
        "size": len(table.rows),
        "columns": [
            {
                "name": column.name,
                "title": column.title,
                "kind": column.kind,
                "link": column.link,
                "facet": column.facet,
                "doc": column.doc,
            }
            for column in table.columns
        ],
        "data": [
            _column_data(column, values, pool, now)
            for column, values in zip(table.columns, columns, strict=True)
        ],
    }


def _column_data(column: Column, values: Sequence[Value], pool: Pool, now: datetime) -> object:
    match column.kind:
        case "count" | "span" | "signed" | "share":
            return list(values)
        case "time":
            return [_age(value, now) for value in values]
        case "cell":
            cells = [value if isinstance(value, Cell) else None for value in values]
            return {
                "health": [pool.number(str(one.health)) if one else -1 for one in cells],
                "age": [_age(one.at, now) if one else None for one in cells],
                "beat": [pool.number(one.beat) if one else -1 for one in cells],
                "account": [pool.number(one.account) if one else -1 for one in cells],
                "why": [pool.number(one.why) if one else -1 for one in cells],
            }
        case _:
            return [pool.number(None if value is None else str(value)) for value in values]


def _age(value: Value, now: datetime) -> int | None:
    """Whole seconds before the report; negative: after it."""
    return int((now - value).total_seconds()) if isinstance(value, datetime) else None
