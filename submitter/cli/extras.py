"""Packages that only some commands need and that may not be there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from submitter.errors import ConfigError


@contextmanager
def workers_room() -> Iterator[None]:
    """Import the workers inside the block. Raises ConfigError that says what to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "submitter":
            raise
        problem = f"{missing.name} is not installed: pip install 'submitter[workers]'"
        raise ConfigError.one("workers", problem) from missing
