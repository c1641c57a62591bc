"""Where a sitemap tree lies that a person named: an address, a file, or stdin."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from submitter.errors import ConfigError, Fault, FetchError

if TYPE_CHECKING:
    from submitter.cli.invocation import Invocation
    from submitter.core.fleet import Fleet, Site
    from submitter.core.looks import SiteLook
    from submitter.ports import Source
    from submitter.wiring import Wiring

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://").match
_HOST_AND_PORT = re.compile(r"[^\s/=]+:\d{1,5}").fullmatch


def fleet_if_any(invocation: Invocation) -> Fleet:
    """The inventory where there is one; it may be absent unless it was named."""
    from submitter.core.fleet import Fleet

    if invocation.inventory_named or invocation.inventory.exists():
        return invocation.load_fleet()
    return Fleet("flatten", "", {}, ())


@dataclass(frozen=True, slots=True)
class Extra:
    """Fetch settings from the command line; they add to those of the inventory."""

    private: tuple[str, ...] = ()
    connect_to: Mapping[str, str] = field(default_factory=dict)


def read_extra(private: Sequence[str], connect_to: Sequence[str]) -> Extra:
    """Raises ConfigError with all that is wrong."""
    faults: list[Fault] = []
    for cidr in private:
        try:
            ip_network(cidr)
        except ValueError:
            problem = f"{cidr[:200]!r} is no network such as 10.0.0.0/8"
            faults.append(Fault("--allow-private", 0, 0, problem))
    pairs = [pair.split("=", 1) for pair in connect_to]
    for pair in pairs:
        if len(pair) != 2 or not all(map(_HOST_AND_PORT, pair)):
            problem = f"{'='.join(pair)[:200]!r} is not HOST:PORT=ADDRESS:PORT"
            faults.append(Fault("--connect-to", 0, 0, problem))
    if faults:
        raise ConfigError(faults)
    return Extra(tuple(private), {name.lower(): target for name, target in pairs})


@dataclass(frozen=True, slots=True)
class Place:
    """A site made or found for the address; `named` gives a file its own name back."""

    site: Site
    source: Source
    named: Callable[[SiteLook], SiteLook]
    name_of: Callable[[str], str]


@contextmanager
def find_place(address: str, parts: Wiring, extra: Extra) -> Iterator[Place]:
    """For an address, a file or `-`. Raises ConfigError, also for a file that cannot be opened."""
    if address.lower().startswith(("http://", "https://")):
        yield _web_place(address, parts, extra)
        return
    from submitter.core.fleet import Site
    from submitter.looking.local_copy import local_copy

    if scheme := _SCHEME(address):
        raise ConfigError.one("URL", f"{scheme[0]!r} is neither http:// nor https://")
    files = parts.files([address], sys.stdin.buffer)
    nowhere = Site("", fetch=parts.fleet.fetch)
    opening = local_copy(address, files=files, site=nowhere, now=parts.clock.now())
    with ExitStack() as stack:
        try:
            copy = stack.enter_context(opening)
        except FetchError as error:
            if error.reason != "file-unreadable":
                raise
            raise ConfigError.one(address, error.problem) from error
        site = _site_at(copy.address, parts.fleet, extra)
        site = replace(site, sitemaps=(copy.address,))
        yield Place(site, copy, copy.named, copy.name_of)


def _web_place(address: str, parts: Wiring, extra: Extra) -> Place:
    from submitter.core.urls import BadUrl

    try:
        site = _site_at(address, parts.fleet, extra)
    except BadUrl as error:
        raise ConfigError.one("URL", error.problem) from error
    bare = urlsplit(address)
    asks_robots = bare.path in ("", "/") and not bare.query
    site = replace(site, sitemaps=None if asks_robots else (address,))
    return Place(site, parts.source, lambda look: look, lambda url: url)


def _site_at(address: str, fleet: Fleet, extra: Extra) -> Site:
    """The inventory's site at that origin or a new one, with the extra settings. A new one may
    live in the networks of the site that names the address, or that has the same name. BadUrl."""
    from submitter.core import urls
    from submitter.core.fleet import Site

    origin = urls.origin_of(address)
    scheme, _, host = origin.partition("://")
    known = {site.origin: site for site in fleet.sites}
    site = known.get(origin) or Site(
        host,
        scheme,
        domain=host,
        fetch=fleet.fetch,
        allow_private=_networks_near(address, origin, fleet),
    )
    port = urlsplit(origin).port
    rules = site.fetch
    return replace(
        site,
        allow_private=(*site.allow_private, *extra.private),
        fetch=replace(
            rules,
            connect_to={**rules.connect_to, **extra.connect_to},
            ports=rules.ports if port is None else (*rules.ports, port),
        ),
    )


def _networks_near(address: str, origin: str, fleet: Fleet) -> tuple[str, ...]:
    """What a run would let this address live in: of sites that name it, or of the same name."""
    name = urlsplit(origin).hostname
    near = (
        site.allow_private
        for site in fleet.sites
        if address in (site.sitemaps or ()) or urlsplit(site.origin).hostname == name
    )
    return tuple(dict.fromkeys(network for networks in near for network in networks))
