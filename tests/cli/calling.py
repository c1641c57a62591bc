"""How tests call the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """How a call ended."""

    exit_code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.stdout)


Call = Callable[..., Answer]
