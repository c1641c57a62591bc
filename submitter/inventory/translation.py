"""pydantic's errors in our words, with the way to the place that is to blame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel, ValidationError

from submitter.core.urls import printable
from submitter.inventory.addresses import NO_PING
from submitter.inventory.models import (
    AlertKeys,
    DefaultKeys,
    FetchKeys,
    GuardKeys,
    LimitKeys,
)
from submitter.inventory.problems import kind_of, nearest, shown

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from submitter.inventory.marks import Loc

PING_KEYS = frozenset({"ping", "pings", "ping_url", "ping_urls", "ping_engines"})

_HOMES = {
    **dict.fromkeys(DefaultKeys.model_fields, "it stands under 'defaults' or at a site"),
    **dict.fromkeys(("domain", "subdomains", "subdomains_file"), "it stands under 'sites'"),
    **dict.fromkeys(FetchKeys.model_fields, "it stands under 'fetch'"),
    **dict.fromkeys(GuardKeys.model_fields, "it stands under 'guard'"),
    **dict.fromkeys(AlertKeys.model_fields, "it stands under 'alerts'"),
    **dict.fromkeys(LimitKeys.model_fields, "it stands under 'limits' of an account"),
    "allow_private": "it stands at a site, never in defaults",
    "<<": "merge keys are not used here, 'defaults' holds what sites share",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong at `loc`. `at_key`: with its last key, which `missing` means is not there."""

    loc: tuple[str | int, ...]
    text: str
    at_key: bool = False
    missing: bool = False


def problems_of(error: ValidationError, model: type[BaseModel], *, under: Loc) -> Iterator[Problem]:
    """The problems in a value that stands at `under`; misspelt keys are compared with `model`."""
    for detail in error.errors(include_url=False):
        yield _problem(detail, model, under)


def unknown_key(name: str, known: Iterable[str]) -> str:
    if name in PING_KEYS:
        return f"{name}: {NO_PING}"
    home = _HOMES.get(name)
    hint = f"; {home}" if home else nearest(name, known)
    return f"unknown key {shown(name)}{hint}"


def _problem(detail: ErrorDetails, model: type[BaseModel], under: Loc) -> Problem:
    inside = tuple(step for step in detail["loc"] if step != "[key]")
    at_key = len(inside) < len(detail["loc"])
    loc = (*under, *inside)
    match detail["type"]:
        case "extra_forbidden":
            known = _model_around(model, inside).model_fields
            return Problem(loc, unknown_key(str(loc[-1]), known), at_key=True)
        case "missing":
            return Problem(loc, "", missing=True)
    name = _name_of(loc[:-1] if at_key else loc)
    return Problem(loc, name + _words(detail), at_key=at_key)


def _name_of(loc: Loc) -> str:
    """The key that a message starts with: a list's items are called by the list's key."""
    key = next((step for step in reversed(loc) if isinstance(step, str)), "")
    return f"{printable(key)}: " if key else ""


def _model_around(model: type[BaseModel], loc: Loc) -> type[BaseModel]:
    for step in loc[:-1]:
        declared = model.model_fields.get(str(step))
        if declared is not None:
            types = (declared.annotation, *get_args(declared.annotation))
            inner = (t for t in types if isinstance(t, type) and issubclass(t, BaseModel))
            model = next(inner, model)
    return model


def _words(detail: ErrorDetails) -> str:
    found, facts = kind_of(detail["input"]), detail.get("ctx", {})
    match detail["type"]:
        case "value_error":
            return str(facts["error"])
        case "string_type":
            return f"should be text, not {found}"
        case "list_type" | "tuple_type":
            return f"should be a list, not {found}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"should be a mapping of keys, not {found}"
        case "literal_error" | "enum":
            known = re.findall(r"'([^']*)'", str(facts["expected"]))
            return (
                f"should be {facts['expected']}, not {found}{nearest(str(detail['input']), known)}"
            )
    signs = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    bounds = (f"{sign} {facts[key]:g}" for key, sign in signs.items() if key in facts)
    bound = next(bounds, None)
    return f"should be {bound}, not {found}" if bound else detail["msg"]
