"""Addresses in the inventory: sitemaps with `{host}`, endpoints, properties, the ledger.

Each check returns the text to use or raises ValueError; none opens a connection.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from submitter.core.urls import BadUrl, normalize, sendable
from submitter.inventory.hosts import split_port, whole_host
from submitter.inventory.problems import nearest, shown
from submitter.inventory.references import parse_reference
from submitter.objects import SCHEMES, ObjectAddress

PLACEHOLDERS = ("host", "domain")
SECRET_STORES = ("gcp-secret:", "aws-secret:")
_BRACES = re.compile(r"\{([^{}]*)\}|[{}]")
_DEAD_PING = re.compile(
    r"//(?:[^/@]*\.)?"
    r"(?:(?:google\.[a-z.]+|bing\.com|yandex\.(?:com|ru)|ask\.com|moreover\.com)"
    r"/[^?]*\bping\b|ping\.baidu\.com/)",
    re.IGNORECASE,
)
NO_PING = (
    "pings are dead (Google and Bing answer 404 and 410); put the address under 'sitemaps' "
    "and an account of the engine, like {engine: google, …}, under 'accounts'"
)
"""Source: https://developers.google.com/search/blog/2023/06/sitemaps-lastmod-ping and
https://blogs.bing.com/webmaster/may-2022/Spring-cleaning-Removed-Bing-anonymous-sitemap-submission,
read 2026-11-30."""


def fill(template: str, *, host: str, domain: str) -> str:
    return template.replace("{host}", host).replace("{domain}", domain)


def check_placeholders(template: str) -> str:
    for match in _BRACES.finditer(template):
        name = match[1]
        if name not in PLACEHOLDERS:
            problem = f"unknown placeholder {shown(match[0])}{nearest(name or '', PLACEHOLDERS)}"
            raise ValueError(problem)
    return template


def check_address(text: str) -> SplitResult:
    """An absolute http(s) address without user, password, blank and fragment."""
    if _DEAD_PING.search(text):
        raise ValueError(NO_PING)
    if re.search(r"[\s#]", text):
        raise ValueError(f"{shown(text)} holds a blank or a fragment")
    try:
        normalize(text)
    except BadUrl as error:
        raise ValueError(error.problem) from None
    return urlsplit(text)


def check_sitemap(template: str) -> str:
    """A sitemap's address, possibly with `{host}` and `{domain}`; in ASCII."""
    check_placeholders(template)
    filled = fill(template, host="host.example", domain="domain.example")
    check_address(filled)
    if template.isascii():
        return template
    encoded = sendable(filled).replace("host.example", "{host}")
    return encoded.replace("domain.example", "{domain}")


def check_property(template: str) -> str:
    """`domain`, `host`, `sc-domain:…` or a URL-prefix property with its slash at the end."""
    if template in PLACEHOLDERS:
        return template
    check_placeholders(template)
    filled = fill(template, host="host.example", domain="domain.example")
    if filled.startswith("sc-domain:"):
        whole_host(filled.removeprefix("sc-domain:"))
        return template
    if not filled.startswith(("http://", "https://")):
        forms = "domain, host, sc-domain:NAME or an address"
        raise ValueError(f"{shown(template)} is not a property; write {forms}")
    check_address(filled)
    if not filled.endswith("/"):
        raise ValueError(f"{shown(template)} needs a slash at its end, as Search Console shows it")
    return template


def check_baidu_site(template: str) -> str:
    """Stands literally in a query, so nothing in it may end or escape it."""
    check_placeholders(template)
    if re.search(r"[\s&#%?+\x00-\x1f\x7f]", template):
        raise ValueError(f"{shown(template)} is not a site as Baidu registers one")
    return template


def check_endpoint(text: str, *, trusted: bool) -> str:
    """A base address: loopback always, another host only when the account trusts it."""
    parts = check_address(text)
    if parts.query or "?" in text:
        raise ValueError("an endpoint is a base address without a query")
    if not trusted and not is_loopback(split_port(parts.netloc)[0]):
        where = shown(parts.netloc)
        raise ValueError(f"{where} would receive the secret; set trust_endpoint: true to allow it")
    return text.rstrip("/")


def is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def check_peer(text: str) -> str:
    """`host:port`, the host in A-labels."""
    if not split_port(text)[1]:
        raise ValueError(f"{shown(text)} is not HOST:PORT")
    return whole_host(text)


def check_network(text: str) -> str:
    """A CIDR in which a site may live although it is not public."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{shown(text)} is not a network; write it like 10.0.0.0/8") from None
    address = text.partition("/")[0]
    if ipaddress.ip_address(address) != network.network_address:
        raise ValueError(f"{shown(text)} has bits beyond its length; write {str(network)!r}")
    if network.prefixlen == 0:
        raise ValueError(f"{shown(text)} is every address there is; name the network")
    return str(network)


def check_ledger(text: str) -> str:
    """Where the memory is: a database's address, without a password in it, an object's,
    or a reference to one."""
    if re.fullmatch(r"env:[A-Za-z_][A-Za-z0-9_]*", text):
        return text
    if text.startswith(SECRET_STORES):
        return str(parse_reference(text, Path()))
    if not text.isprintable():
        raise ValueError("holds a control character (value not shown)")
    if text.startswith(SCHEMES):
        ObjectAddress.parse(text)
        return text
    scheme, _, rest = text.partition("://")
    if scheme.partition("+")[0] == "postgresql":
        if re.search(r"//[^/@]*:[^/@]*@|[?&]password=", text):
            raise ValueError(
                "a password in the address (not shown); write env:NAME, and the whole address into"
                " that variable"
            )
        return text
    if scheme != "sqlite":
        raise ValueError(
            "a ledger is sqlite:///PATH, postgresql://…, s3://BUCKET/KEY, gs://BUCKET/KEY or"
            " a reference such as env:NAME"
        )
    if not rest.startswith("/") or rest.strip("/") in ("", ":memory:"):
        raise ValueError("a ledger in memory would forget; write sqlite:///PATH")
    return text


def place_ledger(address: str, base: Path) -> str:
    """The address with a relative SQLite path made absolute under `base`."""
    path = address.removeprefix("sqlite:///")
    return address if path == address else f"sqlite:///{(base / path).absolute()}"
