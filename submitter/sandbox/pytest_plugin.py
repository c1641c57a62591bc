"""A pytest fixture: put `pytest_plugins = ["submitter.sandbox.pytest_plugin"]` into a conftest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from submitter.sandbox.sandbox import Sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A started sandbox without sites or accounts, gone after the test."""
    with Sandbox() as running:
        yield running
