"""Errors become exit codes and words in one place, without a traceback, without a secret."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from calling import Call

from submitter.cli import exits
from submitter.cli.app import app
from submitter.core.accounting import ExitCode
from submitter.core.choosing import NoMatch
from submitter.errors import (
    ConfigError,
    EngineUnavailable,
    Fault,
    FetchError,
    LeaseLost,
    LedgerBusy,
    LedgerError,
    NotAuthorized,
    PublishError,
    SecretOutOfReach,
    SitemapError,
    UnsafePlan,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError.one("a.yaml", "x"), 2),
        (SecretOutOfReach.one("aws-secret:x", "x"), 5),
        (click.UsageError("x"), 2),
        (click.BadParameter("x"), 2),
        (UnsafePlan("x"), 3),
        (FetchError("https://x", "timeout", "x"), 5),
        (SitemapError("https://x", "html", "x"), 5),
        (EngineUnavailable("google", "x"), 5),
        (NotAuthorized("google", "x", scope="account", cause="c"), 5),
        (NoMatch("x"), 7),
        (LedgerError("x"), 8),
        (LeaseLost("x"), 8),
        (LedgerBusy("x"), 75),
        (PublishError("out/", "x"), 8),
        (KeyError("x"), 1),
    ],
)
def test_every_error_has_its_exit_code(error: Exception, code: int) -> None:
    assert exits.trouble_of(error).exit_code == code


def test_every_fault_of_an_inventory_has_its_own_line(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("version: 1\nsitess: []\naccounts: 3\n", encoding="utf-8")
    answer = call("-i", path, "status")
    assert answer.exit_code == 2
    assert answer.stdout == ""
    lines = answer.stderr.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith(f"{path}:") for line in lines)
    assert "Traceback" not in answer.stderr


def test_a_bare_command_shows_help_once(call: Call) -> None:
    answer = call()
    assert answer.exit_code == 2
    assert answer.stderr.count("Usage:") == 1
    assert "  run " in answer.stderr


def test_an_inventory_that_is_not_there_is_named(call: Call) -> None:
    answer = call("status")
    assert answer.exit_code == 2
    assert "inventory.yaml" in answer.stderr


def test_with_json_stdout_holds_one_document_also_on_errors(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("version: 1\nsitess: []\n", encoding="utf-8")
    answer = call("-i", path, "status", "--json")
    error = answer.json()["error"]
    assert (error["kind"], error["exit_code"]) == ("config", 2)
    assert all(fault["where"] == str(path) for fault in error["faults"])
    assert 2 in {fault["line"] for fault in error["faults"]}


def test_a_misspelt_option_is_one_document_with_json(call: Call) -> None:
    assert call("status", "--json", "--sight", "x").json()["error"]["kind"] == "usage"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that fails in a way nobody thought of, with a secret in its error."""

    @click.command
    @click.option("--json", is_flag=True)
    @click.pass_obj
    def fall_over(invocation: exits.Invocation, *, json: bool) -> None:
        invocation.redactor.add("s3cret-canary")
        raise KeyError(f"s3cret-canary\x1b[2J {json}")

    monkeypatch.setattr(type(app), "get_command", lambda *_: fall_over)


@pytest.mark.usefixtures("broken")
def test_an_unexpected_error_is_one_line_and_a_hint(call: Call) -> None:
    answer = call("status")
    assert answer.exit_code == 1
    assert answer.stderr.splitlines() == [
        "internal error: KeyError: '***\\x1b[2J False'",
        "use -v for the traceback",
    ]


@pytest.mark.usefixtures("broken")
def test_verbose_shows_the_traceback_without_secrets(call: Call) -> None:
    answer = call("-v", "status")
    assert answer.exit_code == 1
    assert "Traceback" in answer.stderr
    assert "s3cret-canary" not in answer.stderr


@pytest.mark.usefixtures("broken")
def test_an_unexpected_error_is_one_document_with_json(call: Call) -> None:
    answer = call("status", "--json")
    assert answer.json()["error"]["kind"] == "internal"
    assert "s3cret-canary" not in answer.stdout


@pytest.mark.parametrize("stop", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_exits_130_without_a_word_too_much(
    call: Call, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    @click.command
    def interrupted() -> None:
        raise stop

    monkeypatch.setattr(type(app), "get_command", lambda *_: interrupted)
    answer = call("status")
    assert answer.exit_code == 130
    assert "Traceback" not in answer.stderr


def test_a_message_cannot_steer_the_terminal(call: Call) -> None:
    answer = call("-i", "\x1b[2Jevil.yaml", "status")
    assert "\x1b" not in answer.stderr


def test_a_reader_that_goes_away_ends_the_program_quietly(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "submitter", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    stderr = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=60) == ExitCode.OK
    assert stderr == b""


def test_faults_are_objects_in_the_error_document() -> None:
    from submitter.render.shapes import error_doc

    document = error_doc("config", 2, "m", [Fault("a.yaml", 3, 7, "p")])
    assert json.loads(json.dumps(document))["error"]["faults"] == [
        {"where": "a.yaml", "line": 3, "column": 7, "problem": "p"}
    ]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("plan -i x", "before the command: submitter -i PATH plan"),
        ("plan --ledger=x", "before the command: submitter --ledger URL plan"),
        ("run -v", "before the command: submitter -v run"),
        ("indexnow key -i x", "before the command: submitter -i PATH indexnow key"),
        ("--json plan", "after the command: submitter plan --json"),
        ("--site x status", "after the command: submitter status --site GLOB"),
    ],
)
def test_an_option_on_the_wrong_side_is_told_where_it_goes(
    call: Call, words: str, place: str
) -> None:
    answer = call(*words.split())
    assert answer.exit_code == 2
    assert f"here; it goes {place}\n" in answer.stderr
    assert "Did you mean" not in answer.stderr


@pytest.mark.parametrize("words", ["--nope plan", "plan --nope", "--nope", "--force-it nope"])
def test_an_option_that_nobody_knows_goes_nowhere(call: Call, words: str) -> None:
    answer = call(*words.split())
    assert answer.exit_code == 2
    assert "No such option" in answer.stderr
    assert "it goes" not in answer.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("run --deadline abc", "'abc' is not a valid number."),
        ("run --wait x", "'x' is not a valid number."),
        ("log --limit 2.5", "'2.5' is not a valid whole number."),
        ("serve --port x", "'x' is not a valid whole number."),
    ],
)
def test_a_number_that_is_none_is_called_so(call: Call, words: str, problem: str) -> None:
    answer = call(*words.split())
    assert answer.exit_code == 2
    assert problem in answer.stderr
