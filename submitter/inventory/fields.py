"""The types of single values: text as it was written, turned into what a key means.

Every input is str, list or dict. Checks raise ValueError with the problem in words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
)

from submitter.core.audit.rules import KNOWN_IDS
from submitter.core.consoles import MANUAL
from submitter.inventory.addresses import (
    check_address,
    check_baidu_site,
    check_endpoint,
    check_ledger,
    check_network,
    check_peer,
    check_property,
    check_sitemap,
    is_loopback,
)
from submitter.inventory.hosts import whole_host
from submitter.inventory.problems import kind_of, nearest, shown
from submitter.inventory.references import AMBIENT, parse_reference

VERSION = 1
ROBOTS = "robots"
MAX_SECONDS = 86_400
MAX_TEXT = 2_048
MAX_GLOB = 200
MAX_PORT = 65_535

_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
"""Source: https://yaml.org/spec/1.2.2/#1032-tag-resolution, read 2026-11-30."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TAG = re.compile(r"[^\s;,\x00-\x1f\x7f]{1,64}")


def _whole(value: object) -> int:
    if not isinstance(value, str) or not _WHOLE.fullmatch(value) or len(value) > 18:
        raise ValueError(f"should be a whole number, not {kind_of(value)}")
    return int(value)


def _number(value: object) -> float:
    matches = isinstance(value, str) and _NUMBER.fullmatch(value)
    number = float(matches[0]) if matches else math.inf
    if not math.isfinite(number):
        raise ValueError(f"should be a number, not {kind_of(value)}")
    return number


def _flag(value: object) -> bool:
    known = _FLAGS.get(value) if isinstance(value, str) else None
    if known is None:
        raise ValueError(f"should be true or false, not {kind_of(value)}")
    return known


def _text(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    if not text.isprintable():
        raise ValueError(f"{shown(text)} holds a control character")
    return _short(text)


def _short(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT:,} characters")
    return text


def _distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{shown(value)} is listed twice")
        seen.add(value)
    return values


def _no_alias_of_itself(aliases: dict[str, str]) -> dict[str, str]:
    for sitemap, alias in aliases.items():
        if sitemap == alias:
            raise ValueError(f"{shown(sitemap)} is an alias of itself; name a further address")
    return aliases


def check_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(
            f"{shown(text)} is not a name: letters, digits, '-', '_' and '.', up to 64"
        )
    return text


def check_tag(text: str) -> str:
    if not _TAG.fullmatch(text):
        raise ValueError(f"{shown(text)} is not a tag: no blanks, commas or semicolons, up to 64")
    return text


def _account(text: str, info: ValidationInfo) -> str:
    """The validation context is the collection of the declared names."""
    return check_account(text, info.context or ())


def check_account(text: str, declared: Collection[str]) -> str:
    if text not in declared:
        raise ValueError(f"unknown account {shown(text)}{nearest(text, declared)}")
    return text


def _console(text: str) -> str:
    if text not in MANUAL:
        names = ", ".join(MANUAL)
        raise ValueError(f"{shown(text)} is no console{nearest(text, MANUAL)}; there are: {names}")
    return text


def _audit_id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise ValueError(f"{shown(text)} is no id of a finding, like page-missing")
    near = [] if text in KNOWN_IDS else get_close_matches(text, KNOWN_IDS, n=1, cutoff=0.85)
    if near:
        raise ValueError(f"{shown(text)} is no id of a finding; did you mean {near[0]!r}?")
    return text


def _path_glob(text: str) -> str:
    if text[0] not in "/*":
        raise ValueError(f"{shown(text)} starts with neither / nor *; it is a glob over the path")
    return _glob(text)


def _glob(text: str) -> str:
    if len(text) > MAX_GLOB:
        raise ValueError(f"a glob of more than {MAX_GLOB} characters")
    if text.count("[") != text.count("]"):
        raise ValueError(f"{shown(text)} has a bracket without its other half")
    return text


def _robots_or_list(
    value: object, validate: Callable[[object], tuple[str, ...]]
) -> tuple[str, ...]:
    if value == ROBOTS:
        return ()
    if isinstance(value, str):
        raise ValueError(f"should be {ROBOTS!r} or a list of addresses, not {shown(value)}")
    if value == []:
        raise ValueError(f"is empty; name addresses or write {ROBOTS!r}")
    return validate(value)


def _contact(text: str) -> str:
    if not text.isascii() or not ("@" in text or text.startswith(("http://", "https://"))):
        raise ValueError(f"{shown(text)} is neither an address nor a mail address")
    return text


def _webhook(text: str) -> str:
    if not text.startswith(("https://", "http://")):
        parse_reference(text, Path())
        return text
    parts = check_address(text)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise ValueError("would tell it over plain http; write https://")
    return text


def _version(number: int) -> int:
    if number != VERSION:
        raise ValueError(f"is {number}, and this program reads version {VERSION}")
    return number


def _google_reference(text: str) -> str:
    parse_reference(text, Path())
    return text


def _reference(text: str) -> str:
    if text == AMBIENT:
        raise ValueError(f"{AMBIENT!r} is for Google credentials only; write env:NAME or file:PATH")
    return _google_reference(text)


def _pattern(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


def _endpoint(text: str, info: ValidationInfo) -> str:
    """Checked after `trust_endpoint`; if that is faulty, its own fault is enough."""
    return check_endpoint(text, trusted=bool(info.data.get("trust_endpoint", True)))


Whole = Annotated[int, BeforeValidator(_whole)]
Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Text = Annotated[str, AfterValidator(_text)]
Hidden = Annotated[str, AfterValidator(_short)]
"""Text that may be a secret: no message shows it, and none of the checks of `Text` is made."""
Rate = Annotated[float, Field(gt=0), BeforeValidator(_number)]
Seconds = Annotated[float, Field(gt=0, le=MAX_SECONDS), BeforeValidator(_number)]
Port = Annotated[int, Field(ge=1, le=MAX_PORT), BeforeValidator(_whole)]

Version = Annotated[
    Whole, AfterValidator(_version), WithJsonSchema({"type": "integer", "const": VERSION})
]
Name = Annotated[Text, AfterValidator(check_name)]
Tag = Annotated[Text, AfterValidator(check_tag)]
AccountName = Annotated[Text, AfterValidator(_account)]
Host = Annotated[Text, AfterValidator(whole_host)]
Peer = Annotated[Text, AfterValidator(check_peer)]
Network = Annotated[Text, AfterValidator(check_network)]
PathGlob = Annotated[Text, AfterValidator(_path_glob)]
Glob = Annotated[Text, AfterValidator(_glob)]
Sitemap = Annotated[Text, AfterValidator(check_sitemap)]
GoogleProperty = Annotated[Text, AfterValidator(check_property)]
BaiduSite = Annotated[Text, AfterValidator(check_baidu_site)]
Ledger = Annotated[Hidden, AfterValidator(check_ledger)]
Endpoint = Annotated[Text, AfterValidator(_endpoint)]
Contact = Annotated[Text, AfterValidator(_contact)]
Webhook = Annotated[Hidden, AfterValidator(_webhook)]

Reference = Annotated[
    Hidden, AfterValidator(_reference), _pattern("^(env|file|gcp-secret|aws-secret):.+")
]
GoogleReference = Annotated[
    Hidden,
    AfterValidator(_google_reference),
    _pattern("^(adc$|(env|file|gcp-secret|aws-secret):.+)"),
]

Tags = Annotated[tuple[Tag, ...], AfterValidator(_distinct)]
AccountNames = Annotated[tuple[AccountName, ...], AfterValidator(_distinct)]
ConsoleName = Annotated[
    Text, AfterValidator(_console), WithJsonSchema({"type": "string", "enum": list(MANUAL)})
]
ConsoleNames = Annotated[tuple[ConsoleName, ...], AfterValidator(_distinct)]
AuditIds = Annotated[
    tuple[Annotated[Text, AfterValidator(_audit_id)], ...], AfterValidator(_distinct)
]
Networks = tuple[Network, ...]
Sitemaps = Annotated[
    tuple[Sitemap, ...],
    AfterValidator(_distinct),
    WrapValidator(_robots_or_list),
    WithJsonSchema(
        {
            "anyOf": [
                {"const": ROBOTS},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
            ],
            "default": ROBOTS,
        }
    ),
]
"""Addresses, or none for `robots`: the Sitemap lines of robots.txt."""
Aliases = Annotated[dict[Sitemap, Sitemap], AfterValidator(_no_alias_of_itself)]
