"""CSV that opens in a spreadsheet without becoming a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from submitter.core.plain import plain

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Source: https://owasp.org/www-community/attacks/CSV_Injection, read 2026-11-30."""


def csv_line(values: Iterable[object]) -> str:
    """One line; None is empty, numbers stay numbers."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(value) for value in values])
    return line.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    quote = "'" if value.startswith(FORMULA_STARTS) else ""
    return quote + plain(value)
