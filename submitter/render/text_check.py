"""Whether everything is ready, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from submitter.render import text_parts
from submitter.render.documents import CheckAccountDoc, CheckDoc, CheckTargetDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, paragraph, table

COLUMNS = (
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("ENGINE"),
    Column("STATE"),
    Column("WHAT WAS FOUND", folds=Folds.WORDS),
)
_INK = {"ok": Ink.GOOD, "failed": Ink.BAD}


def check_text(check: CheckDoc, screen: Screen) -> list[str]:
    """Accounts, then the targets that cannot be told, then findings."""
    rows = [
        (one["account"], one["engine"], Cell(one["state"], _INK.get(one["state"])), one["message"])
        for one in check["accounts"]
    ]
    failed = [one for one in check["targets"] if one["state"] == "failed"]
    return [
        *table(COLUMNS, rows, screen),
        *_next_steps(check["accounts"], screen),
        *_failed_targets(failed, screen),
        "",
        *_summary(check, len(failed), screen),
        *text_parts.findings(check["findings"], screen),
    ]


def _next_steps(checks: Iterable[CheckAccountDoc], screen: Screen) -> list[str]:
    lines: list[str] = []
    for one in checks:
        if one["next_step"]:
            lines += paragraph(f"{one['account']}: {one['next_step']}", screen)
    return ["", *lines] if lines else []


def _failed_targets(failed: Sequence[CheckTargetDoc], screen: Screen) -> list[str]:
    """Grouped by what is wrong: one missing permission often stops many sites."""
    groups: dict[tuple[str, str, str], list[CheckTargetDoc]] = {}
    for one in failed:
        key = (one["account"], one["cause"] or "", one["next_step"] or one["message"])
        groups.setdefault(key, []).append(one)
    lines: list[str] = []
    for (account, cause, _), group in groups.items():
        lines += ["", *paragraph(f"{account}: {cause}, {len(group)}x", screen, ink=Ink.BAD)]
        lines += paragraph(group[0]["message"], screen, indent=4)
        if group[0]["next_step"]:
            lines += paragraph(f"Next: {group[0]['next_step']}", screen, indent=4)
        for one in group[: text_parts.SHOWN]:
            lines += paragraph(f"{one['site']} ({one['property']})", screen, indent=4, ink=Ink.DIM)
        if len(group) > text_parts.SHOWN:
            lines.append(f"    and {len(group) - text_parts.SHOWN:,} more (--json has them all)")
    return lines


def _summary(check: CheckDoc, failed: int, screen: Screen) -> list[str]:
    sites = len({one["site"] for one in check["targets"]})
    targets = text_parts.several(len(check["targets"]), "target")
    open_ones = sum(one["state"] == "unchecked" for one in check["targets"])
    words = f"{text_parts.several(sites, 'site')}, {targets}"
    words += f", {failed:,} of them failed" if failed or check["online"] else ""
    lost = sum(one["state"] == "failed" for one in check["accounts"])
    words += f", {text_parts.several(lost, 'account')} failed" if lost else ""
    if open_ones and check["online"]:
        words += f", {open_ones:,} could not be checked to the end"
    if not check["online"]:
        words += "; engines and sites were not asked: `submitter check --online` does that"
    ready = "ready" if check["ok"] else "not ready"
    return paragraph(f"{ready}: {words}", screen, ink=Ink.GOOD if check["ok"] else Ink.BAD)
