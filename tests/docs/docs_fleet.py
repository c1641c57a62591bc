"""The fleet that the docs speak of, really there: hosts of example.com, told to local engines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import yaml

from submitter.sandbox import Sandbox, Section

DOMAIN = "example.com"
HOSTS = (f"www.{DOMAIN}", f"shop.{DOMAIN}")
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"


def fill(sandbox: Sandbox) -> Mapping[str, str]:
    """Sites and accounts in the sandbox. Returns the variables that hold secrets."""
    for host in HOSTS:
        site = sandbox.fleet.add_site(
            host, Section("new", 4, "/new/{word}-{n}", span_days=5), Section("products", 8)
        )
        site.put(f"/{KEY}.txt", KEY, "text/plain")
    account = sandbox.google.add_account()
    sandbox.google.grant(account.email, f"sc-domain:{DOMAIN}")
    sandbox.baidu.add_site(HOSTS[1], 100)
    key = json.dumps(sandbox.google.key_file(account.email))
    return {"GSC_KEY": key, "BAIDU_TOKEN": sandbox.baidu.token, "INDEXNOW_KEY": KEY}


def write_inventory(sandbox: Sandbox, path: Path) -> None:
    """An inventory as the README has it, but that everything is on this machine."""
    document = {
        "version": 1,
        "name": "example-fleet",
        "ledger": "sqlite:///var/submitter.db",
        "accounts": {
            "gsc": {"engine": "google", "credentials": "env:GSC_KEY"},
            "baidu": {"engine": "baidu", "token": "env:BAIDU_TOKEN"},
            "indexnow": {"engine": "indexnow", "key": "env:INDEXNOW_KEY"},
        },
        "defaults": {
            "scheme": "http",
            "sitemaps": ["http://{host}/sitemap-index.xml"],
            "accounts": ["gsc", "indexnow"],
        },
        "fetch": {"connect_to": {f"{host}:80": sandbox.address for host in HOSTS}},
        "sites": [
            {
                "domain": DOMAIN,
                "google_property": "domain",
                "allow_private": ["127.0.0.0/8"],
                "sections": [{"name": "new", "match": "/new/*", "priority": 10}],
                "subdomains": [
                    "www",
                    {"host": "shop", "accounts": ["gsc", "baidu", "indexnow"], "tags": ["shop"]},
                ],
            }
        ],
    }
    for account in document["accounts"].values():  # type: ignore[attr-defined]
        account["endpoint"] = f"{sandbox.base_url}/{account['engine']}"
    (path.parent / "var").mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
