"""The story of one address, for a terminal."""

from __future__ import annotations

from datetime import datetime

from submitter.render.documents import ExplainDoc, ExplainTargetDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import paragraph
from submitter.render.text_log import log_row_text
from submitter.render.text_parts import state_cell
from submitter.render.times import moment, read


def explain_text(story: ExplainDoc, now: datetime, screen: Screen) -> list[str]:
    """Where it was seen, and for each target what was told, answered, and why not."""
    lines = paragraph(story["loc"], screen, ink=Ink.BOLD)
    if story["kind"] == "unknown":
        words = "Nothing is known of this address: no look has seen it and nobody was told."
        return lines + paragraph(words, screen)
    for label, value in _facts(story, now):
        lines += paragraph(f"{label}: {value}", screen, indent=2)
    for target in story["targets"]:
        lines += ["", *_target_lines(target, now, screen)]
    if not story["targets"]:
        lines += ["", *paragraph("No account is told about it.", screen)]
    return lines


def _facts(story: ExplainDoc, now: datetime) -> list[tuple[str, str]]:
    times = [
        ("lastmod", story["lastmod"]),
        ("first seen", story["first_seen"]),
        ("last seen", story["last_seen"]),
        ("gone since", story["gone_at"]),
    ]
    facts = [("kind", story["kind"])]
    facts += [("section", story["section"])] if story["section"] else []
    facts += [("listed in", url) for url in story["documents"]]
    return facts + [(label, moment(read(text), now)) for label, text in times if text]


def _target_lines(target: ExplainTargetDoc, now: datetime, screen: Screen) -> list[str]:
    other = f" (at its other address {target['alias']})" if target["alias"] else ""
    head = f"{target['account']}: {target['state']}{other}"
    lines = paragraph(head, screen, ink=state_cell(target["state"]).ink)
    said = target["why_not"] or ""
    if said:
        reason = f" ({target['reason']})" if target["reason"] else ""
        lines += paragraph(f"why not{reason}: {_without_time(said)}", screen, indent=2)
    if target["not_before"]:
        lines += paragraph(f"again at: {moment(read(target['not_before']), now)}", screen, indent=2)
    for row in target["attempts"]:
        lines += [f"  {line}" for line in log_row_text(row, screen.narrower(2), said)]
        said = "; ".join((said, row["meaning"] or "", row["message"], row["next_step"] or ""))
    return lines


def _without_time(why_not: str) -> str:
    """The moment has a line of its own."""
    return why_not.partition("; not before ")[0]
