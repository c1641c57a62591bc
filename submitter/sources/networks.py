"""Which IP addresses are on the public web, and which a site may live at all the same."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from submitter.errors import ConfigError

IP = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_METADATA: Final = {
    ip_address(text): owner
    for text, owner in (
        ("169.254.169.254", "metadata service of most clouds"),
        ("169.254.170.2", "credentials of AWS tasks"),
        ("169.254.170.23", "credentials of AWS pods"),
        ("fd00:ec2::254", "metadata service of AWS"),
        ("fd00:ec2::23", "credentials of AWS pods"),
        ("fd20:ce::254", "metadata service of Google Cloud"),
        ("100.100.100.200", "metadata service of Alibaba Cloud"),
        ("192.0.0.192", "metadata service of Oracle Cloud"),
        ("168.63.129.16", "platform service of Azure"),
    )
}
"""Services that hand out credentials to whoever asks from inside. The clouds' own documentation,
as known on 2026-11-30."""
_METADATA_HOST_BITS: Final = 4
"""Only a network this narrow (/28, /124) names a metadata service on purpose; 10.0.0.0/8, written
for an intranet, must not open one by accident."""

_NOT_PUBLIC: Final = tuple(
    (ip_network(text), kind)
    for text, kind in (
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignment"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "this host"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "protocol assignment"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"),
    )
)
"""Source: https://www.iana.org/assignments/iana-ipv4-special-registry and
.../iana-ipv6-special-registry, as known on 2026-11-30. An own table, because the answers of
`ipaddress.is_global` differ between Python releases (CVE-2024-4032)."""

_GLOBAL_UNICAST: Final = ip_network("2000::/3")
"""All that is handed out of IPv6 so far; the rest is reserved. Source: RFC 4291 section 2.4."""
_MAPPED: Final = ip_network("::ffff:0:0/96")
_NAT64: Final = ip_network("64:ff9b::/96")
"""Source: RFC 6052 section 2.1. Hosts with IPv6 alone reach the IPv4 web through it."""


def parse_networks(cidrs: Iterable[str]) -> tuple[Network, ...]:
    """The networks of `allow_private`. Raises ConfigError for one that is none."""
    try:
        return tuple(ip_network(text, strict=False) for text in cidrs)
    except ValueError as error:
        raise ConfigError.one("allow_private", str(error)[:200]) from error


def why_refused(ip: IP, allowed: Iterable[Network] = ()) -> str | None:
    """The kind of a non-public address (`loopback`, …), or None when it may be connected to.

    IPv4 inside IPv6 (mapped, NAT64) is judged as the IPv4 address it leads to; 6to4 and Teredo
    are refused whatever they hold.
    """
    inner = _carried(ip)
    networks = [network for network in allowed if ip in network or inner in network]
    owner = _METADATA.get(inner)
    if owner is not None:
        named = any(n.max_prefixlen - n.prefixlen <= _METADATA_HOST_BITS for n in networks)
        return None if named else owner
    return None if networks else _kind(inner)


def _carried(ip: IP) -> IP:
    if ip.version == 6 and (ip in _MAPPED or ip in _NAT64):
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip


def _kind(ip: IP) -> str | None:
    for network, kind in _NOT_PUBLIC:
        if ip in network:
            return kind
    return "reserved" if ip.version == 6 and ip not in _GLOBAL_UNICAST else None
