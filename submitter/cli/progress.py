"""A progress bar on a terminal's stderr; nothing anywhere else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from submitter.kit.progress import NoProgress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from submitter.ports import Progress


def make_progress() -> Progress:
    """Silent unless a person can see it."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return NoProgress()
    return TerminalProgress()


class TerminalProgress:
    """Implements `ports.Progress`. Lines logged meanwhile appear above the bar."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def start(self, title: str, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self.stop()
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
        )
        self._task = self._bars.add_task(title, total=total)
        self._bars.start()

    def advance(self, steps: int = 1) -> None:
        if self._bars is not None and self._task is not None:
            self._bars.advance(self._task, steps)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = self._task = None
