"""A ledger in one SQLite file: what the file must be like, how it is made, how it is opened."""

from __future__ import annotations

import os
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, NullPool, Select, Table, create_engine

from submitter.errors import LedgerError
from submitter.ledger.database import CHUNK, Database, Many, insert_of
from submitter.ledger.troubles import translated

APPLICATION_ID = 0x53756D74
"""`Sumt`, at offset 68 of the file. Source: https://www.sqlite.org/fileformat.html, read
2026-11-30 (so are the other offsets here)."""

MEMORY = ":memory:"
NOT_WRITABLE = "it may not be written; put the ledger where this user may write"
BUSY_MS = 15_000
"""How long a write waits for another process's."""

CACHE_KB = 65_536
CHECKPOINT_PAGES = 4_000

NETWORK_FILE_SYSTEMS = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre"),
        *("gpfs", "beegfs", "davfs", "fuse.sshfs", "fuse.s3fs", "fuse.goofys", "fuse.gcsfuse"),
        *("fuse.rclone", "fuse.glusterfs", "fuse.mount-s3"),
    }
)
"""File systems where SQLite's locks or its shared memory cannot be trusted.
Source: https://www.sqlite.org/wal.html ("does not work over a network filesystem"), read
2026-11-30. Overlay file systems are local and work."""

Connect = Callable[..., sqlite3.Connection]
Step = Callable[[Database], None]


class SqliteDriver:
    """Transactions by hand: Python's own would begin too late to be a write lock."""

    forgets = False
    losses = 0

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._driver: Any = connection.connection.driver_connection
        self._durable: bool | None = None
        self._texts: dict[Many, str] = {}

    def run(self, command: str) -> None:
        self._driver.execute(command)

    def begin(self, *, durable: bool) -> None:
        if durable is not self._durable:
            self.run(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        self.run("BEGIN IMMEDIATE")

    def begin_reading(self) -> None:
        self.run("BEGIN")

    def commit(self) -> None:
        self.run("COMMIT")

    def roll_back(self) -> None:
        if self._driver.in_transaction:
            self._driver.rollback()

    def lock_schema(self) -> None:
        """Whoever writes is alone already."""

    def finish_tables(self) -> None:
        """They are as defined."""

    def settle(self, tables: Iterable[Table]) -> None:
        """They number on by themselves, and no plan asks how full they are."""

    def listed(self, statement: Select[Any]) -> tuple[Select[Any], int]:
        return statement, CHUNK

    def many(self, statement: Many, rows: Iterable[tuple[Any, ...]]) -> int:
        text = self._texts.get(statement) or self._compile(statement)
        return int(self._driver.executemany(text, rows).rowcount)

    def _compile(self, many: Many) -> str:
        made = many.statement
        if isinstance(made, Table):
            made = insert_of(self.connection, made, many.columns, many.conflict)
        compiled = made.compile(self.connection.engine)
        if tuple(getattr(compiled, "positiontup", None) or ()) != many.columns:
            raise AssertionError(f"the parameters of {compiled} are not {many.columns}")
        self._texts[many] = str(compiled)
        return self._texts[many]

    def close(self) -> None:
        engine = self.connection.engine
        self.connection.close()
        engine.dispose()


def open_memory(*, create: Step, connect: Connect) -> Database:
    """The in-memory twin: the same code without a file."""
    database = _database(MEMORY, connect)
    create(database)
    return database


def open_file(path: Path, *, create: Step, upgrade: Step, connect: Connect) -> Database:
    """Open the ledger at `path` and bring it up to date, or make a new one. A file that is no
    ledger, or not a whole one, is refused and left as it is."""
    with translated(str(path)):
        check_place(path)
        if not os.access(path.parent, os.W_OK):
            raise LedgerError(f"ledger {path}: {NOT_WRITABLE}")
        if not path.exists():
            _create(path, create, connect)
        check_file(path)
        database = _database(str(path), connect)
        try:
            _probe(database)
            upgrade(database)
            database.run_alone("PRAGMA journal_mode=WAL")
        except BaseException:
            database.close()
            raise
    return database


def _database(name: str, connect: Connect) -> Database:
    return Database(SqliteDriver(connection_to(name, connect)), name)


def connection_to(name: str, connect: Connect) -> Connection:
    def creator() -> sqlite3.Connection:
        connection = connect(
            name, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000
        )
        connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit={CACHE_KB * 1024}")
        return connection

    engine = create_engine(
        "sqlite://",
        creator=creator,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )
    return engine.connect()


def _create(path: Path, create: Step, connect: Connect) -> None:
    """Make the whole ledger beside its place and link it there: nobody ever sees half of one, and
    of two processes that do this at once, one wins and the other opens the winner's."""
    with tempfile.TemporaryDirectory(prefix=".ledger-", dir=path.parent) as folder:
        draft = Path(folder, path.name)
        database = _database(str(draft), connect)
        try:
            database.run_alone("PRAGMA journal_mode=WAL")
            database.run_alone(f"PRAGMA application_id={APPLICATION_ID}")
            create(database)
        finally:
            database.close()
        with suppress(FileExistsError):
            os.link(draft, path)


def check_place(path: Path) -> None:
    """Refuse what can be no place of a ledger; its folder is made where that one's parent is."""
    folder = path.parent
    if folder.parent.is_dir() and not folder.exists():
        folder.mkdir()
    if not folder.is_dir():
        raise LedgerError(f"ledger {path}: there is no folder {str(folder)!r}; make it first")
    if path.exists() and not path.is_file():
        raise LedgerError(f"ledger {path}: this is no file")
    if kind := network_file_system(folder.resolve(), _mounts()):
        raise LedgerError(
            f"ledger {path}: SQLite cannot be trusted on a network file system ({kind});"
            " use a local disk, or a PostgreSQL ledger"
        )


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def network_file_system(folder: Path, mounts: str) -> str | None:
    """The type of the file system that holds `folder`, if it is reached over a network.

    `mounts` is the text of `/proc/self/mounts`; where there is none, nothing is known.
    """
    best, found = -1, ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, found = len(point.parts), fields[2]
    return found if found in NETWORK_FILE_SYSTEMS else None


def check_file(path: Path) -> None:
    """Refuse what is no ledger before SQLite may touch it."""
    with path.open("rb") as file:
        head = file.read(100)
    size = path.stat().st_size
    if not size:
        raise LedgerError(
            f"ledger {path}: the file is empty; restore it from a backup,"
            " or delete it to begin without memory"
        )
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        raise LedgerError(f"ledger {path}: the file is no ledger; name another, or restore it")
    if struct.unpack_from(">I", head, 68)[0] != APPLICATION_ID:
        raise LedgerError(f"ledger {path}: this SQLite file belongs to another program")
    page_size = struct.unpack_from(">H", head, 16)[0]
    whole = struct.unpack_from(">I", head, 28)[0] * (65_536 if page_size == 1 else page_size)
    if size < whole and not _has_log(path):
        raise LedgerError(
            f"ledger {path}: the file is cut short ({size} of {whole} bytes);"
            " restore it from a backup"
        )


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _probe(database: Database) -> None:
    """See whether a write could begin. That somebody else is writing just now proves it too."""
    database.run_alone("PRAGMA busy_timeout=0")
    try:
        database.run_alone("BEGIN IMMEDIATE")
        database.run_alone("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
    finally:
        database.run_alone(f"PRAGMA busy_timeout={BUSY_MS}")
