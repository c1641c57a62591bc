"""Fixtures of the command line: a clean folder, a clean environment, and a way to call it."""

from __future__ import annotations

from pathlib import Path

import pytest
from calling import Answer, Call

from submitter.cli.exits import run


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """`call("status", "--json")` as a person would type it."""

    def submitter(*argv: object) -> Answer:
        code = run([str(word) for word in argv])
        written = capsys.readouterr()
        return Answer(int(code), written.out, written.err)

    return submitter


INVENTORY = """\
version: 1
name: shops
ledger: sqlite:///submitter.db
accounts:
  baidu: {engine: baidu, token: env:BAIDU_TOKEN}
  google: {engine: google, credentials: file:google.json}
sites:
  - domain: example.com
    sitemaps: ["https://{host}/sitemap.xml"]
    accounts: [baidu]
    subdomains:
      - {host: www, tags: [main]}
      - {host: shop, accounts: [baidu, google]}
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """Two sites, nothing ever told; nothing of it can be reached."""
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY, encoding="utf-8")
    return path
