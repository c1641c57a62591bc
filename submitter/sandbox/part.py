"""The shape of a part: an engine, or the fleet. One file per part, one line in `sandbox.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from submitter.sandbox.book import Book
from submitter.sandbox.faults import Faults
from submitter.sandbox.wire import Answer, Request


@dataclass(frozen=True, slots=True)
class Call:
    """A request as the part understands it, before anything is decided."""

    name: str
    key: str = ""
    account: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a part decided. `accepted` is what the engine took."""

    answer: Answer
    accepted: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    code: str = ""


class Part(Protocol):
    """Reads and decides; faults, the book and the wire are the sandbox's business.

    `decide` is called under `lock`, so that the book has the order of the decisions.
    """

    name: str
    endpoint: str
    lock: threading.RLock
    book: Book
    faults: Faults
    answers: Mapping[str, Answer]
    """Documented and reported answers by name, for faults."""
    commands: Mapping[str, Callable[..., object]]
    """What may be called over HTTP, with the arguments of the Python method."""

    def read(self, request: Request) -> Call: ...
    def decide(self, request: Request, call: Call) -> Verdict: ...
