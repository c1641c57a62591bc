"""The project's pages as tests read them: their code, their links, their marked parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "config/reference.md",
    "deploy/README.md",
)

_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S
)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"(?m)^#+ (.+)$")
_INLINE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block. `mark` is the comment on the line before it."""

    mark: str
    kind: str
    text: str


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[Block]:
    found = _FENCE.finditer(read(name))
    return [Block(one["mark"] or "", one["kind"], one["text"]) for one in found]


def links(name: str) -> list[str]:
    return [one["target"] for one in _LINK.finditer(_without_code(read(name)))]


def headings(name: str) -> list[str]:
    return _HEADING.findall(_FENCE.sub("", read(name)))


def command_lines(name: str) -> Iterator[str]:
    """Everything that calls the program, in blocks and in running text, from its name on."""
    for block in blocks(name):
        for line in block.text.replace("\\\n", " ").splitlines():
            yield from _calls(line)
    for text in _INLINE.findall(_FENCE.sub("", read(name))):
        yield from _calls(text)


def _calls(line: str) -> Iterator[str]:
    found = re.search(r"(?:^|[\s;&|$(])submitter (?P<rest>[^#|>;&)]*)", line)
    if found:
        yield found["rest"].strip()


def _without_code(text: str) -> str:
    return _INLINE.sub("", _FENCE.sub("", text))
