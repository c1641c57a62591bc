"""Doubles that keep the contracts: a clock moved by hand, permits without a limit, and an engine
that answers by script and keeps its own book."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Site
from submitter.core.states import State
from submitter.core.traits import Traits
from submitter.errors import EngineError
from submitter.ports import Source

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

Answer = Receipt | EngineError | Callable[[Call], Receipt]


class HandClock:
    """Implements `ports.Clock`; sleeping moves it, nothing else does."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now, self._elapsed = now, 0.0
        self._lock = threading.Lock()
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
        self.move(seconds=seconds)

    def move(self, **delta: float) -> None:
        step = timedelta(**delta)
        with self._lock:
            self._now += step
            self._elapsed += step.total_seconds()


class NoSource:
    """Implements `ports.Source` for those who must not fetch anything."""

    def fetch(self, url: str, **options: object) -> NoReturn:
        raise AssertionError(f"{url} was fetched")


class OpenPermits:
    """Implements `ports.Permits` without a limit; remembers penalties."""

    def __init__(self) -> None:
        self.penalties: list[float] = []

    def acquire(self, *, until: float) -> bool:
        del until
        return True

    def penalize(self, seconds: float) -> None:
        self.penalties.append(seconds)


@dataclass
class ScriptedEngine:
    """Implements `ports.Engine`. Answers in order, then accepts everything. `book` holds every
    page or sitemap it took, in order, as an engine that keeps books would."""

    traits: Traits
    answers: list[Answer] = field(default_factory=list)
    the_survey: Survey | EngineError | None = None
    refusal: Callable[[Action], EngineError | None] = lambda action: None
    the_checks: list[Check] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    book: list[str] = field(default_factory=list)
    surveys: int = 0
    prepared: list[str] = field(default_factory=list)
    unprepared: EngineError | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def survey(self, *, timeout_s: float) -> Survey | None:
        del timeout_s
        self.surveys += 1
        if isinstance(self.the_survey, EngineError):
            raise self.the_survey
        return self.the_survey

    def property_of(self, site: Site, survey: Survey | None) -> str:
        del survey
        return site.host

    def preflight(self, action: Action, survey: Survey | None) -> None:
        del survey
        error = self.refusal(action)
        if error is not None:
            raise error

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        del source, until
        self.prepared.append(site.origin)
        if self.unprepared is not None:
            raise self.unprepared

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        del timeout_s
        with self.lock:
            self.calls.append(call)
            answer = self.answers.pop(0) if self.answers else accept
            if isinstance(answer, EngineError):
                raise answer
            receipt = answer if isinstance(answer, Receipt) else answer(call)
            self.book += [url for url in told(call) if url not in receipt.rejected]
            return receipt

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        del property, timeout_s
        return [check for check in self.the_checks if check.sitemap in sitemaps]


def told(call: Call) -> Iterable[str]:
    return call.urls or (call.action.target,)


def accept(call: Call) -> Receipt:
    del call
    return Receipt(State.ACCEPTED, 204)


def meter(limit: int) -> Callable[[Call], Receipt]:
    """An answer that accepts and says what is left of `limit`; use one object for many calls."""
    spent = 0

    def answer(call: Call) -> Receipt:
        nonlocal spent
        spent += len(call.urls)
        return Receipt(State.ACCEPTED, 200, spent=len(call.urls), quota_left=limit - spent)

    return answer
