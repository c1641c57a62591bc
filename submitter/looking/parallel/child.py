"""What runs in a worker: reads documents from the bytes that its owner sends, until he is gone."""

from __future__ import annotations

import gc
import os
import socket
import traceback
from typing import Final

from submitter.core.pagereader import PageReader, ReadOrder
from submitter.errors import SitemapError
from submitter.looking.parallel.line import Line
from submitter.looking.parallel.messages import (
    Answer,
    Drop,
    Failed,
    Feed,
    Finish,
    Pages,
    Question,
    Ready,
    Refused,
)

GARBAGE: Final = 50_000
"""Tuples made before garbage is looked for. Reading makes millions and no cycle of them."""
LOOK_ROUND_S: Final = 5.0
"""How often an idle worker sees whether its owner lives. The line says so at once, unless a fork
of the owner holds its other end, too."""
PATIENCE_S: Final = 3_600.0
"""For an owner that was put to sleep in the midst of a word."""


class Desk:
    """Answers questions about the documents under way."""

    def __init__(self) -> None:
        self._readers: dict[int, PageReader] = {}

    def answer(self, question: Question) -> Answer | None:
        try:
            match question:
                case Feed(job, piece, order):
                    return Pages(self._reader(job, order).feed(piece))
                case Finish(job, order, complete, delimited):
                    reader = self._reader(job, order)
                    rows, found = reader.finish(complete=complete, delimited=delimited)
                    del self._readers[job]
                    return Pages(rows, found)
                case Drop(job):
                    self._readers.pop(job, None)
                    return None
        except SitemapError as error:
            self._readers.pop(question.job, None)
            return Refused(error.url, error.reason, error.problem)
        except Exception:
            self._readers.pop(question.job, None)
            return Failed(traceback.format_exc())

    def _reader(self, job: int, order: ReadOrder | None) -> PageReader:
        if order is not None:
            self._readers[job] = PageReader(order)
        return self._readers[job]


def serve(handle: int, owner: int) -> None:
    """Answer on the line until its other end closes, or the owner (a process id) ends."""
    gc.freeze()
    gc.set_threshold(GARBAGE)
    desk = Desk()
    with socket.socket(fileno=handle) as end:
        line = Line(end, patience_s=PATIENCE_S)
        try:
            line.send(Ready())
            while _is_asked(line, owner):
                if (answer := desk.answer(line.receive())) is not None:
                    line.send(answer)
        except (EOFError, OSError):
            return


def _is_asked(line: Line, owner: int) -> bool:
    while not line.is_ringing(LOOK_ROUND_S):
        if os.getppid() != owner:
            return False
    return True
