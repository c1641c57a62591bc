"""The command line: parse, call a use case, print, exit."""

from __future__ import annotations


def main() -> None:
    """Entry point of the command `submitter`."""
    raise SystemExit("not built yet")
