"""Logs as the platforms read them: one JSON object a line, in their own field names."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from submitter.core.redaction import Redactor
from submitter.kit.telemetry import JsonFormatter, logging_to_stderr, message_of, time_of

INFO = 1


class AmazonFormatter(JsonFormatter):
    """Source: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html,
    read 2026-11-30."""

    def __init__(self, request_id: str) -> None:
        super().__init__()
        self._request_id = request_id

    def stamp(self, record: logging.LogRecord) -> dict[str, object]:
        return {
            "timestamp": time_of(record),
            "level": record.levelname,
            "message": message_of(record),
            "logger": record.name,
            "requestId": self._request_id,
        }


class GoogleFormatter(JsonFormatter):
    """`trace` are the fields of the request that the line belongs to, `labels` texts to find it by.

    Source: https://cloud.google.com/logging/docs/structured-logging, read 2026-11-30.
    """

    def __init__(self, trace: Mapping[str, str], labels: Mapping[str, str]) -> None:
        super().__init__()
        self._trace, self._labels = trace, labels

    def stamp(self, record: logging.LogRecord) -> dict[str, object]:
        return {
            "time": time_of(record),
            "severity": record.levelname,
            "message": message_of(record),
            "logging.googleapis.com/labels": {**self._labels, "logger": record.name},
            **self._trace,
        }


def trace_fields(headers: Mapping[str, str], project: str | None) -> dict[str, str]:
    """The request's trace, from `traceparent` or Google's older header; empty without either.

    Source: https://cloud.google.com/trace/docs/trace-context, read 2026-11-30.
    """
    trace = ""
    if parent := headers.get("traceparent"):
        trace = parent.partition("-")[2].partition("-")[0]
    elif older := headers.get("X-Cloud-Trace-Context"):
        trace = older.partition("/")[0]
    if len(trace) != 32 or not trace.isalnum():
        return {}
    name = f"projects/{project}/traces/{trace}" if project else trace
    return {"logging.googleapis.com/trace": name}


@contextmanager
def logging_lines(redactor: Redactor, formatter: logging.Formatter) -> Iterator[None]:
    """Log to stderr inside the block, and nowhere else: a platform's own handlers would write
    every line once more, in another form and with its secrets."""
    root = logging.getLogger()
    others = list(root.handlers)
    for handler in others:
        root.removeHandler(handler)
    try:
        with logging_to_stderr(redactor, verbosity=INFO, formatter=formatter):
            yield
    finally:
        for handler in others:
            root.addHandler(handler)
