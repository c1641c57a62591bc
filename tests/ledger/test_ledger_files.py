"""Which files a ledger opens, and which it refuses without touching them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from ledger_processes import finish, start
from ledger_samples import DAY, MAP, NOW, look_at, open_ledger, page, waiting

from submitter.errors import ConfigError, LedgerBusy, LedgerError
from submitter.ledger import sqlite
from submitter.ledger.schema import HEAD


@pytest.fixture
def path(tmp_path: Path, file_url: str) -> Path:
    """A ledger with two pages, closed."""
    ledger = open_ledger(file_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(ledger, lease, {MAP: [page("a"), page("b")]})
    ledger.close()
    return tmp_path / "ledger.db"


def refused(path: Path) -> str:
    """The message with which a file is refused; it is left exactly as it was."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(LedgerError) as caught:
        open_ledger(f"sqlite:///{path}")
    assert not path.is_file() or path.read_bytes() == before
    return str(caught.value)


def test_what_was_stored_is_there_when_the_file_is_opened_again(path: Path) -> None:
    ledger = open_ledger(f"sqlite:///{path}")
    assert waiting(ledger) == ["a", "b"]
    ledger.close()
    assert [one.name for one in path.parent.iterdir()] == ["ledger.db"]


def test_a_ledger_is_made_whole_and_leaves_nothing_beside_it(file_url: str, tmp_path: Path) -> None:
    open_ledger(file_url).close()
    head = (tmp_path / "ledger.db").read_bytes()[:100]
    assert head[68:72] == sqlite.APPLICATION_ID.to_bytes(4, "big") == b"Sumt"
    assert [one.name for one in tmp_path.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"hello", "the file is no ledger"),
        (b"SQLite format 3\0", "the file is no ledger"),
        (b"x" * 5000, "the file is no ledger"),
    ],
)
def test_a_file_that_is_no_database_is_refused(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    assert problem in refused(path)


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    assert "belongs to another program" in refused(path)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_a_file_that_was_cut_short_is_refused(path: Path, share: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "cut short" in refused(path)


def test_damage_inside_the_file_is_an_error_with_a_hint(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[4096:] = os.urandom(len(whole) - 4096)
    path.write_bytes(whole)
    with pytest.raises(LedgerError, match=r"damaged; restore it from a backup"):
        open_ledger(f"sqlite:///{path}")


def test_a_newer_ledger_is_refused_untouched(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    assert f"ledger '9999', this program knows {HEAD!r}" in refused(path)


@pytest.mark.parametrize("name", ["far/missing/ledger.db", "folder"])
def test_a_place_that_cannot_hold_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    assert ("there is no folder" if "/" in name else "this is no file") in refused(tmp_path / name)


UNPRIVILEGED = """
import os, sys
from submitter.errors import LedgerError
from submitter.ledger import open_ledger
open_ledger("sqlite:///:memory:").close()  # nobody may not read the libraries
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    open_ledger(sys.argv[1])
except LedgerError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="modes of folders mean nothing here")
@pytest.mark.parametrize("exists", [False, True])
def test_a_place_that_may_not_be_written_is_refused_at_once(exists: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="ledger-readonly-"))
    try:
        url = f"sqlite:///{folder}/ledger.db"
        if exists:
            open_ledger(url).close()
        folder.chmod(0o555)
        _, out = finish(start(UNPRIVILEGED, url))
        assert "may not be written; put the ledger where this user may write" in out
        assert len(list(folder.iterdir())) == int(exists)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


MOUNTS = """\
/dev/vda1 / ext4 rw 0 0
overlay /merged overlay rw 0 0
server:/export /mnt/share nfs4 rw 0 0
/dev/vdb /mnt/share/local ext4 rw 0 0
//server/x /mnt/with\\040blank cifs rw 0 0
bucket /mnt/bucket fuse.gcsfuse rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", None),
        ("/merged/var", None),
        ("/mnt/share", "nfs4"),
        ("/mnt/share/deep/er", "nfs4"),
        ("/mnt/share/local", None),
        ("/mnt/shared", None),
        ("/mnt/with blank/x", "cifs"),
        ("/mnt/bucket", "fuse.gcsfuse"),
    ],
)
def test_a_network_file_system_is_known_by_its_mount(folder: str, kind: str | None) -> None:
    assert sqlite.network_file_system(Path(folder), MOUNTS) == kind


def test_where_mounts_are_not_told_nothing_is_refused() -> None:
    assert sqlite.network_file_system(Path("/x"), "") is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ledger.db",
        "sqlite:ledger.db",
        "sqlite:///",
        "mysql://user:secret@host/x",
        "sqlite:///a\0b",
    ],
)
def test_an_address_that_is_none_is_a_fault_of_the_configuration(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_ledger(url)
    assert "secret" not in str(caught.value)


def test_a_locked_ledger_is_busy_and_nothing_of_the_step_is_stored(path: Path) -> None:
    def hasty(*args: object, **options: object) -> sqlite3.Connection:
        return sqlite3.connect(*args, **options, factory=Hasty)  # type: ignore[call-overload, no-any-return]

    ledger = open_ledger(f"sqlite:///{path}", connect=hasty)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusy, match="another process is writing to it"):
        ledger.acquire("run", "b", ttl_s=60, now=NOW + DAY)
    assert waiting(ledger) == ["a", "b"]
    other.execute("ROLLBACK")
    assert ledger.acquire("run", "b", ttl_s=60, now=NOW + DAY).owner == "b"
    other.close()
    ledger.close()


class Hasty(sqlite3.Connection):
    """Does not wait for locks: the test has no time."""

    def execute(self, *args: object) -> sqlite3.Cursor:
        if str(args[0]).startswith("PRAGMA busy_timeout"):
            args = ("PRAGMA busy_timeout=0",)
        return super().execute(*args)  # type: ignore[arg-type]


def test_a_ledger_opens_while_another_process_writes(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ledger = open_ledger(f"sqlite:///{path}")
    assert waiting(ledger) == ["a", "b"]
    ledger.close()
    other.execute("ROLLBACK")
    other.close()


def test_an_upload_in_another_journal_mode_is_taken_back_into_use(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    ledger = open_ledger(f"sqlite:///{path}")
    with ledger._database.reading() as tx:
        mode = tx.connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    assert mode == "wal"
    ledger.close()


def test_a_closed_ledger_says_so(file_url: str) -> None:
    ledger = open_ledger(file_url)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="closed already"):
        ledger.runs(limit=1)


def test_naming_the_ledger_loads_no_database_library() -> None:
    code = (
        "import sys, submitter.ledger; "
        "print(sorted({'sqlalchemy', 'alembic', 'sqlite3'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_an_up_to_date_ledger_does_not_load_alembic(path: Path) -> None:
    code = (
        "import sys; from submitter.ledger import open_ledger; "
        f"open_ledger('sqlite:///{path}').close(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
