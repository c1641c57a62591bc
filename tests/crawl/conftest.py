"""A ledger of every kind, and one that is made quickly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from submitter.ledger import open_ledger
from submitter.ledger.ledger import SqlLedger
from support import postgres


@pytest.fixture
def memory() -> Iterator[SqlLedger]:
    opened = open_ledger("sqlite:///:memory:")
    yield opened
    opened.close()


@pytest.fixture(params=["file", "memory", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlLedger]:
    kinds = {
        "file": lambda: nullcontext(f"sqlite:///{tmp_path}/ledger.db"),
        "memory": lambda: nullcontext("sqlite:///:memory:"),
        "postgres": postgres.database,
    }
    with kinds[request.param]() as url:
        opened = open_ledger(url)
        try:
            yield opened
        finally:
            opened.close()
