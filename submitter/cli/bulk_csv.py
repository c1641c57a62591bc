"""Reads the CSV of `submit`: all its faults at once, each with its line."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from submitter.errors import ConfigError, Fault

if TYPE_CHECKING:
    from submitter.stories.bulk import BulkRow

COLUMNS = ("site_url", "sitemap_url")
STDIN = "-"


def read_rows(name: str) -> list[BulkRow]:
    """The rows of a file, or of stdin for `-`. Raises ConfigError."""
    where = "stdin" if name == STDIN else name
    try:
        data = sys.stdin.buffer.read() if name == STDIN else _read_file(name)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError.one(where, error.strerror or "cannot be read") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([Fault(where, line, 1, "is not UTF-8 text")]) from error
    return parse_rows(io.StringIO(text, newline=""), where)


def parse_rows(lines: Iterable[str], where: str) -> list[BulkRow]:
    """Rows in order; further columns and empty lines are passed over. Raises ConfigError."""
    from submitter.stories.bulk import BulkRow

    rows: list[BulkRow] = []
    faults: list[Fault] = []
    for line, row in _records(lines, where):
        lacking = [column for column in COLUMNS if not row.get(column)]
        if lacking:
            faults.append(Fault(where, line, 1, f"{' and '.join(lacking)} is empty"))
            continue
        rows.append(BulkRow(row["site_url"], row["sitemap_url"], where, line))
    if not rows and not faults:
        faults.append(Fault(where, 0, 0, "holds no rows"))
    if faults:
        raise ConfigError(faults)
    return rows


def _records(lines: Iterable[str], where: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    reader = csv.reader(lines, strict=True)
    names: Sequence[str] | None = None
    try:
        for values in reader:
            if not any(value.strip() for value in values):
                continue
            if names is None:
                names = _header(values, where, reader.line_num)
                continue
            cells = (value.strip() for value in values)
            yield reader.line_num, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        raise ConfigError([Fault(where, reader.line_num, 1, str(error))]) from error


def _header(values: Sequence[str], where: str, line: int) -> list[str]:
    names = [value.strip().lower() for value in values]
    lacking = [column for column in COLUMNS if column not in names]
    if lacking:
        problem = f"the header lacks {' and '.join(lacking)}; it is {','.join(values)[:200]!r}"
        raise ConfigError([Fault(where, line, 1, problem)])
    return names


def _read_file(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()
