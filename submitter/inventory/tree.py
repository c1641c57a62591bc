"""YAML as the inventory uses it: mappings, lists and text.

Every scalar stays the text that was written (`no`, `010`, `12:30:45`, dates); the models decide
what is a number. Refused: duplicate keys, tags, several documents, keys without a value, deep
nesting, merge keys (they are unknown keys). A few aliases are fine, an alias bomb is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import yaml
from yaml import YAMLError
from yaml._yaml import CParser, Mark
from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.reader import ReaderError

from submitter.errors import ConfigError, Fault
from submitter.inventory.marks import Marks, is_null

MAX_DEPTH = 12
MAX_ALIASED = 10_000
"""Values that all aliases of a file may stand for, counted again for each use."""

_HINTS = (
    ("did not find expected ',' or", "an open list, or text with { or [ in it that needs quotes"),
    ("mapping values are not allowed", "text that holds ': ' needs quotes"),
    ("did not find expected key", "is it indented like the lines above?"),
    ("did not find expected '-'", "is it indented like the lines above?"),
)
_DROPPED = object()
"""Stands for a key whose value is read and left out: it was reported already."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole file: str, list and dict (None: empty), and the faults that were no obstacle."""

    value: object
    marks: Marks
    faults: tuple[Fault, ...]


def parse_yaml(text: str, name: str) -> Tree:
    """Parse one document; `name` is the file's name in faults. Raises ConfigError, with all
    faults up to there, where the rest cannot be read."""
    builder = _Builder(name)
    try:
        for event in _events(text):
            builder.take(event)
    except YAMLError as error:
        broken = _syntax_fault(error, text, name)
    else:
        return Tree(builder.value, Marks(text), tuple(builder.faults))
    raise ConfigError([*builder.faults, broken])


def _events(text: str) -> Iterator[Event]:
    parser = CParser(text)
    while (event := parser.get_event()) is not None:
        yield event


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is still open; `size` counts the values in it, aliases unfolded."""

    start: MappingStartEvent | SequenceStartEvent
    value: dict[str, object] | list[object]
    key: object = None
    keys: dict[str, Event] = field(default_factory=dict)
    size: int = 1


class _Builder:
    def __init__(self, name: str) -> None:
        self.name = name
        self.value: object = None
        self.faults: list[Fault] = []
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._aliased = 0
        self._documents = 0

    def take(self, event: Event) -> None:
        match event:
            case ScalarEvent():
                self._take_scalar(event)
            case MappingStartEvent() | SequenceStartEvent():
                self._begin(event)
            case MappingEndEvent() | SequenceEndEvent():
                self._end()
            case AliasEvent():
                self._take_alias(event)
            case DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self._break(event, "a second document; an inventory is one document")

    def _take_scalar(self, event: ScalarEvent) -> None:
        self._refuse_tag(event)
        value = None if is_null(event) else event.value
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._attach(event, value, 1)

    def _begin(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._refuse_tag(event)
        if len(self._open) == MAX_DEPTH:
            self._break(event, f"nested deeper than {MAX_DEPTH} levels")
        is_mapping = isinstance(event, MappingStartEvent)
        self._open.append(_Frame(event, {} if is_mapping else []))

    def _end(self) -> None:
        frame = self._open.pop()
        if frame.start.anchor:
            self._anchors[frame.start.anchor] = (frame.value, frame.size)
        self._attach(frame.start, frame.value, frame.size)

    def _take_alias(self, event: AliasEvent) -> None:
        known = self._anchors.get(event.anchor or "")
        if known is None:
            self._break(event, f"alias '*{event.anchor}' has no anchor before it")
        self._aliased += known[1]
        if self._aliased > MAX_ALIASED:
            self._break(event, f"the aliases stand for more than {MAX_ALIASED:,} values")
        self._attach(event, *known)

    def _attach(self, event: Event, value: object, size: int) -> None:
        if not self._open:
            self.value = value
            return
        frame = self._open[-1]
        frame.size += size
        if isinstance(frame.value, dict):
            if frame.key is None:
                frame.key = self._key(frame, event, value)
            else:
                self._put(frame.value, frame, value)
        elif value is None:
            self._fault(event, "an empty list item")
        else:
            frame.value.append(value)

    def _key(self, frame: _Frame, event: Event, key: object) -> object:
        if not isinstance(key, str):
            self._fault(event, "a key must be text")
            return _DROPPED
        first = frame.keys.setdefault(key, event)
        if first is event:
            return key
        line, column = _place(first.start_mark)
        problem = f"duplicate key {key[:200]!r}; first at line {line}, column {column}"
        self._fault(event, problem)
        return _DROPPED

    def _put(self, into: dict[str, object], frame: _Frame, value: object) -> None:
        key, frame.key = frame.key, None
        if not isinstance(key, str):
            return
        if value is None:
            problem = f"{key[:200]!r} has no value; give it one or leave the key out"
            self._fault(frame.keys[key], problem)
        else:
            into[key] = value

    def _refuse_tag(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")[:200]
            self._fault(event, f"tag {tag!r} is not used here; write the value alone")

    def _fault(self, event: Event, problem: str) -> None:
        self.faults.append(Fault(self.name, *_place(event.start_mark), problem))

    def _break(self, event: Event, problem: str) -> NoReturn:
        self._fault(event, problem)
        raise ConfigError(self.faults)


def _place(mark: Mark | yaml.Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)


def _syntax_fault(error: YAMLError, text: str, name: str) -> Fault:
    if isinstance(error, ReaderError):
        before = text.encode()[: error.position].decode(errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Fault(name, line, column, "not YAML: a control character")
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Fault(name, 0, 0, "not YAML")
    mark, problem = error.problem_mark, error.problem or "broken off"
    if "unexpected end of stream" in problem and error.context_mark is not None:
        mark, problem = error.context_mark, "the text that begins here has no closing quote"
    elif "cannot start any token" in problem:
        problem = _explain_character(text, mark.index)
    hints = (f" ({hint})" for sign, hint in _HINTS if sign in problem)
    return Fault(name, *_place(mark), f"not YAML: {problem}{next(hints, '')}")


def _explain_character(text: str, index: int) -> str:
    character = text[index : index + 1]
    if character == "\t":
        return "a tab; indent with blanks"
    return f"a value that starts with {character!r} needs quotes"
