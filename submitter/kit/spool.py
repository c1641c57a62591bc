"""Keeps a body back until its hash is known, so that an unchanged one is never parsed."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO

from submitter.errors import FetchError

MEMORY_BYTES = 8 * 1024 * 1024
"""A body waits in memory up to this size, then in a temporary file."""
PIECE_BYTES = 1024 * 1024


class Spool:
    """A body that is either passed through or, when `wanted`, held back and replayed.

    `sha256()` reads a held body to its end. `pieces()` yields the bytes once and then raises the
    error, if any, that ended the body early, so that a reader sees the same prefix either way.
    """

    def __init__(self, chunks: Iterator[bytes], *, wanted: bool) -> None:
        self._chunks, self._wanted = chunks, wanted
        self._digest = hashlib.sha256()
        self._held: IO[bytes] | None = None
        self._error: FetchError | None = None

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._held is not None:
            self._held.close()

    def sha256(self) -> str | None:
        """Hash of the whole body; None when it broke off (then it equals nothing)."""
        if self._wanted and self._held is None:
            self._hold()
        return None if self._error else self._digest.hexdigest()

    def _hold(self) -> None:
        self._held = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - __exit__
        try:
            for chunk in self._chunks:
                self._digest.update(chunk)
                self._held.write(chunk)
        except FetchError as error:
            self._error = error
        self._held.seek(0)

    def pieces(self) -> Iterator[bytes]:
        if self._held is None:
            yield from self._pass_through()
            return
        while piece := self._held.read(PIECE_BYTES):
            yield piece
        if self._error is not None:
            raise self._error

    def _pass_through(self) -> Iterator[bytes]:
        try:
            for chunk in self._chunks:
                self._digest.update(chunk)
                yield chunk
        except FetchError as error:
            self._error = error
            raise
