"""How a call gets to Google: built by Google's own library, carried by our transport.

google-api-python-client builds every call from its own discovery document; our transport carries
it (requests, one connection pool for each call under way). Its `HttpRequest.execute` is left out on
purpose: httplib2 must not be shared by threads and has no total timeout, and even with
`num_retries=0` every answer passes through a retry check that logs bodies and fails on some. What
is left of the library is what it is good at: methods, paths, encoding, parameters.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from submitter.core.fleet import Account
from submitter.engines._http import (
    EngineRequest,
    EngineResponse,
    Transport,
    base_url,
    is_loopback,
)
from submitter.engines.google_answers import ENGINE, SCOPE
from submitter.engines.google_keys import ServiceKey, read_key
from submitter.engines.google_login import Login, LoginDesk, default_loader, key_loader
from submitter.errors import ConfigError
from submitter.ports import Clock, Secret

MAX_LIST_BYTES = 33_554_432
"""Lists have no pages: a domain property with 10,000 sitemaps comes as some 5 MB at once."""


class Caller:
    """Makes the calls of one login."""

    def __init__(self, desk: LoginDesk, transport: Transport, clock: Clock) -> None:
        self._desk, self._transport, self._clock = desk, transport, clock

    @property
    def email(self) -> str:
        """Who the login is to Google; see `LoginDesk.email`."""
        return self._desk.email

    def send(self, request: EngineRequest, *, timeout_s: float) -> EngineResponse:
        """One call; after a 401 once more with a fresh token, which then is final."""
        until = self._clock.monotonic() + timeout_s
        login = self._desk.login(until=until)
        response = self._carry(request, login, until)
        if response.status != 401:
            return response
        return self._carry(request, self._desk.login(until=until, instead_of=login), until)

    def _carry(self, request: EngineRequest, login: Login, until: float) -> EngineResponse:
        left = until - self._clock.monotonic()
        return self._transport.send(_authorized(request, login), timeout_s=left)


def open_caller(
    account: Account, secret: Secret | None, clock: Clock, *, scopes: Sequence[str] = (SCOPE,)
) -> Caller:
    """The account's login. Raises ConfigError when its key cannot be used; connects to nothing."""
    local = is_loopback(urlsplit(base_url(account, "")).hostname or "")
    transport = Transport(ENGINE)
    if account.secret is not None and account.secret.scheme == "adc":
        desk = LoginDesk(default_loader(scopes, local=local), transport, clock)
    else:
        key = _key_of(account, secret, local=local)
        desk = LoginDesk(key_loader(key, scopes), transport, clock, email=key.email)
    return Caller(desk, transport, clock)


def _key_of(account: Account, secret: Secret | None, *, local: bool) -> ServiceKey:
    key = "missing" if secret is None else read_key(secret, local=local)
    if isinstance(key, str):
        raise ConfigError.one(f"accounts.{account.name}.credentials ({account.secret})", key)
    return key


class Builder:
    """The library's builders of one API's calls: made at first use (0.1 s), once for all
    threads."""

    def __init__(self, api: str, version: str, base: str) -> None:
        """`base` is the address that the paths of the discovery document follow."""
        self._name = (api, version)
        self._base = base
        self._lock = threading.Lock()
        self._resources: dict[str, Any] = {}
        self._service: Any = None

    def resource(self, *path: str) -> Any:
        """A resource such as `sitemaps`, or `urlInspection`, `index` below it."""
        with self._lock:
            if self._service is None:
                self._service = _discovered(*self._name, self._base)
            name = ".".join(path)
            if name not in self._resources:
                self._resources[name] = _walk(self._service, path)
            return self._resources[name]


def _walk(service: Any, path: Sequence[str]) -> Any:
    for name in path:
        service = getattr(service, name)()
    return service


def _discovered(api: str, version: str, base: str) -> Any:
    from googleapiclient.discovery import build

    return build(
        api,
        version,
        http=object(),  # in place of httplib2 and credentials: nothing is executed through it
        static_discovery=True,
        cache_discovery=False,  # without it, a line about oauth2client in every log
        client_options={"api_endpoint": f"{base}/"},
    )


def carried(built: Any, *, harmless: bool = False) -> EngineRequest:
    """What the library would send, without its stray `?` and its own transport's headers."""
    headers = {"Accept": "*/*", "X-Goog-Api-Client": str(built.headers["x-goog-api-client"])}
    method, url = str(built.method), str(built.uri).removesuffix("?")
    if method == "GET":
        return EngineRequest(method, url, headers, max_answer_bytes=MAX_LIST_BYTES)
    if built.body is None:
        return EngineRequest(method, url, headers, harmless=harmless)
    headers["Content-Type"] = "application/json"
    return EngineRequest(method, url, headers, str(built.body).encode(), harmless=harmless)


def _authorized(request: EngineRequest, login: Login) -> EngineRequest:
    headers = {**request.headers, **login.headers()}
    return replace(request, headers=headers, secrets=(login.token.reveal(),))
