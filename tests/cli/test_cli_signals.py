"""Signals stop the work kindly, and a second one at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from calling import Call

from submitter.cli.invocation import Invocation
from submitter.cli.reporting import report_run
from submitter.cli.signals import StopSignal, stopping
from submitter.ledger import open_ledger
from submitter.render.shapes import verify_doc
from submitter.sandbox import FaultKind, Sandbox
from submitter.stories.runs import RunReport

PATIENCE_S = 60


@contextmanager
def child(*argv: object, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "submitter", *map(str, argv)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_sandbox_runs_until_a_signal(
    tmp_path: Path, call: Call, number: signal.Signals, code: int
) -> None:
    with child("sandbox", "--directory", "demo", cwd=tmp_path) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith(b"The sandbox runs at http://127.0.0.1:")
        online = call("-i", "demo/inventory.yaml", "check", "--online", "--site", "www*")
        assert online.exit_code == 0
        process.send_signal(number)
        assert process.wait(timeout=PATIENCE_S) == code


@contextmanager
def slow_run(
    tmp_path: Path, *, seconds: float
) -> Iterator[tuple[subprocess.Popen[bytes], Sandbox]]:
    """A run whose first call at Baidu was taken and is answered so much later."""
    with Sandbox() as sandbox:
        path = sandbox.write_demo(tmp_path)
        sandbox.baidu.faults.add(FaultKind.DELAY, seconds=seconds)
        argv = ("-i", path, "run", "--account", "baidu", "--site", "shop*", "--json")
        with child(*argv, cwd=tmp_path) as process:
            for _ in range(3_000):
                if sandbox.baidu.book.count() or process.poll() is not None:
                    break
                threading.Event().wait(0.02)
            assert process.poll() is None
            yield process, sandbox


def test_the_first_signal_lets_a_run_finish_its_call_store_it_and_report(
    tmp_path: Path, call: Call
) -> None:
    with slow_run(tmp_path, seconds=3.0) as (process, sandbox):
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        assert b"stopping" in stderr
        taken = sandbox.baidu.book.accepted()
    report = json.loads(stdout)
    assert (report["outcome"], report["exit_code"]) == ("stopped", 130)
    assert report["counts"]["pages"]["accepted"] == len(taken) == 1
    assert report["counts"]["pages"]["deferred"] == 57
    assert "stopped" in {skip["reason"] for skip in report["skips"]}
    rows = call("-i", tmp_path / "inventory.yaml", "log", "--json").json()
    assert [(row["state"], row["target"]) for row in rows] == [("accepted", taken[0])]
    with closing(open_ledger(f"sqlite:///{tmp_path / 'submitter.db'}")) as ledger:
        [stored] = ledger.run_ends(limit=9)
    assert (stored.outcome, stored.exit_code) == ("stopped", 130)


def test_a_second_signal_ends_a_run_at_once(tmp_path: Path) -> None:
    with slow_run(tmp_path, seconds=PATIENCE_S) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert b"once more" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE_S) == 143


def test_the_first_signal_sets_the_event_and_is_remembered() -> None:
    with stopping() as stopped:
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopped.event.wait(PATIENCE_S)
    assert stopped.exit_code(0) == 143


def test_handlers_are_put_back() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with stopping():
        pass
    assert {number: signal.getsignal(number) for number in before} == before


def test_without_a_signal_the_exit_code_stays() -> None:
    assert StopSignal().exit_code(4) == 4


def test_in_another_thread_no_handler_is_touched() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with stopping() as stopped:
            seen.append((signal.getsignal(signal.SIGINT), stopped.number))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(PATIENCE_S)
    assert seen == [(before, None)]


def test_a_signal_after_the_report_is_in_the_document_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stopped = StopSignal(number=signal.SIGTERM)
    report = RunReport({"outcome": "ok", "exit_code": 0}, 0)
    assert report_run(Invocation(), report, stopped, as_json=True) == 143
    assert json.loads(capsys.readouterr().out) == {"outcome": "stopped", "exit_code": 143}


@pytest.mark.parametrize(
    ("code", "outcome"), [(0, "ok"), (5, "failed"), (6, "deadline"), (130, "stopped")]
)
def test_verify_says_in_one_word_what_its_exit_code_says(code: int, outcome: str) -> None:
    document = verify_doc([], [], exit_code=code, at=datetime(2026, 11, 30, tzinfo=UTC))
    assert (document["outcome"], document["exit_code"]) == (outcome, code)
