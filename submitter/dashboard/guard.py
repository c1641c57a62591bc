"""Who may see the dashboard: names it answers to, and the token beyond loopback."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address

COOKIE = "submitter-dashboard"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(address: str) -> bool:
    """Of a name only `localhost` is: where another one leads is not known."""
    if address == "localhost":
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """The host of a `Host` header, without its port; empty when it is none."""
    text = header.strip().lower()
    if text.startswith("["):
        inside, bracket, rest = text[1:].partition("]")
        return inside if bracket and (not rest or rest.startswith(":")) else ""
    host, _, port = text.partition(":")
    return host.rstrip(".") if not port or port.isdigit() else ""


@dataclass(frozen=True, slots=True)
class Guard:
    """`address` is what the server listens at; `names` are further names it answers to, so that
    no page of a stranger can reach it by a name of its own. `token` None: nobody is asked."""

    address: str
    names: frozenset[str] = frozenset()
    token: str | None = None

    def answers_to(self, header: str) -> bool:
        host = host_of(header)
        if host in self.names or host == self.address:
            return True
        if is_loopback(self.address):
            return host in LOOPBACK_NAMES
        return self._is_everywhere() and _is_address(host)

    def _is_everywhere(self) -> bool:
        return self.address in ("0.0.0.0", "::", "")  # noqa: S104 - what a person asked for

    def is_token(self, given: str | None) -> bool:
        return given is not None and self.token is not None and _same(given, self.token)

    def lets_in(self, *, authorization: str | None, cookie: str | None) -> bool:
        """By an `Authorization: Bearer` header, or by the cookie of an earlier visit."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return True
        return _same(_cookie(cookie), self.cookie_value)

    @property
    def cookie_value(self) -> str:
        """Made from the token, so that no browser keeps the token itself."""
        key = (self.token or "").encode()
        return hmac.new(key, b"submitter dashboard", hashlib.sha256).hexdigest()

    @property
    def cookie(self) -> str:
        return f"{COOKIE}={self.cookie_value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _cookie(header: str | None) -> str:
    try:
        found = SimpleCookie(header or "").get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def lower_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.strip().lower().rstrip(".") for name in names)
