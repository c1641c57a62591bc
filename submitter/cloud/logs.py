"""Logs as the platforms read them: one JSON object a line, with what ties it to its delivery."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from submitter.core.redaction import Redactor
from submitter.kit.telemetry import JsonFormatter, logging_to_stderr

INFO = 1


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
def logging_lines(redactor: Redactor, context: Mapping[str, object]) -> Iterator[None]:
    """Log to stderr inside the block, every line with this `context`, and nowhere else: a
    platform's own handlers would write every line once more, in another form and with its secrets.
    """
    root = logging.getLogger()
    others = list(root.handlers)
    for handler in others:
        root.removeHandler(handler)
    try:
        with logging_to_stderr(redactor, verbosity=INFO, formatter=JsonFormatter(context)):
            yield
    finally:
        for handler in others:
            root.addHandler(handler)
