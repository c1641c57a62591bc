"""What an inventory says, as frozen values."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from inventory_engines import ENGINES, faults, load, write

from submitter.core.fleet import (
    Account,
    FetchRules,
    FirstRun,
    GuardRule,
    Limits,
    SecretRef,
    Section,
)
from submitter.errors import ConfigError
from submitter.inventory.load import load_inventory, locate

ACCOUNTS = """\
accounts:
  gsc: {engine: console, credentials: file:secrets/gsc.json, limits: {per_minute: 100}}
  bd: {engine: push, token: env:BD_TOKEN, daily_limit: 3000, peers: [x, y], second: file:s.txt}
  desk: {engine: byhand, desk: Ann}
"""


def one_site(folder: Path, text: str) -> object:
    return load(folder, ACCOUNTS + "sites:\n" + text).sites[0]


def hosts(folder: Path, text: str) -> list[str]:
    return [site.origin for site in load(folder, text).sites]


def test_an_account_holds_its_reference_and_its_engines_options(tmp_path: Path) -> None:
    fleet = load(tmp_path, ACCOUNTS + "sites: [{domain: example.com}]\n")
    assert fleet.accounts["gsc"] == Account(
        "gsc",
        "console",
        SecretRef("file", str(tmp_path / "secrets/gsc.json")),
        limits=Limits(per_second=20, per_minute=100),
    )
    assert fleet.accounts["bd"] == Account(
        "bd",
        "push",
        SecretRef("env", "BD_TOKEN"),
        first_run=FirstRun.RECENT,
        settings={
            "daily_limit": 3000,
            "share": 0.5,
            "repush_changed": False,
            "scheme": "http",
            "peers": ("x", "y"),
            "second": f"file:{tmp_path / 's.txt'}",
        },
    )
    assert fleet.accounts["desk"] == Account("desk", "byhand", None, settings={"desk": "Ann"})


def test_what_is_left_out_has_its_documented_default(tmp_path: Path) -> None:
    path = write(tmp_path, "sites: [{domain: example.com}]\n", "my-fleet.yaml")
    fleet = load_inventory(path, engines=ENGINES)
    assert (fleet.name, fleet.path) == ("my-fleet", str(path))
    assert fleet.ledger == f"sqlite:///{tmp_path}/var/submitter.db"
    assert fleet.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (fleet.webhook, fleet.fetch) == (None, FetchRules())
    site = fleet.sites[0]
    assert (site.origin, site.domain, site.sitemaps) == ("https://example.com", "example.com", None)
    assert (site.gone_after, site.guard, site.fetch) == (1, GuardRule(0.3, 1.0), FetchRules())


def test_every_key_of_a_site_reaches_the_site(tmp_path: Path) -> None:
    site = load(
        tmp_path,
        ACCOUNTS
        + """\
sites:
  - domain: example.com
    scheme: http
    sitemaps: ["http://{host}/s.xml", "http://cdn.{domain}/{host}.xml"]
    accounts: [gsc, bd]
    tags: [shop, eu]
    sections: [{name: new, match: "/new/*", priority: 10}, {name: news, document: "*/news.xml"}]
    google_property: "http://{host}/"
    baidu_site: "{host}"
    allow_private: [10.0.0.0/8, "fd00::/8"]
    gone_after: 3
    guard: {max_gone: 0.5}
    fetch: {timeout_s: 2.5, ports: [8080], connect_to: {"example.com:80": "127.0.0.1:8080"}}
    scope: "{host}/keys"
    subdomains: [shop]
""",
    ).sites[0]
    assert site.origin == "http://shop.example.com"
    assert site.sitemaps == (
        "http://shop.example.com/s.xml",
        "http://cdn.example.com/shop.example.com.xml",
    )
    assert (site.accounts, site.tags) == (("gsc", "bd"), frozenset({"shop", "eu"}))
    assert site.sections == (
        Section("new", "/new/*", None, 10),
        Section("news", "*", "*/news.xml", 0),
    )
    assert site.google_property == "http://shop.example.com/"
    assert site.baidu_site == "shop.example.com"
    assert site.allow_private == ("10.0.0.0/8", "fd00::/8")
    assert (site.gone_after, site.guard) == (3, GuardRule(0.5, 1.0))
    assert site.fetch == FetchRules(
        timeout_s=2.5, ports=(8080,), connect_to={"example.com:80": "127.0.0.1:8080"}
    )
    assert site.settings == {"scope": "shop.example.com/keys"}


def test_the_nearest_level_wins_and_fetch_and_guard_are_merged_by_key(tmp_path: Path) -> None:
    fleet = load(
        tmp_path,
        ACCOUNTS
        + """\
fetch: {timeout_s: 1, max_depth: 1, per_host: 1, ca_file: certs/ca.pem}
defaults:
  accounts: [gsc]
  tags: [all]
  guard: {max_gone: 0.1, max_new: 2}
  fetch: {max_depth: 2, per_host: 2}
sites:
  - domain: example.com
    tags: [example]
    guard: {max_new: 3}
    fetch: {per_host: 3}
    subdomains:
      - www
      - {host: shop, tags: [], accounts: [bd], sitemaps: robots, fetch: {timeout_s: 4}}
  - domain: example.net
""",
    )
    www, shop, net = fleet.sites
    ca_file = str(tmp_path / "certs/ca.pem")
    assert (www.accounts, shop.accounts, net.accounts) == (("gsc",), ("bd",), ("gsc",))
    assert (www.tags, shop.tags, net.tags) == ({"example"}, frozenset(), {"all"})
    assert (www.guard, net.guard) == (GuardRule(0.1, 3), GuardRule(0.1, 2))
    assert www.fetch == FetchRules(timeout_s=1, max_depth=2, per_host=3, ca_file=ca_file)
    assert shop.fetch == FetchRules(timeout_s=4, max_depth=2, per_host=3, ca_file=ca_file)
    assert fleet.fetch == FetchRules(timeout_s=1, max_depth=1, per_host=1, ca_file=ca_file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sites: [{domain: example.com}]", ["https://example.com"]),
        (
            "sites: [{domain: example.com, subdomains: ['@', www, shop.example.com]}]",
            ["https://example.com", "https://www.example.com", "https://shop.example.com"],
        ),
        (
            "sites: [{domain: Bücher.example, subdomains: [WWW, größe]}]",
            [
                "https://www.xn--bcher-kva.example",
                "https://xn--gre-6ka8i.xn--bcher-kva.example",
            ],
        ),
        (
            "sites: [{domain: 'example.com:8443', subdomains: ['@', a, 'b:9000', 'c:443']}]",
            [
                "https://example.com:8443",
                "https://a.example.com:8443",
                "https://b.example.com:9000",
                "https://c.example.com",
            ],
        ),
        ("sites: [{domain: '127.0.0.1:80', scheme: http}]", ["http://127.0.0.1"]),
        ("sites: [{domain: '[::1]:8080', scheme: http}]", ["http://[::1]:8080"]),
        (
            "sites: [{domain: example.com, subdomains: [www, {host: www, scheme: http}]}]",
            ["https://www.example.com", "http://www.example.com"],
        ),
    ],
)
def test_hosts_are_named_short_or_whole(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert hosts(tmp_path, text) == expected


def test_a_site_knows_its_domain_without_the_port(tmp_path: Path) -> None:
    site = load(tmp_path, "sites: [{domain: 'example.com:8443', subdomains: [a]}]").sites[0]
    assert (site.host, site.domain) == ("a.example.com:8443", "example.com")


@pytest.mark.parametrize(
    "word", ["no", "on", "010", "12:30:45", "2024-01-02", "1e3", "0x1f", "1_0"]
)
def test_text_stays_the_text_that_was_written(tmp_path: Path, word: str) -> None:
    text = ACCOUNTS + f"sites:\n  - domain: example.com\n    tags: [{word}]\n"
    assert load(tmp_path, text).sites[0].tags == {word}


def test_numbers_that_are_names_of_hosts_stay_names(tmp_path: Path) -> None:
    text = "sites: [{domain: example.com, subdomains: [010, no, 2024-01-02]}]"
    assert hosts(tmp_path, text) == [
        "https://010.example.com",
        "https://no.example.com",
        "https://2024-01-02.example.com",
    ]


def test_a_quoted_null_is_text_and_a_quoted_number_is_a_number(tmp_path: Path) -> None:
    text = "name: 'null'\nversion: '1'\nsites: [{domain: example.com, gone_after: '2'}]\n"
    fleet = load(tmp_path, text)
    assert (fleet.name, fleet.sites[0].gone_after) == ("null", 2)


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfsites: [{domain: example.com}]\n",
        b"sites:\r\n  - domain: example.com\r\n",
        b"%YAML 1.2\n---\nsites: [{domain: example.com}]\n...\n",
    ],
)
def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path, body: bytes) -> None:
    assert [site.host for site in load(tmp_path, body).sites] == ["example.com"]


def test_other_encodings_are_refused_where_they_begin(tmp_path: Path) -> None:
    assert faults(tmp_path, "# ok\nname: bücher\n".encode("latin-1")) == [
        "2:8: not UTF-8: save the file in that encoding"
    ]
    assert faults(tmp_path, "sites: []\n".encode("utf-16"))[0].startswith("1:1: not UTF-8")


def test_a_file_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, "#" * 1_048_577) == [" larger than 1,048,576 bytes"]


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "cannot be read: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path, make: object, problem: str) -> None:
    path = tmp_path / "fleet.yaml"
    assert callable(make)
    make(path)
    with pytest.raises(ConfigError) as caught:
        load_inventory(path, engines=ENGINES)
    assert str(caught.value) == f"{path}: {problem}"


def test_aliases_stand_for_what_their_anchors_hold(tmp_path: Path) -> None:
    text = ACCOUNTS + (
        "sites:\n"
        "  - {domain: example.com, sections: &s [{name: new, match: /new/*}]}\n"
        "  - {domain: example.net, sections: *s}\n"
    )
    com, net = load(tmp_path, text).sites
    assert com.sections == net.sections == (Section("new", "/new/*"),)


def test_a_fault_in_an_alias_is_placed_at_its_anchor(tmp_path: Path) -> None:
    text = "defaults: {tags: &t [a b]}\nsites:\n  - {domain: example.com, tags: *t}\n"
    assert set(faults(tmp_path, text)) == {
        "1:22: tags: 'a b' is not a tag: no blanks, commas or semicolons, up to 64"
    }


def test_the_ledger_of_the_command_line_goes_first_and_is_relative_to_here(tmp_path: Path) -> None:
    path = write(tmp_path, "ledger: env:DATABASE_URL\nsites: [{domain: example.com}]\n")
    assert load_inventory(path, engines=ENGINES).ledger == "env:DATABASE_URL"
    here = load_inventory(path, engines=ENGINES, ledger="sqlite:///x.db").ledger
    assert here == f"sqlite:///{os.getcwd()}/x.db"
    with pytest.raises(
        ConfigError, match=r"^--ledger or SUBMITTER_LEDGER: a ledger is sqlite:///PATH"
    ):
        load_inventory(path, engines=ENGINES, ledger="x.db")


@pytest.mark.parametrize(
    ("written", "placed"),
    [
        ("sqlite:///a.db", "sqlite:///{base}/a.db"),
        ("sqlite:////srv/a.db", "sqlite:////srv/a.db"),
        ("postgresql://u@db/x", "postgresql://u@db/x"),
        ("postgresql+psycopg://db/x", "postgresql+psycopg://db/x"),
    ],
)
def test_a_ledger_in_a_file_is_relative_to_the_inventory(
    tmp_path: Path, written: str, placed: str
) -> None:
    fleet = load(tmp_path, f"ledger: {written}\nsites: [{{domain: example.com}}]\n")
    assert fleet.ledger == placed.format(base=tmp_path)


@pytest.mark.parametrize(
    ("written", "placed"),
    [
        ("https://hooks.example/a?b=c", "https://hooks.example/a?b=c"),
        ("http://127.0.0.1:8080/hook", "http://127.0.0.1:8080/hook"),
        ("env:HOOK", "env:HOOK"),
        ("file:hook.txt", "file:{base}/hook.txt"),
    ],
)
def test_a_webhook_is_an_address_or_a_reference(tmp_path: Path, written: str, placed: str) -> None:
    fleet = load(tmp_path, f"webhook: '{written}'\nsites: [{{domain: example.com}}]\n")
    assert fleet.webhook == placed.format(base=tmp_path)


@pytest.mark.parametrize(
    ("endpoint", "trust", "allowed"),
    [
        ("http://127.0.0.1:8080", False, True),
        ("http://localhost:8080/prefix/", False, True),
        ("http://[::1]:8080", False, True),
        ("http://127.8.9.1", False, True),
        ("http://127.0.0.1.example.com", False, False),
        ("http://localhost.example.com", False, False),
        ("https://data.zz.baidu.com", False, False),
        ("http://10.0.0.1:8080", False, False),
        ("https://proxy.example.com", True, True),
    ],
)
def test_a_secret_goes_to_this_machine_or_to_a_trusted_host(
    tmp_path: Path, endpoint: str, trust: bool, allowed: bool
) -> None:
    text = (
        f"accounts:\n  a: {{engine: push, token: env:T, endpoint: '{endpoint}', "
        f"trust_endpoint: {str(trust).lower()}}}\nsites: [{{domain: example.com}}]\n"
    )
    assert (faults(tmp_path, text) == []) is allowed
    if allowed:
        assert load(tmp_path, text).accounts["a"].endpoint == endpoint.rstrip("/")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("env:NAME", SecretRef("env", "NAME")),
        ("file:a/b.json", SecretRef("file", "{base}/a/b.json")),
        ("file:/etc/b.json", SecretRef("file", "/etc/b.json")),
        ("gcp-secret:projects/p/secrets/s", SecretRef("gcp-secret", "projects/p/secrets/s")),
        (
            "gcp-secret:projects/p/secrets/s/versions/7",
            SecretRef("gcp-secret", "projects/p/secrets/s/versions/7"),
        ),
        ("aws-secret:prod/gsc", SecretRef("aws-secret", "prod/gsc")),
        ("adc", SecretRef("adc")),
    ],
)
def test_references_are_understood(tmp_path: Path, written: str, expected: SecretRef) -> None:
    text = f"accounts: {{a: {{engine: console, credentials: '{written}'}}}}\n"
    secret = load(tmp_path, text + "sites: [{domain: example.com}]").accounts["a"].secret
    assert secret == SecretRef(expected.scheme, expected.locator.format(base=tmp_path))


def test_a_sitemap_in_any_script_is_kept_in_ascii(tmp_path: Path) -> None:
    text = "sites: [{domain: example.com, sitemaps: ['https://bücher.{domain}/größe.xml']}]"
    assert load(tmp_path, text).sites[0].sitemaps == (
        "https://xn--bcher-kva.example.com/gr%C3%B6%C3%9Fe.xml",
    )


def test_a_later_fault_can_be_placed(tmp_path: Path) -> None:
    path = write(tmp_path, ACCOUNTS + "sites: [{domain: example.com}]\n")
    assert locate(path, ("accounts", "gsc", "credentials")) == (2, 26)
    assert locate(path, ("accounts", "nobody", "token")) == (2, 3)


def test_a_faulty_host_makes_no_further_faults(tmp_path: Path) -> None:
    text = (
        "sites:\n  - domain: example.com\n"
        "    subdomains: [www, {host: www, scheme: http, tag: [x]}]\n"
    )
    assert faults(tmp_path, text) == ["3:49: unknown key 'tag'; did you mean 'tags'?"]
