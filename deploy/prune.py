"""Takes out of a folder of installed packages what the product never reads there, and says how
large the rest is.

`python deploy/prune.py FOLDER [--limit-mb N]` exits 1 when more than N megabytes are left.

Google's client library comes with a description of every interface of Google's: 600 files, 110 MB.
Two of them are used. Source: https://github.com/googleapis/google-api-python-client/issues/2321,
read 2026-11-30.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

KEPT = frozenset({"searchconsole.v1.json", "siteVerification.v1.json"})
"""Descriptions that `submitter.engines` builds calls from."""
DOCUMENTS = Path("googleapiclient", "discovery_cache", "documents")
LIMIT_MB = 240
"""A little under what Lambda takes, 250 MB unzipped.
Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, read 2026-11-30."""


def prune(folder: Path) -> int:
    """Returns how many files were taken out. Raises FileNotFoundError when one of those that have
    to stay is not there: then this is not the folder, or the library keeps them elsewhere now."""
    documents = folder / DOCUMENTS
    for name in KEPT:
        if not (documents / name).is_file():
            raise FileNotFoundError(documents / name)
    unread = [path for path in documents.glob("*.json") if path.name not in KEPT]
    for path in unread:
        path.unlink()
    for path in folder.rglob("__pycache__"):
        shutil.rmtree(path)
    return len(unread)


def size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Prune installed packages.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit-mb", type=float, default=LIMIT_MB)
    asked = parser.parse_args(argv)
    removed = prune(asked.folder)
    left = size_mb(asked.folder)
    sys.stderr.write(f"{removed} descriptions taken out, {left:.0f} MB left\n")
    if left > asked.limit_mb:
        sys.stderr.write(f"that is more than {asked.limit_mb:.0f} MB\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
