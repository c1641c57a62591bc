"""One worker process, as its owner sees it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import count
from typing import Final

from submitter.core.looks import PageRow
from submitter.core.pagereader import PageReading, ReadOrder
from submitter.errors import SitemapError
from submitter.looking.parallel.line import Line
from submitter.looking.parallel.messages import (
    Answer,
    Drop,
    Failed,
    Feed,
    Finish,
    Pages,
    Question,
    Ready,
    Refused,
)

PARTING_S: Final = 5.0
"""How long a worker may take to end by itself."""

_PROGRAM: Final = """
import signal, sys
for name in ("SIGINT", "SIGTERM"):  # meant for the owner, who ends us in good order
    signal.signal(getattr(signal, name), signal.SIG_IGN)
handle, owner, *sys.path = sys.argv[1:]
from submitter.looking.parallel.child import serve
serve(int(handle), int(owner))
"""


class WorkerGone(Exception):
    """The worker had ended before it was asked."""


class WorkerKilled(Exception):
    """The worker ended over what it was asked, or had to be ended."""


class Worker:
    """A fresh interpreter that answers one question at a time. Thread-safe.

    It runs nothing of the main program, inherits nothing but its end of the line, and ends when
    the other end is gone. Raises OSError or ValueError where it cannot be started.
    """

    def __init__(self, python: str, *, patience_s: float) -> None:
        self._lock = threading.Lock()
        self._numbers = count()
        self._ready = False
        self.jobs = 0
        """Documents under way; kept by the pool."""
        mine, theirs = socket.socketpair()
        self._line = Line(mine, patience_s=patience_s)
        try:
            self._process = _start(python, theirs.fileno())
        except BaseException:
            self._line.close()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ending(self) -> str:
        """How it ended, for people."""
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def is_ready(self, *, wait_s: float = 0.0) -> bool:
        """Whether it is up by now, or in so many seconds. WorkerGone when it never will be."""
        if not self._ready:
            with self._lock:
                try:
                    if not self._ready and self._line.is_ringing(wait_s):
                        self._ready = isinstance(self._line.receive(), Ready)
                except (EOFError, OSError) as error:
                    raise WorkerGone from error
        return self._ready

    def reader(self, order: ReadOrder) -> RemoteReader:
        """A reader whose work the worker does."""
        return RemoteReader(self, next(self._numbers), order)

    def ask(self, question: Question) -> Answer:
        """Raises WorkerGone, WorkerKilled."""
        with self._lock:
            try:
                self._line.send(question)
            except TimeoutError as error:
                self._process.kill()
                raise WorkerKilled from error
            except OSError as error:
                raise WorkerGone from error
            try:
                answer: Answer = self._line.receive()
            except (EOFError, OSError) as error:
                self._process.kill()
                raise WorkerKilled from error
            return answer

    def tell(self, question: Drop) -> None:
        with self._lock:
            try:
                self._line.send(question)
            except OSError:
                return  # it has ended, and forgotten everything

    def stop(self) -> None:
        """End it, gently if it is well."""
        with self._lock:
            self._line.close()
        try:
            self._process.wait(PARTING_S if self._ready else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class RemoteReader:
    """Implements `reading.Reader`: waits for the worker's answer each time."""

    def __init__(self, worker: Worker, job: int, order: ReadOrder) -> None:
        self._worker, self._job = worker, job
        self._order: ReadOrder | None = order
        self._finished = False

    def feed(self, piece: bytes) -> Sequence[PageRow]:
        answer = self._ask(Feed(self._job, piece, self._take_order()))
        return answer.rows

    def finish(self, *, complete: bool, delimited: bool) -> tuple[Sequence[PageRow], PageReading]:
        answer = self._ask(Finish(self._job, self._take_order(), complete, delimited))
        assert answer.found is not None  # noqa: S101 # see Pages
        self._finished = True
        return answer.rows, answer.found

    def close(self) -> None:
        """Forget the document, if it was not read to its end."""
        if self._order is None and not self._finished:
            self._worker.tell(Drop(self._job))

    def _take_order(self) -> ReadOrder | None:
        """The rules of the document, the first time."""
        order, self._order = self._order, None
        return order

    def _ask(self, question: Question) -> Pages:
        match self._worker.ask(question):
            case Pages() as pages:
                return pages
            case Refused(url, reason, problem):
                raise SitemapError(url, reason, problem)
            case Failed(trace):
                raise RuntimeError(f"a worker failed:\n{trace}")


def _start(python: str, handle: int) -> subprocess.Popen[bytes]:
    if not python or getattr(sys, "frozen", False):
        raise OSError("there is no interpreter to start")
    path = [place for place in sys.path if isinstance(place, str)]
    command = [python, "-P", "-c", _PROGRAM, str(handle), str(os.getpid()), *path]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(  # noqa: S603 # our own interpreter and program
        command, stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=(handle,)
    )
