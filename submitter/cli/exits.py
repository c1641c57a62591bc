"""From errors to exit codes and words: the only place that does so."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence

import click

from submitter.cli.app import app
from submitter.cli.invocation import Invocation
from submitter.cli.misplaced import with_its_place
from submitter.cli.output import (
    ReaderGone,
    flush,
    hush_stdout,
    prepare_streams,
    tell,
    tell_whole,
    write,
)
from submitter.core import troubles
from submitter.core.accounting import ExitCode
from submitter.core.plain import plain
from submitter.core.troubles import Trouble
from submitter.render.json_text import json_text


def run(argv: Sequence[str], *, started: float | None = None) -> int:
    """Do what the command line says; returns the exit code."""
    prepare_streams()
    invocation = Invocation() if started is None else Invocation(started)
    try:
        code = _obey(argv, invocation)
        flush()
    except ReaderGone:
        hush_stdout()
        return invocation.exit_code
    return code


def _obey(argv: Sequence[str], invocation: Invocation) -> int:
    try:
        code = app.main(list(argv), prog_name="submitter", obj=invocation, standalone_mode=False)
    except ReaderGone:
        raise
    except (KeyboardInterrupt, click.Abort):
        return ExitCode.INTERRUPTED
    except click.NoSuchOption as error:
        return _report(with_its_place(error, argv), invocation, as_json="--json" in argv)
    except Exception as error:
        return _report(error, invocation, as_json="--json" in argv)
    return code if isinstance(code, int) else ExitCode.OK


def trouble_of(error: Exception) -> Trouble:
    """What a caller may act on; click's own errors are about the command line."""
    if isinstance(error, click.ClickException):
        return Trouble("usage", ExitCode.USAGE, error.format_message())
    return troubles.trouble_of(error)


def _report(error: Exception, invocation: Invocation, *, as_json: bool) -> int:
    trouble = trouble_of(error)
    invocation.exit_code = trouble.exit_code
    if trouble.kind == "internal" and invocation.verbosity:
        _tell("".join(traceback.format_exception(error)), invocation, tell_whole)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _tell_usage(error, error.ctx)
    _tell(trouble.message, invocation)
    if trouble.hint:
        tell(trouble.hint)
    if as_json:
        _write_error(trouble, invocation)
    return trouble.exit_code


def _tell(text: str, invocation: Invocation, say: Callable[[str], None] = tell) -> None:
    for line in invocation.redactor.redact(text).splitlines():
        say(plain(line))


def _tell_usage(error: click.UsageError, context: click.Context) -> None:
    if not error.message.startswith("Usage:"):  # the help that a bare command gets has it
        tell(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n")


def _write_error(trouble: Trouble, invocation: Invocation) -> None:
    """With --json, stdout holds one document in any case."""
    from submitter.render.shapes import error_doc

    document = error_doc(trouble.kind, trouble.exit_code, trouble.message, trouble.faults)
    write(invocation.redactor.redact(json_text(document)) + "\n")
