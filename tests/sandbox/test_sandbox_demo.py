"""The demo: an inventory with one of everything, ready to run."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from submitter.cli.exits import run
from submitter.sandbox import Sandbox
from submitter.sandbox.demo import FURTHER


@pytest.fixture
def path(sandbox: Sandbox, tmp_path: Path) -> Path:
    return sandbox.write_demo(tmp_path)


@pytest.fixture
def inventory(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_secrets_are_for_the_owners_eyes_only(path: Path) -> None:
    for name in ("google.json", "baidu.token"):
        secret = path.parent / "secrets" / name
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    text = path.read_text(encoding="utf-8")
    assert "PRIVATE KEY" not in text
    assert (path.parent / "secrets" / "baidu.token").read_text() not in text


def test_accounts_point_at_the_sandbox(inventory: Any, sandbox: Sandbox, path: Path) -> None:
    accounts = inventory["accounts"]
    assert accounts["google"]["endpoint"] == sandbox.google.endpoint
    assert accounts["baidu"]["endpoint"] == sandbox.baidu.endpoint
    key = json.loads((path.parent / "secrets" / "google.json").read_text())
    assert key["token_uri"] == f"{sandbox.google.endpoint}/token"


def test_every_host_is_reached_through_connect_to(
    inventory: Any, sandbox: Sandbox, http: requests.Session
) -> None:
    (domain,) = inventory["sites"]
    hosts = [f"{entry['host']}.{domain['domain']}" for entry in domain["subdomains"]]
    assert set(inventory["fetch"]["connect_to"]) == {f"{host}:80" for host in hosts}
    assert domain["allow_private"] == ["127.0.0.0/8"]
    for host in hosts:
        peer = inventory["fetch"]["connect_to"][f"{host}:80"]
        answer = http.get(f"http://{peer}/robots.txt", headers={"Host": host}, timeout=10)
        assert answer.status_code == 200


def test_it_shows_one_of_everything(inventory: Any, sandbox: Sandbox) -> None:
    (domain,) = inventory["sites"]
    entries = {entry["host"]: entry for entry in domain["subdomains"]}
    fleet, (account,) = sandbox.fleet, sandbox.google.accounts.values()
    assert account.properties == {
        "sc-domain:fleet.test": "siteOwner",
        "http://press.fleet.test/": "siteRestrictedUser",
    }
    assert entries["partner"]["google_property"] == "host"
    assert fleet.site("empty").count() == 0
    assert fleet.site("shop").count() > sandbox.baidu.left("shop.fleet.test") > 0
    assert fleet.site("www").count() < sandbox.baidu.left("www.fleet.test")
    assert "Disallow: /\n" in fleet.site("closed").robots
    cut = fleet.fetch("http://broken.fleet.test/sitemap.xml")
    assert cut is not None
    assert b"</urlset>" not in cut


def test_writing_it_again_keeps_the_account_and_renews_the_addresses(
    sandbox: Sandbox, path: Path
) -> None:
    before = (path.parent / "secrets" / "google.json").read_text()
    assert sandbox.write_demo(path.parent) == path
    assert (path.parent / "secrets" / "google.json").read_text() == before


def test_further_engines_are_told_one_more_site(sandbox: Sandbox, tmp_path: Path) -> None:
    path = sandbox.write_demo(tmp_path, further=("bing", "yandex", "seznam"))
    inventory = yaml.safe_load(path.read_text(encoding="utf-8"))
    *_, market = inventory["sites"][0]["subdomains"]
    assert (market["host"], market["accounts"]) == ("market", ["bing", "yandex", "seznam"])
    assert "market.fleet.test:80" in inventory["fetch"]["connect_to"]
    for name in ("bing", "yandex", "seznam"):
        keys = inventory["accounts"][name]
        assert keys["endpoint"] == f"{sandbox.base_url}/{name}"
        secret = tmp_path / f"secrets/{name}.token"
        assert f"file:secrets/{name}.token" in keys.values()
        assert secret.read_text() not in path.read_text(encoding="utf-8")
    assert sandbox.fleet.site("market").count() > sandbox.bing.left("http://market.fleet.test/") > 0


def test_without_further_engines_the_demo_is_as_short_as_ever(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "market" not in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("engine", FURTHER)
def test_a_site_of_a_further_engine_is_told_end_to_end(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    path = sandbox.write_demo(tmp_path, further=(engine,))
    assert run(["-i", str(path), "run", "--site", "market*", "--no-verify", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts["pages"]["accepted"] + counts["pages"]["received"] > 0
    assert counts["pages"]["failed"] == counts["pages"]["rejected"] == 0


def test_a_port_that_is_taken_is_named(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = sandbox.address.rpartition(":")[2]
    assert run(["sandbox", "--directory", str(tmp_path / "new"), "--port", port]) == 2
    assert f"cannot listen at port {port}: Address already in use" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
