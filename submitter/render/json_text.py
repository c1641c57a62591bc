"""JSON that is safe to look at: letters stay letters, what could steer a terminal is escaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping


def json_text(value: object, *, indent: int | None = None) -> str:
    """One document. Equal after parsing to what `json.dumps` gives."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "\n".join(_escaped(line) for line in text.split("\n"))


class JsonArray:
    """Writes one array, an element a line, without holding all of it."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write, self._before = write, "["

    def add(self, element: object) -> None:
        self._write(f"{self._before}\n{json_text(element)}")
        self._before = ","

    def end(self) -> None:
        self._write("[]" if self._before == "[" else "\n]")


def json_members(members: Mapping[str, object]) -> str:
    """The rest of an object whose first member is written already."""
    texts = [f",\n{json_text(key)}: {json_text(value)}" for key, value in members.items()]
    return "".join(texts) + "}\n"


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)
