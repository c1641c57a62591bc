"""Logs: one line a record, for people or machines; libraries stay quiet, secrets stay out."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

import pytest

from submitter.core.redaction import Redactor
from submitter.kit.telemetry import LIBRARIES, JsonFormatter, LogFormat, level_of, logging_to_stderr

CANARY = "s3cret-canary-token"
log = logging.getLogger("submitter.test")


def emit(
    capsys: pytest.CaptureFixture[str], *, verbosity: int = 2, log_format: LogFormat = "text"
) -> str:
    """One record of each kind, with the secret in every place where one could be."""
    redactor = Redactor()
    with logging_to_stderr(redactor, verbosity=verbosity, log_format=log_format):
        redactor.add(CANARY)
        log.info("sent %d pages to %s", 3, "https://x.example", extra={"site": "https://x.example"})
        log.warning("token=%s", CANARY, extra={"deep": {"header": f"Bearer {CANARY}"}})
        logging.getLogger("urllib3.connectionpool").debug("GET /urls?token=%s", CANARY)
        logging.getLogger("urllib3").warning("retrying http://e.example/urls?site=x&token=abc")
        try:
            raise ValueError(f"no answer from http://e.example/?token={CANARY}")
        except ValueError:
            log.exception("the call broke")
    return capsys.readouterr().err


def test_a_text_line_has_time_level_logger_and_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    first = emit(capsys).splitlines()[0]
    assert first[8:] == " INFO submitter.test: sent 3 pages to https://x.example"


def test_json_lines_are_objects_with_the_extra_fields(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in emit(capsys, log_format="json").splitlines()]
    assert rows[0] | {"time": "", "timestamp": ""} == {
        "time": "",
        "timestamp": "",
        "severity": "INFO",
        "level": "INFO",
        "message": "sent 3 pages to https://x.example",
        "logger": "submitter.test",
        "site": "https://x.example",
    }
    assert rows[0]["time"] == rows[0]["timestamp"]
    assert datetime.fromisoformat(rows[0]["time"]).tzinfo == UTC
    assert "ValueError" in rows[-1]["exception"]


def test_no_extra_field_hides_what_collectors_read(capsys: pytest.CaptureFixture[str]) -> None:
    formatter = JsonFormatter({"requestId": "r-1"})
    with logging_to_stderr(Redactor(), formatter=formatter):
        log.warning("sent", extra={"time": "never", "severity": 7, "requestId": "mine"})
    row = json.loads(capsys.readouterr().err)
    assert (row["severity"], row["requestId"]) == ("WARNING", "r-1")
    assert row["time"] == row["timestamp"]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_no_secret_and_no_query_is_logged_at_any_level(
    capsys: pytest.CaptureFixture[str], log_format: LogFormat
) -> None:
    text = emit(capsys, log_format=log_format)
    assert CANARY not in text
    assert "token=abc" not in text
    assert "***" in text


def test_a_planted_leak_is_seen_by_this_test(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the redactor knowing it, the secret would stand in the line."""
    with logging_to_stderr(Redactor()):
        log.warning("the word is %s", CANARY)
    assert CANARY in capsys.readouterr().err


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_say_nothing_below_a_warning(
    capsys: pytest.CaptureFixture[str], library: str
) -> None:
    with logging_to_stderr(Redactor(), verbosity=2):
        logging.getLogger(f"{library}.inner").info("chatter")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("verbosity", "level"), [(0, logging.WARNING), (1, logging.INFO), (2, logging.DEBUG), (9, 10)]
)
def test_each_v_says_more(verbosity: int, level: int) -> None:
    assert level_of(verbosity) == level


def test_a_message_is_one_line_whatever_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr(Redactor()):
        log.warning("first\nWARNING forged: second\x1b[2J\u202e")
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert text.rstrip("\n").isprintable()


def test_what_was_set_up_before_comes_back() -> None:
    root, urllib3 = logging.getLogger(), logging.getLogger("urllib3")
    before = (root.level, list(root.handlers), urllib3.level)
    with logging_to_stderr(Redactor(), verbosity=2):
        assert root.level == logging.DEBUG
    assert (root.level, list(root.handlers), urllib3.level) == before
