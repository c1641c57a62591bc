"""`report --html` and `serve`, as a person calls them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from submitter.cli.exits import run

PATIENCE_S = 60
INVENTORY = """\
version: 1
name: painted-fleet
ledger: sqlite:///l.db
accounts: {in: {engine: indexnow, key: env:NO_SUCH_KEY}}
defaults: {accounts: [in]}
sites: [{domain: example.com, subdomains: [www, shop]}]
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY)
    return path


@contextmanager
def serving(inventory: Path, *words: str, **environ: str) -> Iterator[Any]:
    call = [sys.executable, "-m", "submitter", "-i", str(inventory), "serve", "--json", *words]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, env={**os.environ, **environ})
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)


def body(address: str, **headers: str) -> str:
    asked = urllib.request.Request(address, headers=headers)  # noqa: S310 - our own loopback
    with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310
        return str(answer.read().decode())


def test_the_page_is_written_without_any_secret(
    inventory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert run(["-i", str(inventory), "report", "--html", str(page)]) == 0
    assert "The dashboard is in" in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert "shop.example.com" in text
    assert "never told" in text


def test_a_page_that_cannot_be_written_is_said(inventory: Path, tmp_path: Path) -> None:
    missing = tmp_path / "no-such-folder" / "report.html"
    assert run(["-i", str(inventory), "report", "--html", str(missing)]) not in (0, 1)


def test_the_live_page_is_served_and_counted(inventory: Path) -> None:
    with serving(inventory, "--port", "0") as said:
        assert said["token_needed"] is False
        assert "shop.example.com" in body(said["address"])
        assert "submitter_" in body(f"{said['address']}metrics")


def test_beyond_loopback_a_token_is_needed(
    inventory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUBMITTER_DASHBOARD_TOKEN", raising=False)
    for address in ("0.0.0.0", "10.0.0.1", "dashboard.example.com"):
        assert run(["-i", str(inventory), "serve", "--address", address, "--port", "0"]) == 2
        assert "a token is needed" in capsys.readouterr().err


@pytest.mark.parametrize("token", ["short", "a-literal-token-is-no-reference"])
def test_a_token_is_a_reference_and_long(
    inventory: Path, capsys: pytest.CaptureFixture[str], token: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("SHORT", "short")
    reference = "env:SHORT" if token == "short" else token
    assert run(["-i", str(inventory), "serve", "--port", "0", "--token", reference]) == 2
    assert token not in capsys.readouterr().err.replace("shorter", "")


def test_a_token_from_the_environment_opens_the_door(inventory: Path) -> None:
    token = "a-token-that-nobody-guesses"
    with serving(inventory, "--port", "0", SUBMITTER_DASHBOARD_TOKEN=token) as said:
        assert said["token_needed"] is True
        with pytest.raises(urllib.error.HTTPError) as refused:
            body(said["address"])
        refused.value.close()
        assert refused.value.code == 401
        assert "painted-fleet" in body(said["address"], Authorization=f"Bearer {token}")


def test_a_taken_port_is_said(inventory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(inventory, "--port", "0") as said:
        port = said["address"].rstrip("/").rpartition(":")[2]
        assert run(["-i", str(inventory), "serve", "--port", port]) == 2
        assert "cannot listen" in capsys.readouterr().err
