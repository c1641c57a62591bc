"""What platforms hand to functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from support.whole import World


@dataclass
class LambdaContext:
    """The context of an invocation that has so much time left."""

    aws_request_id: str = "5f3c9a52-0000-4000-8000-1234567890ab"
    seconds: float = 300.0

    def get_remaining_time_in_millis(self) -> int:
        return int(self.seconds * 1000)


@dataclass
class HttpRequest:
    """What of Flask's request a function reads."""

    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "POST"

    def get_data(self) -> bytes:
        return self.body


def log_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What was logged: every line is one JSON object, and nothing else was written."""
    return [json.loads(line) for line in "".join(capsys.readouterr()).splitlines()]


@contextmanager
def busy_ledger(world: World, lease_name: str = "run") -> Iterator[None]:
    """Another run holds the ledger meanwhile, or a part of it."""
    with world.ledger() as ledger:
        lease = ledger.acquire(lease_name, "another run", ttl_s=600, now=datetime.now(UTC))
        try:
            yield
        finally:
            ledger.release(lease)
