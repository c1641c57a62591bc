"""The submission log, for a terminal: a block of lines for each call, written as it is read."""

from __future__ import annotations

from submitter.render.documents import LogRowDoc, PageLogRowDoc
from submitter.render.screen import Screen
from submitter.render.tables import paragraph
from submitter.render.text_parts import kinds, number, several, state_cell
from submitter.render.times import exact, read


def log_row_text(row: LogRowDoc, screen: Screen, said_before: str = "") -> list[str]:
    """When, how it ended and where; then what was sent, and what the engine said. No sentence
    stands there twice, or again that stands in `said_before`."""
    again = f", try {row['attempt']}" if row["attempt"] > 1 else ""
    head = f"{exact(read(row['sent_at']))}  {row['state']}{again}  {row['account']}  {row['site']}"
    lines = paragraph(head, screen, ink=state_cell(row["state"]).ink)
    lines += paragraph(_what(row), screen, indent=4)
    meaning, step = row["meaning"] or "", row["next_step"] or ""
    message = row["message"]
    if meaning and meaning in said_before:
        message = message.removeprefix(f"{meaning}: ")
    if message in said_before:
        message = ""
    if meaning in said_before or meaning in message:
        meaning = ""
    if message and message in meaning:
        message = ""
    said = _said(row, message)
    if meaning:
        lines += paragraph(meaning, screen, indent=4)
    if said:
        lines += paragraph(said, screen, indent=4)
    if step and step not in said_before:
        lines += paragraph(f"Next: {step}", screen, indent=4)
    return lines


def page_log_row_text(row: PageLogRowDoc, screen: Screen) -> list[str]:
    head = f"{exact(read(row['at']))}  {row['state']}  {row['account']}  {row['loc']}"
    lines = paragraph(head, screen, ink=state_cell(row["state"]).ink)
    return lines + (paragraph(row["reason"], screen, indent=4) if row["reason"] else [])


def _what(row: LogRowDoc) -> str:
    if row["kind"] == "sitemap":
        return f"sitemap {row['target']}"
    if row["kind"] == "withdrawal":
        return f"withdrawal of sitemap {row['target']}"
    counts = f"{number(row['accepted'])} taken, {number(row['rejected'])} rejected"
    pages = several(row["urls"], kinds(row["kind"]).removesuffix("s"))
    return f"{pages}, {counts}; first: {row['target']}"


def _said(row: LogRowDoc, message: str) -> str:
    status = row["http_status"]
    left = row["quota_left"]
    facts = [
        f"HTTP {status}" if status is not None else "",
        row["code"] or "",
        message,
        f"{left:,} left today" if left is not None else "",
    ]
    return "; ".join(fact for fact in facts if fact)
