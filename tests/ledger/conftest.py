"""One contract suite over every kind of ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from ledger_samples import NOW, open_ledger

from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease
from support import postgres

Place = Callable[[Path], AbstractContextManager[str]]

KINDS: dict[str, Place] = {
    "file": lambda folder: nullcontext(f"sqlite:///{folder}/ledger.db"),
    "memory": lambda folder: nullcontext("sqlite:///:memory:"),
    "postgres": lambda folder: postgres.database(),
}
SHARED = ("file", "postgres")
"""Kinds that several processes can open."""


@pytest.fixture(params=sorted(KINDS))
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlLedger]:
    with KINDS[request.param](tmp_path) as url:
        opened = open_ledger(url)
        try:
            yield opened
        finally:
            opened.close()


@pytest.fixture
def lease(ledger: SqlLedger) -> Lease:
    return ledger.acquire("run", "tests", ttl_s=3600, now=NOW)


@pytest.fixture(params=SHARED)
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a ledger for several processes."""
    with KINDS[request.param](tmp_path) as url:
        yield url


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/ledger.db"


@pytest.fixture
def server_url() -> Iterator[str]:
    """The address of a ledger on a PostgreSQL server, for this test alone."""
    with postgres.database() as url:
        yield url
