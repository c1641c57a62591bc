"""The command line: parse, call a use case, print, exit.

Importing it imports click and nothing heavy; a command's own module comes with its first use.
"""

from __future__ import annotations

import time

STARTED = time.monotonic()
"""When this process began, but for the interpreter's own start (some 20 ms): `--deadline` counts
from here."""


def main() -> None:
    """Entry point of the command `submitter`."""
    import sys

    from submitter.cli.exits import run

    sys.exit(run(sys.argv[1:], started=STARTED))
