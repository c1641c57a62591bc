"""Where results go, how wide they are, and who gets colour and a progress bar."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest

from submitter.cli.invocation import Invocation, new_run_id
from submitter.cli.options import moment_ago, moment_ahead
from submitter.cli.output import screen_of_stdout, tell
from submitter.cli.progress import TerminalProgress, make_progress
from submitter.kit.progress import NoProgress


class Terminal(io.StringIO):
    """A stream that says that a person looks at it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "colour"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm"}, True),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], colour: bool
) -> None:
    assert not screen_of_stdout(environ).colour
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert screen_of_stdout(environ).colour is colour


def test_a_pipe_is_80_columns_wide_unless_a_variable_says_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("LINES", "24")
    assert screen_of_stdout({}).width == 80
    monkeypatch.setenv("COLUMNS", "132")
    assert screen_of_stdout({}).width == 132
    monkeypatch.setenv("COLUMNS", "3")
    assert screen_of_stdout({}).width == 60


FIRST = "inventory.yaml:4:5: the account is named in no site, and so nobody uses it; see"
LONG = f"{FIRST} the docs"
PATH = f"/a/{'b' * 90}/c.yaml"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        (LONG, [FIRST, "the docs"]),
        (f"  {LONG}", [f"  {FIRST.removesuffix(' see')}", "  see the docs"]),
        (f"no {PATH} here", ["no", PATH, "here"]),
        (f"{LONG}\n\nnext", [FIRST, "the docs", "", "next"]),
    ],
)
def test_words_to_a_person_fold_at_blanks_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, text: str, lines: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    person, file = Terminal(), io.StringIO()
    for stream in (person, file):
        monkeypatch.setattr(sys, "stderr", stream)
        tell(text)
    assert person.getvalue().split("\n") == [*lines, ""]
    assert file.getvalue() == f"{text}\n"


def test_an_error_fits_the_terminal_that_stderr_is(tmp_path: Path) -> None:
    """Whatever stdout is."""
    mine, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    call = [sys.executable, "-m", "submitter", "log", "--state", "foo"]
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        call, cwd=tmp_path, env=environ, stdout=subprocess.DEVNULL, stderr=theirs, check=False
    )
    os.close(theirs)
    said = os.read(mine, 10_000).decode()
    os.close(mine)
    assert done.returncode == 2
    assert "'foo' is not one of" in said
    assert max(map(len, said.splitlines())) <= 70


def test_progress_is_silent_in_pipes(capsys: pytest.CaptureFixture[str]) -> None:
    progress = make_progress()
    assert isinstance(progress, NoProgress)
    progress.start("sending", 3)
    progress.advance()
    progress.stop()
    assert capsys.readouterr() == ("", "")


def test_progress_is_silent_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(make_progress(), NoProgress)


def test_progress_on_a_terminal_goes_to_stderr_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    progress = make_progress()
    assert isinstance(progress, TerminalProgress)
    progress.advance()  # before anything began: nothing happens
    progress.start("looking at sites", 2)
    sys.stdout.write("a result\n")
    progress.advance(2)
    progress.start("sending", None)
    progress.stop()
    progress.stop()
    assert "looking at sites" in terminal.getvalue()
    assert "a result" not in terminal.getvalue()
    assert capsys.readouterr().out == "a result\n"


def test_run_ids_begin_with_the_time_and_differ() -> None:
    ids = {new_run_id() for _ in range(20)}
    assert len(ids) == 20
    assert all(len(one) == 23 and one[15] == "Z" and one[16] == "-" for one in ids)


def test_the_deadline_counts_from_the_start() -> None:
    invocation = Invocation(started=100.0)
    assert invocation.until(30.0) == 130.0
    assert invocation.until(None) == float("inf")


def test_a_length_of_time_looks_back_or_ahead() -> None:
    assert moment_ago("2d") < moment_ago("1d") < moment_ahead("1s")
    assert moment_ago("2026-11-30") == moment_ahead("2026-11-30T01:00:00+01:00")


@pytest.mark.parametrize("text", ["0:00", "18:00", "23:59"])
def test_a_time_of_day_is_the_last_one_or_the_next(text: str) -> None:
    earlier, later = moment_ago(text), moment_ahead(text)
    assert (later - earlier) % timedelta(days=1) == timedelta(0)
    assert (earlier.hour, earlier.minute) == tuple(map(int, text.split(":")))
    assert earlier <= datetime.now(UTC) + timedelta(minutes=1)
    assert later >= datetime.now(UTC) - timedelta(minutes=1)


@pytest.mark.parametrize("text", ["24:00", "18:60", "1:2"])
def test_a_time_that_no_day_has_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="neither a time"):
        moment_ahead(text)
