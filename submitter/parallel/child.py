"""What runs in a worker: reads documents from the bytes that its owner sends, until he is gone."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Final

from submitter.core.looks import PageRow
from submitter.core.pagereader import PageReader, ReadOrder
from submitter.errors import SitemapError
from submitter.parallel.messages import (
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
from submitter.parallel.packing import PackedRows

LOOK_ROUND_S: Final = 5.0
"""How often an idle worker sees whether its owner lives. The connection says so at once, unless
a fork of the owner still holds the other end of it."""


class Desk:
    """Answers questions about the documents under way."""

    def __init__(self) -> None:
        self._readers: dict[int, PageReader] = {}

    def answer(self, question: Question) -> Answer | None:
        try:
            match question:
                case Feed(job, piece, order):
                    return Pages(_packed(self._reader(job, order).feed(piece)))
                case Finish(job, order, complete, delimited):
                    reader = self._reader(job, order)
                    rows, found = reader.finish(complete=complete, delimited=delimited)
                    del self._readers[job]
                    return Pages(_packed(rows), found)
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


def serve(connection: Connection, owner: int) -> None:
    """Answer until the owner (a process id) closes the connection or ends."""
    gc.freeze()
    desk = Desk()
    try:
        connection.send(Ready())
        while _is_asked(connection, owner):
            answer = desk.answer(connection.recv())
            if answer is not None:
                connection.send(answer)
    except (EOFError, OSError):
        return


def _is_asked(connection: Connection, owner: int) -> bool:
    while not connection.poll(LOOK_ROUND_S):
        if os.getppid() != owner:
            return False
    return True


def _packed(rows: Sequence[PageRow]) -> PackedRows | None:
    return PackedRows(rows) if rows else None
