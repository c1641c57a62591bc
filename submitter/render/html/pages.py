"""Single pages of the live dashboard: one site, calls by any filter, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from submitter.core.records import LogRow
from submitter.core.report import Report
from submitter.render.html import tables
from submitter.render.html.markup import Html, element, join
from submitter.render.html.page import Shell, page
from submitter.render.html.table import table_html


def site_page(shell: Shell, report: Report, site: str) -> str:
    """`report` is about this site only (see `stories.reporting.gather_site`)."""
    shown = tables.site_tables(report)
    parts = [join(element("h3", table.title), table_html(table, shell.frame)) for table in shown]
    every = element("a", "All calls of this site", href=f"/log?{urlencode({'site': site})}")
    body = element("section", element("h2", element("bdi", site)), *parts, element("p", every))
    return page(shell, site, [_back(), body], shown)


@dataclass(frozen=True, slots=True)
class CallsPage:
    """A page of calls, newest first. `filters` are those of the address; `older` is the number
    that the next page begins before, None on the last one."""

    rows: Sequence[LogRow]
    total: int
    filters: Mapping[str, str]
    older: int | None


def log_page(shell: Shell, calls: CallsPage, report: Report) -> str:
    table = tables.log(list(reversed(calls.rows)), report)
    table = replace(table, note="")
    chips = [_chip(name, value, calls.filters) for name, value in calls.filters.items()]
    words = f"{calls.total:,} calls"
    if len(calls.rows) < calls.total:
        words += f"; {len(calls.rows):,} of them here"
    body = element(
        "section",
        element("h2", "Calls", element("span", f"{calls.total:,}", class_="count")),
        element("div", *chips, class_="chips"),
        element("p", words, ". ", _downloads(calls.filters), class_="note"),
        table_html(table, shell.frame),
        _older(calls),
    )
    return page(shell, "Calls", [_back(), body], [table])


def _back() -> Html:
    return element("p", element("a", "← Back to the whole fleet", href="/"), class_="back")


def _chip(name: str, value: str, filters: Mapping[str, str]) -> Html:
    rest = {key: other for key, other in filters.items() if key != name}
    return element(
        "a",
        f"{name}: {value or 'none'} ×",
        href=f"/log?{urlencode(rest)}",
        aria_label=f"Take away the filter {name}",
    )


def _downloads(filters: Mapping[str, str]) -> Html:
    query = urlencode(filters)
    links = [element("a", form, href=f"/data/log.{form}?{query}") for form in ("json", "csv")]
    return join("As ", links[0], " or ", links[1], ".")


def _older(calls: CallsPage) -> Html | None:
    if calls.older is None:
        return None
    query = urlencode({**calls.filters, "before": str(calls.older)})
    return element("p", element("a", "Older calls →", href=f"/log?{query}"), class_="pager")


def problem_page(shell: Shell, title: str, words: str) -> str:
    body = element("section", element("h2", title), element("p", words))
    return page(shell, title, [body, _back()], [])
