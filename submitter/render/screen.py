"""What text is made for: so many columns, with or without colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

LEAST_WIDTH = 60
"""A narrower terminal wraps our lines itself."""


class Ink(StrEnum):
    """Means the same everywhere: what is fine, what is not, what waits."""

    GOOD = "32"
    BAD = "31"
    WAIT = "33"
    DIM = "2"
    BOLD = "1"


@dataclass(frozen=True, slots=True)
class Screen:
    """`width` in terminal cells. Colour never carries a meaning that the words do not."""

    width: int = 80
    colour: bool = False

    def narrower(self, cells: int) -> Screen:
        """The same with a margin."""
        return replace(self, width=self.width - cells)

    def paint(self, text: str, ink: Ink | None) -> str:
        if ink is None or not self.colour or not text:
            return text
        return f"\x1b[{ink}m{text}\x1b[0m"

    def heading(self, text: str) -> str:
        return self.paint(text, Ink.BOLD)
