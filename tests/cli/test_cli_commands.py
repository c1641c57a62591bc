"""Commands that need no network: init, schema, check offline, status, log, explain, selection."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from calling import Call

from submitter.inventory.schema import inventory_schema
from submitter.wiring import TRAITS, load_fleet


def test_init_writes_an_inventory_that_loads(call: Call, tmp_path: Path) -> None:
    answer = call("init")
    assert answer.exit_code == 0
    assert "submitter check --online" in answer.stdout
    assert load_fleet(tmp_path / "inventory.yaml").sites


def test_init_never_writes_over_a_file_unless_forced(call: Call, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("mine", encoding="utf-8")
    answer = call("-i", mine, "init")
    assert answer.exit_code == 2
    assert "--force" in answer.stderr
    assert mine.read_text(encoding="utf-8") == "mine"
    assert call("-i", mine, "init", "--force", "--json").json()["path"] == str(mine)
    assert mine.read_text(encoding="utf-8") != "mine"


def test_init_into_a_folder_that_is_not_there_is_a_persons_mistake(call: Call) -> None:
    answer = call("-i", "no/such/folder/inventory.yaml", "init")
    assert answer.exit_code == 2
    assert "No such file or directory" in answer.stderr


def test_schema_prints_the_schema_and_nothing_else(call: Call) -> None:
    answer = call("schema")
    assert json.loads(answer.stdout) == inventory_schema(TRAITS)
    assert answer.stderr == ""


@pytest.mark.usefixtures("inventory")
def test_check_names_every_secret_that_is_not_there(call: Call) -> None:
    answer = call("check", "--json")
    assert answer.exit_code == 2
    document = answer.json()
    assert document["ok"] is False
    causes = {one["account"]: (one["state"], one["cause"]) for one in document["accounts"]}
    assert causes == {
        "baidu": ("failed", "secret-missing"),
        "google": ("failed", "secret-missing"),
    }
    assert "BAIDU_TOKEN" in document["accounts"][0]["message"]


@pytest.mark.usefixtures("inventory")
def test_check_offline_asks_nobody_and_says_so(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAIDU_TOKEN", "s3cret-canary-token")
    answer = call("check", "--account", "baidu", "--json")
    assert answer.exit_code == 0
    document = answer.json()
    assert document["ok"] is True
    assert document["online"] is False
    assert [one["state"] for one in document["accounts"]] == ["unchecked"]
    assert {(one["site"], one["state"]) for one in document["targets"]} == {
        ("https://www.example.com", "unchecked"),
        ("https://shop.example.com", "unchecked"),
    }


@pytest.mark.parametrize("command", ["check", "plan", "run", "verify", "status", "log"])
@pytest.mark.usefixtures("inventory")
def test_a_selection_of_nothing_exits_7_and_names_the_nearest(call: Call, command: str) -> None:
    answer = call(command, "--site", "shp.example.com")
    assert answer.exit_code == 7
    assert answer.stdout == ""
    assert "--site 'shp.example.com'" in answer.stderr
    assert "shop.example.com" in answer.stderr


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("--engine", "gogle", "google"),
        ("--account", "baidoo", "baidu"),
        ("--tag", "mian", "main"),
        ("--tag", "zzz", "there are: main"),
        ("--site", "zzz", "; there are: shop.example.com, www.example.com\n"),
        ("--site", "ftp://z", "; there are: https://shop.example.com, https://www.example.com\n"),
    ],
)
@pytest.mark.usefixtures("inventory")
def test_each_kind_of_selection_is_named(call: Call, option: str, value: str, hint: str) -> None:
    answer = call("status", option, value)
    assert answer.exit_code == 7
    assert f"{option} {value!r}" in answer.stderr
    assert hint in answer.stderr


def test_of_many_names_some_are_named_and_the_rest_is_counted(call: Call, tmp_path: Path) -> None:
    hosts = ", ".join(f"h{number}" for number in range(8))
    accounts = "accounts: {baidu: {engine: baidu, token: env:BAIDU_TOKEN}}"
    sites = f"sites: [{{domain: example.com, accounts: [baidu], subdomains: [{hosts}]}}]"
    text = f"version: 1\nname: many\n{accounts}\n{sites}\n"
    (tmp_path / "inventory.yaml").write_text(text, encoding="utf-8")
    answer = call("status", "--site", "zzz")
    assert answer.exit_code == 7
    assert "there are: h0.example.com, h1.example.com" in answer.stderr
    assert "h4.example.com and 3 more\n" in answer.stderr


@pytest.mark.usefixtures("inventory")
def test_parts_that_match_alone_and_not_together_are_said_to(call: Call) -> None:
    answer = call("status", "--tag", "main", "--account", "google")
    assert answer.exit_code == 7
    assert "no target matches them all" in answer.stderr


@pytest.mark.usefixtures("inventory")
def test_a_selection_of_nothing_is_one_document_with_json(call: Call) -> None:
    assert call("log", "--site", "x", "--json").json()["error"]["exit_code"] == 7


@pytest.mark.usefixtures("inventory")
def test_status_before_the_first_run_shows_what_is_declared(call: Call) -> None:
    rows = call("status", "--json").json()
    states = {(row["site"], row["account"]): row["state"] for row in rows}
    assert states == {
        ("https://www.example.com", "baidu"): "not_supported",
        ("https://shop.example.com", "baidu"): "not_supported",
        ("https://shop.example.com", "google"): "never_submitted",
    }
    assert all(row["sitemap"].endswith("/sitemap.xml") for row in rows)


@pytest.mark.parametrize(
    ("form", "text"), [("--json", "[]\n"), ("--jsonl", ""), ("--csv", "id,run,action")]
)
@pytest.mark.usefixtures("inventory")
def test_an_empty_log_is_empty_in_every_form(call: Call, form: str, text: str) -> None:
    answer = call("log", form)
    assert answer.exit_code == 0
    assert answer.stdout.startswith(text)
    assert answer.stderr == ""


@pytest.mark.usefixtures("inventory")
def test_log_takes_one_form_at_a_time(call: Call) -> None:
    assert call("log", "--jsonl", "--csv").exit_code == 2


@pytest.mark.parametrize("since", ["2d", "90min", "2026-11-30", "2026-11-30T16:43:00+08:00"])
@pytest.mark.usefixtures("inventory")
def test_log_takes_times_and_lengths(call: Call, since: str) -> None:
    assert call("log", "--since", since).exit_code == 0


@pytest.mark.parametrize("since", ["yesterday", "2x", "2026-13-01", "999999w", ""])
@pytest.mark.usefixtures("inventory")
def test_log_says_what_a_time_looks_like(call: Call, since: str) -> None:
    answer = call("log", "--since", since)
    assert answer.exit_code == 2
    assert "2026-11-30T16:43Z" in answer.stderr


@pytest.mark.usefixtures("inventory")
def test_an_address_nobody_knows_exits_7_with_the_whole_shape(call: Call) -> None:
    answer = call("explain", "https://www.example.com/p", "--json")
    assert answer.exit_code == 7
    document = answer.json()
    assert document["kind"] == "unknown"
    assert (document["documents"], document["targets"]) == ([], [])


@pytest.mark.usefixtures("inventory")
def test_what_is_no_address_cannot_be_explained(call: Call) -> None:
    answer = call("explain", "www.example.com")
    assert answer.exit_code == 2
    assert "not an absolute address" in answer.stderr


@pytest.mark.parametrize("command", ["run", "verify"])
@pytest.mark.usefixtures("inventory")
def test_missing_secrets_end_a_run_before_it_begins(
    call: Call, command: str, tmp_path: Path
) -> None:
    answer = call(command)
    assert answer.exit_code == 2
    assert "BAIDU_TOKEN" in answer.stderr
    assert "google.json" in answer.stderr
    assert not (tmp_path / "submitter.db").exists()


@pytest.mark.usefixtures("inventory")
def test_a_missing_secret_says_whose_it_is_and_what_to_do(call: Call) -> None:
    answer = call("run", "--json")
    assert answer.exit_code == 2
    baidu, google = answer.json()["error"]["faults"]
    assert [baidu["where"], google["where"]] == ["accounts.baidu", "accounts.google"]
    assert "env:BAIDU_TOKEN: the environment variable is not set" in baidu["problem"]
    assert "used by 2 sites;" in baidu["problem"]
    assert "used by 1 site;" in google["problem"]
    assert "`submitter check`" in baidu["problem"]
    assert (baidu["line"], baidu["column"]) == (None, None)
    assert "accounts.baidu: env:BAIDU_TOKEN" in answer.stderr


@pytest.mark.usefixtures("inventory")
def test_accounts_that_share_a_secret_are_each_named(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "inventory.yaml"
    more = "  again: {engine: baidu, token: env:BAIDU_TOKEN}\nsites:"
    text = path.read_text(encoding="utf-8").replace("sites:", more, 1)
    path.write_text(text.replace("accounts: [baidu]", "accounts: [baidu, again]"), encoding="utf-8")
    faults = call("run", "--account", "baidu", "--account", "again", "--json").json()["error"][
        "faults"
    ]
    assert [one["where"] for one in faults] == ["accounts.again", "accounts.baidu"]


@pytest.mark.usefixtures("inventory")
def test_the_inventory_and_the_ledger_may_be_named_by_variables(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inventory.yaml").rename(tmp_path / "other.yaml")
    monkeypatch.setenv("SUBMITTER_INVENTORY", "other.yaml")
    monkeypatch.setenv("SUBMITTER_LEDGER", "sqlite:///elsewhere.db")
    assert call("status").exit_code == 0
    assert (tmp_path / "elsewhere.db").exists()
    assert not (tmp_path / "submitter.db").exists()


def test_the_sandbox_folder_holds_secrets_for_their_owner_only(call: Call, tmp_path: Path) -> None:
    from submitter.sandbox import Sandbox

    with Sandbox() as sandbox:
        path = sandbox.write_demo(tmp_path / "demo")
        mode = stat.S_IMODE((path.parent / "secrets").stat().st_mode)
        assert mode & 0o077 == 0
        assert call("-i", path, "check").exit_code == 0
