"""The product's own source, as tests of the docs search it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docs_pages import ROOT

PACKAGE = ROOT / "submitter"
NOT_THE_PRODUCT = ("sandbox", "render", "cli")
"""Where ids are imitated or shown, not given."""


@cache
def modules() -> dict[Path, ast.Module]:
    return {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in NOT_THE_PRODUCT
    }


def calls(*names: str) -> Iterator[tuple[Path, list[ast.expr]]]:
    """The arguments, in order, of every call of a function or method of these names."""
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) in names:
                yield path, [*node.args, *(keyword.value for keyword in node.keywords)]


def constants(values: list[ast.expr]) -> list[str]:
    """The texts among them that are written out."""
    return [one.value for one in values if isinstance(one, ast.Constant) and type(one.value) is str]


@cache
def uses() -> Counter[str]:
    """How often each text stands in the source, but for the keys of tables and rows of causes."""
    found: Counter[str] = Counter()
    for path, tree in modules().items():
        if path.parent.name == "cause_rows":
            continue
        keys = {id(key) for node in ast.walk(tree) for key in _table_keys(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) is str and id(node) not in keys:
                found[node.value] += 1
    return found


def _table_keys(node: ast.AST) -> list[ast.expr]:
    """Of a table of meanings: a dictionary whose values are no ids themselves."""
    if not isinstance(node, ast.Dict):
        return []
    return [key for key, value in zip(node.keys, node.values, strict=True) if key and _words(value)]


def _words(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return _name(value.func) in ("Meaning", "Rule")
    return isinstance(value, ast.Constant) and " " in str(value.value)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
