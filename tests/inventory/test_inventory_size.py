"""Large inventories: equal values are one object, and work grows with the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inventory_engines import faults, load

from submitter.core.fleet import Fleet

HOSTS = 5_000
HEAD = """\
accounts: {a: {engine: push, token: env:T}, b: {engine: byhand, desk: x}}
defaults:
  accounts: [a]
  sections: [{name: new, match: "/new/*"}]
  guard: {max_gone: 0.2}
  fetch: {timeout_s: 5}
  scope: all
sites:
  - domain: example.com
"""


def by_name(folder: Path) -> Fleet:
    return load(
        folder, HEAD + "    subdomains:\n" + "".join(f"      - s{n}\n" for n in range(HOSTS))
    )


def by_mapping(folder: Path) -> Fleet:
    lines = "".join(
        f"      - {{host: s{n}, accounts: [b, a], tags: [x, t{n % 3}], fetch: {{per_host: 2}}}}\n"
        for n in range(HOSTS)
    )
    return load(folder, HEAD + "    subdomains:\n" + lines)


def by_file(folder: Path) -> Fleet:
    rows = "".join(f"s{n},b;a,x t{n % 3}\n" for n in range(HOSTS))
    (folder / "hosts.csv").write_text(f"host,accounts,tags\n{rows}")
    return load(folder, HEAD + "    subdomains_file: hosts.csv\n")


@pytest.mark.parametrize(("make", "tag_sets"), [(by_name, 1), (by_mapping, 3), (by_file, 3)])
def test_thousands_of_hosts_share_what_is_equal(
    tmp_path: Path, make: Callable[[Path], Fleet], tag_sets: int
) -> None:
    sites = make(tmp_path).sites
    assert len({site.host for site in sites}) == HOSTS
    for name, distinct in {
        "accounts": 1,
        "sections": 1,
        "guard": 1,
        "fetch": 1,
        "settings": 1,
        "allow_private": 1,
        "tags": tag_sets,
    }.items():
        assert len({id(getattr(site, name)) for site in sites}) == distinct, name


def test_thousands_of_faults_are_all_reported(tmp_path: Path) -> None:
    lines = "".join(f"      - {{host: s{n}, tag: [x]}}\n" for n in range(HOSTS))
    found = faults(tmp_path, HEAD + "    subdomains:\n" + lines)
    assert len(found) == HOSTS
    assert found[0] == "11:20: unknown key 'tag'; did you mean 'tags'?"
    assert found[-1] == f"{HOSTS + 10}:23: unknown key 'tag'; did you mean 'tags'?"
