"""Starts, replaces and stops workers, and says where a document is read."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from submitter.core.pagereader import ReadOrder
from submitter.errors import SitemapError
from submitter.looking.parallel.deliveries import Delivery
from submitter.looking.parallel.worker import Worker, WorkerGone, WorkerKilled
from submitter.looking.reading import (
    Again,
    Done,
    Errand,
    Head,
    Part,
    Parts,
    Reader,
    read_document,
    read_here,
)

log = logging.getLogger(__name__)

START_AFTER: Final = 40_000
"""Pages read before workers are started: what two of them cost to start is read in as long."""
MANY_DOCUMENTS: Final = 20
"""So many unknown documents under one index are worth it, too, whatever may be in them."""
MOST_WORKERS: Final = 4
"""More cannot be kept busy: storing pages in the ledger is a third of the whole work."""
JOBS_A_WORKER: Final = 4
"""Documents side by side in one worker. Most of the time a document waits for its site."""
MOST_HELD: Final = 2 * 1024 * 1024
"""While so many bytes of pages wait to be stored, nothing is read ahead."""
MOST_KILLED: Final = 3
"""After so many workers died, this machine does not want them."""
PATIENCE_S: Final = 60.0
"""A worker that has not answered by then is hung. A piece takes milliseconds."""


class ReaderPool:
    """Implements `reading.Readers`: in the thread of the walk until there is much to read, then in
    as many further processes as there are cores. Where none can be started, all stays as it is.

    A worker that dies over a document fails that document; others that it had are read again.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        start_after: int = START_AFTER,
        patience_s: float = PATIENCE_S,
        python: str = sys.executable,
    ) -> None:
        """`workers` None: as many as there are cores, none where there is one."""
        self._wanted = _cores() if workers is None else workers
        self._start_after = start_after
        self._new_worker = partial(Worker, python, patience_s=patience_s)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._workers: list[Worker] = []
        self._threads: ThreadPoolExecutor | None = None
        self._pages = self._busy = self._held = self._killed = 0
        self._given_up = not self._wanted

    # ------------------------------------------------------------ what walks ask for

    def read(self, errand: Errand) -> Parts:
        """See `reading.Readers`."""
        return self._begin(errand, now=True) or self._read_here(errand)

    def read_ahead(self, errand: Errand) -> Parts | None:
        """See `reading.Readers`."""
        return self._begin(errand, now=False) if self._held < MOST_HELD else None

    def expect(self, documents: int) -> None:
        """See `reading.Readers`."""
        if documents >= MANY_DOCUMENTS:
            self._count(self._start_after)

    def start(self, *, wait_s: float = 0.0) -> bool:
        """Start the workers now. Whether they could be, and came up in time."""
        with self._lock:
            if not self._workers and not self._given_up:
                self._start_workers()
            workers = list(self._workers)
        try:
            return bool(workers) and all(worker.is_ready(wait_s=wait_s) for worker in workers)
        except WorkerGone:
            return False

    @property
    def pids(self) -> list[int]:
        """The workers' process ids."""
        with self._lock:
            return [worker.pid for worker in self._workers]

    def stop(self) -> None:
        """End all workers, after the documents under way. They start anew when there is need."""
        if self._is_fork():
            return
        with self._lock:
            workers, self._workers = self._workers, []
            threads, self._threads = self._threads, None
            self._pages = 0
        if threads is not None:
            threads.shutdown()
        for worker in workers:
            worker.stop()

    # ------------------------------------------------------------ where a document is read

    def _read_here(self, errand: Errand) -> Generator[Part, None, None]:
        with closing(read_document(errand)) as parts:
            for part in parts:
                if isinstance(part, Done):
                    self._count(part.report.pages + part.foreign)
                yield part

    def _begin(self, errand: Errand, *, now: bool) -> Delivery | None:
        """Have a thread read it, with a worker; None where there is no place."""
        if self._is_fork():
            return None
        with self._lock:
            ready = len(self._ready_workers())
            places = JOBS_A_WORKER * ready if now else ready + 1 if ready else 0
            if self._threads is None or self._busy >= places:
                return None
            self._busy += 1
            delivery = Delivery(self._weigh)
            self._threads.submit(self._fill, delivery, errand)
        return delivery

    def _fill(self, delivery: Delivery, errand: Errand) -> None:
        try:
            delivery.fill(self._parts(errand))
        finally:
            with self._lock:
                self._busy -= 1

    def _weigh(self, size: int) -> None:
        with self._lock:
            self._held += size

    def _parts(self, errand: Errand) -> Generator[Part, None, None]:
        try:
            yield from read_document(errand, self._open_reader)
        except WorkerGone:
            yield Again()
            afresh = replace(errand, memory=None, validators=None)
            yield from (part for part in read_document(afresh) if not isinstance(part, Head))

    @contextmanager
    def _open_reader(self, order: ReadOrder) -> Iterator[Reader]:
        worker = self._choose()
        if worker is None:
            with read_here(order) as reader:
                yield reader
            return
        try:
            with closing(worker.reader(order)) as remote:
                yield remote
        except WorkerGone:
            self._bury(worker)
            raise
        except WorkerKilled:
            self._bury(worker)
            problem = f"the process that was reading it ended ({worker.ending})"
            raise SitemapError(order.url, "reader-killed", problem) from None
        finally:
            with self._lock:
                worker.jobs -= 1

    def _is_fork(self) -> bool:
        """A fork has neither the threads nor the workers, and perhaps a lock that never opens."""
        return os.getpid() != self._owner

    def _choose(self) -> Worker | None:
        """The worker with the fewest documents."""
        with self._lock:
            worker = min(self._ready_workers(), key=lambda one: one.jobs, default=None)
            if worker is not None:
                worker.jobs += 1
        return worker

    # ------------------------------------------------------------ the workers; all under the lock

    def _count(self, pages: int) -> None:
        if self._is_fork():
            return
        with self._lock:
            self._pages += pages
            due = self._pages >= self._start_after
            if due and not self._workers and not self._given_up:
                self._start_workers()

    def _start_workers(self) -> None:
        for _ in range(self._wanted):
            self._start_worker()
        if self._workers:
            log.info("reading documents in %d more processes", len(self._workers))
            places = JOBS_A_WORKER * self._wanted
            self._threads = ThreadPoolExecutor(places, thread_name_prefix="read")

    def _start_worker(self) -> None:
        if self._given_up:
            return
        try:
            self._workers.append(self._new_worker())
        except (OSError, ValueError) as error:
            self._give_up(str(error))

    def _ready_workers(self) -> list[Worker]:
        ready: list[Worker] = []
        for worker in tuple(self._workers):
            try:
                if worker.is_ready():
                    ready.append(worker)
            except WorkerGone:
                self._workers.remove(worker)
                worker.stop()
                self._give_up(f"one ended at once, with {worker.ending}")
        return ready

    def _give_up(self, reason: str) -> None:
        self._given_up = True
        log.info("no more processes are started to read documents: %s", reason)

    def _bury(self, worker: Worker) -> None:
        """Replace a worker that has ended."""
        with self._lock:
            if worker in self._workers:
                self._workers.remove(worker)
                self._killed += 1
                log.warning("a process that reads documents was killed")
                if self._killed >= MOST_KILLED:
                    self._give_up(f"{self._killed} were killed")
                self._start_worker()
        worker.stop()


def _cores() -> int:
    """Cores that we may use; 0 when there is only one, for then nothing is gained."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, MOST_WORKERS) if cores > 1 else 0
