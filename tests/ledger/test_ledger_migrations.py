"""Schemas move forward by numbered steps, whole or not at all."""

from __future__ import annotations

import re
import sqlite3
from importlib import resources
from pathlib import Path

import pytest
from ledger_processes import finish, start
from ledger_releases import RELEASES, make_release
from ledger_samples import NOW, open_ledger

from submitter.ledger import crawldays
from submitter.ledger.schema import HEAD
from submitter.ledger.sqlite import APPLICATION_ID
from submitter.ledger.views import NAMES


@pytest.fixture
def before_first(tmp_path: Path) -> Path:
    """A ledger as it was before the first migration: ours, and empty."""
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("CREATE TABLE passing (x)")
    connection.execute("DROP TABLE passing")
    connection.close()
    return path


def schema_of(path: Path) -> dict[str, list[str]]:
    """Name → its definition, as a sorted list of parts: their order means nothing."""
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    ).fetchall()
    connection.close()
    return {name: sorted(re.sub(r"\s+", " ", part).strip(" ()") for part in sql.split(","))
            for name, sql in rows}  # fmt: skip


def test_a_new_ledger_and_a_migrated_one_have_the_same_schema(
    before_first: Path, tmp_path: Path
) -> None:
    open_ledger(f"sqlite:///{before_first}").close()
    open_ledger(f"sqlite:///{tmp_path}/new.db").close()
    migrated, fresh = schema_of(before_first), schema_of(tmp_path / "new.db")
    assert migrated == fresh
    assert set(NAMES) <= set(fresh)


def test_a_migrated_ledger_works(before_first: Path) -> None:
    ledger = open_ledger(f"sqlite:///{before_first}")
    assert ledger.acquire("run", "a", ttl_s=60, now=NOW).fence == 1
    ledger.bind("fleet")
    ledger.close()
    again = open_ledger(f"sqlite:///{before_first}")
    again.bind("fleet")
    again.close()


@pytest.mark.parametrize("revision", RELEASES)
def test_the_ledger_of_every_earlier_release_opens_and_keeps_what_it_knew(
    before_first: Path, tmp_path: Path, revision: str
) -> None:
    make_release(f"sqlite:///{before_first}", revision)
    ledger = open_ledger(f"sqlite:///{before_first}")
    ledger.bind("f")
    ledger.close()
    open_ledger(f"sqlite:///{tmp_path}/new.db").close()
    assert schema_of(before_first) == schema_of(tmp_path / "new.db")
    connection = sqlite3.connect(before_first)
    assert connection.execute("SELECT value FROM meta WHERE name = 'salt'").fetchone() == (
        "abcdef",
    )
    assert connection.execute("SELECT value FROM counter").fetchone() == (7,)
    connection.close()


def test_hours_with_bots_are_known_to_be_read(before_first: Path) -> None:
    """Since 0009, of days without any, too."""
    make_release(f"sqlite:///{before_first}", "0008")
    connection = sqlite3.connect(before_first)
    rows = [(1, 24 * 20_000 + 7, 0), (1, 24 * 20_000 + 7, 1), (1, 24 * 20_002, 0), (2, 480_001, 0)]
    connection.executemany("INSERT INTO crawl_hour VALUES (?, ?, ?, 0, NULL)", rows)
    connection.execute("INSERT INTO crawl_site VALUES (2, 5)")
    connection.commit()
    connection.close()
    open_ledger(f"sqlite:///{before_first}").close()
    connection = sqlite3.connect(before_first)
    found = connection.execute("SELECT * FROM crawl_site ORDER BY site_id").fetchall()
    connection.close()
    assert found == [
        (1, 0, 24 * 20_000 + 7, 24 * 20_002, crawldays.pack([20_000, 20_002])),
        (2, 5, 480_001, 480_001, crawldays.pack([20_000])),
    ]


def test_migrations_are_numbered_without_a_gap_up_to_what_the_code_knows() -> None:
    folder = resources.files("submitter.ledger.migrations.versions")
    names = sorted(one.name for one in folder.iterdir() if one.name[0].isdigit())
    numbers = [name[:4] for name in names]
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
    assert numbers[-1] == HEAD
    for number, name in zip(numbers, names, strict=True):
        assert f'revision = "{number}"' in folder.joinpath(name).read_text(encoding="utf-8")


MIGRATE = """
import sys
import ledger_processes as processes
from submitter.ledger.opening import open_ledger
processes.Mortal.left = int(sys.argv[2])
open_ledger(sys.argv[1], connect=processes.mortal_connect).close()
print(processes.statements_left())
"""


@pytest.mark.parametrize("statement", [8, 12, 20, 30, 45])
def test_a_migration_that_is_killed_leaves_the_old_ledger_and_the_next_finishes_it(
    before_first: Path, tmp_path: Path, statement: int
) -> None:
    code, _ = finish(start(MIGRATE, f"sqlite:///{before_first}", statement))
    assert code == -9
    left = schema_of(before_first)
    assert left == {}
    open_ledger(f"sqlite:///{before_first}").close()
    open_ledger(f"sqlite:///{tmp_path}/new.db").close()
    assert schema_of(before_first) == schema_of(tmp_path / "new.db")


@pytest.mark.parametrize("statement", [3, 10, 40])
def test_a_ledger_that_was_being_made_when_its_maker_died_is_not_there(
    tmp_path: Path, statement: int
) -> None:
    path = tmp_path / "ledger.db"
    code, _ = finish(start(MIGRATE, f"sqlite:///{path}", statement))
    assert code == -9
    assert not path.exists()
    open_ledger(f"sqlite:///{path}").close()


TOGETHER = """
import sys
from submitter.ledger.opening import open_ledger
print("ready", flush=True)
sys.stdin.readline()
ledger = open_ledger(sys.argv[1])
ledger.bind("fleet")
ledger.close()
"""


@pytest.mark.parametrize("new", [True, False])
def test_processes_that_make_or_migrate_a_ledger_at_once_share_one(
    before_first: Path, tmp_path: Path, new: bool
) -> None:
    path = tmp_path / "new.db" if new else before_first
    children = [start(TOGETHER, f"sqlite:///{path}", talk=True) for _ in range(4)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        code, _ = finish(child)
        assert code == 0
    ledger = open_ledger(f"sqlite:///{path}")
    ledger.bind("fleet")
    ledger.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM meta WHERE name = 'salt'").fetchone() == (1,)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
