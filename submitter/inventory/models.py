"""The inventory as written: one model a mapping, each key with its meaning and its default.

The JSON Schema is made from these, so a description here is the documentation of a key.
Engines add their own keys (see `accounts` and `sites`); nothing here knows one.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from submitter.core.fleet import (
    Account,
    AlertRules,
    FetchRules,
    FirstRun,
    GuardRule,
    OnRun,
    Site,
)
from submitter.inventory.fields import (
    AccountNames,
    Aliases,
    AuditIds,
    BaiduSite,
    ConsoleNames,
    Contact,
    Endpoint,
    Flag,
    Glob,
    GoogleProperty,
    Host,
    Ledger,
    Name,
    Networks,
    Number,
    PathGlob,
    Peer,
    Port,
    Rate,
    Seconds,
    Sitemaps,
    Tags,
    Text,
    Version,
    Webhook,
    Whole,
)

FETCH = FetchRules()
GUARD = GuardRule()
ALERTS = AlertRules()
SITE = Site("")
DEFAULT_LEDGER = "sqlite:///var/submitter.db"
FIRST_RUN = "What a site's first look sends: all, recent (see recent_days) or none."
ACCOUNT = Account("", "", None)


class Written(BaseModel):
    """A mapping that a person wrote: frozen, and no key that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    def written(self) -> dict[str, object]:
        """Only the keys that stand in the file."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class LimitKeys(Written):
    """Calls an account may make; what is left out stays as the engine documents it."""

    per_second: Rate | None = Field(default=None, description="Calls in a second at most.")
    per_minute: Rate | None = Field(default=None, description="Calls in a minute at most.")


_NO_LIMIT = LimitKeys()


class AccountKeys(Written):
    """One credential at one engine."""

    limits: LimitKeys = Field(
        default_factory=lambda: _NO_LIMIT, description="Slower (or faster) than the engine's own."
    )
    first_run: FirstRun = Field(default=FirstRun.ALL, description=FIRST_RUN)
    recent_days: Whole = Field(
        default=ACCOUNT.recent_days,
        ge=1,
        le=3_650,
        description="How old a lastmod still is recent, in days.",
    )
    resubmit_min_s: Whole = Field(
        default=ACCOUNT.resubmit_min_s,
        ge=0,
        description="A changed sitemap is submitted again no sooner, in seconds.",
    )
    resubmit_after_days: Whole = Field(
        default=ACCOUNT.resubmit_after_days,
        ge=1,
        description="An unchanged sitemap is submitted again after so many days.",
    )
    trust_endpoint: Flag = Field(
        default=False, description="Send the secret to an endpoint that is not on this machine."
    )
    endpoint: Endpoint | None = Field(
        default=None,
        description="Base address instead of the engine's own, like http://127.0.0.1:8080.",
    )


class FetchKeys(Written):
    """How documents of a site are fetched; limits are per document."""

    timeout_s: Seconds = Field(
        default=FETCH.timeout_s, description="Total time for a document, in seconds."
    )
    max_bytes: Whole = Field(
        default=FETCH.max_bytes,
        ge=1_024,
        description="Size of a document at most, inflated, in bytes.",
    )
    max_documents: Whole = Field(
        default=FETCH.max_documents,
        ge=1,
        description="Documents of one site read in a look at most.",
    )
    max_depth: Whole = Field(
        default=FETCH.max_depth,
        ge=0,
        le=10,
        description="Levels of indexes under a sitemap at most.",
    )
    per_host: Whole = Field(
        default=FETCH.per_host, ge=1, le=32, description="Parallel connections to one host."
    )
    full_look_days: Whole = Field(
        default=FETCH.full_look_days,
        ge=1,
        description="A document is read in full at least every so many days.",
    )
    connect_to: dict[Peer, Peer] = Field(
        default={},
        description="HOST:PORT to HOST:PORT: where to connect instead, like curl --connect-to.",
    )
    ca_file: Text | None = Field(
        default=None,
        description="Further trusted certificate authorities, a PEM file beside the inventory.",
    )
    contact: Contact | None = Field(
        default=None, description="An address or mail address put into the user agent."
    )
    ports: tuple[Port, ...] = Field(default=(), description="Ports allowed besides 80 and 443.")


_NO_FETCH = FetchKeys()


class SectionKeys(Written):
    """A named group of pages; the first section that matches takes a page."""

    name: Name = Field(description="What reports call it.")
    match: PathGlob = Field(
        default="*", description="Glob over the path and query of a page, like /new/*."
    )
    document: Glob | None = Field(
        default=None, description="Glob over the address of the sitemap that lists the page."
    )
    priority: Whole = Field(
        default=0, ge=-1_000, le=1_000, description="Higher goes first where the quota is scarce."
    )


class GuardKeys(Written):
    """When a change of a site looks like an accident and is held."""

    max_gone: Number = Field(
        default=GUARD.max_gone, ge=0, le=1, description="Share of the known pages that may be gone."
    )
    max_new: Number = Field(
        default=GUARD.max_new, ge=0, description="New pages allowed, as a share of the known ones."
    )


_NO_GUARD = GuardKeys()


class AuditKeys(Written):
    """What `submitter audit` says of a site, and what a run makes of it."""

    off: AuditIds = Field(default=(), description="Ids of findings that are not said here.")
    errors: AuditIds = Field(default=(), description="Ids of findings that are errors here.")
    warnings: AuditIds = Field(default=(), description="Ids of findings that are warnings here.")
    on_run: OnRun = Field(
        default=OnRun.OFF,
        description="What a run does about errors of the last audit and of its own look: refuse "
        "(the site is not told), warn (they are reported) or off.",
    )


_NO_AUDIT = AuditKeys()


class AlertKeys(Written):
    """When `submitter report --alerts` raises an alarm."""

    unread_days: Whole = Field(
        default=ALERTS.unread_days,
        ge=1,
        le=365,
        description="A sitemap that an engine did not read for so many days.",
    )
    silent_days: Whole = Field(
        default=ALERTS.silent_days,
        ge=1,
        le=365,
        description="No run ended, a site was not looked at, or no access log was read for so many "
        "days.",
    )
    shrink: Number = Field(
        default=ALERTS.shrink,
        gt=0,
        le=1,
        description="Share of a site's listed pages that went within a week.",
    )
    crawl_drop: Number = Field(
        default=ALERTS.crawl_drop,
        gt=0,
        le=1,
        description="Share of a section's crawl that is missing, a week against the four before.",
    )
    bulk_lastmod: Number = Field(
        default=ALERTS.bulk_lastmod,
        gt=0,
        le=1,
        description="Share of a site's pages whose lastmod moved at one look.",
    )


_NO_ALERTS = AlertKeys()


class DefaultKeys(Written):
    """Keys of a site that may also stand in defaults."""

    sitemaps: Sitemaps = Field(
        default=(),
        description='Addresses, with {host} and {domain} if wanted; "robots": those in robots.txt.',
    )
    accounts: AccountNames = Field(default=(), description="Who is told: names of accounts.")
    tags: Tags = Field(default=(), description="Words to select sites by on the command line.")
    sections: tuple[SectionKeys, ...] = Field(
        default=(), description="Groups of pages; the first match wins."
    )
    guard: GuardKeys = Field(
        default_factory=lambda: _NO_GUARD, description="When a change looks like an accident."
    )
    prelaunch: Literal["on", "off"] = Field(
        default="on",
        description="on: look at some pages before a site is told for the first time, and hold it "
        "when most of them ask not to be indexed, lie elsewhere or are missing. off: do not.",
    )
    audit: AuditKeys = Field(
        default_factory=lambda: _NO_AUDIT, description="What an audit says of the site."
    )
    stuck_after_days: Whole = Field(
        default=SITE.stuck_after_days,
        ge=1,
        le=365,
        description="A sitemap that an engine took and did not fetch for so many days is stuck.",
    )
    aliases: Aliases = Field(
        default={},
        description="Sitemap to a further address of it, with {host} and {domain} if wanted: told "
        "in its place while it is stuck.",
    )
    manual: ConsoleNames = Field(
        default=(),
        description="Engines without an interface whose consoles a person uses; `submitter manual` "
        "lists what to hand in there.",
    )
    gone_after: Whole = Field(
        default=1,
        ge=1,
        le=100,
        description="A page is gone after so many complete looks without it.",
    )
    google_property: GoogleProperty | None = Field(
        default=None,
        description="domain (sc-domain:…), host (https://{host}/) or a literal property; "
        "without it, the account's own list decides.",
    )
    baidu_site: BaiduSite | None = Field(
        default=None, description="The site exactly as registered at Baidu; without it, the host."
    )
    baidu_files: Whole | None = Field(
        default=None,
        ge=1,
        le=50_000,
        description="Sitemap files that Baidu's console takes of the site, as it shows; else 200.",
    )
    baidu_files_per_day: Whole | None = Field(
        default=None,
        ge=1,
        le=50_000,
        description="Files that may be handed in there in a day, as it shows; else 10.",
    )
    scheme: Literal["http", "https"] = Field(default="https", description="How the site is served.")
    fetch: FetchKeys = Field(
        default_factory=lambda: _NO_FETCH, description="Keys of fetch that differ here."
    )


_NO_DEFAULT = DefaultKeys()


class SiteKeys(DefaultKeys):
    """What may stand at a site and not in defaults."""

    allow_private: Networks = Field(
        default=(), description="Networks (CIDR) the site may live in although they are not public."
    )


class SubdomainKeys(SiteKeys):
    """One host under the domain, with what differs from it."""

    host: Text = Field(description="Short name under the domain, @ for itself, or a whole host.")


class DomainKeys(SiteKeys):
    """A domain and its subdomains; with neither list nor file, the domain itself is the site."""

    domain: Host = Field(description="The name that all hosts are under, like example.com.")
    subdomains: tuple[Text | SubdomainKeys, ...] = Field(
        default=(),
        min_length=1,
        description="Short names, @ for the domain itself, or mappings with host.",
    )
    subdomains_file: Text | None = Field(
        default=None,
        description="CSV with a column host and, if wanted, sitemaps, accounts and tags.",
    )


class HeadKeys(Written):
    """The keys of an inventory that hold for all of it."""

    version: Version = Field(default=1, description="Version of this format.")
    name: Name | None = Field(
        default=None,
        description="Name of the fleet; a ledger belongs to one. Without it, the file's stem.",
    )
    ledger: Ledger = Field(
        default=DEFAULT_LEDGER,
        description="sqlite:///PATH, postgresql://…, s3://BUCKET/KEY or gs://BUCKET/KEY for small "
        "fleets, or a reference such as env:NAME to one.",
    )
    webhook: Webhook | None = Field(
        default=None,
        description="An https address, or a reference to one: `report --alerts --webhook` posts "
        "there what is alarming anew and what is over.",
    )
    alerts: AlertKeys = Field(
        default_factory=lambda: _NO_ALERTS, description="When something is alarming."
    )
    fetch: FetchKeys = Field(
        default_factory=lambda: _NO_FETCH, description="How sites are fetched."
    )


class InventoryKeys(HeadKeys):
    """An inventory: the sites, who is told about them, and how they are read."""

    accounts: dict[Name, AccountKeys] = Field(
        default={}, description="Credentials at engines, each under a name of its own."
    )
    defaults: DefaultKeys = Field(
        default_factory=lambda: _NO_DEFAULT,
        description="Keys of a site that hold for all sites; a nearer level replaces them.",
    )
    sites: tuple[DomainKeys, ...] = Field(min_length=1, description="The domains with their hosts.")
