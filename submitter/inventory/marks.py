"""Where things stand in a YAML text. Read again only when there is a fault to report.

Keeping a mark for every value would make a sound inventory, the common case, twice as slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from yaml._yaml import CParser
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from yaml.events import ScalarEvent

Loc = Sequence[str | int]
"""The way from the root to a value: keys of mappings and indexes of lists."""

_Index = dict[str | int, tuple[Node | None, Node]]
"""By key or position: the key's node, if any, and the value's."""

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
"""Source: https://yaml.org/spec/1.2.2/#1032-tag-resolution, read 2026-11-30."""


def is_null(scalar: ScalarEvent | ScalarNode) -> bool:
    return not scalar.style and scalar.value in NULLS


class Marks:
    """Places in a text that `parse_yaml` has read; lines and columns count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._indexes: dict[int, _Index] = {}

    def value_at(self, loc: Loc) -> tuple[int, int]:
        """The value at `loc`, or the nearest thing around it."""
        return _place(self._nearest(loc))

    def key_at(self, loc: Loc) -> tuple[int, int]:
        """The last key of `loc`, or the nearest thing around it."""
        return _place(self._key(loc) or self._nearest(loc))

    def has_key(self, loc: Loc) -> bool:
        """True also for a key that was left out of the tree because it had no value."""
        return self._key(loc) is not None

    @cached_property
    def _root(self) -> Node | None:
        return _Composer(self._text).get_single_node()

    def _nearest(self, loc: Loc) -> Node | None:
        node = self._root
        for step in loc:
            _, inner = self._index(node).get(step, (None, None))
            if inner is None:
                break
            node = inner
        return node

    def _key(self, loc: Loc) -> Node | None:
        return self._index(self._nearest(loc[:-1])).get(loc[-1], (None, None))[0]

    def _index(self, node: Node | None) -> _Index:
        if id(node) not in self._indexes:
            self._indexes[id(node)] = _index(node)
        return self._indexes[id(node)]


def _index(node: Node | None) -> _Index:
    """What a node holds, by key or position; without what `parse_yaml` leaves out."""
    if isinstance(node, SequenceNode):
        items = (item for item in node.value if not _is_empty(item))
        return {at: (None, item) for at, item in enumerate(items)}
    if isinstance(node, MappingNode):
        pairs = [(key, value) for key, value in node.value if isinstance(key, ScalarNode)]
        return {key.value: (key, value) for key, value in reversed(pairs)}  # the first of equals
    return {}


class _Composer(CParser):
    """Nodes without tags: nobody asks for them, and resolving them takes most of the time."""

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return ""

    def descend_resolver(self, parent: object, index: object) -> None: ...

    def ascend_resolver(self) -> None: ...


def _is_empty(node: Node) -> bool:
    return isinstance(node, ScalarNode) and is_null(node)


def _place(node: Node | None) -> tuple[int, int]:
    return (node.start_mark.line + 1, node.start_mark.column + 1) if node is not None else (1, 1)
