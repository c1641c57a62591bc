"""Starts, watches and kills the processes of `whole_child`."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

PROGRAM = Path(__file__).with_name("whole_child.py")
PATIENCE_S = 120.0
"""How long the slowest event may take on a busy machine before a test gives up."""


class Child:
    """One forked run. It is waited for, stopped and killed by its own number."""

    def __init__(self, forks: Forks, pid: int) -> None:
        self._forks, self.pid = forks, pid

    def ended(self) -> int:
        """Wait for its end: the exit code, or minus the number of the signal that ended it."""
        return int(self._forks.wait_for("ended", self.pid))

    def at_point(self) -> bool:
        """Wait until it says that it is at the agreed point; False when it ended before."""
        return self._forks.first_of("at", "ended", self.pid) == "at"

    def stopped(self) -> None:
        """Wait until it has stopped itself."""
        self._forks.wait_for("stopped", self.pid)

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self, *, after_s: float = 0.0) -> int:
        """Kill it in a moment, wherever it then is. Returns how it ended: it may have been
        faster."""
        if not self._forks.happens("ended", self.pid, within_s=after_s):
            self.send(signal.SIGKILL)
        return self.ended()


class Forks:
    """The program that forks, for as long as the block lasts. For one thread."""

    def __init__(self) -> None:
        self._seen: dict[int, dict[str, str]] = defaultdict(dict)
        self._order: list[int] = []
        self._text = b""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait(PATIENCE_S)
        self._pipe(self._process.stdout).close()

    def start(self, **job: Any) -> Child:
        """See `whole_child.Job`."""
        known = len(self._order)
        stdin = self._pipe(self._process.stdin)
        stdin.write(json.dumps({"do": "run"} | job).encode() + b"\n")
        stdin.flush()
        while len(self._order) == known:
            self._read(PATIENCE_S)
        return Child(self, self._order[-1])

    # -- events

    def wait_for(self, event: str, pid: int) -> str:
        while event not in self._seen[pid]:
            self._read(PATIENCE_S)
        return self._seen[pid].pop(event)

    def first_of(self, passing: str, final: str, pid: int) -> str:
        """Which of two came; the final one stays to be waited for."""
        while not {passing, final} & self._seen[pid].keys():
            self._read(PATIENCE_S)
        return final if self._seen[pid].pop(passing, None) is None else passing

    def happens(self, event: str, pid: int, *, within_s: float) -> bool:
        self._read(within_s, must=False)
        return event in self._seen[pid]

    def _read(self, patience_s: float, *, must: bool = True) -> None:
        stdout = self._pipe(self._process.stdout)
        ready, _, _ = select.select([stdout], [], [], patience_s)
        if not ready:
            if must:
                raise AssertionError(f"nothing happened in {patience_s:.0f} s")
            return
        piece = os.read(stdout.fileno(), 65_536)
        if not piece:
            raise AssertionError("the program that forks has ended")
        *lines, self._text = (self._text + piece).split(b"\n")
        for line in lines:
            event, pid, *rest = line.decode().split()
            if event == "forked":
                self._order.append(int(pid))
            else:
                self._seen[int(pid)][event] = " ".join(rest)

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise AssertionError("the pipe is not there")
        return pipe
