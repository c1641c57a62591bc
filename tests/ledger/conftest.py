"""One contract suite over every kind of ledger; PostgreSQL becomes one more row of KINDS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_samples import NOW, open_ledger

from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease

KINDS = {
    "file": lambda folder: f"sqlite:///{folder}/ledger.db",
    "memory": lambda folder: "sqlite:///:memory:",
}


@pytest.fixture(params=sorted(KINDS))
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlLedger]:
    opened = open_ledger(KINDS[request.param](tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def lease(ledger: SqlLedger) -> Lease:
    return ledger.acquire("run", "tests", ttl_s=3600, now=NOW)


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/ledger.db"
