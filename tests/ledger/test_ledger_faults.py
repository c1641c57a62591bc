"""When the n-th operation of the database fails, the step is undone and the error is ours."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ledger_samples import NOW, open_ledger
from ledger_story import LATER, Story, check_ended, check_honest, check_whole

from submitter.errors import LedgerBusy, LedgerError

CODES = {
    "disk full": sqlite3.SQLITE_FULL,
    "locked": sqlite3.SQLITE_BUSY,
    "readonly": sqlite3.SQLITE_READONLY,
    "disk I/O error": sqlite3.SQLITE_IOERR,
    "malformed": sqlite3.SQLITE_CORRUPT,
}
HINTS = {
    "disk full": "the disk is full",
    "locked": "another process is writing",
    "readonly": "may not be written",
    "disk I/O error": "the disk failed",
    "malformed": "the file is damaged",
}


class Faults:
    """Raises an error instead of running the n-th statement, and perhaps all after it."""

    def __init__(self, number: int, text: str, *, forever: bool) -> None:
        self.left, self.text, self.forever = number, text, forever

    def strike(self) -> None:
        self.left -= 1
        if self.left == 0 or (self.forever and self.left < 0):
            error = sqlite3.OperationalError(self.text)
            error.sqlite_errorcode = CODES[self.text]
            raise error

    def connect(self, *args: Any, **options: Any) -> sqlite3.Connection:
        faults = self

        class Cursor(sqlite3.Cursor):
            def execute(self, *args: Any) -> sqlite3.Cursor:
                faults.strike()
                return super().execute(*args)

            def executemany(self, *args: Any) -> sqlite3.Cursor:
                faults.strike()
                return super().executemany(*args)

        class Connection(sqlite3.Connection):
            def cursor(self, *args: Any) -> sqlite3.Cursor:  # type: ignore[override]
                return super().cursor(Cursor)

            def execute(self, *args: Any) -> sqlite3.Cursor:
                faults.strike()
                return super().execute(*args)

        return sqlite3.connect(*args, **options, factory=Connection)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "ledger.db"
    open_ledger(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="module")
def length(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("count")
    shutil.copy(empty, folder / "ledger.db")
    faults = Faults(100_000, "locked", forever=False)
    ledger = open_ledger(f"sqlite:///{folder}/ledger.db", connect=faults.connect)
    Story(ledger, folder / "book").tell()
    ledger.close()
    return 100_000 - faults.left


def with_second_try(step: Callable[[], object]) -> object:
    try:
        return step()
    except LedgerError:
        return step()


def opened(path: Path, faults: Faults) -> Any:
    return open_ledger(f"sqlite:///{path}", connect=faults.connect)


def tell_with_one_fault(folder: Path, empty: Path, faults: Faults) -> None:
    folder.mkdir()
    path, book = folder / "ledger.db", folder / "book"
    shutil.copy(empty, path)
    ledger = with_second_try(lambda: opened(path, faults))
    Story(ledger, book, attempted=with_second_try).tell()  # type: ignore[arg-type]
    assert faults.left < 0
    check_whole(ledger)  # type: ignore[arg-type]
    check_honest(ledger, book)  # type: ignore[arg-type]
    check_ended(ledger, book, deaths=0)  # type: ignore[arg-type]
    ledger.close()  # type: ignore[attr-defined]


def tell_until_the_end_of_faults(folder: Path, empty: Path, faults: Faults) -> None:
    folder.mkdir()
    path, book = folder / "ledger.db", folder / "book"
    shutil.copy(empty, path)
    faulty: list[Any] = []

    def tell() -> None:
        faulty.append(opened(path, faults))
        Story(faulty[0], book).tell()

    with pytest.raises(LedgerError, match=HINTS[faults.text]):
        tell()
    for ledger in faulty:
        ledger.close()
    ledger = open_ledger(f"sqlite:///{path}")
    check_whole(ledger)
    check_honest(ledger, book)
    Story(ledger, book, now=NOW + LATER).tell()
    check_ended(ledger, book, deaths=1)
    ledger.close()


def test_after_one_fault_the_step_can_be_taken_again(
    tmp_path: Path, empty: Path, length: int
) -> None:
    for number in range(2, length, 7):
        text = sorted(CODES)[number % len(CODES)]
        faults = Faults(number, text, forever=False)
        tell_with_one_fault(tmp_path / str(number), empty, faults)


def test_when_faults_do_not_end_the_run_does_and_the_next_finishes_it(
    tmp_path: Path, empty: Path, length: int
) -> None:
    for number in range(3, length - 3, 11):
        text = sorted(CODES)[number % len(CODES)]
        faults = Faults(number, text, forever=True)
        tell_until_the_end_of_faults(tmp_path / str(number), empty, faults)


@pytest.mark.long
def test_every_operation_may_fail_once(tmp_path: Path, empty: Path, length: int) -> None:
    for number in range(2, length):
        for text in sorted(CODES):
            faults = Faults(number, text, forever=False)
            tell_with_one_fault(tmp_path / f"{number}-{CODES[text]}", empty, faults)


def start_runs(ledger: Any, count: int) -> None:
    for number in range(count):
        ledger.start_run(str(number), inventory_sha256="", at=NOW)


@pytest.mark.parametrize("text", sorted(CODES))
def test_an_error_says_what_to_do(tmp_path: Path, empty: Path, text: str) -> None:
    shutil.copy(empty, tmp_path / "ledger.db")
    ledger = opened(tmp_path / "ledger.db", Faults(20, text, forever=True))
    with pytest.raises(LedgerError, match=HINTS[text]) as caught:
        start_runs(ledger, 20)
    assert isinstance(caught.value, LedgerBusy) is (text == "locked")
    assert str(tmp_path / "ledger.db") in str(caught.value)
