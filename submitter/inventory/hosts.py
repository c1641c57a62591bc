"""Host names as the operator writes them: short or whole, in any script, with or without port."""

from __future__ import annotations

import re

from submitter.core.urls import BadUrl, site_host
from submitter.inventory.problems import shown

APEX = "@"
_DEFAULT_PORTS = {"https": ":443", "http": ":80"}
_PORT = re.compile(r":[0-9]+\Z")


def whole_host(text: str) -> str:
    """A host in A-labels, with the port it was written with. Raises ValueError."""
    name, port = split_port(text)
    try:
        site_host(text)
        return site_host(name) + port
    except BadUrl as error:
        raise ValueError(error.problem) from None


def host_under(text: str, domain: str) -> str:
    """The host for a short name, for `@`, or for a whole host under `domain` (a whole host).

    A port belongs to the host it is written at; the domain's port is everybody's default.
    Raises ValueError.
    """
    if text == APEX:
        return domain
    base, base_port = split_port(domain)
    name, port = split_port(text)
    port = port or base_port
    if "." not in name and not name.startswith("["):
        return whole_host(f"{name}.{base}{port}") if name != base else name + port
    host = whole_host(name)
    if host != base and not host.endswith(f".{base}"):
        advice = "write a short name without dots, or the whole host name"
        raise ValueError(f"{shown(text)} is outside {shown(domain)}; {advice}")
    return whole_host(host + port)


def split_port(host: str) -> tuple[str, str]:
    """Name and `:port`, which may be empty."""
    port = _PORT.search(host)
    return (host[: port.start()], port[0]) if port else (host, "")


def without_default_port(host: str, scheme: str) -> str:
    return host.removesuffix(_DEFAULT_PORTS[scheme])
