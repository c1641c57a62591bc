"""The engines: one explicit map, one file (or a few of one name) for each.

An engine is two pure functions around one line of I/O, see `_http`. Importing this package
imports no HTTP library and nothing of Google's: that happens with an engine's first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from submitter.core.calls import Survey
from submitter.core.findings import Finding
from submitter.core.fleet import Account, Site
from submitter.core.traits import Traits
from submitter.engines import (
    baidu,
    bing,
    bing_sites,
    google,
    google_properties,
    google_site_verification,
    indexnow,
    seznam,
    yandex,
    yandex_hosts,
    yandex_token,
)
from submitter.ports import Clock, DomainOwnership, Engine, Secret


@dataclass(frozen=True, slots=True)
class EngineKind:
    """What is known of an engine before an account of it is opened.

    `open` raises ConfigError and connects to nothing; `property_of` is the engine's own, for
    planning without a secret.
    """

    traits: Traits
    open: Callable[[Account, Secret | None, Clock], Engine]
    property_of: Callable[[Site, Survey | None], str]
    domains: Callable[[Account, Secret | None, Clock], DomainOwnership] | None = None
    """Opens the account for `verify-domain`, where that can be done; else as `open`."""
    warn: Callable[[Account, date], Finding | None] = lambda account, today: None
    """What a person should know of an account without asking anybody. Raises ConfigError."""


ENGINES: Mapping[str, EngineKind] = MappingProxyType(
    {
        "google": EngineKind(
            google.TRAITS,
            google.open_google,
            google_properties.property_of,
            google_site_verification.open_domains,
        ),
        "baidu": EngineKind(baidu.TRAITS, baidu.open_baidu, baidu.property_of),
        "bing": EngineKind(bing.TRAITS, bing.open_bing, bing_sites.property_of),
        "yandex": EngineKind(
            yandex.TRAITS,
            yandex.open_yandex,
            yandex_hosts.property_of,
            warn=yandex_token.token_age,
        ),
        "indexnow": EngineKind(indexnow.TRAITS, indexnow.open_indexnow, indexnow.property_of),
        "seznam": EngineKind(seznam.TRAITS, seznam.open_seznam, seznam.property_of),
    }
)
"""Every engine by the name it has in an inventory."""
