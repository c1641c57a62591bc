"""Pieces that several reports share: why not sent, problems, findings, allowances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from submitter.core.plain import clip
from submitter.core.skip_words import LATER, reason_words
from submitter.render.documents import AllowanceDoc, FindingDoc, ProblemDoc, SkipDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, paragraph, table
from submitter.render.times import moment, read

SHOWN = 3
"""Examples shown of what is grouped; JSON has them all."""

_KINDS = {"sitemap": "sitemaps", "urls": "pages", "removal": "removals"}
_STATE_INK = {
    "accepted": Ink.GOOD,
    "received": Ink.GOOD,
    "already": Ink.GOOD,
    "deferred": Ink.WAIT,
    "unknown": Ink.WAIT,
    "rejected": Ink.BAD,
    "failed": Ink.BAD,
    "partial": Ink.BAD,
}
_SEVERITY_INK = {"error": Ink.BAD, "warning": Ink.WAIT}


def number(value: int | None) -> str:
    """`12,000`; a dash when it is not known."""
    return "-" if value is None else f"{value:,}"


def several(count: int, noun: str) -> str:
    """`1 error`, `2,000 errors`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def kinds(kind: str) -> str:
    """The word for several of a kind."""
    return _KINDS.get(kind, kind)


def state_cell(state: str) -> Cell:
    return Cell(state, _STATE_INK.get(state))


def why_not_sent(skips: Iterable[SkipDoc], now: datetime, screen: Screen) -> list[str]:
    """What was found and not sent, by reason; what waits comes first."""
    counts: Counter[tuple[str, str]] = Counter()
    until: dict[tuple[str, str], datetime] = {}
    for skip in skips:
        key = (skip["reason"], skip["kind"])
        counts[key] += skip["count"]
        again_at = read(skip["until"])
        if again_at is not None:
            until[key] = min(again_at, until.get(key, again_at))
    columns = [Column("COUNT", right=True), Column("OF"), Column("WHY", folds=Folds.WORDS)]
    columns.append(Column("UNTIL", folds=Folds.WORDS))
    rows = [
        (number(counts[key]), kinds(key[1]), reason_words(key[0]), moment(until.get(key), now))
        for key in sorted(counts, key=lambda key: (key[0] not in LATER, key))
    ]
    return _titled("Why not sent", table(columns, rows, screen), screen)


def problems(found: Iterable[ProblemDoc], screen: Screen) -> list[str]:
    """What went wrong, in the engine's own words, with the next step; alike ones together, also
    where they differ only in the site that they name."""
    groups: dict[tuple[str, str, str, str], list[ProblemDoc]] = {}
    for one in found:
        words = _without_names(one)
        key = (one["account"], one["state"], one["cause"] or one["code"] or "", words)
        groups.setdefault(key, []).append(one)
    lines = [line for group in groups.values() for line in _problem_lines(group, screen)]
    return _titled("Problems", lines, screen)


def _without_names(one: ProblemDoc) -> str:
    """The message as it would be for any other site."""
    host = one["site"].rpartition("//")[2]
    words = one["message"]
    for name in (one["target"], one["property"], one["site"], host):
        words = words.replace(name, "*") if name else words
    return words


def _problem_lines(group: Sequence[ProblemDoc], screen: Screen) -> list[str]:
    first = group[0]
    count = sum(one.get("count", 1) for one in group)
    calls = sum(one.get("calls", one.get("count", 1)) for one in group)
    sites = list(dict.fromkeys(one["site"] for one in group))
    facts = [first["state"], first["cause"] or first["code"], f"{count:,}x"]
    facts += [f"{len(sites):,} sites"] if len(sites) > 1 else []
    facts += [several(calls, "call") if calls else "not called"] if calls < count else []
    status = first["http_status"]
    facts += [f"HTTP {status}"] if status is not None else []
    head = f"{first['account']} ({first['engine']}): {', '.join(fact for fact in facts if fact)}"
    ink = _STATE_INK.get(first["state"])
    lines = paragraph(head, screen, ink=ink)
    if first["meaning"]:
        lines += paragraph(first["meaning"], screen, indent=4)
    lines += paragraph(first["message"] or "the engine gave no reason", screen, indent=4)
    if first["next_step"]:
        lines += paragraph(f"Next: {first['next_step']}", screen, indent=4)
    examples = sites if len(sites) > 1 else [one["target"] for one in group]
    return lines + _example_lines(examples, screen)


def findings(found: Iterable[FindingDoc], screen: Screen) -> list[str]:
    """What is wrong with the inputs, by id, errors first."""
    groups: dict[tuple[str, str], list[FindingDoc]] = {}
    for one in found:
        groups.setdefault((one["severity"], one["id"]), []).append(one)
    order = {"error": 0, "warning": 1, "info": 2}
    keys = sorted(groups, key=lambda key: (order.get(key[0], 3), key[1]))
    lines = [line for key in keys for line in _finding_lines(groups[key], screen)]
    return _titled("Findings", lines, screen)


def _finding_lines(group: Sequence[FindingDoc], screen: Screen) -> list[str]:
    first = group[0]
    total = sum(one["count"] for one in group)
    head = f"{first['severity']}: {first['id']}, {total:,}x"
    lines = paragraph(head, screen, ink=_SEVERITY_INK.get(first["severity"]))
    shown = group[:SHOWN]
    for one in shown:
        lines += paragraph(f"{one['where']}: {one['message']}", screen, indent=4)
    if len(group) > SHOWN:
        lines.append(f"    and at {len(group) - SHOWN:,} more places (--json has them all)")
    return lines + _example_lines(first["examples"], screen)


def _example_lines(examples: Sequence[str], screen: Screen) -> list[str]:
    lines = [
        line
        for example in examples[:SHOWN]
        for line in paragraph(clip(example, 300), screen, indent=4, ink=Ink.DIM)
    ]
    if len(examples) > SHOWN:
        lines.append(f"    and {len(examples) - SHOWN:,} more")
    return lines


def allowances(found: Iterable[AllowanceDoc | None], now: datetime, screen: Screen) -> list[str]:
    """What each lane may still spend today."""
    columns = [
        Column("ACCOUNT", folds=Folds.ADDRESS),
        Column("PROPERTY", folds=Folds.ADDRESS),
        Column("SPENT", right=True),
        Column("LEFT", right=True),
        Column("NEW DAY", folds=Folds.WORDS),
    ]
    rows = [
        (
            one["account"],
            one["property"],
            number(one["spent"]),
            number(one["left"]),
            moment(read(one["resets_at"]), now),
        )
        for one in found
        if one is not None
    ]
    return _titled("Allowances", table(columns, rows, screen), screen)


def _titled(title: str, lines: list[str], screen: Screen) -> list[str]:
    return ["", screen.heading(title), *lines] if lines else []
