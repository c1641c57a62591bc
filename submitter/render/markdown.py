"""Pieces of Markdown: headings, tables, code; and the name by which a heading is linked to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NOTHING = "–"
"""Stands in a cell that says no, or has nothing to say."""
_SPECIAL = re.compile(r"`[^`]*`|<https?://[^>]*>|[&<]")
"""Code and addresses stand as they are; what is left would begin an entity or a tag."""
_ENTITIES = {"&": "&amp;", "<": "&lt;"}


def heading(level: int, title: str) -> list[str]:
    return ["", f"{'#' * level} {title}", ""]


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; none when there are no rows."""
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    head = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return [*head, *lines] if lines else []


def prose(text: str) -> str:
    """A text that is no Markdown, but for what stands in backticks."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], found[0]), text)


def code(text: object) -> str:
    return f"`{text}`"


def codes(texts: Iterable[object]) -> str:
    return ", ".join(map(code, texts)) or NOTHING


def link(title: str, text: str = "") -> str:
    """To a heading of the same document."""
    return f"[{text or title}](#{anchor(title)})"


def anchor(title: str) -> str:
    """As GitHub makes it: lower case, dashes for blanks, no punctuation."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _cell(text: str) -> str:
    return prose(text).replace("|", "\\|").replace("\n", " ") or NOTHING
