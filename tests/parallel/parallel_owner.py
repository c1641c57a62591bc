"""An owner of workers in a process that may be killed. Says in JSON what it has done."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from parallel_support import (
    INDEX,
    PATIENCE_S,
    Paper,
    PaperWeb,
    errand,
    pages,
    rows_of,
    running_pool,
    urlset,
)


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def main(what: str) -> None:
    """`what` is `sleep`, `fork` or `interrupt`."""
    signal.signal(signal.SIGINT, lambda number, frame: None)
    web = PaperWeb({INDEX: Paper(urlset(pages("p", 30)))})
    with running_pool() as pool:
        child = os.fork() if what == "fork" else None
        if child == 0:
            say(fork=os.getpid(), rows=len(rows_of(pool.read(errand(web, INDEX)))))
            pool.stop()
            time.sleep(PATIENCE_S)
            os._exit(0)
        say(pids=pool.pids)
        if what == "interrupt":
            sys.stdin.readline()
            parts = pool.read(errand(web, INDEX))
            say(rows=len(rows_of(parts)), beside=type(parts).__name__, pids=pool.pids)
            return
        time.sleep(PATIENCE_S)
