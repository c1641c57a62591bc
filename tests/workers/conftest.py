"""Fixtures of work that many workers share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from workers_support import Yard

from support.postgres import database
from support.whole import world


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with database() as url, world(tmp_path) as made, ExitStack() as closing:
        yield Yard(made, url, closing)
