"""What address we would fetch, where a connection for it goes, and which port it may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urljoin, urlsplit

from submitter.core.fleet import Site
from submitter.core.urls import BadUrl, origin_of, sendable, shown, site_host
from submitter.sources.networks import IP
from submitter.sources.reasons import failure

MAX_URL_CHARACTERS: Final = 8192
"""Longer than servers take in a request line; a sitemap allows 2,048."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_OWN_REASONS: Final = frozenset({"bad-scheme", "bad-port"})


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http or https address taken apart, in ASCII; `host` has no brackets."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query as they go into the request line, without the fragment."""

    @property
    def authority(self) -> str:
        """`host:port`, as connect_to names it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def host_header(self) -> str:
        return self.authority.removesuffix(f":{_DEFAULT_PORTS[self.scheme]}")

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host_header}{self.target}"


def parse_address(url: str) -> WebAddress:
    """Take an address apart. Raises FetchError: bad-url, bad-scheme, bad-port.

    Nothing is mended silently, and no spelling of an IP address but the usual one passes, so that
    no resolver decides what `0x7f.1` means.
    """
    if len(url) > MAX_URL_CHARACTERS:
        raise failure(url, "bad-url", f"longer than {MAX_URL_CHARACTERS} characters")
    try:
        origin, spelled = urlsplit(origin_of(url)), urlsplit(sendable(url))
    except BadUrl as error:
        reason = error.reason if error.reason in _OWN_REASONS else "bad-url"
        raise failure(url, reason, error.problem) from error
    query = f"?{spelled.query}" if spelled.query else ""
    port = origin.port or _DEFAULT_PORTS[origin.scheme]
    return WebAddress(origin.scheme, origin.hostname or "", port, (spelled.path or "/") + query)


def follow_location(current: WebAddress, location: str) -> WebAddress:
    """Where a redirect leads. Raises FetchError for a target that is not to be fetched."""
    try:
        written = location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        written = location
    if any(char < " " for char in written):  # urljoin would drop them
        raise failure(current.url, "bad-url", "control characters in the Location of a redirect")
    try:
        target = urljoin(current.url, written.strip(" "))
    except ValueError as error:
        raise failure(current.url, "bad-url", f"redirect to {shown(written)!r}") from error
    return parse_address(target)


def literal_ip(host: str) -> IP | None:
    """The IP that a host spells, or None when it is a name."""
    return ip_address(host) if ":" in host or host.rpartition(".")[2].isdigit() else None


def check_port(address: WebAddress, site: Site) -> None:
    """80, 443, the site's listed ports, its own, and those connect_to names; else FetchError."""
    own = site.host == address.authority
    listed = address.port in (80, 443, *site.fetch.ports)
    if not (own or listed or _mapped(address, site.fetch.connect_to)):
        raise failure(address.url, "bad-port", f"port {address.port} is not allowed for the site")


def route(address: WebAddress, connect_to: Mapping[str, str]) -> tuple[str, int]:
    """The host and port to connect to instead, like curl's --connect-to; Host and SNI stay."""
    target = _mapped(address, connect_to)
    if target is None:
        return address.host, address.port
    host, _, port = target.rpartition(":")
    try:
        return site_host(host).strip("[]"), int(port)
    except (BadUrl, ValueError) as error:
        raise failure(address.url, "bad-connect-to", f"{target!r} is not host:port") from error


def _mapped(address: WebAddress, connect_to: Mapping[str, str]) -> str | None:
    for written, target in connect_to.items():
        if written.lower() == address.authority:
            return target
    return None
