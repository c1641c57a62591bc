"""What is known of each sitemap at each engine, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from submitter.render import text_parts
from submitter.render.documents import AnswerDoc, FindingDoc, StatusDoc, VerifyDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, Row, grouped_table, paragraph
from submitter.render.text_parts import number
from submitter.render.times import read, relative

COLUMNS = (
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("STATE"),
    Column("SENT"),
    Column("READ"),
    Column("ERR", right=True),
    Column("WARN", right=True),
    Column("PAGES", right=True),
    Column("OURS", right=True),
)
_INK = {
    "fetched": Ink.GOOD,
    "queued": Ink.WAIT,
    "never_submitted": Ink.WAIT,
    "deferred": Ink.WAIT,
    "skipped": Ink.WAIT,
    "unknown": Ink.WAIT,
    "failed": Ink.BAD,
    "rejected": Ink.BAD,
    "stuck": Ink.BAD,
    "fetched_with_errors": Ink.BAD,
}


def status_text(statuses: Sequence[StatusDoc], now: datetime, screen: Screen) -> list[str]:
    """A row for each account under its sitemap, or under its site while no sitemap is known."""
    groups: dict[str, list[Row]] = {}
    unsupported: list[StatusDoc] = []
    for one in statuses:
        if one["state"] == "not_supported":
            unsupported.append(one)
        else:
            groups.setdefault(one["sitemap"] or one["site"], []).append(_row(one, now))
    lines = grouped_table(COLUMNS, list(groups.items()), screen) or ["No sitemap is known yet."]
    if unsupported:
        lines += ["", *paragraph(_pages_only(unsupported), screen)]
    return lines + _why_not_fetched(statuses, screen)


def _pages_only(lines: Sequence[StatusDoc]) -> str:
    """The log has their calls; what was given up before one is in no call."""
    words = f"{len(lines):,} more at engines that cannot be told sitemaps; see `submitter log`"
    stopped = sum(one["last_try"] is not None for one in lines)
    if stopped:
        words += f". At {stopped:,} of them the last run made no call; why stands below"
    return words


def _why_not_fetched(statuses: Iterable[StatusDoc], screen: Screen) -> list[str]:
    """What is the same at several sitemaps is said once."""
    alike: dict[tuple[str, str], list[FindingDoc]] = {}
    for one in statuses:
        if finding := one["finding"]:
            alike.setdefault((finding["id"], finding["message"]), []).append(finding)
    return text_parts.findings(map(_as_one, alike.values()), screen)


def _as_one(alike: Sequence[FindingDoc]) -> FindingDoc:
    places = list(dict.fromkeys(one["where"] for one in alike))
    more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
    return {
        **alike[0],
        "where": f"{places[0]}{more}",
        "count": len(places),
        "examples": places[1:] or alike[0]["examples"],
    }


def _row(one: StatusDoc, now: datetime) -> Row:
    never = one["state"] == "never_submitted"
    state = (never and one["last_try"]) or one["state"]
    return (
        f"  {one['account']}",
        Cell(state.replace("_", " "), _INK.get(state)),
        relative(read(one["last_submitted"]), now),
        relative(read(one["last_downloaded"]), now),
        number(one["errors"]),
        number(one["warnings"]),
        number(one["urls_submitted"]),
        number(one["urls_ours"]),
    )


def verify_text(verified: VerifyDoc, now: datetime, screen: Screen) -> list[str]:
    """What the engines said just now, then what is known."""
    lines = [line for answer in verified["answers"] for line in _answer_lines(answer, screen)]
    if not lines:
        lines = ["Nothing was told yet to an engine that can be asked."]
    return [*lines, "", *status_text(verified["statuses"], now, screen)]


def _answer_lines(answer: AnswerDoc, screen: Screen) -> list[str]:
    where = f"{answer['account']} {answer['property']}"
    if answer["state"] == "ok":
        return paragraph(f"{where}: {answer['checks']:,} sitemaps known there", screen)
    lines = paragraph(f"{where}: {answer['problem'] or answer['state']}", screen, ink=Ink.BAD)
    if answer["meaning"]:
        lines += paragraph(answer["meaning"], screen, indent=4)
    if answer["next_step"]:
        lines += paragraph(f"Next: {answer['next_step']}", screen, indent=4)
    return lines
