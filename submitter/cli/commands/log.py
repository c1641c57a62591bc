"""`submitter log`: every call, oldest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import click

from submitter.cli.invocation import Invocation
from submitter.cli.options import WholeNumber, json_option, moment_ago, selection_options
from submitter.cli.output import screen_of_stdout, tell, write, write_lines
from submitter.core.choosing import NoMatch, explain_no_match
from submitter.core.selection import Selection
from submitter.core.states import PARTIAL, State
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.core.fleet import Fleet
    from submitter.ports import Ledger, LogFilter
    from submitter.render.screen import Screen
    from submitter.stories.recall import Chosen

HELP = """Show the submission log.

One row for each call, oldest first. What failed before a call (no key file, no such property) is
in no row: `submitter status` says it. Text shows the newest 100 rows; --limit 0 shows all. Machine
formats hold all unless limited.
"""
TEXT_LIMIT = 100
STATES = [*(str(state) for state in State), PARTIAL]

Format = Literal["text", "json", "jsonl", "csv"]
Row = TypeVar("Row", bound=Mapping[str, object])


@click.command(help=HELP)
@click.option("--since", metavar="TIME|2d", type=moment_ago, help="Calls from then on.")
@click.option(
    "--state",
    "states",
    metavar="STATE",
    type=click.Choice(STATES),
    multiple=True,
    help=f"Calls that ended so: {', '.join(STATES)}.",
)
@click.option("--run", "run_id", metavar="ID", help="Calls of this run.")
@click.option("--pages", is_flag=True, help="One row for each page and target.")
@click.option("--limit", metavar="N", type=WholeNumber(min=0), help="The newest N; 0 = all.")
@click.option("--jsonl", is_flag=True, help="One JSON object a line.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV with a header, safe for spreadsheets.")
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    since: datetime | None,
    states: tuple[str, ...],
    run_id: str | None,
    pages: bool,
    limit: int | None,
    jsonl: bool,
    as_csv: bool,
    selection: Selection,
    as_json: bool,
) -> int:
    from submitter.ports import LogFilter

    form = _one_format(json=as_json, jsonl=jsonl, csv=as_csv)
    if limit is None and form == "text":
        limit = TEXT_LIMIT
    which = LogFilter(since=since, states=states, run=run_id)
    wish = Wish(which, selection, form, limit)
    written = _show_pages(invocation, wish) if pages else _show_calls(invocation, wish)
    if form == "text" and not written:
        tell("No call in the log is like that.")
    if form == "text" and written and written == limit:
        tell(f"the newest {limit} are shown; --limit 0 shows all")
    return 0


def _one_format(**wanted: bool) -> Format:
    forms: tuple[Format, ...] = ("json", "jsonl", "csv")
    chosen = [form for form in forms if wanted[form]]
    if len(chosen) > 1:
        raise ConfigError.one("log", "give one of --json, --jsonl and --csv")
    return chosen[0] if chosen else "text"


# ---------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class View(Generic[Row]):
    """One kind of rows: how they are read, named and shown."""

    read: Callable[[Chosen, Ledger, LogFilter], Iterator[Row]]
    columns: Sequence[str]
    as_text: Callable[[Row, Screen], list[str]]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person asked for."""

    which: LogFilter
    selection: Selection
    form: Format
    limit: int | None


def _show_calls(invocation: Invocation, wish: Wish) -> int:
    from submitter.render.documents import LogRowDoc
    from submitter.render.shapes import log_row_doc
    from submitter.render.text_log import log_row_text

    view = View(
        lambda chosen, ledger, which: map(log_row_doc, chosen.log(ledger, which)),
        list(LogRowDoc.__annotations__),
        log_row_text,
    )
    return _show(invocation, wish, view)


def _show_pages(invocation: Invocation, wish: Wish) -> int:
    from submitter.render.documents import PageLogRowDoc
    from submitter.render.shapes import page_log_row_doc
    from submitter.render.text_log import page_log_row_text

    view = View(
        lambda chosen, ledger, which: map(page_log_row_doc, chosen.page_log(ledger, which)),
        list(PageLogRowDoc.__annotations__),
        page_log_row_text,
    )
    return _show(invocation, wish, view)


def _show(invocation: Invocation, wish: Wish, view: View[Row]) -> int:
    """Row by row as they are read; returns how many."""
    from submitter.stories.recall import Chosen

    fleet = invocation.load_fleet()
    screen = screen_of_stdout(invocation.environ)
    with invocation.wiring(fleet) as parts:
        rows = view.read(Chosen(fleet, wish.selection), parts.ledger, wish.which)
        if wish.limit:
            rows = iter(deque(rows, maxlen=wish.limit))
        written = _write(_checked(rows, fleet, wish.selection), wish.form, view, screen)
        if wish.form == "text" and State.FAILED in wish.which.states:
            _point_to_uncalled(fleet, wish.selection, parts.ledger)
        return written


def _point_to_uncalled(fleet: Fleet, selection: Selection, ledger: Ledger) -> None:
    """The log has calls only; what failed before one is in no row."""
    from submitter.stories.recall import last_runs_of

    keys = [target.key for target in selection.select(fleet.targets())]
    last = last_runs_of(ledger, keys).values()
    problems = [one for said in last for one in said.problems if one.uncalled]
    if problems:
        causes = ", ".join(dict.fromkeys(one.cause for one in problems))
        count = len({(one.site, one.account) for one in problems})
        where = "1 place" if count == 1 else f"{count:,} places"
        tell(f"at {where} the last run failed before a call ({causes}): see `submitter status`")


def _checked(rows: Iterator[Row], fleet: Fleet, selection: Selection) -> Iterator[Row]:
    """A selection of nothing that the inventory knows needs a row to prove it right."""
    first = next(rows, None)
    if first is not None:
        return chain([first], rows)
    if not (selection.is_everything or selection.select(fleet.targets())):
        raise NoMatch(explain_no_match(fleet, selection))
    return rows


def _write(rows: Iterator[Row], form: Format, view: View[Row], screen: Screen) -> int:
    from submitter.render.csv_text import csv_line
    from submitter.render.json_text import JsonArray, json_text

    count, array = 0, JsonArray(write)
    if form == "csv":
        write(csv_line(view.columns))
    for row in rows:
        count += 1
        match form:
            case "json":
                array.add(row)
            case "jsonl":
                write(json_text(row) + "\n")
            case "csv":
                write(csv_line(row.values()))
            case "text":
                write_lines(view.as_text(row, screen))
    if form == "json":
        array.end()
        write("\n")
    return count
