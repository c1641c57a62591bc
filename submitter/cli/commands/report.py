"""`submitter report`: the closed loop in numbers, what is alarming, and metrics for others."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option, moment_ago, selection_options
from submitter.cli.output import screen_of_stdout, tell, write, write_json, write_lines
from submitter.core.accounting import ExitCode
from submitter.core.choosing import select
from submitter.core.selection import Selection
from submitter.errors import ConfigError, Undelivered

if TYPE_CHECKING:
    from submitter.core.alerts import Alert
    from submitter.stories.alerting import News
    from submitter.stories.overview import Wish
    from submitter.wiring import Wiring

HELP = """Show what was told, what waits, how soon it was read, what is alarming.

Times run from first sent to the engine's own word of a download, and to the first crawl in access
logs (see `submitter crawlers`), by engine and section. --before and --after compare what was first
sent on both sides of a change; one of them alone is about its side only.

With --alerts only what is alarming, and exit code 4 when anything is.
"""
DAYS = 90
STDOUT = Path("-")


@click.command(help=HELP)
@click.option(
    "--since",
    metavar="TIME|90d",
    type=moment_ago,
    help=f"Count from then on; {DAYS} days without it.",
)
@click.option("--before", metavar="TIME", type=moment_ago, help="First sent before then.")
@click.option("--after", metavar="TIME", type=moment_ago, help="First sent from then on.")
@click.option("--alerts", "only_alerts", is_flag=True, help="Only what is alarming; exits 4 then.")
@click.option(
    "--webhook",
    "to_webhook",
    is_flag=True,
    help="With --alerts: post to the inventory's `webhook` what is new and what is over.",
)
@click.option(
    "--prometheus",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write metrics for Prometheus to FILE, all at once; - is stdout.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Also write the dashboard to FILE: one page that asks nobody for anything; - is stdout,"
    " which then holds nothing else.",
)
@selection_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    since: datetime | None,
    before: datetime | None,
    after: datetime | None,
    only_alerts: bool,
    to_webhook: bool,
    prometheus: Path | None,
    html: Path | None,
    selection: Selection,
    as_json: bool,
) -> int:
    _check_options(
        selection,
        alerts=only_alerts,
        webhook=to_webhook,
        json=as_json,
        metrics=prometheus is not None,
        page=html,
    )
    fleet = invocation.load_fleet()
    if not selection.is_everything:
        select(fleet, selection)
    with invocation.wiring(fleet) as parts:
        if prometheus is not None:
            return _write_metrics(parts, prometheus)
        if html is not None:
            _write_page(parts, selection, html)
        if html == STDOUT:
            return ExitCode.OK
        if only_alerts:
            return _show_alerts(invocation, parts, selection, to_webhook, as_json=as_json)
        start = since or now() - timedelta(days=DAYS)
        wish = _wish(parts, selection, start, before=before, after=after)
        _show_overview(invocation, parts, wish, as_json=as_json)
    return ExitCode.OK


def _check_options(
    selection: Selection,
    *,
    alerts: bool,
    webhook: bool,
    json: bool,
    metrics: bool,
    page: Path | None,
) -> None:
    if webhook and not alerts:
        raise ConfigError.one("report", "--webhook goes with --alerts")
    if webhook and not selection.is_everything:
        raise ConfigError.one("report", "--webhook tells of the whole fleet; leave the selection")
    if metrics and (alerts or page or not selection.is_everything):
        raise ConfigError.one("report", "--prometheus stands alone: it is about the whole fleet")
    if metrics and json:
        raise ConfigError.one("report", "--prometheus has a form of its own; leave --json")
    if page == STDOUT and (alerts or json):
        raise ConfigError.one("report", "--html - leaves no room on stdout for anything else")


# ---------------------------------------------------------------- the overview


def _wish(
    parts: Wiring,
    selection: Selection,
    since: datetime,
    *,
    before: datetime | None,
    after: datetime | None,
) -> Wish:
    from submitter.stories.overview import Wish
    from submitter.wiring import TRAITS

    if before is not None and before <= since:
        raise ConfigError.one("report", "--before is no later than --since: nothing is between")
    surveys = {name: survey for name, (survey, _) in parts.ledger.surveys().items()}
    return Wish(
        fleet=parts.fleet,
        traits=TRAITS,
        property_of=lambda target: parts.property_of(target, surveys.get(target.account.name)),
        since=since,
        selection=selection,
        before=before,
        after=after,
    )


def _show_overview(invocation: Invocation, parts: Wiring, wish: Wish, *, as_json: bool) -> None:
    from submitter.render.report_documents import overview_doc
    from submitter.render.report_text import overview_text
    from submitter.stories.overview import gather_overview

    document = overview_doc(gather_overview(parts.ledger, wish, now=parts.clock.now()))
    if as_json:
        write_json(document)
    else:
        write_lines(overview_text(document, now(), screen_of_stdout(invocation.environ)))


# ---------------------------------------------------------------- alarms


def _show_alerts(
    invocation: Invocation, parts: Wiring, selection: Selection, webhook: bool, *, as_json: bool
) -> int:
    from submitter.render.report_documents import alert_docs, told_doc
    from submitter.render.report_text import alerts_text
    from submitter.stories.alerting import evidence_of, find_alerts
    from submitter.wiring import TRAITS

    fleet, at = parts.fleet, parts.clock.now()
    book = evidence_of(parts.ledger)
    found = find_alerts(fleet, book, TRAITS, now=at, selection=selection)
    told, fresh = _tell(parts, found, at) if webhook else (None, None)
    if as_json:
        write_json(told_doc(fleet.name, found, fresh, told, at))
    else:
        screen = screen_of_stdout(invocation.environ)
        write_lines(alerts_text(alert_docs(found), now(), screen))
    return ExitCode.PARTIAL if found or told == "failed" else ExitCode.OK


def _tell(parts: Wiring, found: list[Alert], at: datetime) -> tuple[str, News]:
    """What became of the webhook, and what there was to tell."""
    from submitter.render.report_documents import news_doc
    from submitter.stories import alerting

    book, webhook = alerting.alarm_book_of(parts.ledger), parts.webhook()
    fresh = alerting.news(found, book.alarms())
    if not fresh:
        return "nothing-new", fresh
    document = news_doc(parts.fleet.name, found, fresh, at)
    try:
        alerting.tell(found, book, webhook, dict(document), at=at)
    except Undelivered as problem:
        tell(f"{problem}; the next call tells it again")
        return "failed", fresh
    return "told", fresh


# ---------------------------------------------------------------- metrics


def _write_metrics(parts: Wiring, path: Path) -> int:
    from submitter.cli.files import write_whole
    from submitter.render.prometheus import metrics_text
    from submitter.stories.metrics import gather_metrics
    from submitter.wiring import TRAITS

    text = metrics_text(gather_metrics(parts.fleet, parts.ledger, TRAITS, now=parts.clock.now()))
    if path == STDOUT:
        write(text)
    else:
        write_whole(path, text)
    return ExitCode.OK


# ---------------------------------------------------------------- the page


def _write_page(parts: Wiring, selection: Selection, path: Path) -> None:
    from submitter import __version__
    from submitter.cli.dashboards import gather_report
    from submitter.cli.files import write_whole
    from submitter.render.html.page import report_page

    report = gather_report(parts, selection, parts.clock.now())
    page = report_page(report, version=__version__)
    if path == STDOUT:
        write(page)
        return
    write_whole(path, page)
    tell(f"The dashboard is in {path}.")
