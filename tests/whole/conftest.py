"""Fixtures of whole runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.whole import World, world
from support.whole_forks import Forks


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[World]:
    """An empty world, gone after the test."""
    with world(tmp_path) as made:
        yield made


@pytest.fixture(scope="package")
def forks() -> Iterator[Forks]:
    """Loads everything once for all tests that need processes of their own."""
    with Forks() as program:
        yield program
