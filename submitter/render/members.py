"""What stands in the source about each member of a class: the text behind it."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise


def member_docs(cls: type) -> dict[str, str]:
    """Member → its text, one line each; those of its base classes, too. Empty for a class that no
    class statement made."""
    docs: dict[str, str] = {}
    for definition in _definitions(cls):
        for base in _bases(definition, cls):
            docs |= member_docs(base)
        docs |= dict(_documented(definition.body))
    return docs


def _definitions(cls: type) -> list[ast.ClassDef]:
    try:
        body = ast.parse(inspect.getsource(cls)).body
    except OSError:
        return []
    return [one for one in body if isinstance(one, ast.ClassDef)]


def _bases(definition: ast.ClassDef, cls: type) -> Iterator[type]:
    """Read from the source: at run time a TypedDict has forgotten them."""
    names = vars(sys.modules[cls.__module__])
    for base in definition.bases:
        known = names.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(known, type) and known.__module__.startswith("submitter."):
            yield known


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for member, text in pairwise(body):
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            target = member.target if isinstance(member, ast.AnnAssign) else _target(member)
            if isinstance(target, ast.Name):
                yield target.id, " ".join(str(text.value.value).split())


def _target(member: ast.stmt) -> ast.expr | None:
    return member.targets[0] if isinstance(member, ast.Assign) else None
