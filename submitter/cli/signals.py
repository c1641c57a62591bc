"""Ctrl-C and SIGTERM: the first asks the work to stop, the second ends the program at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from submitter.cli.output import tell_whole
from submitter.core.accounting import exit_code_of_signal

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class StopSignal:
    """`event` is set once a signal came; `number` says which was the first."""

    event: threading.Event = field(default_factory=threading.Event)
    number: int | None = None

    def exit_code(self, code: int) -> int:
        """130 or 143 when a signal stopped the work, else the given code."""
        return code if self.number is None else exit_code_of_signal(self.number)

    def take(self, number: int) -> None:
        if self.number is not None:
            os._exit(exit_code_of_signal(number))
        self.number = number
        self.event.set()
        tell_whole("stopping after the calls under way; once more ends it at once")


@contextmanager
def stopping() -> Iterator[StopSignal]:
    """Signals inside the block set `event`. In any other thread than the main one, none come.

    A thread of its own acts on them, so that it does not matter what the main thread waits for,
    nor which lock it holds while it does.
    """
    stopped = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    watcher = threading.Thread(target=_watch, args=(reading, stopped), name="signals", daemon=True)
    watcher.start()
    wakeup_before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    before = {number: signal.signal(number, _only_wake) for number in SIGNALS}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup_before)
        os.close(writing)
        watcher.join()
        os.close(reading)


def _only_wake(number: int, frame: object) -> None:
    """The number is in the pipe already; Python only has to have a handler."""


def _watch(reading: int, stopped: StopSignal) -> None:
    while received := os.read(reading, 1):
        if received[0] in SIGNALS:
            stopped.take(received[0])
