"""`submitter indexnow key`: a key is made once, shown shortened, and its file looked for."""

from __future__ import annotations

import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import Call

from submitter.cli.commands.indexnow import write_key_file
from submitter.errors import ConfigError
from submitter.sandbox import Sandbox

KEY = "0f1e2d3c4b5a6978-canary"


def the_file(directory: Path) -> Path:
    (file,) = directory.glob("*.txt")
    return file


def test_a_key_is_its_files_name_and_all_it_holds(call: Call, tmp_path: Path) -> None:
    assert call("indexnow", "key").exit_code == 0
    file = the_file(tmp_path)
    assert file.read_bytes() == file.stem.encode()
    assert re.fullmatch(r"[0-9a-f]{32}", file.stem)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_two_keys_are_two_files(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    for _ in range(2):
        assert call("indexnow", "key", "--directory", folder).exit_code == 0
    assert len(list(folder.glob("*.txt"))) == 2


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_key_is_shown_by_its_first_four_letters(
    call: Call, tmp_path: Path, form: tuple[str, ...]
) -> None:
    answer = call("indexnow", "key", *form)
    key = the_file(tmp_path).stem
    assert key not in answer.stdout + answer.stderr
    assert f"{key[:4]}…" in answer.stdout


def test_the_next_steps_find_the_key_in_a_shell(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    document = call("indexnow", "key", "--directory", folder, "--json").json()
    assert document["reference"] == "env:INDEXNOW_KEY"
    (export,) = [step for step in document["next"] if step.startswith("export ")]
    done = subprocess.run(
        ["sh", "-c", f'{export}; printf %s "$INDEXNOW_KEY"'],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout == the_file(folder).stem


def test_no_file_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / f"{KEY}.txt"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        write_key_file(tmp_path, KEY)
    assert file.read_text(encoding="utf-8") == "mine"
    assert KEY not in str(caught.value)


def test_a_folder_that_is_not_there_is_a_persons_mistake(call: Call, tmp_path: Path) -> None:
    answer = call("indexnow", "key", "--directory", tmp_path / "nowhere")
    assert answer.exit_code == 2
    assert "No such file or directory" in answer.stderr


# ---------------------------------------------------------------- an account of the inventory


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture
def inventory(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two hosts of the sandbox with one key."""
    monkeypatch.setenv("INDEXNOW_KEY", KEY)
    sites = [sandbox.fleet.add_site(name) for name in ("www", "shop")]
    peers = "\n".join(f'    "{site.host}:80": "{sandbox.address}"' for site in sites)
    path = tmp_path / "inventory.yaml"
    path.write_text(
        f"""\
version: 1
name: shops
ledger: sqlite:///submitter.db
accounts:
  indexnow: {{engine: indexnow, key: env:INDEXNOW_KEY, endpoint: "{sandbox.indexnow.endpoint}"}}
  baidu: {{engine: baidu, token: env:BAIDU_TOKEN}}
defaults:
  scheme: http
  sitemaps: ["http://{{host}}/sitemap-index.xml"]
fetch:
  connect_to:
{peers}
sites:
  - domain: fleet.test
    accounts: [indexnow]
    allow_private: [127.0.0.0/8]
    subdomains: [www, shop]
""",
        encoding="utf-8",
    )
    return path


@pytest.mark.usefixtures("inventory")
def test_an_accounts_hosts_and_reference_are_named(call: Call) -> None:
    document = call("indexnow", "key", "--account", "indexnow", "--json").json()
    assert document["hosts"] == ["www.fleet.test", "shop.fleet.test"]
    assert document["reference"] == "env:INDEXNOW_KEY"
    assert document["next"][-1] == "submitter indexnow key --check --account indexnow"


@pytest.mark.usefixtures("inventory")
@pytest.mark.parametrize("name", ["baidu", "indexnew"])
def test_another_engines_account_gets_no_key(call: Call, tmp_path: Path, name: str) -> None:
    answer = call("indexnow", "key", "--account", name)
    assert answer.exit_code == 7
    assert "there are: indexnow" in answer.stderr
    assert not list(tmp_path.glob("*.txt"))


@pytest.mark.usefixtures("inventory")
def test_a_check_tells_each_host_apart(call: Call, sandbox: Sandbox) -> None:
    sandbox.fleet.site("www").put(f"/{KEY}.txt", KEY, "text/plain")
    answer = call("indexnow", "key", "--check", "--json")
    assert answer.exit_code == 4
    states = {one["property"]: (one["state"], one["cause"]) for one in answer.json()["targets"]}
    assert states == {
        "www.fleet.test": ("ok", None),
        "shop.fleet.test": ("failed", "key-file-missing"),
    }
    assert KEY not in answer.stdout + answer.stderr


@pytest.mark.usefixtures("inventory")
def test_a_check_makes_and_posts_nothing(call: Call, sandbox: Sandbox, tmp_path: Path) -> None:
    for name in ("www", "shop"):
        sandbox.fleet.site(name).put(f"/{KEY}.txt", f"{KEY}\n", "text/plain")
    answer = call("indexnow", "key", "--check", "--account", "indexnow")
    assert answer.exit_code == 0
    assert answer.stdout.strip().endswith("ready: 2 sites, 2 targets, 0 of them failed")
    assert sandbox.indexnow.book.count() == 0
    assert not list(tmp_path.glob("*.txt"))


@pytest.mark.usefixtures("inventory")
def test_what_is_wrong_is_said_with_the_next_step(call: Call, sandbox: Sandbox) -> None:
    for name in ("www", "shop"):
        sandbox.fleet.site(name).put(f"/{KEY}.txt", "<html>Welcome", "text/html")
    answer = call("indexnow", "key", "--check")
    assert answer.exit_code == 4
    assert "key-file-html, 2x" in answer.stdout
    assert "Next: Put a plain text file there" in answer.stdout
    assert KEY not in answer.stdout
