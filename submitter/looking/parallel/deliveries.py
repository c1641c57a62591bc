"""A document on its way from the thread that reads it to the walk that asked for it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator

from submitter.core.pagebatch import PageBatch
from submitter.looking.reading import Part


class Delivery(Iterator[Part]):
    """Implements `reading.Parts`. One thread fills it, one takes from it.

    Filling never waits for taking: a fetch that stood still would hold its connection and its
    place at the host, for which the walk itself may be waiting. The limits of a document bound
    what is held.
    """

    def __init__(self, weigh: Callable[[int], None]) -> None:
        """`weigh` is told of every change of the bytes that wait to be taken, about."""
        self._weigh = weigh
        self._parts: deque[Part] = deque()
        self._changed = threading.Condition()
        self._filled = self._closed = False
        self._error: BaseException | None = None

    def fill(self, parts: Generator[Part, None, None]) -> None:
        """Take all parts, and whatever error ends them, unless nobody wants them any more."""
        error = None
        try:
            while not self._closed and (part := next(parts, None)) is not None:
                self._put(part)
            parts.close()
        except BaseException as raised:  # it belongs to the walk, which waits for it
            error = raised
        with self._changed:
            self._filled, self._error = True, error
            self._changed.notify()

    def _put(self, part: Part) -> None:
        with self._changed:
            if not self._closed:
                self._parts.append(part)
                self._weigh(_size(part))
                self._changed.notify()

    def __next__(self) -> Part:
        with self._changed:
            while not self._parts and not self._filled:
                self._changed.wait()
            if self._parts:
                part = self._parts.popleft()
                self._weigh(-_size(part))
                return part
            error, self._error = self._error, None
        raise error or StopIteration

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._weigh(-sum(map(_size, self._parts)))
            self._parts.clear()


def _size(part: Part) -> int:
    return part.size if isinstance(part, PageBatch) else 0
