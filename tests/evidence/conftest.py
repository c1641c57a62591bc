"""Evidence is counted the same in every kind of ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest
from evidence_samples import History

from submitter.ledger.ledger import SqlLedger
from submitter.ledger.opening import open_ledger
from support import postgres

KINDS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "sqlite": lambda: nullcontext("sqlite:///:memory:"),
    "postgres": lambda: postgres.database(),
}


@pytest.fixture(params=sorted(KINDS))
def ledger(request: pytest.FixtureRequest) -> Iterator[SqlLedger]:
    with KINDS[request.param]() as url:
        opened = open_ledger(url)
        try:
            yield opened
        finally:
            opened.close()


@pytest.fixture
def history(ledger: SqlLedger) -> History:
    return History(ledger)
