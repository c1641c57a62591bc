"""A sample fleet with one of everything, and the inventory that submits it to the sandbox."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from submitter.sandbox.fleet_documents import Break
from submitter.sandbox.fleet_pages import Form, Section
from submitter.sandbox.google_accounts import Role

if TYPE_CHECKING:
    from submitter.sandbox.fleet import Fleet
    from submitter.sandbox.sandbox import Sandbox

BAIDU_QUOTAS = {"www.fleet.test": 200, "shop.fleet.test": 25}
"""Pages a day: the shop has more pages than that, so some wait for tomorrow."""

INDEXNOW_KEY = "5a6d0b1c4e7f4d3a9b2c8e1f0a7d6c5b"
"""Public like every such key: the site serves it."""

_NEWS = Section("news", 6, "/news/{word}-{n}", Form.RSS, span_days=5)
_HELP = Section("help", 5, "/help/{word}-{n}", Form.TEXT)
_PAGES = Section("pages", 12, "/{word}-{n}")


@dataclass(frozen=True, slots=True)
class _Sample:
    """A site of the demo. `note` says in the inventory what it shows."""

    name: str
    note: str
    sections: tuple[Section, ...]
    keys: Mapping[str, str]
    """Inventory keys beside `host`, in YAML."""
    index: str | None = "/sitemap-index.xml"
    role: Role | None = None
    """On the site's own property; the rest is covered by the Domain property."""


_FLAT = {"sitemaps": '["http://{host}/sitemap.xml"]'}
_OWN_PROPERTY = {"google_property": "host"}
_BOTH = {"accounts": "[google, baidu]"}
_FILE = "/sitemap.xml"
_MARKET = "market"

SAMPLES = (
    _Sample("www", "pages, news as RSS and help as a text list", (_PAGES, _NEWS, _HELP), _BOTH),
    _Sample(
        "shop",
        "more pages than Baidu takes in a day; new ones go first",
        (
            Section("new", 8, "/new/{word}-{n}", span_days=5),
            Section("products", 40, "/p/{word}-{n}", gz=True, per_document=20),
            Section("lists", 6, "/list?kind={word}&page={n}"),
            Section("guides", 4, "/指南/{word}-{n}"),
        ),
        _BOTH,
    ),
    _Sample(
        "blog",
        "an Atom feed that only robots.txt names",
        (Section("posts", 9, "/{word}-{n}", Form.ATOM, file="/feed.xml"),),
        {"sitemaps": "robots"},
        index=None,
    ),
    _Sample(
        "archive",
        "an index below the index, and a child that is not there",
        (_PAGES, Section("years", 10, "/y/{word}-{n}", nested=True)),
        {},
    ),
    _Sample(
        "partner",
        "its property was never given to the account",
        (Section("pages", 5, "/{word}-{n}"),),
        _OWN_PROPERTY,
    ),
    _Sample(
        "press",
        "the account may look at this property and not submit to it",
        (Section("pages", 5, "/{word}-{n}"),),
        _OWN_PROPERTY,
        role=Role.RESTRICTED,
    ),
    _Sample(
        "broken",
        "the sitemap ends in the middle",
        (Section("pages", 20, "/{word}-{n}", file=_FILE),),
        _FLAT,
        index=None,
    ),
    _Sample(
        "closed",
        "robots.txt shuts everybody out",
        (Section("pages", 5, "/{word}-{n}", file=_FILE),),
        _FLAT,
        index=None,
    ),
    _Sample(
        "empty",
        "a sitemap without a page",
        (Section("pages", 0, "/{word}-{n}", file=_FILE),),
        _FLAT,
        index=None,
    ),
)


def _at_bing(sandbox: Sandbox, origin: str) -> str:
    sandbox.bing.add_site(f"{origin}/", quota=20)
    return sandbox.bing.key


def _at_yandex(sandbox: Sandbox, origin: str) -> str:
    sandbox.yandex.add_host(origin, quota=10)
    return sandbox.yandex.token


def _at_seznam(sandbox: Sandbox, origin: str) -> str:
    return sandbox.seznam.add_site(urlsplit(origin).netloc)


def _at_indexnow(sandbox: Sandbox, origin: str) -> str:
    site = sandbox.fleet.site(urlsplit(origin).netloc)
    site.put(f"/{INDEXNOW_KEY}.txt", INDEXNOW_KEY, "text/plain")
    return INDEXNOW_KEY


FURTHER: Mapping[str, tuple[str, Callable[[Sandbox, str], str]]] = {
    "bing": ("api_key", _at_bing),
    "indexnow": ("key", _at_indexnow),
    "yandex": ("token", _at_yandex),
    "seznam": ("key", _at_seznam),
}
"""Engine → inventory key of its secret, and how a site gets to know it; returns the secret."""


def write_demo(sandbox: Sandbox, directory: Path, *, further: Sequence[str] = ()) -> Path:
    """Fill the sandbox and write `inventory.yaml` with its secrets into `directory`.

    With names of `FURTHER` the fleet has one more site, which is told to those engines. The ledger
    that the inventory names lies beside it and is left alone. Returns the inventory's path.
    """
    samples = (*SAMPLES, _market(further)) if further else SAMPLES
    fill_fleet(sandbox.fleet, samples)
    account = sandbox.google.add_account()
    _grant_properties(sandbox, account.email)
    for site, quota in BAIDU_QUOTAS.items():
        sandbox.baidu.add_site(site, quota)
    secrets = {
        "google": json.dumps(sandbox.google.key_file(account.email)),
        "baidu": sandbox.baidu.token,
    }
    for name in further:
        secrets[name] = FURTHER[name][1](sandbox, sandbox.fleet.site(_MARKET).origin)
    for name, secret in secrets.items():
        _write_secret(directory / _secret_file(name), secret)
    inventory = directory / "inventory.yaml"
    inventory.write_text(_inventory(sandbox, samples, further), encoding="utf-8")
    return inventory


def _market(engines: Sequence[str]) -> _Sample:
    return _Sample(
        _MARKET,
        f"told to {', '.join(engines)}; more pages than most of them take in a day",
        (Section("goods", 30, "/{word}-{n}", span_days=5),),
        {"accounts": f"[{', '.join(engines)}]"},
    )


def _secret_file(engine: str) -> str:
    return f"secrets/{engine}.{'json' if engine == 'google' else 'token'}"


def fill_fleet(fleet: Fleet, samples: Sequence[_Sample] = SAMPLES) -> None:
    """The sample sites under `fleet.test`; those that exist are made anew."""
    for sample in samples:
        fleet.add_site(sample.name, *sample.sections, index=sample.index)
    fleet.site("archive").extra_children.append("/sitemap-lost.xml")
    fleet.site("broken").break_document(_FILE, Break.CUT)
    fleet.site("closed").close()


def _grant_properties(sandbox: Sandbox, email: str) -> None:
    sandbox.google.grant(email, f"sc-domain:{sandbox.fleet.domain}", Role.OWNER)
    for sample in SAMPLES:
        if sample.role:
            site = sandbox.fleet.site(sample.name)
            sandbox.google.grant(email, f"{site.origin}/", sample.role)


def _write_secret(path: Path, text: str) -> None:
    """Nobody else may read it, not even between its making and its writing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _inventory(sandbox: Sandbox, samples: Sequence[_Sample], further: Sequence[str]) -> str:
    hosts = [sandbox.fleet.site(sample.name).host for sample in samples]
    peers = "\n".join(f'    "{host}:80": "{sandbox.address}"' for host in hosts)
    return f"""\
# Written by the sandbox: everything it names is on this machine, for as long as the sandbox runs.
version: 1
name: sandbox-fleet
ledger: sqlite:///submitter.db

accounts:
  google:
    engine: google
    credentials: file:secrets/google.json
    endpoint: {sandbox.google.endpoint}
  baidu:
    engine: baidu
    token: file:secrets/baidu.token
    endpoint: {sandbox.baidu.endpoint}
{"".join(_account(sandbox, name) for name in further)}
defaults:
  scheme: http
  sitemaps: ["http://{{host}}/sitemap-index.xml"]
  accounts: [google]

fetch:
  connect_to:                       # the names below are not in any DNS
{peers}

sites:
  - domain: {sandbox.fleet.domain}
    google_property: domain
    allow_private: [127.0.0.0/8]
    sections:
      - {{name: new, match: "/new/*", priority: 10}}
      - {{name: products, match: "/p/*"}}
    subdomains:
{"".join(_entry(sample) for sample in samples)}"""


def _account(sandbox: Sandbox, name: str) -> str:
    return f"""\
  {name}:
    engine: {name}
    {FURTHER[name][0]}: file:{_secret_file(name)}
    endpoint: {sandbox.base_url}/{name}
"""


def _entry(sample: _Sample) -> str:
    lines = [f"      - host: {sample.name}", *(f"        {k}: {v}" for k, v in sample.keys.items())]
    return "\n".join([f"      # {sample.note}", *lines]) + "\n"
