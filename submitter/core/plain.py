"""Foreign text made harmless: nothing of it moves a cursor, turns a line or hides itself."""

from __future__ import annotations


def plain(text: str) -> str:
    """Control, direction, private and unassigned characters as escapes (`\\x1b`, `\\u202e`)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def clip(text: str, length: int) -> str:
    """At most `length` characters, the last one an ellipsis when something was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"
