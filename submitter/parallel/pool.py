"""Starts, replaces and stops workers, and says where a document is read."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from submitter.core.pagereader import ReadOrder
from submitter.errors import SitemapError
from submitter.parallel.deliveries import Delivery
from submitter.parallel.worker import Worker, WorkerGone, WorkerKilled
from submitter.reading import (
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

START_AFTER: Final = 50_000
"""Pages read before workers are started: what two of them cost to start is read in as long."""
MOST_WORKERS: Final = 4
"""More cannot be kept busy: storing pages in the ledger is a third of the whole work."""
JOBS_A_WORKER: Final = 4
"""Documents side by side in one worker. Most of the time a document waits for its site."""
MOST_HELD: Final = 8 * 1024 * 1024
"""While so many bytes of pages wait to be stored, nothing is read ahead."""
MOST_KILLED: Final = 3
"""After so many workers died, this machine does not want them."""
PATIENCE_S: Final = 60.0
"""A worker that has not answered by then is hung. A piece takes milliseconds."""


class ReaderPool:
    """Implements `reading.Readers`: in the thread of the walk until many pages were read, then in
    as many further processes as there are cores. Where none can be started, all stays as it is.

    A worker that dies over a document fails that document; others that it had are read again.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        start_after: int = START_AFTER,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`workers` None: as many as there are cores, none where there is one."""
        self._wanted = _cores() if workers is None else workers
        self._start_after, self._patience_s = start_after, patience_s
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._workers: list[Worker] = []
        self._deliveries: set[Delivery] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._pages = self._busy = self._killed = 0
        self._given_up = not self._wanted
