"""What a run would send, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from submitter.core.plain import plain
from submitter.render import text_parts
from submitter.render.documents import ActionDoc, PlanDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Column, Folds, paragraph, table
from submitter.render.text_parts import kinds, number, several
from submitter.render.times import exact, read

COLUMNS = (
    Column("SITE", folds=Folds.ADDRESS),
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("WHAT"),
    Column("CALLS", right=True),
    Column("PAGES", right=True),
    Column("WHY", folds=Folds.WORDS),
)


def plan_text(plan: PlanDoc, now: datetime, screen: Screen, *, command: str | None) -> list[str]:
    """The lines of the report. `command` is what sends exactly this plan, never folded, so that
    it can be copied; None: nothing can, because it is for another moment."""
    return [
        *_head(plan, screen),
        *_actions(plan["actions"], screen),
        *text_parts.why_not_sent(plan["skips"], now, screen),
        *text_parts.allowances(plan["allowances"], now, screen),
        *text_parts.findings(plan["findings"], screen),
        "",
        *_foot(plan, screen, command),
    ]


def _head(plan: PlanDoc, screen: Screen) -> list[str]:
    lines = paragraph(f"Plan {plan['digest']}", screen, ink=Ink.BOLD)
    lines += paragraph(f"as of {exact(read(plan['made_at']))}", screen, ink=Ink.DIM)
    if not plan.get("observed", True):
        words = "Another run holds the ledger: planned from memory, no site was looked at."
        lines += paragraph(words, screen, ink=Ink.WAIT)
    return lines


def _actions(actions: Iterable[ActionDoc], screen: Screen) -> list[str]:
    """One row for each target, kind and reason, in sending order."""
    calls: Counter[tuple[str, str, str, str]] = Counter()
    pages: Counter[tuple[str, str, str, str]] = Counter()
    for action in actions:
        key = (action["site"], action["account"], action["kind"], action["reason"])
        calls[key] += 1
        pages[key] += action["pages"]
    rows = [
        (*key[:2], kinds(key[2]), number(calls[key]), number(pages[key] or None), key[3])
        for key in calls
    ]
    lines = table(COLUMNS, rows, screen)
    return ["", *lines] if lines else []


def _foot(plan: PlanDoc, screen: Screen, command: str | None) -> list[str]:
    count = len(plan["actions"])
    if not count:
        return paragraph("There is nothing to send.", screen)
    words = f"{several(count, 'call')} would be made. Nothing was sent."
    if command is None:
        return paragraph(f"{words} A run at that moment plans anew.", screen)
    words += " To send exactly this:"
    return [*paragraph(words, screen), f"    {plain(command)}"]
