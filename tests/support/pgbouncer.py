"""PgBouncer in transaction mode before a server for tests, where its program is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psycopg
import pytest

from support.postgres import NOBODY

SESSIONS = 2
"""Of the server, for all who ask: fewer than clients, so that they get each other's."""

PATIENCE_S = 30.0
PORT = 6432
SETTINGS = """
[databases]
* = host={host} port={port} user={user} {password}
[pgbouncer]
pool_mode = transaction
default_pool_size = {sessions}
auth_type = any
listen_port = {own_port}
unix_socket_dir = {folder}
logfile = {folder}/log
pidfile = {folder}/pid
"""


@contextmanager
def pooled(url: str) -> Iterator[str]:
    """The address of the same database through a pooler of its own."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (a package of that name has it)")
    with tempfile.TemporaryDirectory(prefix="submitter-pool-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "settings").write_text(_settings(url, folder), encoding="utf-8")
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen(
            [program, "-q", str(folder / "settings")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **who,
        )  # fmt: skip
        try:
            parts = urlsplit(url)
            found = f"postgresql://{parts.username}@{parts.path}?host={quote(name)}&port={PORT}"
            _wait_until_it_answers(found, process)
            yield found
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _settings(url: str, folder: Path) -> str:
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query)["host"][0]
    password = f"password={parts.password}" if parts.password else ""
    return SETTINGS.format(
        host=host,
        port=parts.port or 5432,
        user=parts.username,
        password=password,
        sessions=SESSIONS,
        own_port=PORT,
        folder=folder,
    )


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    give_up_at = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > give_up_at:
                raise
            time.sleep(0.02)
        else:
            return
