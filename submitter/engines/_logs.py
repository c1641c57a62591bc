"""Keeps addresses' queries out of the log lines that HTTP libraries write."""

from __future__ import annotations

import logging
import re

_LOGGERS = (
    "urllib3.connectionpool",
    "urllib3.connection",
    "urllib3.util.retry",
    "googleapiclient.discovery",
)
"""Those that log whole addresses, at DEBUG and some at WARNING. urllib3 2.8, read 2026-11-30."""

_QUERY = re.compile(r"(\?|%3[Ff])[^\s'\"]*")
"""The second form: a sitemap's own query inside one of Google's path segments."""


def keep_queries_out_of_logs() -> None:
    """Cut the queries from these loggers' lines from now on; any number of calls is one."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_without_queries)


def _without_queries(record: logging.LogRecord) -> bool:
    record.msg, record.args = _QUERY.sub("?…", record.getMessage()), None
    return True
