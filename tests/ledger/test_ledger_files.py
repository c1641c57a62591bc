"""Which files a ledger opens, and which it refuses without touching them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ledger_processes import finish, start
from ledger_samples import DAY, MAP, NOW, look_at, open_ledger, page, waiting
from sqlalchemy import select

from submitter.core.loop import Way
from submitter.core.traits import Kind
from submitter.errors import ConfigError, LedgerBusy, LedgerError
from submitter.ledger import schema, sqlite
from submitter.ledger.database import Database, Transaction
from submitter.ledger.evidence_book import SqlEvidence
from submitter.ledger.schema import HEAD
from submitter.ledger.sqlite_reading import ReadingDriver


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
from ledger_samples import NOW, waiting
open_ledger("sqlite:///:memory:").close()  # nobody may not read the libraries
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    ledger = open_ledger(sys.argv[1])
    print("opened", waiting(ledger), flush=True)
    sys.stdin.readline()
    print("then", waiting(ledger))
    ledger.acquire("run", "tests", ttl_s=60, now=NOW)
except LedgerError as error:
    print(error)
"""
needs_modes = pytest.mark.skipif(os.name != "posix", reason="modes mean nothing here")
MAY_NOT = "may not be written; put the ledger where this user may write"


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A ledger with two pages in a folder that everybody may enter, and afterwards remove."""
    folder = Path(tempfile.mkdtemp(prefix="ledger-readonly-"))
    ledger = open_ledger(f"sqlite:///{folder}/ledger.db")
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(ledger, lease, {MAP: [page("a"), page("b")]})
    ledger.close()
    folder.chmod(0o755)
    yield folder / "ledger.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


@needs_modes
def test_a_ledger_is_not_made_where_it_may_not_be_written(shelf: Path) -> None:
    shelf.unlink()
    shelf.parent.chmod(0o555)
    _, out = finish(start(UNPRIVILEGED, f"sqlite:///{shelf}"))
    assert MAY_NOT in out
    assert list(shelf.parent.iterdir()) == []


@needs_modes
@pytest.mark.parametrize(("folder", "file"), [(0o555, 0o444), (0o777, 0o444), (0o555, 0o666)])
def test_a_ledger_that_may_only_be_read_is_read_and_left_alone(
    shelf: Path, folder: int, file: int
) -> None:
    shelf.chmod(file)
    shelf.parent.chmod(folder)
    before = shelf.read_bytes(), shelf.stat().st_mtime_ns
    _, out = finish(start(UNPRIVILEGED, f"sqlite:///{shelf}"))
    assert out.startswith("opened ['a', 'b']\nthen ['a', 'b']\n")
    assert MAY_NOT in out
    assert (shelf.read_bytes(), shelf.stat().st_mtime_ns) == before
    assert [one.name for one in shelf.parent.iterdir()] == ["ledger.db"]


@needs_modes
@pytest.mark.parametrize("stays_open", [True, False])
@pytest.mark.parametrize("begun_before", [True, False])
def test_a_reader_sees_what_the_owner_writes_meanwhile(
    shelf: Path, *, stays_open: bool, begun_before: bool
) -> None:
    shelf.parent.chmod(0o755)
    owner = open_ledger(f"sqlite:///{shelf}") if begun_before else None
    reader = start(UNPRIVILEGED, f"sqlite:///{shelf}", talk=True)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "opened ['a', 'b']\n"
    owner = owner or open_ledger(f"sqlite:///{shelf}")
    lease = owner.acquire("run", "tests", ttl_s=60, now=NOW + DAY)
    look_at(owner, lease, {MAP: [page("a"), page("b"), page("c")]})
    if not stays_open:
        owner.close()
    _, out = finish(reader)
    owner.close()
    assert out.startswith("then ['a', 'b', 'c']\n")


@needs_modes
def test_what_changes_under_a_reading_is_noticed_and_read_again(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it would be for one who may not write; the person who runs the tests may be root."""
    driver = ReadingDriver(shelf, sqlite3.connect)
    database = Database(driver, "reader")
    names: list[list[str]] = []

    def step(tx: Transaction) -> int:
        names.append([row.loc for row in tx.rows(select(schema.page.c.loc))])
        if len(names) == 1:
            owner = open_ledger(f"sqlite:///{shelf}")
            lease = owner.acquire("run", "tests", ttl_s=60, now=NOW + DAY)
            look_at(owner, lease, {MAP: [page("a"), page("b"), page("c")]})
            owner.close()
        return len(names[-1])

    assert database.read(step) == 3
    assert [len(one) for one in names] == [2, 3]
    database.close()


class DisturbedDriver(ReadingDriver):
    """The owner writes, and closes the ledger, during as many readings as are `due`."""

    due = 0

    def begin_reading(self) -> None:
        super().begin_reading()
        if self.due:
            self.due -= 1
            owner = open_ledger(f"sqlite:///{self._path}")
            owner.release(owner.acquire("run", "tests", ttl_s=60, now=NOW + DAY))
            owner.close()


SPAN = {"since": NOW - DAY, "until": NOW + DAY}


@needs_modes
@pytest.mark.parametrize(
    "question",
    [
        lambda book: book.calls(**SPAN),
        lambda book: book.calls_ever(),
        lambda book: book.call_times(),
        lambda book: book.run_ends(limit=9),
        lambda book: book.run_shares(limit=9),
        lambda book: book.page_waits(Way("baidu", Kind.URLS, ("Baiduspider",)), **SPAN),
        lambda book: book.sitemap_waits("google", **SPAN),
        lambda book: book.looks(since=NOW - DAY),
        lambda book: book.troubles(),
        lambda book: book.lying_dates(since=NOW - DAY),
        lambda book: book.unread(for_s=60),
        lambda book: book.section_crawls(
            ["Googlebot"], first=NOW.date(), lately=NOW.date(), today=NOW.date(), least=1
        ),
        lambda book: book.log_spans(),
        lambda book: book.alarms(),
    ],
)
def test_evidence_is_read_again_when_the_owner_changes_it_meanwhile(
    shelf: Path, question: Callable[[SqlEvidence], object]
) -> None:
    driver = DisturbedDriver(shelf, sqlite3.connect)
    database = Database(driver, "reader")
    book = SqlEvidence(database, is_dead=lambda owner: False)
    before = question(book)
    driver.due += 1
    assert question(book) == before
    assert not driver.due
    database.close()


@pytest.fixture
def backup(shelf: Path) -> Path:
    """The ledger of an owner who is at work, and its log, without the log's index."""
    owner = open_ledger(f"sqlite:///{shelf}")
    owner.acquire("run", "tests", ttl_s=60, now=NOW + DAY)
    folder = shelf.parent / "backup"
    folder.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{shelf}{end}", folder)
    owner.close()
    return folder / shelf.name


@needs_modes
@pytest.mark.parametrize("folder", [0o555, 0o777])
def test_a_backup_with_a_log_that_cannot_be_read_says_what_to_do_and_is_left_alone(
    backup: Path, folder: int
) -> None:
    backup.chmod(0o444)
    backup.parent.chmod(folder)
    _, out = finish(start(UNPRIVILEGED, f"sqlite:///{backup}"))
    backup.parent.chmod(0o755)
    assert f"pages that are not yet in the file stand in {backup}-wal; copy both to" in out
    assert sorted(one.name for one in backup.parent.iterdir()) == ["ledger.db", "ledger.db-wal"]


@needs_modes
def test_a_backup_with_its_log_is_read_where_it_may_be_written(backup: Path) -> None:
    ledger = open_ledger(f"sqlite:///{backup}")
    with pytest.raises(LedgerBusy):
        ledger.acquire("run", "other", ttl_s=60, now=NOW + DAY)
    ledger.close()


@needs_modes
@pytest.mark.parametrize("folder", [0o555, 0o777])
@pytest.mark.parametrize("ends", [["-wal"], ["-shm"]])
def test_what_says_nothing_beside_a_ledger_is_passed_over(
    shelf: Path, folder: int, ends: list[str]
) -> None:
    """An empty log, or the index of one that is gone."""
    for end in ends:
        shelf.with_name(shelf.name + end).touch()
    shelf.chmod(0o444)
    shelf.parent.chmod(folder)
    _, out = finish(start(UNPRIVILEGED, f"sqlite:///{shelf}"))
    assert out.startswith("opened ['a', 'b']\nthen ['a', 'b']\n")
    names = sorted(one.name for one in shelf.parent.iterdir())
    assert names == ["ledger.db", *(f"ledger.db{end}" for end in ends)]


@needs_modes
def test_a_ledger_whose_name_is_no_utf_8_is_read(shelf: Path) -> None:
    odd = shelf.with_name(os.fsdecode(b"b\xfccher.db"))
    shelf.rename(odd)
    database = Database(ReadingDriver(odd, sqlite3.connect), "reader")
    found = database.read(lambda tx: [row.loc for row in tx.rows(select(schema.page.c.loc))])
    database.close()
    assert len(found) == 2


@needs_modes
@pytest.mark.parametrize(
    ("command", "mode", "problem"),
    [
        ("UPDATE alembic_version SET version_num = '0001'", 0o444, "it is older than this program"),
        ("UPDATE alembic_version SET version_num = '9999'", 0o444, "made by a newer version"),
        ("SELECT 1", 0o000, "may not be read; let this user read the file"),
    ],
)
def test_a_file_that_cannot_be_read_as_it_is_says_why(
    shelf: Path, command: str, mode: int, problem: str
) -> None:
    connection = sqlite3.connect(shelf)
    connection.execute(command)
    connection.commit()
    connection.close()
    shelf.chmod(mode)
    _, out = finish(start(UNPRIVILEGED, f"sqlite:///{shelf}"))
    assert problem in out


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
