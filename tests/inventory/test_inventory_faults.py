"""What is wrong with an inventory is said all at once, each fault with its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest
from inventory_engines import faults

from submitter.inventory.addresses import NO_PING
from submitter.inventory.references import NOT_A_REFERENCE

ACCOUNT = "accounts:\n  a: {engine: console, credentials: env:A}\n"
SITE = "sites: [{domain: example.com}]\n"


def top(line: str) -> str:
    return f"{line}\n{SITE}"


def account(keys: str) -> str:
    return f"accounts:\n  a: {{{keys}}}\n{SITE}"


def defaults(keys: str) -> str:
    return f"{ACCOUNT}defaults: {{{keys}}}\n{SITE}"


def fetch(keys: str) -> str:
    return f"fetch: {{{keys}}}\n{SITE}"


def site(keys: str) -> str:
    return f"{ACCOUNT}sites:\n  - {{domain: example.com, {keys}}}\n"


def row(text: str, *expected: str) -> tuple[str, list[str]]:
    return text, list(expected)


ROWS = [
    row("# nothing\n", "1:1: the file is empty; `submitter init` writes a first inventory"),
    row("", "1:1: the file is empty; `submitter init` writes a first inventory"),
    row("- a\n", "1:1: should be a mapping of keys, not a list"),
    row("hello\n", "1:1: should be a mapping of keys, not 'hello'"),
    row("sites:\n", "1:1: 'sites' has no value; give it one or leave the key out"),
    row("sites: ~\n", "1:1: 'sites' has no value; give it one or leave the key out"),
    row("version: 1\n", "1:1: 'sites' is missing"),
    row("sites: []\n", "1:8: sites: is empty"),
    row("sites: example.com\n", "1:8: sites: should be a list, not 'example.com'"),
    row("sites: {domain: a.example}\n", "1:8: sites: should be a list, not a mapping of keys"),
    row(
        "sites:\n  - example.com\n",
        "2:5: sites: should be a mapping of keys, not 'example.com'; write - domain: NAME",
    ),
    row("sites:\n  -\n  - domain: example.com\n", "2:4: an empty list item"),
    row(SITE + SITE, "2:1: duplicate key 'sites'; first at line 1, column 1"),
    row(
        ACCOUNT + "  a: {engine: push, token: env:B}\n" + SITE,
        "3:3: duplicate key 'a'; first at line 2, column 3",
    ),
    row(top("nmae: x"), "1:1: unknown key 'nmae'; did you mean 'name'?"),
    row(top("zzzz: x"), "1:1: unknown key 'zzzz'"),
    row(top("Version: 1"), "1:1: unknown key 'Version'; did you mean 'version'?"),
    row(
        ACCOUNT + "sites:\n  - domain: example.com\n    <<: {tags: [x]}\n",
        "5:5: unknown key '<<'; merge keys are not used here, 'defaults' holds what sites share",
    ),
    row(
        top("sitemaps: robots"),
        "1:1: unknown key 'sitemaps'; it stands under 'defaults' or at a site",
    ),
    row(top("subdomains: [www]"), "1:1: unknown key 'subdomains'; it stands under 'sites'"),
    row(site("timeout_s: 3"), "4:27: unknown key 'timeout_s'; it stands under 'fetch'"),
    row(site("max_gone: 0.1"), "4:27: unknown key 'max_gone'; it stands under 'guard'"),
    row(fetch("timeuot_s: 3"), "1:9: unknown key 'timeuot_s'; did you mean 'timeout_s'?"),
    row(
        site("sections: [{name: a, prority: 1}]"),
        "4:48: unknown key 'prority'; did you mean 'priority'?",
    ),
    row(
        top("name: !!python/object:os.system x"),
        "1:7: tag '!!python/object:os.system' is not used here; write the value alone",
    ),
    row(top("name: !secret x"), "1:7: tag '!secret' is not used here; write the value alone"),
    row(SITE + "---\n" + SITE, "2:1: a second document; an inventory is one document"),
    row(top("name: *x"), "1:7: alias '*x' has no anchor before it"),
    row("sites:\n\t- domain: example.com\n", "2:1: not YAML: a tab; indent with blanks"),
    row(
        "sites:\n  - domain: 'example.com\n",
        "2:13: not YAML: the text that begins here has no closing quote",
    ),
    row(
        "sites:\n  - domain: example.com\n    sitemaps: [https://{host}/s.xml]\n",
        "3:24: not YAML: did not find expected ',' or ']' (an open list, or text with { or [ "
        "in it that needs quotes)",
    ),
    row(
        "name: a: b\n",
        "1:8: not YAML: mapping values are not allowed in this context (text that holds ': ' "
        "needs quotes)",
    ),
    row(
        "sites:\n  - domain: example.com\n    subdomains: [@]\n",
        "3:18: not YAML: a value that starts with '@' needs quotes",
    ),
    row(
        "sites:\n  - domain: example.com\n   tags: [x]\n",
        "3:4: not YAML: did not find expected '-' indicator (is it indented like the lines above?)",
    ),
    row("name: a\x07b\n", "1:8: not YAML: a control character"),
    row("? [a]\n: 1\n" + SITE, "1:3: a key must be text"),
    row(top("version: 2"), "1:10: version: is 2, and this program reads version 1"),
    row(top("version: one"), "1:10: version: should be a whole number, not 'one'"),
    row(
        top("name: my fleet"),
        "1:7: name: 'my fleet' is not a name: letters, digits, '-', '_' and '.', up to 64",
    ),
    row(
        top("ledger: mysql://x/y"),
        "1:9: ledger: a ledger is sqlite:///PATH, postgresql://…, s3://BUCKET/KEY, gs://BUCKET/KEY"
        " or a reference such as env:NAME",
    ),
    row(
        top("ledger: var/x.db"),
        "1:9: ledger: a ledger is sqlite:///PATH, postgresql://…, s3://BUCKET/KEY, gs://BUCKET/KEY"
        " or a reference such as env:NAME",
    ),
    row(
        top("ledger: 'sqlite://'"),
        "1:9: ledger: a ledger in memory would forget; write sqlite:///PATH",
    ),
    row(
        top("ledger: postgresql://u:CANARY@h/d"),
        "1:9: ledger: a password in the address (not shown); write env:NAME, and the whole address"
        " into that variable",
    ),
    row(
        top("webhook: http://hooks.example/x"),
        "1:10: webhook: would tell it over plain http; write https://",
    ),
    row(top("webhook: CANARY"), f"1:10: webhook: {NOT_A_REFERENCE}"),
    row(account("engine: console"), "2:6: 'credentials' is missing"),
    row(
        "accounts: {a: CANARY}\n" + SITE,
        "1:15: a: should be a mapping of keys, like {engine: google, …}",
    ),
    row("accounts: [a]\n" + SITE, "1:11: accounts: should be a mapping of names to accounts"),
    row(
        "accounts:\n  a b: {engine: byhand, desk: x}\n" + SITE,
        "2:3: 'a b' is not a name: letters, digits, '-', '_' and '.', up to 64",
    ),
    row(account("credentials: env:A"), "2:6: 'engine' is missing"),
    row(
        account("engine: consle, credentials: env:A"),
        "2:15: engine: unknown engine 'consle'; did you mean 'console'?",
    ),
    row(
        account("engine: altavista"),
        "2:15: engine: unknown engine 'altavista'; known: console, push, byhand",
    ),
    row(account("engine: console, credentials: CANARY"), f"2:37: credentials: {NOT_A_REFERENCE}"),
    row(
        account("engine: console, credentials: secrets/a.json"),
        f"2:37: credentials: {NOT_A_REFERENCE}",
    ),
    row(
        account("engine: console, credentials: {type: service_account, private_key: CANARY}"),
        "2:37: credentials: should be text, not a mapping of keys",
    ),
    row(account("engine: console, credentials: $CANARY"), f"2:37: credentials: {NOT_A_REFERENCE}"),
    row(
        account("engine: console, credentials: 'env:CANARY-1'"),
        "2:37: credentials: must be written as env:NAME, a name of letters, digits and _ "
        "(value not shown)",
    ),
    row(
        account("engine: console, credentials: file:~/CANARY"),
        "2:37: credentials: must be written as file:PATH, without // and ~ (value not shown)",
    ),
    row(
        account("engine: console, credentials: file://CANARY"),
        "2:37: credentials: must be written as file:PATH, without // and ~ (value not shown)",
    ),
    row(
        account("engine: console, credentials: gcp-secret:CANARY"),
        "2:37: credentials: must be written as gcp-secret:projects/PROJECT/secrets/NAME "
        "(value not shown)",
    ),
    row(
        account("engine: push, token: adc"),
        "2:28: token: 'adc' is for Google credentials only; write env:NAME or file:PATH",
    ),
    row(account("engine: push, token: env:A, second: CANARY"), f"2:43: second: {NOT_A_REFERENCE}"),
    row(
        account("engine: push, credentials: env:CANARY"),
        "2:6: 'token' is missing",
        "2:21: unknown key 'credentials'",
    ),
    row(
        account("engine: console, credentials: env:A, daily_limit: 3"),
        "2:44: unknown key 'daily_limit'",
    ),
    row(
        account("engine: push, token: env:A, daily_limit: many"),
        "2:48: daily_limit: should be a whole number, not 'many'",
    ),
    row(
        account("engine: push, token: env:A, daily_limit: 010"),
        "2:48: daily_limit: should be a whole number, not '010'",
    ),
    row(
        account("engine: push, token: env:A, daily_limit: 1e3"),
        "2:48: daily_limit: should be a whole number, not '1e3'",
    ),
    row(
        account("engine: push, token: env:A, share: .inf"),
        "2:42: share: should be a number, not '.inf'",
    ),
    row(
        account("engine: push, token: env:A, repush_changed: yes"),
        "2:51: repush_changed: should be true or false, not 'yes'",
    ),
    row(
        account("engine: push, token: env:A, scheme: htps"),
        "2:43: scheme: should be 'http' or 'https', not 'htps'; did you mean 'https'?",
    ),
    row(account("engine: push, token: env:A, peers: x"), "2:42: peers: should be a list, not 'x'"),
    row(account("engine: byhand"), "2:6: 'desk' is missing"),
    row(
        account("engine: console, credentials: env:A, limits: {per_second: 0, per_minut: 3}"),
        "2:65: per_second: should be above 0, not 0",
        "2:68: unknown key 'per_minut'; did you mean 'per_minute'?",
    ),
    row(
        account("engine: console, credentials: env:A, first_run: recnt"),
        "2:55: first_run: should be 'all', 'recent' or 'none', not 'recnt'; did you mean 'recent'?",
    ),
    row(
        account("engine: console, credentials: env:A, recent_days: 0"),
        "2:57: recent_days: should be at least 1, not 0",
    ),
    row(
        account("engine: console, credentials: env:A, endpoint: 'http://10.0.0.1:80'"),
        "2:54: endpoint: '10.0.0.1:80' would receive the secret; set trust_endpoint: true to "
        "allow it",
    ),
    row(
        account("engine: console, credentials: env:A, endpoint: 'http://127.0.0.1/?k=CANARY'"),
        "2:54: endpoint: an endpoint is a base address without a query",
    ),
    row(
        account("engine: console, credentials: env:A, endpoint: 'http://u:CANARY@127.0.0.1'"),
        "2:54: endpoint: a user name or password stands in the address",
    ),
    row(
        account("engine: console, credentials: env:A, endpoint: localhost:80"),
        "2:54: endpoint: scheme 'localhost' is neither http nor https",
    ),
    row(
        account("engine: push, token: env:A, endpoint: 'http://x.example', trust_endpoint: maybe"),
        "2:81: trust_endpoint: should be true or false, not 'maybe'",
    ),
    row(top("ping: google"), f"1:1: ping: {NO_PING}"),
    row(account("engine: console, credentials: env:A, ping_url: x"), f"2:44: ping_url: {NO_PING}"),
    row(
        site("sitemaps: ['https://www.google.com/ping?sitemap=https://example.com/s.xml']"),
        f"4:38: sitemaps: {NO_PING}",
    ),
    row(
        site("sitemaps: ['http://www.bing.com/webmaster/ping.aspx?siteMap=x']"),
        f"4:38: sitemaps: {NO_PING}",
    ),
    row(
        account(
            "engine: push, token: env:A, trust_endpoint: true, endpoint: 'http://ping.baidu.com/ping/RPC2'"
        ),
        f"2:67: endpoint: {NO_PING}",
    ),
    row(
        defaults("allow_private: [10.0.0.0/8]"),
        "3:12: unknown key 'allow_private'; it stands at a site, never in defaults",
    ),
    row("defaults: [a]\n" + SITE, "1:11: defaults: should be a mapping of keys, not a list"),
    row(site("accounts: [b]"), "4:38: accounts: unknown account 'b'"),
    row(
        "accounts: {search: {engine: byhand, desk: x}}\ndefaults: {accounts: [serach]}\n" + SITE,
        "2:23: accounts: unknown account 'serach'; did you mean 'search'?",
    ),
    row(site("accounts: a"), "4:37: accounts: should be a list, not 'a'"),
    row(site("accounts: [a, a]"), "4:37: accounts: 'a' is listed twice"),
    row(
        site("sitemaps: ['https:/example.com/s.xml']"),
        "4:38: sitemaps: https: is not followed by two slashes: 'https:/example.com/s.xml'",
    ),
    row(
        site("sitemaps: [example.com/s.xml]"),
        "4:38: sitemaps: not an absolute address: 'example.com/s.xml'",
    ),
    row(
        site("sitemaps: ['ftp://example.com/s.xml']"),
        "4:38: sitemaps: scheme 'ftp' is neither http nor https",
    ),
    row(
        site("sitemaps: ['https://{hots}/s.xml']"),
        "4:38: sitemaps: unknown placeholder '{hots}'; did you mean 'host'?",
    ),
    row(site("sitemaps: ['https://{host/s.xml']"), "4:38: sitemaps: unknown placeholder '{'"),
    row(
        site("sitemaps: ['https://u:CANARY@example.com/s.xml']"),
        "4:38: sitemaps: a user name or password stands in the address",
    ),
    row(
        site("sitemaps: ['https://example.com/a b.xml']"),
        "4:38: sitemaps: 'https://example.com/a b.xml' holds a blank or a fragment",
    ),
    row(
        site("sitemaps: robot"),
        "4:37: sitemaps: should be 'robots' or a list of addresses, not 'robot'",
    ),
    row(site("sitemaps: []"), "4:37: sitemaps: is empty; name addresses or write 'robots'"),
    row(
        site("sitemaps: ['https://example.com/s.xml', 'https://example.com/s.xml']"),
        "4:37: sitemaps: 'https://example.com/s.xml' is listed twice",
    ),
    row(
        site("sitemaps: ['https://example.com:99999/s.xml']"),
        "4:38: sitemaps: port '99999' is no number from 1 to 65535",
    ),
    row(
        site("sitemaps: ['htps://example.com/s.xml?token=CANARY']"),
        "4:38: sitemaps: scheme 'htps' is neither http nor https",
    ),
    row(
        site("tags: [a b]"),
        "4:34: tags: 'a b' is not a tag: no blanks, commas or semicolons, up to 64",
    ),
    row(site("tags: a"), "4:33: tags: should be a list, not 'a'"),
    row(
        site("google_property: domian"),
        "4:44: google_property: 'domian' is not a property; write domain, host, "
        "sc-domain:NAME or an address",
    ),
    row(
        site("google_property: 'https://example.com'"),
        "4:44: google_property: 'https://example.com' needs a slash at its end, as Search "
        "Console shows it",
    ),
    row(
        site("baidu_site: 'https://example.com?x'"),
        "4:39: baidu_site: 'https://example.com?...' is not a site as Baidu registers one",
    ),
    row(
        site("scheme: https://"),
        "4:35: scheme: should be 'http' or 'https', not 'https://'; did you mean 'https'?",
    ),
    row(
        site("allow_private: [private]"),
        "4:43: allow_private: 'private' is not a network; write it like 10.0.0.0/8",
    ),
    row(
        site("allow_private: [10.0.0.1/8]"),
        "4:43: allow_private: '10.0.0.1/8' has bits beyond its length; write '10.0.0.0/8'",
    ),
    row(
        site("allow_private: ['::/0']"),
        "4:43: allow_private: '::/0' is every address there is; name the network",
    ),
    row(site("gone_after: 0"), "4:39: gone_after: should be at least 1, not 0"),
    row(site("baidu_files: 0"), "4:40: baidu_files: should be at least 1, not '0'"),
    row(site("guard: {max_gone: 30}"), "4:45: max_gone: should be at most 1, not 30"),
    row(site("guard: off"), "4:34: guard: should be a mapping of keys, not 'off'"),
    row(
        site("sections: [{name: a, match: '^/new/.*'}]"),
        "4:55: match: '^/new/.*' starts with neither / nor *; it is a glob over the path",
    ),
    row(
        site("sections: [{name: a, match: '/new/['}]"),
        "4:55: match: '/new/[' has a bracket without its other half",
    ),
    row(site("sections: [{match: /x}]"), "4:38: 'name' is missing"),
    row(site("sections: [{name: a, match: ''}]"), "4:55: match: is empty"),
    row(fetch("timeout_s: -1"), "1:20: timeout_s: should be above 0, not -1"),
    row(fetch("timeout_s: 30s"), "1:20: timeout_s: should be a number, not '30s'"),
    row(
        fetch("connect_to: {example.com: '127.0.0.1:80'}"),
        "1:22: connect_to: 'example.com' is not HOST:PORT",
    ),
    row(
        fetch("connect_to: {'example.com:443': '127.0.0.1:0'}"),
        "1:41: example.com:443: port '0' is no number from 1 to 65535",
    ),
    row(
        fetch("contact: somebody"),
        "1:18: contact: 'somebody' is neither an address nor a mail address",
    ),
    row(fetch("ports: [70000]"), "1:17: ports: should be at most 65535, not 70000"),
    row(
        "sites:\n  - domain: https://example.com\n",
        "2:13: domain: not a host name: 'https://example.com'",
    ),
    row(
        "sites:\n  - domain: '*.example.com'\n",
        "2:13: domain: neither a host name nor an address: '*.example.com'",
    ),
    row("sites:\n  - subdomains: [www]\n", "2:5: 'domain' is missing"),
    row(
        site("subdomains: [www.example.org]"),
        "4:40: host: 'www.example.org' is outside 'example.com'; write a short name without "
        "dots, or the whole host name",
    ),
    row(
        site("subdomains: [eu.shop]"),
        "4:40: host: 'eu.shop' is outside 'example.com'; write a short name without dots, or "
        "the whole host name",
    ),
    row(
        site("subdomains: [badexample.com]"),
        "4:40: host: 'badexample.com' is outside 'example.com'; write a short name without "
        "dots, or the whole host name",
    ),
    row(site("subdomains: ['sh op']"), "4:40: host: not a host name: 'sh op.example.com'"),
    row(site("subdomains: www"), "4:39: subdomains: should be a list, not 'www'"),
    row(
        site("subdomains: []"), "4:39: subdomains: is empty; leave it out to name the domain itself"
    ),
    row(
        site("subdomains: [[www]]"),
        "4:40: subdomains: should be a name or a mapping with host, not a list",
    ),
    row(site("subdomains: [{tags: [x]}]"), "4:40: 'host' is missing"),
    row(
        site("subdomains: [{host: www, tag: [x]}]"), "4:52: unknown key 'tag'; did you mean 'tags'?"
    ),
    row(
        site("subdomains: [www, WWW.example.com]"),
        "4:45: site 'https://www.example.com' is already at inventory.yaml:4",
    ),
    row(
        ACCOUNT
        + "sites:\n  - domain: example.com\n    subdomains: [shop]\n  - domain: shop.example.com\n",
        "6:13: site 'https://shop.example.com' is already at inventory.yaml:5",
    ),
    row(site("subdomains_file: none.csv"), "4:44: subdomains_file: 'none.csv': no such file"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[expected[0][:60] for _, expected in ROWS])
def test_a_fault_is_named_with_its_place(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert faults(tmp_path, text) == expected


def test_all_faults_are_reported_at_once_and_in_order(tmp_path: Path) -> None:
    write_whole = "write a short name without dots, or the whole host name"
    (tmp_path / "hosts.csv").write_text("host,tags\nblog,x\nwww,\nother.example.org,\n")
    text = """\
nmae: x
accounts:
  a: {engine: console, credentials: CANARY}
  b: {engine: nobody}
defaults:
  accounts: [a, c]
sites:
  - domain: example.com
    subdomains: [www, {host: shop, tag: [x]}, {host: a b}]
    subdomains_file: hosts.csv
    gone_after: never
  - domain: example.net
    subdomains: [www, www]
"""
    assert faults(tmp_path, text) == [
        "1:1: unknown key 'nmae'; did you mean 'name'?",
        f"3:37: credentials: {NOT_A_REFERENCE}",
        "4:15: engine: unknown engine 'nobody'; known: console, push, byhand",
        "6:17: accounts: unknown account 'c'",
        "9:36: unknown key 'tag'; did you mean 'tags'?",
        "9:54: host: not a host name: 'a b.example.com'",
        "11:17: gone_after: should be a whole number, not 'never'",
        "13:23: site 'https://www.example.net' is already at inventory.yaml:13",
        f"hosts.csv:4:1: host: 'other.example.org' is outside 'example.com'; {write_whole}",
    ]


@pytest.mark.parametrize("text", [text for text, _ in ROWS if "CANARY" in text])
def test_no_message_repeats_what_may_be_a_secret(tmp_path: Path, text: str) -> None:
    found = faults(tmp_path, text)
    assert found
    assert "CANARY" not in "\n".join(found)
