"""On a server, too, schemas move forward by numbered steps, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg
import pytest
from ledger_processes import finish, start
from ledger_releases import RELEASES, make_release
from ledger_samples import open_ledger

from submitter.ledger.schema import HEAD
from submitter.ledger.views import NAMES
from support.postgres import database

COLUMNS = """
    SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
CONSTRAINTS = """
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace ORDER BY 1
"""


@pytest.fixture
def old_url() -> Iterator[str]:
    """A database whose ledger is made by the test."""
    with database(empty=True) as url:
        yield url


def sqlalchemy_url(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://")


def schema_of(url: str) -> list[list[tuple[Any, ...]]]:
    with psycopg.connect(url) as session:
        return [
            session.execute(query.encode()).fetchall() for query in (COLUMNS, INDEXES, CONSTRAINTS)
        ]


def version_of(url: str) -> str:
    with psycopg.connect(url) as session:
        row = session.execute("SELECT version_num FROM alembic_version").fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize("revision", [RELEASES[0], RELEASES[-1]])
def test_the_ledger_of_an_earlier_release_opens_and_keeps_what_it_knew(
    old_url: str, server_url: str, revision: str
) -> None:
    make_release(sqlalchemy_url(old_url), revision)
    ledger = open_ledger(old_url)
    ledger.bind("f")
    ledger.close()
    migrated, fresh = schema_of(old_url), schema_of(server_url)
    assert migrated == fresh
    assert set(NAMES) <= {column[0] for column in fresh[0]}
    with psycopg.connect(old_url) as session:
        assert session.execute("SELECT value FROM meta WHERE name = 'salt'").fetchall() == [
            ("abcdef",)
        ]
        assert session.execute("SELECT value FROM counter").fetchall() == [(7,)]


MIGRATE = """
import sys
import ledger_processes as processes
from submitter.ledger.opening import open_ledger
processes.Mortal.left = int(sys.argv[2])
open_ledger(sys.argv[1], connect=processes.mortal(sys.argv[1])).close()
"""


def test_a_migration_that_is_killed_leaves_the_old_ledger_and_the_next_finishes_it(
    old_url: str,
) -> None:
    make_release(sqlalchemy_url(old_url), RELEASES[0])
    before = schema_of(old_url)
    code, _ = finish(start(MIGRATE, old_url, 40))
    assert code == -9
    assert version_of(old_url) == RELEASES[0]
    assert schema_of(old_url) == before
    open_ledger(old_url).close()
    assert version_of(old_url) == HEAD


def test_a_ledger_that_was_being_made_when_its_maker_died_is_not_there(old_url: str) -> None:
    code, _ = finish(start(MIGRATE, old_url, 30))
    assert code == -9
    assert schema_of(old_url) == [[], [], []]
    open_ledger(old_url).close()


TOGETHER = """
import sys
from submitter.ledger.opening import open_ledger
print("ready", flush=True)
sys.stdin.readline()
ledger = open_ledger(sys.argv[1])
ledger.bind("f")
ledger.close()
"""


def test_processes_that_migrate_a_ledger_at_once_share_one(old_url: str) -> None:
    make_release(sqlalchemy_url(old_url), RELEASES[0])
    children = [start(TOGETHER, old_url, talk=True) for _ in range(2)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [finish(child)[0] for child in children] == [0, 0]
    assert version_of(old_url) == HEAD


def test_those_that_make_a_ledger_at_once_share_one(old_url: str) -> None:
    barrier = Barrier(4)

    def make(_: int) -> None:
        barrier.wait(60)
        ledger = open_ledger(old_url)
        ledger.bind("fleet")
        ledger.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(4)))
    with psycopg.connect(old_url) as session:
        assert session.execute("SELECT count(*) FROM meta").fetchall() == [(2,)]
        assert session.execute("SELECT value FROM counter").fetchall() == [(0,)]
