"""One pool for all tests that only read: workers take a moment to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from parallel_support import running_pool

from submitter.looking.parallel.pool import ReaderPool


@pytest.fixture(scope="session")
def pool() -> Iterator[ReaderPool]:
    with running_pool() as running:
        yield running
