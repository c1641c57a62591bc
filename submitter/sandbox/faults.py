"""Faults that a part is told to play: which calls they hit, and what happens to those."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from fnmatch import fnmatchcase

from submitter.sandbox.wire import Answer, html_answer


class FaultKind(StrEnum):
    ANSWER = "answer"
    """Another status or body instead of the part's own."""
    GARBAGE = "garbage"
    """200 with an HTML page where the part would have said something else."""
    RESET = "reset"
    """TCP reset instead of an answer."""
    CLOSE = "close"
    """The connection ends in good order without an answer."""
    HANG = "hang"
    """Nothing for `seconds`, then the connection ends."""
    DELAY = "delay"
    """The part's own answer, `seconds` late."""
    CUT = "cut"
    """The part's own answer, reset after `at` bytes of its body."""
    DRIP = "drip"
    """The part's own answer, `at` bytes of its body every `seconds`."""


_WITH_OWN_ANSWER = frozenset({FaultKind.DELAY, FaultKind.CUT, FaultKind.DRIP})


@dataclass(frozen=True, slots=True)
class Fault:
    """What to play and on which calls.

    `after` says that the call is carried out and stands in the book before its answer is spoiled;
    otherwise the part never sees it. `call` and `key` are globs (`push`, `shop.*`). Of the calls
    that match, the first `skip` go through, then every `every`-th is hit, `times` times
    (None: until the fault is cleared).
    """

    kind: FaultKind
    after: bool = False
    call: str = "*"
    key: str = "*"
    times: int | None = 1
    every: int = 1
    skip: int = 0
    answer: str = ""
    """One of the part's own answers by name (`over-quota`, `unavailable`, …)."""
    status: int = 200
    body: str = ""
    retry_after: str = ""
    """Sent as the header's value: seconds, a date, or nonsense."""
    seconds: float = 30.0
    at: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FaultKind(self.kind))
        if self.every < 1 or self.skip < 0 or (self.times is not None and self.times < 1):
            raise ValueError("every and times count from 1, skip from 0")

    @property
    def applied(self) -> bool:
        """The part carries the call out."""
        return self.after or self.kind in _WITH_OWN_ANSWER

    def matches(self, call: str, key: str) -> bool:
        return fnmatchcase(call, self.call) and fnmatchcase(key, self.key)

    def spoil(self, own: Answer | None, named: Mapping[str, Answer]) -> Answer | None:
        """The answer to send: `own` is the part's, if it was asked. None: no answer at all."""
        match self.kind:
            case FaultKind.ANSWER:
                return self._retry_later(self._written(named))
            case FaultKind.GARBAGE:
                return self._retry_later(html_answer(200, self.body or "One moment, please"))
            case FaultKind.RESET | FaultKind.CLOSE | FaultKind.HANG:
                return None
            case _:
                return own

    def _written(self, named: Mapping[str, Answer]) -> Answer:
        if self.answer:
            return named[self.answer]
        looks_like_json = self.body.lstrip()[:1] in ("{", "[")
        kind = "application/json; charset=UTF-8" if looks_like_json else "text/html; charset=UTF-8"
        return Answer(self.status, self.body.encode(), kind)

    def _retry_later(self, answer: Answer) -> Answer:
        if not self.retry_after:
            return answer
        headers = (*answer.headers, ("Retry-After", self.retry_after))
        return Answer(answer.status, answer.body, answer.content_type, headers)


@dataclass(slots=True)
class _Armed:
    fault: Fault
    seen: int = 0
    hits: int = 0

    def strikes(self) -> bool:
        """Count one matching call; True when it is to be hit."""
        if self.fault.times is not None and self.hits >= self.fault.times:
            return False
        self.seen += 1
        past = self.seen - self.fault.skip
        if past < 1 or past % self.fault.every:
            return False
        self.hits += 1
        return True


class Faults:
    """The faults of one part, asked in the order they were added; the first that hits wins.

    `names` are the answers that may be asked for by name. Thread-safe.
    """

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        self.names = names
        self._armed: list[_Armed] = []
        self._lock = threading.Lock()

    def add(self, kind: FaultKind | str, **rules: object) -> Fault:
        """Arm a fault: `faults.add("reset", after=True, call="push", times=2)`."""
        fault = _fault({"kind": kind, **rules})
        if fault.answer and fault.answer not in self.names:
            raise ValueError(f"no answer is named {fault.answer!r}: {sorted(self.names)}")
        with self._lock:
            self._armed.append(_Armed(fault))
        return fault

    def strike(self, call: str, key: str) -> Fault | None:
        """The fault that hits this call, counted as played."""
        with self._lock:
            for armed in self._armed:
                if armed.fault.matches(call, key) and armed.strikes():
                    return armed.fault
        return None

    def hits(self) -> int:
        with self._lock:
            return sum(armed.hits for armed in self._armed)

    def clear(self) -> None:
        with self._lock:
            self._armed.clear()

    def as_json(self) -> list[dict[str, object]]:
        with self._lock:
            return [asdict(armed.fault) | {"hits": armed.hits} for armed in self._armed]


def _fault(rules: Mapping[str, object]) -> Fault:
    known = {item.name for item in fields(Fault)}
    if unknown := sorted(set(rules) - known):
        raise ValueError(f"a fault has no {', '.join(unknown)}: it has {', '.join(sorted(known))}")
    return Fault(**rules)  # type: ignore[arg-type]  # names were checked, values come as written
