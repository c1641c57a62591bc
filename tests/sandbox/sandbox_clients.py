"""Plain clients of the sandbox: what a test sends when no engine of the product is meant."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from submitter.core.calls import Action, Call
from submitter.core.fleet import Account, SecretRef
from submitter.core.secrets import MaskedSecret
from submitter.core.traits import Kind
from submitter.engines import ENGINES
from submitter.ports import Engine
from submitter.sandbox import GoogleAccount, Sandbox, SandboxClock
from submitter.sandbox.google_accounts import AUDIENCE, JWT_BEARER, SCOPE_WRITE


@dataclass(frozen=True, slots=True)
class SearchConsole:
    """Google's API as a plain client sees it, signed in as one account."""

    sandbox: Sandbox
    http: requests.Session
    account: GoogleAccount
    token: str

    def call(self, method: str, *parts: str, query: str = "", token: str = "") -> requests.Response:
        """Parts after `webmasters/v3/sites`, each encoded as one segment."""
        path = "".join(f"/{quote(part, safe='')}" for part in parts)
        return self.http.request(
            method,
            f"{self.sandbox.google.endpoint}/webmasters/v3/sites{path}{query}",
            headers={"Authorization": f"Bearer {token or self.token}"},
            timeout=10,
        )

    def submit(self, site: str, sitemap: str) -> requests.Response:
        return self.call("PUT", site, "sitemaps", sitemap)

    def rows(self, site: str) -> list[dict[str, object]]:
        answer: dict[str, list[dict[str, object]]] = self.call("GET", site, "sitemaps").json()
        return answer.get("sitemap", [])


def claims(account: GoogleAccount, **other: object) -> dict[str, object]:
    """What a well-behaved client signs. Judged by the time outside the sandbox."""
    now = int(time.time())
    right = {
        "iss": account.email,
        "aud": AUDIENCE,
        "iat": now,
        "exp": now + 3600,
        "scope": SCOPE_WRITE,
    }
    return right | other


def sign(
    account: GoogleAccount,
    body: Mapping[str, object],
    *,
    key: rsa.RSAPrivateKey | None = None,
    **header: object,
) -> str:
    head = {"alg": "RS256", "typ": "JWT", "kid": account.key_id} | header
    message = ".".join(_packed(json.dumps(part).encode()) for part in (head, body))
    signature = (key or account.private_key()).sign(
        message.encode(), padding.PKCS1v15(), hashes.SHA256()
    )
    return f"{message}.{_packed(signature)}"


def ask_token(
    sandbox: Sandbox, http: requests.Session, assertion: str, grant: str = JWT_BEARER
) -> requests.Response:
    return http.post(
        f"{sandbox.google.endpoint}/token",
        data={"grant_type": grant, "assertion": assertion},
        timeout=10,
    )


def push(
    sandbox: Sandbox,
    http: requests.Session,
    site: str,
    *pages: str,
    token: str | None = None,
    content_type: str = "text/plain",
) -> requests.Response:
    """A push to Baidu with `site` as given, literally."""
    return http.post(
        f"{sandbox.baidu.endpoint}/urls?site={site}&token={token or sandbox.baidu.token}",
        data="\n".join(pages).encode(),
        headers={"Content-Type": content_type},
        timeout=10,
    )


@dataclass(frozen=True, slots=True)
class ClientClock:
    """The sandbox's time for an engine of the product, which never sleeps."""

    clock: SandboxClock

    def now(self) -> datetime:
        return self.clock.now()

    def monotonic(self) -> float:
        return self.clock.monotonic()

    def sleep(self, seconds: float) -> None:
        raise AssertionError("an engine never sleeps")


def open_engine(sandbox: Sandbox, name: str, secret: str) -> Engine:
    """The product's own engine, pointed at the sandbox."""
    endpoint = f"{sandbox.base_url}/{name}"
    account = Account(name, name, SecretRef("env", name.upper()), endpoint=endpoint)
    return ENGINES[name].open(account, MaskedSecret(secret), ClientClock(sandbox.clock))


def sitemap_call(engine: str, property: str, sitemap: str) -> Call:
    site = "http://shop.fleet.test"
    return Call(Action(site, engine, engine, property, Kind.SITEMAP, sitemap, "new", "c1"))


def pages_call(engine: str, property: str, *urls: str) -> Call:
    site, ids = "http://shop.fleet.test", tuple(range(len(urls)))
    action = Action(site, engine, engine, property, Kind.URLS, urls[0], "new", "c1", ids, len(urls))
    return Call(action, urls)


def _packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
