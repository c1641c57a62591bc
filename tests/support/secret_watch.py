"""Listens to everything that leaves a run and looks for secrets in it, in every usual spelling.

Knows nothing of the product's own redaction, so that it cannot share a blind spot with it.
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
import traceback
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from submitter.sending.channels import Channel
from submitter.stories.run_request import Tools

SIGNED = re.compile(r"eyJ[\w-]{20,}\.eyJ[\w-]{20,}")
"""A signed assertion; nobody knows its text beforehand."""


def spellings(secret: str) -> dict[str, str]:
    """How a secret may look where it does not belong."""
    percent = quote(secret, safe="")
    found = {
        "raw": secret,
        "percent": percent,
        "lower percent": re.sub("%..", lambda one: one[0].lower(), percent),
        "path": quote(secret),
        "form": quote_plus(secret),
        "json": json.dumps(secret)[1:-1],
        "json with slashes": json.dumps(secret)[1:-1].replace("/", "\\/"),
        "repr": repr(secret)[1:-1],
        "html": html.escape(secret),
        "hex": secret.encode().hex(),
    }
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + secret.encode()).decode().rstrip("=")
        inner = text[(offset * 8 + 5) // 6 : -1]  # the ends depend on what stands beside it
        found[f"base64 at {offset}"] = inner
        found[f"safe base64 at {offset}"] = inner.replace("+", "-").replace("/", "_")
    return found


@dataclass
class SecretWatch:
    """What was heard, by where it was heard; and which secrets must not be in there."""

    secrets: dict[str, str] = field(repr=False)
    heard: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list), repr=False)

    def hear(self, channel: str, text: str) -> None:
        self.heard[channel].append(text)

    def hear_error(self, error: BaseException) -> None:
        """With everything that hangs on it: chain, arguments, attributes, every frame's locals."""
        todo, seen = [error], set[int]()
        while todo:
            one = todo.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            told = traceback.TracebackException.from_exception(one, capture_locals=True)
            told.stack = traceback.StackSummary.from_list(
                [frame for frame in told.stack if not _is_a_tests_own(frame.filename)]
            )
            self.hear("traceback", "".join(told.format(chain=False)))
            self.hear("exception", f"{one} {one!r} {one.args!r} {vars(one)!r}")
            todo += [link for link in (one.__cause__, one.__context__) if link is not None]

    def hear_files(self, channel: str, paths: Iterable[Path]) -> None:
        """The bytes as they lie there: blobs, free pages and logs included."""
        for path in paths:
            self.hear(channel, path.read_bytes().decode("latin-1"))

    def leaks(self) -> list[str]:
        """`token in log, percent` for every secret that got out."""
        found = []
        for channel, texts in self.heard.items():
            text = "\n".join(texts)
            found += [
                f"{name} in {channel}, {spelling}"
                for name, secret in self.secrets.items()
                for spelling, form in spellings(secret).items()
                if form in text
            ]
            found += [f"an assertion in {channel}"] if SIGNED.search(text) else []
        return found

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Every logger at DEBUG, and every warning, for as long as the block lasts."""
        handler, root = _Ear(self), logging.getLogger()
        levels = {logger: logger.level for logger in (root, *_loggers())}
        root.addHandler(handler)
        for logger in levels:
            logger.setLevel(logging.DEBUG)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield
        finally:
            root.removeHandler(handler)
            for logger, level in levels.items():
                logger.setLevel(level)
        for warning in caught:
            self.hear("warning", str(warning.message))

    def overhearing(self, tools: Tools) -> Tools:
        """The same tools, whose engines' errors are heard before anybody handles them."""

        def open_channels(names: Iterable[str]) -> Mapping[str, Channel]:
            return {
                name: replace(channel, engine=Overheard(channel.engine, self))
                for name, channel in tools.open_channels(names).items()
            }

        return replace(tools, open_channels=open_channels)


def raise_beside(secret: str) -> None:
    """Raise an error whose frame holds the secret, and whose words do not."""
    letters = len(secret)
    raise ValueError(letters)


def _is_a_tests_own(filename: str) -> bool:
    """Tests know the secrets, so their frames are full of them."""
    name = Path(filename).name
    return name.startswith("test_") or name == "whole.py"


def _loggers() -> list[logging.Logger]:
    named = logging.Logger.manager.loggerDict.values()
    return [one for one in named if isinstance(one, logging.Logger)]


class _Ear(logging.Handler):
    def __init__(self, watch: SecretWatch) -> None:
        super().__init__(logging.DEBUG)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        self._watch.hear("log", f"{record.getMessage()} {vars(record)!r}")
        if record.exc_info and record.exc_info[1] is not None:
            self._watch.hear_error(record.exc_info[1])


class Overheard:
    """An engine whose errors and answers are heard."""

    def __init__(self, engine: Any, watch: SecretWatch) -> None:
        self._engine, self._watch = engine, watch

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return self._listened(found) if name in ("survey", "send", "checks") else found

    def _listened(self, method: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            try:
                answer = method(*args, **named)
            except Exception as error:
                self._watch.hear_error(error)
                raise
            self._watch.hear("answer", repr(answer))
            return answer

        return call
