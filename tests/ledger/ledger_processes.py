"""Child processes that use a ledger, and die where they are told to."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

HERE = Path(__file__).resolve().parent


class Mortal(sqlite3.Connection):
    """A connection whose process is killed before its n-th statement."""

    left = 0

    def cursor(self, *args: Any) -> sqlite3.Cursor:  # type: ignore[override]
        return super().cursor(MortalCursor)

    def execute(self, *args: Any) -> sqlite3.Cursor:
        _live_or_die()
        return super().execute(*args)


class MortalCursor(sqlite3.Cursor):
    def execute(self, *args: Any) -> sqlite3.Cursor:
        _live_or_die()
        return super().execute(*args)

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        _live_or_die()
        return super().executemany(*args)


def _live_or_die() -> None:
    Mortal.left -= 1
    if Mortal.left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


class MortalSessionCursor(psycopg.Cursor[Any]):
    """The same for a PostgreSQL server."""

    def execute(self, *args: Any, **options: Any) -> Any:
        _live_or_die()
        return super().execute(*args, **options)

    def copy(self, *args: Any, **options: Any) -> Any:
        _live_or_die()
        return super().copy(*args, **options)


def mortal(url: str) -> Any:
    """What makes such connections, for `open_ledger`."""
    return mortal_connect if url.startswith("sqlite") else mortal_session


def mortal_session(**options: Any) -> psycopg.Connection[Any]:
    return psycopg.connect(**options, cursor_factory=MortalSessionCursor)


def mortal_connect(*args: Any, **options: Any) -> sqlite3.Connection:
    return sqlite3.connect(*args, **options, factory=Mortal)


def statements_left() -> int:
    return Mortal.left


def start(code: str, *arguments: object, talk: bool = False) -> subprocess.Popen[str]:
    """Run code in a child that can import what tests import; one may `talk` to its input."""
    paths = os.pathsep.join([str(HERE), str(HERE.parent.parent)])
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a child; returns its exit code and what it printed."""
    out, err = child.communicate(timeout=120)
    assert child.returncode in (0, -signal.SIGKILL), err
    return child.returncode, out
