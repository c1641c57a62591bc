"""A sandbox with the fleet of the docs, and a folder to work in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import docs_fleet
import pytest

from submitter.sandbox import Sandbox


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("docs")


@pytest.fixture(scope="module")
def sandbox(folder: Path) -> Iterator[Sandbox]:
    """Its secrets are in the environment, and `folder` is where one works; all for one module."""
    with pytest.MonkeyPatch.context() as patch, Sandbox() as running:
        for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        for name, secret in docs_fleet.fill(running).items():
            patch.setenv(name, secret)
        patch.chdir(folder)
        yield running


@pytest.fixture(scope="module")
def inventory(sandbox: Sandbox, folder: Path) -> Path:
    """`inventory.yaml` in the folder, ready for a run."""
    path = folder / "inventory.yaml"
    docs_fleet.write_inventory(sandbox, path)
    return path
