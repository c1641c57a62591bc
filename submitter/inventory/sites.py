"""From what is written at defaults, domain and host to frozen sites: the nearest level wins.

`fetch`, `guard` and `audit` are merged key by key, everything else is replaced. Equal values are
one object: five thousand hosts of a domain share its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from submitter.core.fleet import (
    AuditRule,
    FetchRules,
    GuardRule,
    OnRun,
    Section,
    SettingValue,
    Site,
)
from submitter.inventory.addresses import fill
from submitter.inventory.hosts import split_port, without_default_port
from submitter.inventory.models import SectionKeys, Written

Level = Mapping[str, Any]
"""Keys of a site written at one level, as the models hold them."""

MERGED = ("fetch", "guard", "audit")
T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Rules:
    """A site without its name; texts may still hold `{host}` and `{domain}`."""

    scheme: str
    sitemaps: tuple[str, ...]
    accounts: tuple[str, ...]
    tags: frozenset[str]
    sections: tuple[Section, ...]
    google_property: str | None
    baidu_site: str | None
    baidu_files: int | None
    baidu_files_per_day: int | None
    allow_private: tuple[str, ...]
    gone_after: int
    guard: GuardRule
    prelaunch: bool
    audit: AuditRule
    stuck_after_days: int
    aliases: Mapping[str, str]
    manual: tuple[str, ...]
    fetch: FetchRules
    settings: Mapping[str, SettingValue]

    def site(self, host: str, domain: str) -> Site:
        """The site of `host`, which is `domain` or under it; both may carry a port."""
        host, domain = without_default_port(host, self.scheme), split_port(domain)[0]

        def filled(text: str) -> str:
            return fill(text, host=host, domain=domain) if "{" in text else text

        return Site(
            host=host,
            scheme=self.scheme,
            domain=domain,
            sitemaps=_fill_each(self.sitemaps, filled) or None,
            accounts=self.accounts,
            tags=self.tags,
            sections=self.sections,
            google_property=self.google_property and filled(self.google_property),
            baidu_site=self.baidu_site and filled(self.baidu_site),
            baidu_files=self.baidu_files,
            baidu_files_per_day=self.baidu_files_per_day,
            allow_private=self.allow_private,
            gone_after=self.gone_after,
            guard=self.guard,
            prelaunch=self.prelaunch,
            audit=self.audit,
            stuck_after_days=self.stuck_after_days,
            aliases=_fill_pairs(self.aliases, filled),
            manual=self.manual,
            fetch=self.fetch,
            settings=_fill_settings(self.settings, filled),
        )


class RuleBook:
    """Makes rules from levels, equal values only once. `options` are the keys that engines gave
    to sites; a relative `ca_file` is under `base`."""

    def __init__(self, options: Iterable[str], base: Path) -> None:
        self._options, self._base = tuple(options), base
        self._values: dict[Hashable, Any] = {}

    def rules(self, keys: Level) -> Rules:
        """Rules from the merged keys of all levels."""
        return Rules(
            scheme=keys["scheme"],
            sitemaps=self._one(keys["sitemaps"]),
            accounts=self._one(keys["accounts"]),
            tags=self._one(frozenset(keys["tags"])),
            sections=self._one(tuple(map(_section, keys["sections"]))),
            google_property=keys["google_property"],
            baidu_site=keys["baidu_site"],
            baidu_files=keys["baidu_files"],
            baidu_files_per_day=keys["baidu_files_per_day"],
            allow_private=self._one(keys["allow_private"]),
            gone_after=keys["gone_after"],
            guard=self._one(GuardRule(**keys["guard"])),
            prelaunch=keys["prelaunch"] == "on",
            audit=self._one(_audit(keys["audit"])),
            stuck_after_days=keys["stuck_after_days"],
            aliases=self._pairs(keys["aliases"]),
            manual=self._one(keys["manual"]),
            fetch=self.fetch(keys["fetch"]),
            settings=self._settings(keys),
        )

    def fetch(self, keys: Level) -> FetchRules:
        """Fetch rules from the keys written at all levels together."""
        if ca_file := keys.get("ca_file"):
            keys = {**keys, "ca_file": str((self._base / ca_file).absolute())}
        identity = frozenset(map(_identity, keys.items()))
        return self._made(("fetch", identity), lambda: FetchRules(**keys))

    def _settings(self, keys: Level) -> dict[str, SettingValue]:
        settings = {name: keys[name] for name in self._options if keys.get(name) is not None}
        return self._made(("settings", *settings.items()), lambda: settings)

    def _pairs(self, pairs: Mapping[str, str]) -> Mapping[str, str]:
        return self._made(("pairs", *pairs.items()), lambda: pairs)

    def _one(self, value: H) -> H:
        return self._made((type(value), value), lambda: value)

    def _made(self, identity: Hashable, make: Callable[[], T]) -> T:
        if identity not in self._values:
            self._values[identity] = make()
        value: T = self._values[identity]
        return value


def _identity(key: tuple[str, object]) -> Hashable:
    """A long `connect_to` is one object for all hosts, and is not compared for each of them. Its
    number stays its own: the rules that were made of it keep it alive."""
    name, value = key
    return (name, id(value) if isinstance(value, dict) else value)


def product_level(model: type[Written]) -> Level:
    """Merged keys of a site where nothing is written: the defaults that the model declares."""
    defaults = {name: field.default for name, field in model.model_fields.items()}
    return {**defaults, **{name: {} for name in MERGED}}


def merge(keys: Level, level: Level) -> Level:
    """The keys of a level laid over the merged keys of the levels above it."""
    merged = {**keys, **level}
    for name in MERGED:
        if name in level:
            merged[name] = keys[name] | level[name].written()
    return merged


def _audit(keys: Level) -> AuditRule:
    off, errors, warnings = (
        frozenset(keys.get(name, ())) for name in ("off", "errors", "warnings")
    )
    return AuditRule(off, errors, warnings, keys.get("on_run", OnRun.OFF))


def _section(keys: SectionKeys) -> Section:
    return Section(keys.name, keys.match, keys.document, keys.priority)


def _fill_each(texts: tuple[str, ...], filled: Callable[[str], str]) -> tuple[str, ...]:
    new = tuple(map(filled, texts))
    return texts if new == texts else new


def _fill_pairs(pairs: Mapping[str, str], filled: Callable[[str], str]) -> Mapping[str, str]:
    new = {filled(one): filled(other) for one, other in pairs.items()}
    return pairs if new == pairs else new


def _fill_settings(
    settings: Mapping[str, SettingValue], filled: Callable[[str], str]
) -> Mapping[str, SettingValue]:
    new = {name: filled(v) if isinstance(v, str) else v for name, v in settings.items()}
    return settings if new == settings else new
