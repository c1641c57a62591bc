"""What the engines' tests share: a clock, secrets that can be recognised, one row per engine."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from urllib.parse import quote

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from submitter.core.calls import Action, Call
from submitter.core.fleet import Account, SecretRef, SettingValue, Site
from submitter.core.secrets import MaskedSecret
from submitter.core.traits import Kind
from submitter.engines import ENGINES
from submitter.ports import Engine
from support.fault_server import Answer, FaultServer, ok, status
from support.page_table import Page, PageTable

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOOGLE_TOKEN = "ya29.canary-access-token-QmFzZTY0"
BAIDU_TOKEN = "CanaryToken4Push"
BING_KEY = "0123canary4567key89abcdef0123abc"
YANDEX_TOKEN = "y0_canary-AgAAAABtokenQmFzZTY0"
YANDEX_USER = 4711
SEZNAM_KEY = "0123456789canary0123456789canary01234567"
EMAIL = "robot@project.iam.gserviceaccount.com"


class StillClock:
    """Time stands still: engines neither sleep nor measure anything by this clock alone."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 1000.0

    def sleep(self, seconds: float) -> None:
        raise AssertionError("an engine never sleeps")


@cache
def private_key() -> str:
    """A real PEM key, made once: Google's library refuses anything less."""
    return (
        rsa.generate_private_key(public_exponent=65537, key_size=2048)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        .decode()
    )


TOKEN_URI = "https://oauth2.googleapis.com/token"


def key_file(token_uri: str = TOKEN_URI, **changes: str) -> str:
    info = {
        "type": "service_account",
        "project_id": "project",
        "private_key_id": "0123456789abcdef",
        "private_key": private_key(),
        "client_email": EMAIL,
        "token_uri": token_uri,
        **changes,
    }
    return json.dumps(info)


def token_answer(token: str = GOOGLE_TOKEN, lifetime_s: int = 3600) -> Answer:
    body = {"access_token": token, "expires_in": lifetime_s, "token_type": "Bearer"}
    return ok(json.dumps(body).encode(), "application/json")


def google_account(endpoint: str | None = None) -> Account:
    return Account("gsc", "google", SecretRef("env", "GSC"), endpoint=endpoint)


def baidu_account(endpoint: str | None = None, **settings: SettingValue) -> Account:
    return Account(
        "baidu", "baidu", SecretRef("env", "BAIDU"), endpoint=endpoint, settings=settings
    )


def plain_account(engine: str, endpoint: str | None = None, **settings: SettingValue) -> Account:
    """An account whose secret is one plain word, named like its engine."""
    secret = SecretRef("env", engine.upper())
    return Account(engine, engine, secret, endpoint=endpoint, settings=settings)


def sitemap_call(
    sitemap: str = "https://shop.example.com/sitemap.xml", property: str = "sc-domain:example.com"
) -> Call:
    site = "https://shop.example.com"
    return Call(Action(site, "gsc", "google", property, Kind.SITEMAP, sitemap, "new", "c1"))


def push_call(*urls: str, site: str = "https://shop.example.com") -> Call:
    urls = urls or ("https://shop.example.com/1", "https://shop.example.com/2")
    pages = tuple(range(1, len(urls) + 1))
    first = urls[0]
    action = Action(site, "baidu", "baidu", site, Kind.URLS, first, "new", "c1", pages, len(urls))
    return Call(action, urls)


def pages_call(engine: str, property: str, *urls: str) -> Call:
    urls = urls or ("https://shop.example.com/1",)
    pages = tuple(range(1, len(urls) + 1))
    site = "https://shop.example.com"
    action = Action(
        site, engine, engine, property, Kind.URLS, urls[0], "new", "c1", pages, len(urls)
    )
    return Call(action, urls)


INDEXNOW_KEY = "canary-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
SHOP = Site("shop.example.com", domain="example.com")


def key_files(body: bytes = INDEXNOW_KEY.encode(), site: Site = SHOP) -> PageTable:
    """A site that serves this under the name of our key."""
    return PageTable({f"{site.origin}/{INDEXNOW_KEY}.txt": Page(body)})


@dataclass(frozen=True)
class Row:
    """One engine as the contract suite drives it. `good` is its plainest receipt."""

    engine: str
    call: Call
    path: str
    good: Answer
    secrets: tuple[str, ...] = field(repr=False)
    open_at: Callable[[FaultServer], Engine]
    read_path: str | None = None
    """Path of the account's survey, for engines that have one."""


def open_google(server: FaultServer) -> Engine:
    server.on("/token", token_answer())
    key = MaskedSecret(key_file(server.url("/token")))
    return ENGINES["google"].open(google_account(server.url("")), key, StillClock())


def open_baidu(server: FaultServer) -> Engine:
    token = MaskedSecret(BAIDU_TOKEN)
    return ENGINES["baidu"].open(baidu_account(server.url("")), token, StillClock())


def opener(engine: str, secret: str) -> Callable[[FaultServer], Engine]:
    def open_at(server: FaultServer) -> Engine:
        account = plain_account(engine, server.url(""))
        return ENGINES[engine].open(account, MaskedSecret(secret), StillClock())

    return open_at


def open_yandex(server: FaultServer) -> Engine:
    server.on("/v4/user", ok(b'{"user_id": %d}' % YANDEX_USER, "application/json"))
    return opener("yandex", YANDEX_TOKEN)(server)


def open_indexnow(server: FaultServer) -> Engine:
    """Ready to post for the shop: its key file was read."""
    engine = opener("indexnow", INDEXNOW_KEY)(server)
    engine.prepare(SHOP, key_files(), until=None)
    return engine


def rows() -> Mapping[str, Row]:
    return {
        "google": Row(
            "google",
            sitemap_call(),
            "/webmasters/v3/sites/sc-domain%3Aexample.com/sitemaps/"
            "https%3A%2F%2Fshop.example.com%2Fsitemap.xml",
            status(204),
            (GOOGLE_TOKEN, private_key()),
            open_google,
            "/webmasters/v3/sites",
        ),
        "baidu": Row(
            "baidu",
            push_call(),
            "/urls",
            ok(b'{"success":2,"remain":8}', "application/json"),
            (BAIDU_TOKEN,),
            open_baidu,
        ),
        "bing": Row(
            "bing",
            pages_call("bing", "https://shop.example.com/"),
            "/webmaster/api.svc/json/SubmitUrlBatch",
            ok(b'{"d":null}', "application/json"),
            (BING_KEY,),
            opener("bing", BING_KEY),
            "/webmaster/api.svc/json/GetUserSites",
        ),
        "yandex": Row(
            "yandex",
            pages_call("yandex", "https:shop.example.com:443"),
            f"/v4/user/{YANDEX_USER}/hosts/https%3Ashop.example.com%3A443/recrawl/queue",
            status(202, b'{"task_id":"c7fe80c0","quota_remainder":149}'),
            (YANDEX_TOKEN,),
            open_yandex,
            "/v4/user",
        ),
        "indexnow": Row(
            "indexnow",
            pages_call("indexnow", "shop.example.com"),
            "/indexnow",
            ok(b""),
            (INDEXNOW_KEY,),
            open_indexnow,
        ),
        "seznam": Row(
            "seznam",
            pages_call("seznam", "https://shop.example.com"),
            "/wm-api/web/document/reindex",
            ok(b'{"status": 200}', "application/json"),
            (SEZNAM_KEY,),
            opener("seznam", SEZNAM_KEY),
        ),
    }


def spellings(secret: str) -> set[str]:
    """Every form in which a secret could stand in a text. A PEM key counts line by line."""
    lines = [line for line in secret.splitlines() if line and not line.startswith("-----")]
    return {
        form
        for line in lines
        for form in (
            line,
            quote(line, safe=""),
            base64.b64encode(line.encode()).decode().rstrip("="),
            json.dumps(line)[1:-1],
        )
    }
