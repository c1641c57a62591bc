"""The connection between a worker and its owner: whole objects, and no wait without an end."""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any, Final

_SIZE: Final = struct.Struct("<Q")


class Line:
    """One end. Raises TimeoutError when the other end does nothing for so long, EOFError or
    another OSError when it is gone; in the midst of an object the line is of no more use."""

    def __init__(self, end: socket.socket, *, patience_s: float) -> None:
        self._end = end
        self._end.settimeout(patience_s)

    def send(self, message: object) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._end.sendall(_SIZE.pack(len(data)))
        self._end.sendall(data)

    def receive(self) -> Any:
        """Only what our own program says: the two run the same code for the same user."""
        (size,) = _SIZE.unpack(self._read(_SIZE.size))
        return pickle.loads(self._read(size))  # noqa: S301 # see above

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        left = memoryview(data)
        while left:
            count = self._end.recv_into(left)
            if not count:
                raise EOFError
            left = left[count:]
        return data

    def is_ringing(self, wait_s: float) -> bool:
        """Whether within this time a message comes, or the end of all."""
        patience_s = self._end.gettimeout()
        self._end.settimeout(wait_s)
        try:
            self._end.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, TimeoutError):
            return False
        finally:
            self._end.settimeout(patience_s)
        return True

    def close(self) -> None:
        self._end.close()
