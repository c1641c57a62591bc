"""CSV that opens in a spreadsheet without becoming a formula."""

from __future__ import annotations

from collections.abc import Iterable

from submitter.core.plain import plain

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Source: https://owasp.org/www-community/attacks/CSV_Injection, read 2026-11-30."""
PARTING = frozenset(',;"\t')
"""Where some spreadsheet's country begins a new cell, unless the text is quoted."""


def csv_line(values: Iterable[object]) -> str:
    """One line; None is empty, numbers stay numbers."""
    return ",".join(_cell(value) for value in values) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    mark = "'" if value.lstrip(" \u00a0\ufeff").startswith(FORMULA_STARTS) else ""
    text = mark + plain(value)
    if PARTING.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'
