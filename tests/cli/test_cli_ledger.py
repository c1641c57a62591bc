"""`submitter ledger`, and commands on a PostgreSQL ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from calling import Answer, Call

from submitter.ledger import open_ledger
from support.postgres import as_user, database

NOW = datetime.now(UTC)
PASSWORD = "kept-to-ourselves"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A ledger that knows its fleet."""
    ledger = open_ledger(f"sqlite:///{tmp_path}/submitter.db")
    ledger.bind("shops")
    ledger.start_run("r1", inventory_sha256="", at=NOW)
    ledger.close()  # type: ignore[attr-defined]
    return tmp_path / "submitter.db"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty database, with a password, in `DATABASE_URL`."""
    with database(empty=True) as url:
        parts = urlsplit(url)
        found = as_user(url, parts.username or "", parts.password or PASSWORD)
        monkeypatch.setenv("DATABASE_URL", found)
        yield found


def no_secret_in(answer: Answer, url: str) -> None:
    assert str(urlsplit(url).password) not in answer.stdout + answer.stderr


def test_a_ledger_is_copied_and_goes_on_there(
    call: Call, inventory: Path, source: Path, server: str
) -> None:
    answer = call("-v", "-v", "ledger", "copy", f"sqlite:///{source}", "env:DATABASE_URL")
    assert answer.exit_code == 0, answer.stderr
    assert "5 rows, counted at both ends" in " ".join(answer.stdout.split())
    no_secret_in(answer, server)
    inventory.write_text(
        inventory.read_text(encoding="utf-8").replace("sqlite:///submitter.db", "env:DATABASE_URL"),
        encoding="utf-8",
    )
    answer = call("ledger", "info", "--json")
    no_secret_in(answer, server)
    rows = {one["table"]: one["rows"] for one in answer.json()["tables"]}
    assert (rows["run"], rows["meta"], rows["lease"]) == (1, 2, 1)
    assert answer.json()["rows"] == sum(rows.values())
    assert call("status", "--json").exit_code == 0


def test_a_copy_is_told_as_json_too(call: Call, source: Path) -> None:
    document = call("ledger", "copy", f"sqlite:///{source}", "sqlite:///new.db", "--json").json()
    assert (document["source"], document["target"]) == (str(source), "new.db")
    assert {one["table"]: one["rows"] for one in document["tables"]}["run"] == 1


@pytest.mark.parametrize(
    ("source_name", "target", "code", "said"),
    [
        ("sqlite:///missing.db", "sqlite:///new.db", 8, "there is none"),
        ("sqlite:///submitter.db", "sqlite:///submitter.db", 8, "holds something already"),
        ("nowhere", "sqlite:///new.db", 2, "a ledger is sqlite:///PATH, postgresql://"),
        (f"postgresql://user:{PASSWORD}@host/db", "sqlite:///new.db", 2, "write env:NAME"),
        ("sqlite:///submitter.db", "env:NO_SUCH", 2, "NO_SUCH"),
    ],
)
def test_what_cannot_be_copied_is_said_and_left(
    call: Call, source: Path, source_name: str, target: str, code: int, said: str
) -> None:
    before = source.read_bytes()
    answer = call("ledger", "copy", source_name, target)
    assert answer.exit_code == code
    assert said in answer.stderr
    assert PASSWORD not in answer.stderr + answer.stdout
    assert not Path("missing.db").exists()
    if "submitter.db" not in source_name:
        assert source.read_bytes() == before


def test_a_ledger_that_a_run_holds_is_busy(call: Call, source: Path) -> None:
    ledger = open_ledger(f"sqlite:///{source}")
    ledger.acquire("run", "somewhere else", ttl_s=600, now=datetime.now(UTC))
    answer = call("ledger", "copy", f"sqlite:///{source}", "sqlite:///new.db")
    assert answer.exit_code == 75
    ledger.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [("status",), ("ledger", "info")])
def test_a_server_that_is_not_there_is_a_ledger_error(
    call: Call, inventory: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    url = f"postgresql://user:{PASSWORD}@127.0.0.1:1/ledger"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("SUBMITTER_LEDGER", "env:DATABASE_URL")
    answer = call("-v", "-v", *command, "--json")
    assert answer.exit_code == 8
    assert "the server cannot be reached" in answer.json()["error"]["message"]
    no_secret_in(answer, url)
