"""The inventory's chapter of the reference: every key, from the inventory's JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from submitter.render.markdown import code, codes, heading, link, table

Json = Mapping[str, Any]
TITLES = ("key", "holds", "meaning")
_ACCOUNT, _EVERY_ACCOUNT = "Account", "every account"
_PLACES = {
    "DefaultKeys": "defaults and of every site",
    "DomainKeys": "a domain",
    "SubdomainKeys": "a subdomain",
    "SectionKeys": "a section",
    "GuardKeys": "guard",
    "AlertKeys": "alerts",
    "AuditKeys": "audit",
    "FetchKeys": "fetch",
    "LimitKeys": "limits",
}
"""Whose keys a mapping holds; in the order of the chapter."""
_RANGES = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "minItems": "at least"}
_NONE: Json = MappingProxyType({})
_SIMPLE = {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}


def inventory_chapter(schema: Json) -> list[str]:
    """The top first, then each mapping that stands below it; common keys are told once."""
    mappings = schema["$defs"]
    accounts = {
        name.removesuffix(_ACCOUNT): mapping["properties"]
        for name, mapping in mappings.items()
        if name.endswith(_ACCOUNT)
    }
    common = _common(accounts.values())
    lines = _keys("the inventory", schema, mappings)
    lines += _keys(_EVERY_ACCOUNT, {"properties": common, "required": ["engine"]}, mappings)
    for name in accounts:
        mapping = mappings[f"{name}{_ACCOUNT}"]
        lines += _keys(f"a {name.lower()} account", mapping, mappings, without=common)
    of_sites = mappings["DefaultKeys"]["properties"]
    for name, place in _PLACES.items():
        without = of_sites if name in ("DomainKeys", "SubdomainKeys") else {}
        lines += _keys(place, mappings[name], mappings, without=without)
    return lines


def _common(accounts: Iterable[Json]) -> Json:
    """What may stand at an account of any engine; where only the default differs, without it."""
    first, *others = accounts
    engine = {"enum": [one["engine"]["const"] for one in (first, *others)]}
    shared = {
        key: first[key] if all(first[key] == one[key] for one in others) else _general(first[key])
        for key in first
        if all(key in one for one in others)
    }
    return {**shared, "engine": {**engine, "description": "Where the account is."}}


def _general(key: Json) -> Json:
    return {name: value for name, value in key.items() if name != "default"}


def _keys(place: str, mapping: Json, mappings: Json, without: Json = _NONE) -> list[str]:
    required = mapping.get("required", ())
    rows = [
        (code(key), _holds(value, mappings), _meaning(key, value, required))
        for key, value in mapping["properties"].items()
        if without.get(key) != value and _tells_more(without.get(key), value)
    ]
    intro = [mapping["description"], ""] if "description" in mapping else []
    return [*heading(3, f"Keys of {place}"), *intro, *table(TITLES, rows)] if rows else []


def _tells_more(common: Json | None, value: Json) -> bool:
    """An engine's own default of a common key is worth a line; its name is not."""
    return common is None or "default" in value


def _meaning(key: str, value: Json, required: Iterable[str]) -> str:
    text = str(value.get("description", ""))
    return f"{text} Must be given." if key in required else text


def _holds(value: Json, mappings: Json) -> str:
    default = [f"default {code(_written(value['default']))}"] if "default" in value else []
    return ", ".join([_kind(value, mappings), *_bounds(value), *default])


def _written(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _kind(value: Json, mappings: Json) -> str:
    if "$ref" in value:
        return _referred(value["$ref"].rpartition("/")[2], mappings)
    if "anyOf" in value:
        return " or ".join(_kind(one, mappings) for one in value["anyOf"])
    if "const" in value:
        return code(value["const"])
    if "enum" in value:
        return codes(value["enum"])
    if value.get("type") == "array":
        return f"list: {_kind(value['items'], mappings)}"
    if value.get("type") == "object":
        return _mapping_of(value["additionalProperties"], mappings)
    return _SIMPLE[value["type"]]


def _referred(name: str, mappings: Json) -> str:
    place = _PLACES.get(name)
    return link(f"Keys of {place}", place) if place else _kind(mappings[name], mappings)


def _mapping_of(value: Json, mappings: Json) -> str:
    if "oneOf" in value:
        return f"names, each for an {link(f'Keys of {_EVERY_ACCOUNT}', 'account')}"
    return f"names, each for {_kind(value, mappings)}"


def _bounds(value: Json) -> Iterator[str]:
    for key, word in _RANGES.items():
        if key in value:
            yield f"{word} {value[key]:,}"
