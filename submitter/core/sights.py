"""What a document looked like when it was fetched, as ourselves or in a crawler's name. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from submitter.core.looks import DocumentKind
from submitter.core.urls import leads_elsewhere


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at one document. `agent` is a crawler's token, empty for ourselves.

    `size` counts the inflated bytes that were read, all there are when `whole`. `reason` is the
    code of what went wrong (a FetchError's or SitemapError's), empty when nothing did.
    """

    site: str
    url: str
    agent: str
    at: datetime
    http_status: int | None = None
    size: int = 0
    whole: bool = False
    kind: DocumentKind | None = None
    reason: str = ""
    problem: str = ""
    led_to: str = ""
    """Where redirects led, also when nothing could be read there; empty without redirects."""
    links: tuple[str, ...] = ()
    """The first addresses that it lists: documents of an index, pages of everything else."""

    @property
    def readable(self) -> bool:
        return not self.reason

    @property
    def name(self) -> str:
        """Whose eyes: `ourselves` or the crawler's token."""
        return self.agent or "ourselves"

    @property
    def words(self) -> str:
        """What was seen: `HTTP 200, 12,345 bytes`, or what went wrong."""
        if self.reason:
            return self.problem
        more = "" if self.whole else "more than "
        return f"HTTP {self.http_status}, {more}{self.size:,} bytes"


_CAUSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bad-url": "configuration",
        "bad-scheme": "configuration",
        "bad-port": "configuration",
        "bad-connect-to": "configuration",
        "private-address": "host-private",
        "mixed-addresses": "host-private",
        "peer-mismatch": "host-private",
        "dns-nxdomain": "host-unknown",
        "dns-empty": "host-unknown",
        "dns-failure": "host-unknown",
        "dns-timeout": "host-unknown",
        "connect-timeout": "host-slow",
        "timeout": "host-slow",
        "too-slow": "host-slow",
        "host-busy": "host-slow",
        "host-paused": "host-slow",
        "deadline": "host-slow",
        "redirect-loop": "host-redirects",
        "too-many-redirects": "host-redirects",
        "too-large": "sitemap-too-large",
        "html-instead-of-sitemap": "sitemap-is-html",
        "foreign-sitemap": "foreign-sitemap",
        "empty-document": "sitemap-empty",
        "no-entries": "sitemap-empty",
    }
)
"""Reason → cause where a group of reasons below does not say it."""

_GROUPS: Final = (
    ("tls-", "host-certificate"),
    ("connect-", "host-unreachable"),
    ("http-5", "sitemap-failing"),
    ("http-404", "sitemap-missing"),
    ("http-410", "sitemap-missing"),
    ("http-429", "host-slow"),
    ("http-", "sitemap-forbidden"),
)

HOST_CAUSES: Final = frozenset(
    {
        "configuration",
        "host-private",
        "host-unknown",
        "host-slow",
        "host-redirects",
        "host-certificate",
        "host-unreachable",
    }
)
"""Causes that concern the host, whichever of its documents was asked for."""


def cause_of_sight(reason: str, url: str = "", led_to: str = "") -> str:
    """The row of the table of causes that explains why a document could not be read. A host that
    a redirect led to is not to blame the site's own name for."""
    cause = _cause_of_reason(reason)
    is_of_the_host = cause in HOST_CAUSES and cause != "host-redirects"
    if is_of_the_host and leads_elsewhere(url, led_to):
        return "redirect-leads-nowhere"
    return cause


def _cause_of_reason(reason: str) -> str:
    found = _CAUSES.get(reason)
    if found is None:
        found = next((cause for start, cause in _GROUPS if reason.startswith(start)), None)
    return found or "sitemap-broken"


def differs(ours: Sight, theirs: Sight) -> bool:
    """The site shows the crawler something else than us: one may read it and one may not, or they
    read two kinds of document. Two ways of failing are no difference worth telling."""
    if not (ours.readable or theirs.readable):
        return False
    return (ours.readable, ours.kind) != (theirs.readable, theirs.kind)


def spread(items: tuple[str, ...], size: int) -> tuple[str, ...]:
    """`size` of the items at most: the first, the last, and what lies evenly between."""
    if len(items) <= size:
        return items
    steps = max(1, size - 1)
    return tuple(items[at * (len(items) - 1) // steps] for at in range(size))
