"""Lines of log files and of standard input, plain or gzip, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from submitter.core.crawl.lines import LONGEST
from submitter.errors import ConfigError, Fault
from submitter.ports.accesslogs import LogStream

STDIN: Final = "-"
READ_BYTES: Final = 256 * 1024
_MAGIC: Final = b"\x1f\x8b"
_WBITS_GZIP: Final = 31


class LogFiles:
    """Implements `ports.AccessLogs`. Raises ConfigError with every file that cannot be read."""

    def __init__(self, names: Sequence[str], stdin: BinaryIO) -> None:
        self._names, self._stdin = names, stdin
        faults = [fault for name in names if (fault := _fault(name)) is not None]
        if names.count(STDIN) > 1:
            faults.append(Fault(STDIN, 0, 0, "standard input can be read once"))
        if faults:
            raise ConfigError(faults)

    @property
    def total_bytes(self) -> int | None:
        if STDIN in self._names:
            return None
        return sum(Path(name).stat().st_size for name in self._names)

    def streams(self) -> Iterator[AbstractContextManager[LogStream]]:
        for name in self._names:
            yield _opened(name, self._stdin)


def _fault(name: str) -> Fault | None:
    if name == STDIN:
        return None
    try:
        with Path(name).open("rb"):
            return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        return Fault(name[:200], 0, 0, f"cannot be read: {reason.lower()}")


@contextmanager
def _opened(name: str, stdin: BinaryIO) -> Iterator[LogFile]:
    if name == STDIN:
        yield LogFile(name, stdin)
        return
    with Path(name).open("rb") as file:
        yield LogFile(name, file)


class LogFile:
    """Implements `ports.LogStream`."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name, self._stream = name, stream
        self._read_bytes = 0
        self._problem: str | None = None

    @property
    def read_bytes(self) -> int:
        return self._read_bytes

    @property
    def problem(self) -> str | None:
        return self._problem

    def blocks(self) -> Iterator[list[bytes]]:
        tail, is_cut = b"", False
        for piece in self._pieces():
            lines = piece.split(b"\n")
            if is_cut:
                lines[0] = b""
            lines[0] = tail + lines[0]
            is_cut = is_cut and len(lines) == 1
            tail = lines.pop()
            if len(tail) > LONGEST:
                tail, is_cut = tail[: LONGEST + 1], True
            if lines:
                yield lines
        if tail:
            yield [tail]

    def _pieces(self) -> Iterator[bytes]:
        """The bytes, inflated if they begin like gzip."""
        head = self._read(2)
        while len(head) == 1 and (more := self._read(1)):
            head += more
        if head != _MAGIC:
            if head:
                yield head
            while piece := self._read(READ_BYTES):
                yield piece
            return
        yield from self._inflated(head)

    def _read(self, size: int) -> bytes:
        try:
            piece = self._stream.read(size) or b""
        except OSError as error:
            self._problem = f"reading it failed: {(error.strerror or 'no reason given').lower()}"
            return b""
        self._read_bytes += len(piece)
        return piece

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        """All members; garbage behind the last is left alone, as gzip does."""
        member, is_first = zlib.decompressobj(_WBITS_GZIP), True
        try:
            while data:
                piece = member.decompress(data, READ_BYTES)
                if piece:
                    yield piece
                data = member.unconsumed_tail or (member.unused_data if member.eof else b"")
                if member.eof:
                    data = data.lstrip(b"\0") or self._read(READ_BYTES)
                    if not data.startswith(_MAGIC[:1]):
                        return
                    member, is_first = zlib.decompressobj(_WBITS_GZIP), False
                data = data or self._read(READ_BYTES)
            self._problem = "the gzip file is cut short"
        except zlib.error:
            if is_first or not member.eof:
                self._problem = "the gzip file is damaged"
