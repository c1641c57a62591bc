"""Fixtures of the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ward import Ward

from support.whole import world


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Ward]:
    with world(tmp_path) as made:
        yield Ward(made, made.add("shop", pages=4))
