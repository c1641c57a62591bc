"""What the operator wrote, as frozen values: the fleet, its sites and its accounts.

Built by `submitter.inventory` from YAML; nothing here reads a file or a variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

STUCK_AFTER_DAYS = 3
"""Google retries a failed fetch 'for a few days' and then stops.
Source: https://support.google.com/webmasters/answer/7451001, read 2026-11-30."""

SettingValue = str | int | float | bool | tuple[str, ...]


class FirstRun(StrEnum):
    """What a site's first look tells an engine that takes pages."""

    ALL = "all"
    RECENT = "recent"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SecretRef:
    """Where a secret is kept: `env:NAME`, `file:PATH`, `gcp-secret:…`, `aws-secret:…`, `adc`.

    `locator` of a file is already absolute. The secret itself is never held here.
    """

    scheme: str
    locator: str = ""

    def __str__(self) -> str:
        return f"{self.scheme}:{self.locator}" if self.locator else self.scheme


@dataclass(frozen=True, slots=True)
class Limits:
    """Calls an account may make; None = no limit of that kind."""

    per_second: float | None = None
    per_minute: float | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """One credential at one engine.

    `settings` holds the engine's own options by name, as declared in its `Traits.options`
    (for example `daily_limit`, `repush_changed`, `key_location`).
    """

    name: str
    engine: str
    secret: SecretRef | None
    limits: Limits = Limits()
    first_run: FirstRun = FirstRun.ALL
    recent_days: int = 30
    resubmit_min_s: int = 600
    resubmit_after_days: int = 30
    endpoint: str | None = None
    trust_endpoint: bool = False
    settings: Mapping[str, SettingValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Section:
    """A named group of pages; first match wins; a higher priority is told first."""

    name: str
    match: str
    """Glob over the page's path and query, e.g. `/new/*`; or over the document with `document`."""
    document: str | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class GuardRule:
    """When a change looks like an accident: shares of the pages known at the last good look."""

    max_gone: float = 0.3
    max_new: float = 1.0


class OnRun(StrEnum):
    """What a run makes of a site's audit."""

    OFF = "off"
    WARN = "warn"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class AuditRule:
    """What an audit says of a site: ids that are not said, and ids with another severity."""

    off: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    warnings: frozenset[str] = frozenset()
    on_run: OnRun = OnRun.OFF


@dataclass(frozen=True, slots=True)
class AlertRules:
    """When `report --alerts` raises an alarm; shares are between 0 and 1."""

    unread_days: int = 14
    """An engine that is asked has not read a sitemap for so long."""
    silent_days: int = 2
    """No run of ours ended, a site was not looked at, no access log was read for so long."""
    shrink: float = 0.3
    """Share of a site's listed pages that went within a week."""
    crawl_drop: float = 0.5
    """Share of a section's crawl that is missing, this week against the four before."""
    bulk_lastmod: float = 0.8
    """Share of a site's pages whose dates moved at one look."""


@dataclass(frozen=True, slots=True)
class FetchRules:
    """How documents of a site are fetched. Byte and time limits are per document."""

    timeout_s: float = 30.0
    max_bytes: int = 52_428_800
    """Inflated. Source: https://www.sitemaps.org/protocol.html, read 2026-11-30."""
    max_documents: int = 5_000
    max_depth: int = 3
    per_host: int = 4
    """Parallel connections to one host."""
    full_look_days: int = 7
    """A document is read in full at least this often, whatever the server says about change."""
    connect_to: Mapping[str, str] = field(default_factory=dict)
    ca_file: str | None = None
    contact: str | None = None
    """A URL or mail address put into our user agent."""
    ports: tuple[int, ...] = ()
    """Ports allowed besides 80 and 443."""


@dataclass(frozen=True, slots=True)
class Site:
    """One host at one scheme: the unit an engine knows. `sitemaps` = None: read robots.txt."""

    host: str
    """A-label form, lower case, with `:port` only when it is not the scheme's default."""
    scheme: str = "https"
    domain: str = ""
    sitemaps: tuple[str, ...] | None = None
    accounts: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    sections: tuple[Section, ...] = ()
    google_property: str | None = None
    """`domain`, `host`, a literal property, or None: found in the account's own list."""
    baidu_site: str | None = None
    allow_private: tuple[str, ...] = ()
    gone_after: int = 1
    guard: GuardRule = GuardRule()
    prelaunch: bool = True
    """Look at some of its pages before it is told for the first time."""
    audit: AuditRule = AuditRule()
    stuck_after_days: int = STUCK_AFTER_DAYS
    """A sitemap that an engine took and has not fetched for so long is stuck."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Sitemap → a further address of it, which is told in its place while it is stuck."""
    baidu_files: int | None = None
    """Sitemaps that Baidu's console takes of the site; None: what it takes of a common site."""
    baidu_files_per_day: int | None = None
    manual: tuple[str, ...] = ()
    """Engines that a person tells in their consoles, beside Baidu: see `core.consoles`."""
    fetch: FetchRules = FetchRules()
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    """Further per-site options that an engine declared in `Traits.site_options`."""

    @property
    def origin(self) -> str:
        """Name of the site everywhere: `https://shop.example.com`, no slash at the end."""
        return f"{self.scheme}://{self.host}"

    def alias_of(self, address: str | None) -> str | None:
        """The sitemap whose further address this is."""
        return next((one for one, alias in self.aliases.items() if alias == address), None)


@dataclass(frozen=True, slots=True)
class Target:
    """A site at an account: the unit of planning and history."""

    site: Site
    account: Account

    @property
    def key(self) -> tuple[str, str]:
        return (self.site.origin, self.account.name)


@dataclass(frozen=True, slots=True)
class Fleet:
    """A whole inventory. `sha256` is of the file's bytes, stored with every run."""

    name: str
    ledger: str
    accounts: Mapping[str, Account]
    sites: tuple[Site, ...]
    path: str = ""
    sha256: str = ""
    webhook: str | None = None
    """Where alerts are posted: an address, or a reference to one. To be kept like a secret."""
    alerts: AlertRules = AlertRules()
    fetch: FetchRules = FetchRules()

    def targets(self) -> tuple[Target, ...]:
        """Every site at every account it names, in inventory order."""
        return tuple(
            Target(site, self.accounts[name]) for site in self.sites for name in site.accounts
        )
