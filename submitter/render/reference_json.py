"""The JSON chapter of the reference: which command prints what, and each object's keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from submitter.render.document_words import WORDS
from submitter.render.json_shapes import Shape
from submitter.render.markdown import code, heading, link, table
from submitter.render.members import member_docs

_SIMPLE = {str: "text", int: "number", float: "number", bool: "true or false", NoneType: "null"}


def json_chapter(shapes: Sequence[Shape], failure: Any) -> list[str]:
    lines = table(("command", "prints"), map(_row, shapes))
    lines += ["", f"Without a result, each of them prints {_named(failure)}."]
    for document in objects([*(shape.document for shape in shapes), failure]):
        lines += heading(4, _title(document))
        lines += table(("key", "holds", "meaning"), keys_of(document))
    return lines


def objects(documents: Iterable[Any]) -> list[Any]:
    """Every object in these documents once, those that hold others first."""
    found: dict[Any, None] = {}
    for document in documents:
        for one in _objects_in(document):
            if one not in found:
                found[one] = None
                inner = get_type_hints(one, include_extras=True).values()
                found |= dict.fromkeys(objects(inner))
    return list(found)


def keys_of(document: Any) -> Iterator[tuple[str, str, str]]:
    docs = member_docs(document)
    for key, kind in get_type_hints(document, include_extras=True).items():
        yield code(key), _named(kind), docs.get(key) or WORDS.get(key, "")


def _row(shape: Shape) -> tuple[str, str]:
    words = " ".join(("submitter", shape.command, *shape.options, "--json"))
    return code(words), _named(shape.document)


def _objects_in(kind: Any) -> Iterator[Any]:
    if is_typeddict(kind):
        yield kind
    for inner in get_args(kind):
        yield from _objects_in(inner)


def _named(kind: Any) -> str:
    """A type in the words of JSON."""
    if is_typeddict(kind):
        return link(_title(kind))
    inner = [_named(one) for one in get_args(kind)]
    match get_origin(kind):
        case None:
            return _SIMPLE[kind]
        case origin if origin in (Union, UnionType):
            return " or ".join(inner)
        case origin if origin is NotRequired:
            return f"{inner[0]}; not always there"
        case origin if origin is list:
            return f"array: {inner[0]}"
        case _:
            return f"object: {inner[0]} → {inner[1]}"


def _title(document: Any) -> str:
    """`RunTargetDoc`: run target object."""
    words = re.findall(r"[A-Z][a-z]+", document.__name__.removesuffix("Doc"))
    return f"{' '.join(words).lower()} object"
