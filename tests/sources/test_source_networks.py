"""Which IP addresses a connection may end at (S01, S02, S10)."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.errors import ConfigError
from submitter.sources.networks import parse_networks, why_refused

NOT_PUBLIC = [
    ("0.0.0.0", "this host"),
    ("0.1.2.3", "this host"),
    ("10.0.0.1", "private"),
    ("100.64.0.1", "carrier-grade NAT"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("169.254.0.1", "link-local"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.0.0.8", "protocol assignment"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "6to4 relay"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.51.100.7", "documentation"),
    ("203.0.113.9", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.250", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "this host"),
    ("::1", "loopback"),
    ("::7f00:1", "reserved"),  # IPv4-compatible, long dead
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:a9fe:a9fe", "metadata service of most clouds"),
    ("64:ff9b::a9fe:a9fe", "metadata service of most clouds"),
    ("64:ff9b::10.1.2.3", "private"),
    ("64:ff9b:1::1", "local NAT64"),
    ("2001::1", "Teredo"),
    ("2001:0:a9fe:a9fe::", "Teredo"),
    ("2001:10::1", "protocol assignment"),
    ("2001:db8::1", "documentation"),
    ("2002:a9fe:a9fe::1", "6to4"),
    ("2002:0808:0808::1", "6to4"),
    ("3fff::1", "documentation"),
    ("4000::1", "reserved"),
    ("fc00::1", "unique local"),
    ("fdff::1", "unique local"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("fec0::1", "reserved"),
    ("ff02::1", "multicast"),
]
METADATA = [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "64:ff9b::6464:64c8",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001:80b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize(("text", "kind"), NOT_PUBLIC)
def test_an_address_that_is_not_public_is_refused_by_its_kind(text: str, kind: str) -> None:
    assert why_refused(ip_address(text)) == kind


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_let_through(text: str) -> None:
    assert why_refused(ip_address(text)) is None


@pytest.mark.parametrize("text", METADATA)
def test_a_wide_network_never_opens_a_metadata_service(text: str) -> None:
    wide = parse_networks(["0.0.0.0/0", "::/0", "169.254.0.0/16", "100.64.0.0/10", "fd00::/8"])
    assert why_refused(ip_address(text), wide)


@pytest.mark.parametrize(
    ("text", "cidr"),
    [
        ("169.254.169.254", "169.254.169.254"),
        ("169.254.169.254", "169.254.169.240/28"),
        ("::ffff:169.254.169.254", "169.254.169.254/32"),
        ("fd00:ec2::254", "fd00:ec2::254/128"),
    ],
)
def test_a_metadata_service_is_opened_by_its_own_name_only(text: str, cidr: str) -> None:
    assert why_refused(ip_address(text), parse_networks([cidr])) is None


@pytest.mark.parametrize(
    ("text", "cidr", "allowed"),
    [
        ("10.1.2.3", "10.0.0.0/8", True),
        ("10.1.2.3", "10.1.2.9/24", True),  # host bits do no harm
        ("11.1.2.3", "10.0.0.0/8", True),  # public anyway
        ("192.168.0.1", "10.0.0.0/8", False),
        ("::ffff:10.1.2.3", "10.0.0.0/8", True),
        ("64:ff9b::10.1.2.3", "10.0.0.0/8", True),
        ("64:ff9b::10.1.2.3", "64:ff9b::/96", True),
        ("fd12::1", "fd12::/16", True),
        ("fd13::1", "fd12::/16", False),
        ("2002:a00:1::1", "10.0.0.0/8", False),
    ],
)
def test_allow_private_opens_what_it_names(text: str, cidr: str, allowed: bool) -> None:
    assert (why_refused(ip_address(text), parse_networks([cidr])) is None) is allowed


def test_a_network_that_is_none_is_a_fault_of_the_inventory() -> None:
    with pytest.raises(ConfigError, match="does not appear"):
        parse_networks(["ten.0.0.0/8"])


@given(st.ip_addresses(v=4))
def test_ipv4_is_judged_the_same_inside_ipv6(ip: IPv4Address) -> None:
    assert why_refused(ip_address(f"::ffff:{ip}")) == why_refused(ip)
    assert why_refused(ip_address(f"64:ff9b::{ip}")) == why_refused(ip)


@given(st.ip_addresses())
def test_nothing_is_public_that_the_standard_library_calls_loopback_or_multicast(
    ip: object,
) -> None:
    address = ip_address(str(ip))
    if address.is_loopback or address.is_multicast or address.is_link_local:
        assert why_refused(address)
