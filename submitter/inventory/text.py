"""Reads a file that a person wrote: once, within a limit, and only as UTF-8."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


class Unreadable(ValueError):
    """The file cannot be used as text; `line` and `column` count from 1, 0 = the whole file."""

    def __init__(self, problem: str, *, line: int = 0, column: int = 0) -> None:
        self.problem, self.line, self.column = problem, line, column
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text without its byte order mark; `sha256` is of the bytes as they lay there."""

    text: str
    sha256: str


def read_text(path: Path, *, max_bytes: int) -> SourceText:
    """Read the file once. Raises `Unreadable`."""
    body = _read_bytes(path, max_bytes)
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise Unreadable(
            "not UTF-8: save the file in that encoding",
            line=before.count(b"\n") + 1,
            column=column,
        ) from None
    return SourceText(text, hashlib.sha256(body).hexdigest())


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise Unreadable("no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Unreadable(f"cannot be read: {reason or error}") from None
    if len(body) > max_bytes:
        raise Unreadable(f"larger than {max_bytes:,} bytes")
    return body
