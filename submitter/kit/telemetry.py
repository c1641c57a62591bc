"""Sets up logging: one line a record, for people or for machines, and never a secret in it."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, Literal, TextIO

from submitter.core.plain import plain
from submitter.core.redaction import Redactor
from submitter.kit.redaction import RedactingFilter

LogFormat = Literal["text", "json"]

LIBRARIES: Final = (
    "urllib3",
    "requests",
    "boto3",
    "botocore",
    "google",
    "googleapiclient",
    "google_auth_httplib2",
    "httplib2",
    "oauthlib",
    "sqlalchemy",
    "alembic",
    "asyncio",
)
"""Below WARNING these log addresses with their query, headers or rows."""

_OWN_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_QUERY: Final = re.compile(r"\?[^\s\"'<>)\]]+")


def level_of(verbosity: int) -> int:
    """0 = WARNING, 1 = INFO, 2 and more = DEBUG."""
    return {0: logging.WARNING, 1: logging.INFO}.get(verbosity, logging.DEBUG)


@contextmanager
def logging_to_stderr(
    redactor: Redactor,
    *,
    verbosity: int = 0,
    log_format: LogFormat = "text",
    formatter: logging.Formatter | None = None,
) -> Iterator[None]:
    """Log to stderr inside the block; what was set up before comes back after it. A `formatter`
    goes before the format's own.

    Secrets that the redactor learns later are kept out from then on.
    """
    handler = _StderrHandler()
    handler.addFilter(RedactingFilter(redactor))
    named = JsonFormatter() if log_format == "json" else TextFormatter()
    handler.setFormatter(formatter or named)
    root, libraries = logging.getLogger(), [logging.getLogger(name) for name in LIBRARIES]
    before = [(logger, logger.level) for logger in (root, *libraries)]
    root.addHandler(handler)
    root.setLevel(level_of(verbosity))
    for library in libraries:
        library.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)
        for logger, level in before:
            logger.setLevel(level)


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Asks for stderr each time: a progress bar puts itself in front of it while it runs."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]  # the base sets it once
        return sys.stderr


class TextFormatter(logging.Formatter):
    """`16:43:05 WARNING submitter.stories.runs: sentence`; a line break in a message is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        line = f"{at:%H:%M:%S} {record.levelname} {record.name}: {plain(message_of(record))}"
        trace = _trace(record)
        return f"{line}\n{trace}" if trace else line


class JsonFormatter(logging.Formatter):
    """One object a line, in the names of both collectors, so that the same line is understood
    wherever a job runs: Cloud Logging takes `time`, `severity` and `message` for its own (it reads
    a `timestamp` only where that is an object, and else leaves it among the other fields); Lambda
    filters by `timestamp` and `level`, and CloudWatch finds every field by its name. `context` are
    fields that the platform knows all lines of one delivery by.

    Source: https://cloud.google.com/logging/docs/structured-logging,
    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html and
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html,
    read 2026-11-30.
    """

    def __init__(self, context: Mapping[str, object] = MappingProxyType({})) -> None:
        super().__init__()
        self._context = dict(context)

    def format(self, record: logging.LogRecord) -> str:
        at = time_of(record)
        fields: dict[str, object] = {
            "time": at,
            "timestamp": at,
            "severity": record.levelname,
            "level": record.levelname,
            "message": message_of(record),
            "logger": record.name,
        }
        extra = {key: value for key, value in vars(record).items() if key not in _OWN_FIELDS}
        fields |= extra | self._context | fields
        trace = _trace(record)
        if trace:
            fields["exception"] = trace
        return json.dumps(fields, default=str)


def time_of(record: logging.LogRecord) -> str:
    """RFC 3339 in UTC."""
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def message_of(record: logging.LogRecord) -> str:
    """The record's sentence; queries of addresses are cut out of what libraries say."""
    message = record.getMessage()
    if record.name.split(".")[0] == "submitter":
        return message
    return _QUERY.sub("?...", message)


def _trace(record: logging.LogRecord) -> str:
    """The redacting filter has made a text of it."""
    return "\n".join(part for part in (record.exc_text, record.stack_info) if part)
