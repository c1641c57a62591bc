"""The schema says what the loader takes: for the shipped file, the example and the starter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from inventory_engines import ENGINES as OTHERS
from inventory_engines import load, write

from submitter.engines import ENGINES
from submitter.inventory.load import load_inventory
from submitter.inventory.schema import inventory_schema, schema_text
from submitter.inventory.starter import starter_inventory

CONFIG = Path(__file__).resolve().parents[2] / "config"
TRAITS = {name: kind.traits for name, kind in ENGINES.items()}


def objects(node: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield path, node
        for key, value in node.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(node, list):
        for item in node:
            yield from objects(item, path)


def test_the_shipped_schema_is_the_one_that_the_models_make() -> None:
    shipped = (CONFIG / "inventory.schema.json").read_text(encoding="utf-8")
    again = "run: submitter schema > config/inventory.schema.json"
    assert shipped == schema_text(TRAITS), again


def test_the_schema_is_one_of_2020_12() -> None:
    schema = inventory_schema(OTHERS)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_key_is_described_and_every_mapping_is_closed() -> None:
    seen = 0
    for path, node in objects(inventory_schema(OTHERS)):
        for name, key in node.get("properties", {}).items():
            assert key.get("description"), f"{path}: {name} is not described"
            seen += 1
        assert "additionalProperties" in node, path
    assert seen > 60


def test_an_account_has_the_keys_of_its_engine_and_no_others() -> None:
    validator = jsonschema.Draft202012Validator(inventory_schema(OTHERS))

    def accepts(account: dict[str, object]) -> bool:
        return validator.is_valid({"sites": [{"domain": "a.example"}], "accounts": {"a": account}})

    assert accepts({"engine": "push", "token": "env:T", "daily_limit": 3})
    assert accepts({"engine": "console", "credentials": "adc"})
    assert accepts({"engine": "byhand", "desk": "Ann"})
    assert not accepts({"engine": "console", "credentials": "env:T", "daily_limit": 3})
    assert not accepts({"engine": "push", "token": "a literal"})
    assert not accepts({"engine": "push", "token": "adc"})
    assert not accepts({"engine": "nobody", "token": "env:T"})
    assert not accepts({"engine": "byhand"})


@pytest.mark.parametrize("level", ["defaults", "domain", "host"])
def test_an_engines_site_options_may_stand_at_every_level(level: str, tmp_path: Path) -> None:
    host = {"host": "www", **({"scope": "x"} if level == "host" else {})}
    site = {"domain": "a.example", "subdomains": [host]}
    if level == "domain":
        site["scope"] = "x"
    document = {"defaults": {"scope": "x"} if level == "defaults" else {}, "sites": [site]}
    jsonschema.validate(document, inventory_schema(OTHERS))
    assert load(tmp_path, json.dumps(document)).sites[0].settings == {"scope": "x"}


@pytest.mark.parametrize(
    "document",
    [
        {"sites": []},
        {"sites": [{"domain": "a.example", "subdomains": []}]},
        {"sites": [{"domain": "a.example", "sitemaps": "robot"}]},
        {"sites": [{"domain": "a.example", "sitemaps": []}]},
        {"sites": [{"domain": "a.example", "gone_after": 0}]},
        {"sites": [{"domain": "a.example", "fetch": {"timeout_s": 0}}]},
        {"sites": [{"domain": "a.example", "fetch": {"ports": [0]}}]},
        {"sites": [{"domain": "a.example", "name": "x"}]},
        {"sites": [{"domain": "a.example"}], "defaults": {"allow_private": ["10.0.0.0/8"]}},
        {"sites": [{"domain": "a.example"}], "version": 2},
        {"sites": [{"domain": "a.example"}], "name": None},
        {"accounts": {}},
    ],
)
def test_what_the_schema_refuses_the_loader_refuses(document: Any, tmp_path: Path) -> None:
    from inventory_engines import faults

    assert not jsonschema.Draft202012Validator(inventory_schema(OTHERS)).is_valid(document)
    assert faults(tmp_path, json.dumps(document))


def test_the_example_loads_and_fits_the_schema() -> None:
    path = CONFIG / "inventory.example.yaml"
    fleet = load_inventory(path, engines=TRAITS)
    jsonschema.validate(yaml.safe_load(path.read_bytes()), inventory_schema(TRAITS))
    assert [site.origin for site in fleet.sites] == [
        "https://example.com",
        "https://www.example.com",
        "https://xn--bcher-kva.example.com",
        "https://shop.example.com",
        "https://blog.example.com",
        "https://news.example.com",
        "https://de.example.com",
        "http://intranet.example",
    ]


def test_the_starter_loads_and_fits_the_schema(tmp_path: Path) -> None:
    text = starter_inventory("my-fleet")
    fleet = load_inventory(write(tmp_path, text), engines=TRAITS)
    jsonschema.validate(yaml.safe_load(text), inventory_schema(TRAITS))
    assert (fleet.name, [site.host for site in fleet.sites]) == (
        "my-fleet",
        ["example.com", "www.example.com"],
    )


def test_what_the_starter_offers_in_comments_is_sound_too(tmp_path: Path) -> None:
    lines = starter_inventory("null").splitlines()
    first = lines.index("version: 1")
    offered = [
        line.replace("# ", "", 1) if line.lstrip().startswith("# ") else line
        for line in lines[first:]
    ]
    (tmp_path / "subdomains.csv").write_text("host\nblog\n")
    fleet = load_inventory(write(tmp_path, "\n".join(offered)), engines=TRAITS)
    assert sorted(fleet.accounts) == ["baidu", "gsc"]
    assert [site.host for site in fleet.sites][2:] == ["shop.example.com", "blog.example.com"]


@pytest.mark.parametrize("name", ["", "my fleet", "a\nb", '"', "-x"])
def test_a_starter_has_a_name_that_can_be_one(name: str) -> None:
    with pytest.raises(ValueError, match="is not a name"):
        starter_inventory(name)
