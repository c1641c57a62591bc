"""The silent progress: for pipes, functions and tests."""

from __future__ import annotations


class NoProgress:
    """Implements `ports.Progress` by saying nothing."""

    def start(self, title: str, total: int | None) -> None:
        del title, total

    def advance(self, steps: int = 1) -> None:
        del steps

    def stop(self) -> None:
        return None
