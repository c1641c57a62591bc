"""Start-up of `submitter --help` over a bare interpreter, in CPU time of whole processes."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

PAIRS = 9
BARE = [sys.executable, "-c", "pass"]
HELP = [sys.executable, "-m", "submitter", "--help"]


def cpu_ms(command: list[str]) -> float:
    """User and system time of one finished child, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent * 1000


def main() -> None:
    cpu_ms(BARE)
    cpu_ms(HELP)
    pairs = [(cpu_ms(BARE), cpu_ms(HELP)) for _ in range(PAIRS)]
    bare = statistics.median(pair[0] for pair in pairs)
    ours = statistics.median(pair[1] for pair in pairs)
    ratio = statistics.median(ours / bare for bare, ours in pairs)
    print(f"python -c pass    {bare:7.0f} ms CPU (median of {PAIRS})")
    print(f"submitter --help  {ours:7.0f} ms CPU, {ratio:.1f} x, {ours - bare:.0f} ms more")


if __name__ == "__main__":
    main()
