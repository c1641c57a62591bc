"""Where results go: stdout holds the result and nothing else, words about it go to stderr."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Mapping

from submitter.render.json_text import json_text
from submitter.render.screen import LEAST_WIDTH, Screen

JSON_INDENT = 2
"""On a terminal; in a pipe a document is one line."""


def screen_of_stdout(environ: Mapping[str, str]) -> Screen:
    """The terminal's width, 80 in a pipe; colour on a terminal that wants it.

    Source: https://no-color.org, read 2026-11-30.
    """
    width = max(LEAST_WIDTH, shutil.get_terminal_size((80, 24)).columns)
    wants = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Screen(width, colour=wants and sys.stdout.isatty())


class ReaderGone(Exception):
    """Whoever read stdout went away. No OSError, for which click has rules of its own."""


def write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise ReaderGone from None


def write_lines(lines: Iterable[str]) -> None:
    for line in lines:
        write(line + "\n")


def write_json(document: object) -> None:
    """One document, a line of its own in a pipe."""
    indent = JSON_INDENT if sys.stdout.isatty() else None
    write(json_text(document, indent=indent) + "\n")


def flush() -> None:
    """What was written is there for whoever reads it while we go on."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def tell(text: str) -> None:
    """Words to the person, on stderr. On a terminal they fold at blanks, so that what is one word
    can be copied; anywhere else a line stays whole."""
    width = _stderr_width()
    if width is None:
        tell_whole(text)
        return
    from submitter.render.tables import wrap

    for line in text.split("\n"):
        tell_whole("\n".join(wrap(line, width)))


def tell_whole(text: str) -> None:
    """As `tell`, of what is laid out already."""
    sys.stderr.write(text + "\n")


def _stderr_width() -> int | None:
    """None: it is no terminal."""
    if not sys.stderr.isatty():
        return None
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0  # a terminal that does not say
    return max(LEAST_WIDTH, columns or shutil.get_terminal_size((80, 24)).columns)


def prepare_streams() -> None:
    """A letter that the terminal's encoding lacks is escaped instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def hush_stdout() -> None:
    """The reader went away: nothing more is written, also not when Python ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, io.UnsupportedOperation):
        return  # no real file stands behind stdout
