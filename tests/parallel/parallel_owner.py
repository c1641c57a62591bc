"""An owner of workers that may be killed. Says a line of JSON for each thing it has done.

parallel_owner.py sleep | fork | interrupt
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from parallel_support import (  # noqa: E402 - it stands beside this script
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
    print(json.dumps(facts), flush=True)


def main(what: str) -> None:
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


if __name__ == "__main__":
    main(sys.argv[1])
