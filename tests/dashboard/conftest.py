"""One painted ledger, its report and a running server for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from painted_ledger import NOW, Painted, Painting, open_painted

from submitter.dashboard.guard import Guard


@pytest.fixture(scope="session")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Painted]:
    """Twenty-four sites with sixty days of log."""
    ledger, fleet = Painting(sites=24, days=60).paint(tmp_path_factory.mktemp("ledger") / "l.db")
    yield Painted(ledger, fleet, NOW)
    ledger.close()


@pytest.fixture(scope="session")
def page(painted: Painted) -> str:
    return painted.page()


@pytest.fixture(scope="session")
def page_file(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def address(painted: Painted) -> Iterator[str]:
    """Of a live dashboard on loopback that asks for no token."""
    with open_painted(painted, Guard("127.0.0.1")) as server:
        yield server
