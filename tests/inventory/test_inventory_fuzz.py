"""Whatever stands in the files: frozen values or a ConfigError, and nobody is called."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inventory_engines import ENGINES, write

from submitter.core.fleet import Fleet
from submitter.errors import ConfigError
from submitter.inventory.load import load_inventory
from submitter.inventory.models import (
    DomainKeys,
    FetchKeys,
    GuardKeys,
    InventoryKeys,
    LimitKeys,
    SectionKeys,
)

pytestmark = pytest.mark.disable_socket

KEYS = sorted(
    {
        *InventoryKeys.model_fields,
        *DomainKeys.model_fields,
        *FetchKeys.model_fields,
        *GuardKeys.model_fields,
        *SectionKeys.model_fields,
        *LimitKeys.model_fields,
        *("engine", "credentials", "token", "endpoint", "trust_endpoint", "host", "scope", "desk"),
    }
)
WORDS = [
    "example.com", "www", "@", "robots", "a", "gsc", "console", "push", "byhand", "env:NAME",
    "file:x", "adc", "https://{host}/s.xml", "http://127.0.0.1:1", "10.0.0.0/8", "/new/*", "domain",
    "host", "http", "sqlite:///x.db", "1", "0.5", "true", "all", "hosts.csv", "example.com:443",
    "xn--a", "[::1]", "1.2.3", "ß.example", "::1", "[", "{", "//", "https://[", "http://a:b:c/",
]  # fmt: skip
scalars = st.one_of(
    st.sampled_from(WORDS), st.text(max_size=12), st.integers(), st.booleans(), st.none()
)
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=6), inner, max_size=5)
    ),
    max_leaves=25,
)
near = st.fixed_dictionaries(
    {"sites": st.lists(st.dictionaries(st.sampled_from(sorted(DomainKeys.model_fields)), trees))},
    optional={"accounts": st.dictionaries(st.sampled_from(["gsc", "a"]), trees), "defaults": trees},
)


def load_text(text: str | bytes, rows: str | bytes = "host\nwww\n") -> Fleet | ConfigError:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows, "hosts.csv")
        path = write(Path(folder), text)
        try:
            return load_inventory(path, engines=ENGINES)
        except ConfigError as error:
            found = error
    assert found.faults
    assert all(fault.problem.isprintable() for fault in found.faults)
    return found


@given(st.binary(max_size=300))
@example(b"\xff\xfe")
@example(b"a: \x00")
@example(b"\x85a: 1")
def test_any_bytes_are_an_inventory_or_a_fault(body: bytes) -> None:
    load_text(body)


@given(st.text("abc:-[]{}&*!|>'\"#%@`,? \n\t\\é~<=0", max_size=120))
def test_any_yaml_is_an_inventory_or_a_fault(text: str) -> None:
    load_text(text)


@given(trees | near)
@example({"sites": [{"domain": "example.com", "subdomains": [{"host": "www", "fetch": {}}]}]})
@example({"sites": [{"domain": "[::1]", "subdomains": ["www"]}]})
def test_any_tree_is_an_inventory_or_a_fault(tree: Any) -> None:
    load_text(json.dumps(tree))


@given(st.text('host,tags\r\n" ;wäx@', max_size=60) | st.binary(max_size=60))
def test_any_rows_are_hosts_or_faults(rows: str | bytes) -> None:
    text = "sites: [{domain: example.com, subdomains_file: hosts.csv}]"
    load_text(text, rows)
    load_text(text, b"host,tags\n" + (rows.encode() if isinstance(rows, str) else rows))


@given(st.sampled_from(["credentials", "second", "token"]), st.text(min_size=8, max_size=40))
def test_a_literal_secret_is_never_repeated(key: str, noise: str) -> None:
    secret = f"CANARY{noise}"
    engine = "console" if key == "credentials" else "push"
    tree = {
        "accounts": {"a": {"engine": engine, "token": "env:T", key: secret}},
        "sites": [{"domain": "example.com"}],
    }
    error = load_text(json.dumps(tree))
    assert isinstance(error, ConfigError)
    shown: BaseException | None = error
    while shown is not None:
        assert "CANARY" not in f"{shown}{shown!r}"
        shown = shown.__context__
