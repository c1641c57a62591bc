"""The reference's chapter on what `serve` answers to programs."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from submitter.core.report import Report
from submitter.render.html.table import Table
from submitter.render.html.tables import served_tables
from submitter.render.markdown import code, codes, table

FILTERS = (
    "site", "account", "engine", "property", "kind", "run", "state", "cause", "code", "since",
    "until", "day", "id",
)  # fmt: skip
"""Of the log, in an address."""
INTRO = (
    "What `serve` has for programs: `/data/TABLE.json` is an object with `table` and `rows`, an"
    " object each; `/data/TABLE.csv` is the same as CSV with a header. `/data/log` takes"
    f" {codes(FILTERS)}, and goes on with `limit=N` and `before=ID`. `/data/head.json` has the"
    " number of the newest call, `/metrics` the numbers for Prometheus; `/healthz` says `ok`."
    " A problem is told as an object with `status`, `problem` and, where there is no such table,"
    " `tables`; or as text."
)


def dashboard_chapter() -> list[str]:
    rows = ((code(one.id), one.title, _columns(one)) for one in served_tables(_nothing()))
    return [INTRO, "", *table(("table", "holds", "columns"), rows)]


def _columns(one: Table) -> str:
    named = codes([column.name for column in one.columns])
    return f"{named}, and one for each engine" if one.id == "fleet" else named


def _nothing() -> Report:
    """Of an empty ledger: names and columns of tables are the same for all."""
    never = datetime.fromtimestamp(0, UTC)
    values: dict[str, Any] = {field.name: () for field in fields(Report)}
    values |= {"fleet": "", "made_at": never, "since": never, "calls_each": 0}
    return Report(**values)
