"""A socket with a deadline and a byte budget under every single read and write."""

from __future__ import annotations

import io
import selectors
import socket
from dataclasses import dataclass
from typing import Final

from submitter.sources.deadlines import Deadline
from submitter.sources.networks import IP
from submitter.sources.reasons import failure

READ_BYTES: Final = 64 * 1024

_Selector: Final = getattr(selectors, "PollSelector", selectors.SelectSelector)
"""Needs no file descriptor of its own and knows no highest one."""


@dataclass(frozen=True, slots=True)
class Phase:
    """What may come in one part of an answer, and what it is called when more or nothing comes."""

    late: str
    large: str
    max_bytes: int
    """After so many bytes nothing more is read; the last read may go over by READ_BYTES."""


class GuardedSocket:
    """All that `http.client` needs of a socket.

    A timeout of the socket alone starts anew with each byte of a drip; a `Deadline` does not.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._url = ""
        self._deadline: Deadline
        self._phase: Phase
        self._bytes_left = 0

    def expect(self, url: str, deadline: Deadline, phase: Phase) -> None:
        """What the reads and writes from now on are for."""
        self._url, self._deadline, self._phase = url, deadline, phase
        self._bytes_left = phase.max_bytes

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.check(self._phase.late))
        try:
            self._sock.sendall(data)
        except TimeoutError:
            raise self._deadline.failure(self._phase.late) from None

    def makefile(self, mode: str) -> io.BufferedReader:
        """For reading only: `mode` is what http.client says, always rb."""
        return io.BufferedReader(_GuardedFile(self, self._sock), READ_BYTES)

    def read_into(self, raw: socket.SocketIO, buffer: memoryview) -> int | None:
        if self._bytes_left <= 0:
            raise failure(self._url, self._phase.large, f"more than {self._phase.max_bytes} bytes")
        self._sock.settimeout(self._deadline.check(self._phase.late))
        try:
            count = raw.readinto(buffer)
        except TimeoutError:
            raise self._deadline.failure(self._phase.late) from None
        self._bytes_left -= count or 0
        return count

    def silent(self) -> bool:
        """Open, and nothing waits to be read."""
        with _Selector() as selector:
            selector.register(self._sock, selectors.EVENT_READ)
            return not selector.select(0)

    def close(self) -> None:
        self._sock.close()


class _GuardedFile(io.RawIOBase):
    """The reading side of a guarded socket, which stays open until both are closed."""

    def __init__(self, guard: GuardedSocket, sock: socket.socket) -> None:
        self._guard = guard
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int | None:  # type: ignore[override]  # the base takes any buffer
        return self._guard.read_into(self._raw, buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def dial(ip: IP, port: int, timeout_s: float) -> socket.socket:
    """A TCP connection to one address. Raises OSError."""
    family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_s)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((str(ip), port))
    except BaseException:
        sock.close()
        raise
    return sock
