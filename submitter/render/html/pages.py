"""Single pages of the live dashboard: one site, calls by any filter, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from submitter.core.records import LogRow
from submitter.core.report import CallTotals, PageLine, Report
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
    totals: CallTotals
    filters: Mapping[str, str]
    older: int | None


def log_page(shell: Shell, calls: CallsPage, report: Report) -> str:
    table = tables.log(list(reversed(calls.rows)), report)
    table = replace(table, note="")
    chips = [_chip(name, value, calls.filters) for name, value in calls.filters.items()]
    totals = calls.totals
    words = f"{totals.calls:,} calls"
    if len(calls.rows) < totals.calls:
        words += f"; {len(calls.rows):,} of them here"
    words += (
        f". In all of them: {totals.urls:,} pages, {totals.accepted:,} taken,"
        f" {totals.rejected:,} rejected, {totals.spent:,} spent, {totals.targets:,} targets"
    )
    body = element(
        "section",
        element("h2", "Calls", element("span", f"{totals.calls:,}", class_="count")),
        element("div", *chips, class_="chips"),
        element("p", words, ". ", _downloads(calls.filters), class_="note"),
        table_html(table, shell.frame),
        _older(calls),
    )
    return page(shell, "Calls", [_back(), body], [table])


@dataclass(frozen=True, slots=True)
class PagesPage:
    """Some pages of one target. `of` is the number that led here; `more` is the number that the
    next ones come after, None on the last page."""

    rows: Sequence[PageLine]
    of: int | None
    filters: Mapping[str, str]
    more: int | None


def pages_page(shell: Shell, pages: PagesPage) -> str:
    site, account, state = pages.filters["site"], pages.filters["account"], pages.filters["state"]
    table = replace(tables.pages(pages.rows), note="", command="")
    words = f"{len(pages.rows):,} pages are here"
    if pages.of is not None:
        words += f", of {pages.of:,} in all"
    more = None
    if pages.more is not None:
        of = {} if pages.of is None else {"of": str(pages.of)}
        query = urlencode({**pages.filters, **of, "after": str(pages.more)})
        more = element("p", element("a", "More pages →", href=f"/pages?{query}"), class_="pager")
    body = element(
        "section",
        element("h2", "Pages"),
        element("p", element("bdi", site), f" at {account}: {state}. {words}.", class_="note"),
        table_html(table, shell.frame),
        more,
    )
    return page(shell, "Pages", [_back(), body], [table])


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
