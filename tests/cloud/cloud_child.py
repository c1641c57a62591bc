"""One delivery in a process of its own: waits for a line on stdin, works, prints one JSON object.

The event stands in the first argument. What is written to disk is watched from the start.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
written: set[str] = set()


def watch(event: str, args: tuple[Any, ...]) -> None:
    """Note every place that something is written to, whoever does it."""
    match event:
        case "open" if isinstance(args[0], str) and (
            set(args[1] or "") & set("wax+") or args[2] & WRITING
        ):
            written.add(args[0])
        case "os.mkdir" | "os.rename" | "os.link":
            written.add(os.fspath(args[0]))
        case "sqlite3.connect":
            written.add(str(args[0]))


def own_peak_kib() -> int:
    """Of this process alone; `ru_maxrss` would count the parent that it was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    sys.addaudithook(watch)
    from cloud_support import LambdaContext

    from submitter.cloud import lambda_handler
    from submitter.cloud.answering import TryAgain

    print("ready", flush=True)
    sys.stdin.readline()
    try:
        answer: Any = lambda_handler(json.loads(sys.argv[1]), LambdaContext("one event"))
    except TryAgain as error:
        answer = {"again": str(error)}
    peak_kib = own_peak_kib()
    helpers_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    found = {"written": sorted(written), "peak_kib": peak_kib, "helpers_kib": helpers_kib}
    print(json.dumps({"answer": answer} | found))


if __name__ == "__main__":
    main()
